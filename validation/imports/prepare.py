"""All that can be said of one pair before the database is asked: its checks, draws, words and surplus votes."""

from dataclasses import dataclass
from functools import lru_cache

from annotation.content.rules import premises
from annotation.text import checks
from annotation.text.phenomena import PHENOMENA
from annotation.text.tokens import word_count
from annotation.writing.rules.sampling import sampled
from validation.consensus.engine import VoteIn, decide
from validation.imports.project_context import Frame
from validation.imports.rules import PairRow, PremiseRow

SLOT = "pair"
TAGS = frozenset(phenomenon.code for phenomenon in PHENOMENA)
Same = tuple[str, str]


@dataclass(slots=True)
class Pair:
    """A pair that is ready, with the checks that it fails (`failed`)."""

    row: PairRow
    words: int
    failed: tuple[str, ...]
    surplus: frozenset[int]


_words = lru_cache(maxsize=512)(word_count)


class Preparer:
    """Prepares pairs for one project. `with_tags` says that the file has a column of tags."""

    def __init__(self, frame: Frame, *, with_tags: bool) -> None:
        self._frame = frame
        required = with_tags and frame.settings.get("tags") == "required"
        ids = [each for each in frame.block_checks if required or each != "tags_missing"]
        self._checks = [checks.get(each) for each in ids]
        self._labels = frame.kind.label_keys
        self._surplus = lru_cache(maxsize=4096)(self._surplus_of)

    def prepare(self, row: PairRow) -> Pair:
        return Pair(
            row=row,
            words=_words(row.premise.text) + word_count(row.hypothesis),
            failed=self._failed(row),
            surplus=self._surplus(row.author_label, row.votes) if row.votes else frozenset(),
        )

    def _failed(self, row: PairRow) -> tuple[str, ...]:
        frame = self._frame
        context = checks.SetContext(
            source=row.premise.text,
            slots=(checks.SlotText(SLOT, row.author_label, row.hypothesis, False, row.tags),),
            language=frame.language,
            settings=frame.settings,
            per_label=frame.per_label,
            labels=self._labels,
            often={},
        )
        found = [check.id for check in self._checks for _ in check.find(context)]
        if too_long(frame, row.premise) is not None:
            found.append("too_many_words")
        if row.tags and not TAGS.issuperset(row.tags):
            found.append("tags_unknown")
        return tuple(dict.fromkeys(found)) if found else ()

    def _surplus_of(self, author_label: str, votes: tuple[tuple[str, str], ...]) -> frozenset[int]:
        """Which votes stand beyond the decision: kept, never counted for gold (ruling 3)."""
        frame = self._frame
        ballots = [
            VoteIn(label, name, frame.round_of(place), place) for place, (name, label) in enumerate(votes)
        ]
        return frozenset(decide(frame.protocol, author_label or None, ballots, frame.kind.label_keys).surplus)


def too_long(frame: Frame, row: PremiseRow) -> premises.Problem | None:
    """A premise has at most so many words, whatever its class (domain.md §4)."""
    return premises.refusal(row.text, frame.max_words)


def is_sampled(frame: Frame, key: str, source_key: str) -> bool:
    """Whether an item without votes is validated: the same draw as at a writer's submission (ruling 16)."""
    return frame.share >= 1 or sampled(frame.seed, source_key if frame.by_premise else key, frame.share)
