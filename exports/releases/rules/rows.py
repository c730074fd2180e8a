"""Rows of a release: the input of a kind's `export_row` for an item, and the row of one vote.

Pure. Everything here is read off the frozen numbers of an item (its version, revision and last vote), so that a
release holds the same rows whenever, wherever and however often it is built.
"""

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Any, NamedTuple

import orjson

from annotation.answers import Question
from exports.releases.rules.splits import Outcome
from validation.consensus import engine as consensus
from validation.consensus import stages
from validation.consensus import translation_review as reviewing
from validation.consensus.engine import VoteIn, decide
from validation.consensus.protocol import NEVER, Protocol

# So many verdicts, and spellings of votes, are kept at once; where comments are told there may be as many as votes.
MOST_KEPT = 50_000
EXTRA = "extra"
NEW_MEANING = "new_meaning"


class FrozenItem(NamedTuple):
    """An item as a release holds it. `protocol`, `author`, `target`, `guideline` and `by` are keys into `Names`; `by`
    is who made the present text, `published` the split that it was published in where the rules read it."""

    row: int
    order: int
    item: int
    key: str
    version: int
    revision: int
    votes_n: int
    epoch: int
    stage: str
    round: int
    sampled: bool
    author_label: str
    gold: str
    gold_from: str
    author: int | None
    target: int
    origin: str
    protocol: int
    content: Mapping[str, Any] | None
    guideline: int | None
    published: str
    source: tuple[Any, ...]
    by: int | None = None


class FrozenVote(NamedTuple):
    """One vote that an item held when it was frozen, whatever happened to it since; equal ones may be one object.

    `unsure` and `ambiguous` are None where an imported file did not say.
    """

    n: int
    epoch: int
    round: int
    annotator: int
    label: str
    answers: str
    unsure: bool | None
    ambiguous: bool | None
    comment: str
    revision: int
    guideline: int | None
    withdrawn_version: int | None
    withdrawn_why: str


@dataclass(frozen=True, eq=False, slots=True)
class JudgedVotes:
    """What the engine makes of an item's votes: its verdict, and for each vote (in order) why it does not count.

    Items whose votes look alike share one object, which stands for itself as a key.
    """

    state: str
    label: str
    votes: tuple[FrozenVote, ...]
    withdrawal_reasons: tuple[str, ...]
    counted: tuple[FrozenVote, ...] = ()
    answers: Mapping[str, Any] | None = None
    stop: str = ""
    """Why nobody else was asked (`engine.stop_reason`); empty where somebody is, or nobody was yet."""
    n_labels: int = 0
    """The labels that count, the author's included where it is a vote."""


class VerdictDiffers(Exception):
    """The stored verdict of an item is not what its votes give."""

    project = ""

    def __init__(self, key: str, stored: str, computed: str) -> None:
        super().__init__(key)
        self.key, self.stored, self.computed = key, stored or "-", computed or "-"


# The state, the gold label, how many votes count, the gold answers to questions, why it stopped.
_Decision = tuple[str, str, int, Mapping[str, Any] | None, str]
_NO_VOTES, _AUTHOR_ALONE = (JudgedVotes(consensus.OPEN, "", (), (), n_labels=n) for n in (0, 1))


class Judge:
    """The consensus engine over frozen votes, with a memory: items whose votes look alike are decided once.

    `reviewed`: voters review, so only an approval is gold. `asked` gives the questions that voters answer under a
    protocol with these criteria.
    """

    def __init__(
        self,
        protocols: Mapping[int, Protocol],
        labels: Sequence[str],
        names: Mapping[int, str],
        *,
        reviewed: bool = False,
        asked: Callable[[Sequence[str]], Sequence[Question]] = lambda criteria: (),
        routes: Mapping[int, str] | None = None,
    ):
        self.routes = routes or {}
        self.authors_vote = {pk for pk, protocol in protocols.items() if protocol.author_counts}
        self.protocols, self.labels, self.names, self.reviewed = protocols, labels, names, reviewed
        self.asked = {pk: tuple(asked(protocol.criteria)) for pk, protocol in protocols.items()}
        self._alike = lru_cache(maxsize=4096)(self._decide_alike)
        self._known: dict[tuple[str, int, str, int, str], JudgedVotes] = {}

    def judge(self, item: FrozenItem, votes: Sequence[FrozenVote], public_id: str = "") -> JudgedVotes:
        """Decide from the votes that stood then; equal `public_id`s are equal votes. Raises VerdictDiffers."""
        if not votes:
            return self._checked(item, _AUTHOR_ALONE if self._author_votes(item) else _NO_VOTES)
        if not public_id:
            return self._checked(item, self.decide_votes(item, votes))
        route = self.routes.get(item.item, "") if self.routes else ""
        alike = public_id, item.protocol, item.author_label, item.epoch, route
        judged = self._known.get(alike)
        if judged is None:
            judged = self.decide_votes(item, votes)
            if all(vote.withdrawn_version is None for vote in votes):  # else the item's version has a say
                if len(self._known) >= MOST_KEPT:
                    self._known.clear()
                self._known[alike] = judged
        return self._checked(item, judged)

    def decide_votes(self, item: FrozenItem, votes: Sequence[FrozenVote]) -> JudgedVotes:
        """Decide from these votes alone, whatever is stored."""
        ordered = tuple(sorted(votes, key=_order_given)) if len(votes) > 1 else tuple(votes)
        whys = [why_not_standing(item, vote) for vote in ordered]
        standing = [vote for vote, why in zip(ordered, whys, strict=True) if not why]
        state, label, counted, answers, stop = self._decide(item, standing)
        if counted < len(standing):
            extra = {vote.n for vote in standing[counted:]}
            whys = [EXTRA if vote.n in extra else why for vote, why in zip(ordered, whys, strict=True)]
        n_labels = counted + (item.author_label != "" and item.protocol in self.authors_vote)
        return JudgedVotes(state, label, ordered, tuple(whys), tuple(standing[:counted]), answers, stop, n_labels)

    def _author_votes(self, item: FrozenItem) -> bool:
        return bool(item.author_label) and item.protocol in self.authors_vote

    def _decide(self, item: FrozenItem, standing: list[FrozenVote]) -> _Decision:
        protocol, asked = self.protocols[item.protocol], self.asked[item.protocol]
        route = self.routes.get(item.item, "") if self.routes else ""
        if asked or protocol.criteria or protocol.tie != "none" or protocol.most_ambiguous != NEVER:
            return self._run(protocol, item.author_label, standing, asked, route)
        given = tuple([vote.label for vote in standing])
        return self._alike(item.protocol, item.author_label, given, route)

    def _decide_alike(self, number: int, author_label: str, given: tuple[str, ...], route: str) -> _Decision:
        """Without a tie rule, criteria and marks nothing counts but the labels in their order."""
        votes = [VoteIn(label, "", 1, n) for n, label in enumerate(given)]
        protocol = self.protocols[number]
        found = decide(protocol, author_label or None, votes, self.labels, route=route)
        return self._told(protocol, found, route)

    def _run(
        self,
        protocol: Protocol,
        author_label: str,
        votes: list[FrozenVote],
        asked: Sequence[Question],
        route: str = "",
    ) -> _Decision:
        ballots = [
            VoteIn(v.label, self.names[v.annotator], v.round, v.n, orjson.loads(v.answers), bool(v.ambiguous))
            for v in votes
        ]
        found = decide(protocol, author_label or None, ballots, self.labels, asked, route)
        return self._told(protocol, found, route)

    def _told(self, protocol: Protocol, found: consensus.Decision, route: str = "") -> _Decision:
        """The engine deals votes out in order, so those that count are the first ones."""
        decision = reviewing.approved_only(found) if self.reviewed else found
        answers = dict(decision.criteria) if decision.criteria and decision.state == consensus.GOLD else None
        stop = consensus.stop_reason(protocol, decision, route)
        return decision.state, decision.label or "", len(decision.counted), answers, stop

    def _checked(self, item: FrozenItem, judged: JudgedVotes) -> JudgedVotes:
        """A verdict that the votes made is only released when they still give it (domain.md §3)."""
        if item.stage == stages.SETTLED and item.gold_from == "votes":
            if judged.state != consensus.GOLD or judged.label != item.gold:
                raise VerdictDiffers(item.key, item.gold, judged.label)
        elif item.stage == stages.NO_CONSENSUS and judged.state != consensus.NO_CONSENSUS:
            raise VerdictDiffers(item.key, consensus.NO_CONSENSUS, judged.label or judged.state)
        return judged


def _order_given(vote: FrozenVote) -> tuple[int, int]:
    return vote.round, vote.n


def why_not_standing(item: FrozenItem, vote: FrozenVote) -> str:
    """Why a vote did not stand when the item was frozen; empty where it did."""
    if vote.withdrawn_version is not None and vote.withdrawn_version <= item.version:
        return vote.withdrawn_why
    return "" if vote.epoch == item.epoch else NEW_MEANING


class Names(NamedTuple):
    """What ids mean: pseudonyms, guideline numbers, targets as (language, register), and how classes are written.

    `imported_annotators` are those of the annotators who came with imported files.
    """

    annotators: Mapping[int, str]
    guidelines: Mapping[int, int]
    targets: Mapping[int, tuple[str, str]]
    classes: Mapping[str, str]
    imported_annotators: Mapping[int, str] = MappingProxyType({})


def item_row(
    item: FrozenItem,
    judged: JudgedVotes,
    outcome: Outcome,
    flags: Sequence[str],
    content: Mapping[str, Any],
    names: Names,
    votes: Sequence[Mapping[str, Any]] = (),
    *,
    public_id: str = "",
    answers: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """What `Kind.export_row` reads: one released item with its source, labels, votes and where it comes from.

    `told` is the id that a release gives it, where that is not its key. `votes` are the counted ones as `marked_votes`
    tells them, for kinds whose rows hold what annotators marked. `answers` are those that a lead settled it by.
    """
    key, sentence_class, document, extra = item.source
    counted = judged.counted
    by_votes = judged.label if judged.state == consensus.GOLD else ""
    language, register = names.targets[item.target]
    return {
        "key": public_id or item.key,
        "content": content,
        "source": {
            "key": key or "",
            "sentence_class": names.classes.get(sentence_class, sentence_class or ""),
            "document": document or "",
            "extra": plain_json(extra),
        },
        "label": outcome.label,
        "label_source": outcome.source,
        "gold": by_votes if item.stage != stages.SETTLED or item.gold_from == "votes" else item.gold,
        "counted_answers": [plain_json(vote.answers) for vote in counted] if judged.answers else [],
        "gold_answers": judged.answers if item.gold_from != "lead" else answers,
        "author_label": item.author_label,
        "author": names.annotators.get(item.author or 0, ""),
        "corrected_by": "" if item.by == item.author else names.annotators.get(item.by or 0, ""),
        "counted_labels": [vote.label for vote in counted],
        "counted_annotators": [names.annotators[vote.annotator] for vote in counted],
        "votes": votes,
        "round": item.round,
        "n_labels": judged.n_labels,
        "stop_reason": judged.stop or None,
        "flags": flags,
        "split": outcome.split,
        "language": language,
        "register": register,
        "origin": item.origin,
        "revision": item.revision,
        "guideline": names.guidelines.get(item.guideline or 0),
    }


def marked_votes(judged: JudgedVotes, names: Names, comments: bool) -> list[dict[str, Any]]:
    """The counted votes by pseudonym, with their marks; `comment` only where the release holds comments."""
    votes = [
        {
            "annotator": names.annotators[vote.annotator],
            "label": vote.label,
            "unsure": vote.unsure,
            "answers": plain_json(vote.answers),
        }
        | ({"comment": vote.comment} if comments else {})
        for vote in judged.counted
    ]
    return sorted(votes, key=lambda vote: str(vote["annotator"]))


class VoteLines:
    """The lines of votes in a release, one a vote, in the order in which they were given.

    Which split its item is in, or why in none, stands in each. All but the id is the same for many votes, and is
    spelled once. Where a project has votes of files (`imported`: the annotators whose votes came so), each vote says
    whether it is one; where the kind's authors answer (`tells_author`), what the author of its item said.
    """

    def __init__(
        self,
        names: Names,
        spell: Callable[[str], str],
        id_column: str,
        *,
        comments: bool,
        imported: Container[int] | None = None,
        tells_author: bool = False,
    ) -> None:
        self.names, self.spell, self.comments = names, spell, comments
        self.tells_imported, self.imported = imported is not None, imported or ()
        self.tells_author = tells_author
        self.head = b"{" + orjson.dumps(id_column) + b":"
        self._alike: dict[tuple[JudgedVotes, str, str, str], list[bytes]] = {}
        self._tails: dict[tuple[str, str, str], dict[tuple[FrozenVote, str], bytes]] = {}
        self._kept = 0

    def lines(self, key: str, judged: JudgedVotes, outcome: Outcome, author: str = "") -> list[bytes]:
        """The lines of an item's votes, under the item's public id; `author` is its author's label."""
        head, alike = self.head + orjson.dumps(key) + b",", (judged, outcome.split, outcome.left_out, author)
        tails = self._alike.get(alike) or self._spelled(*alike)
        return [head + tail for tail in tails]

    def _spelled(self, judged: JudgedVotes, split: str, left_out: str, author: str) -> list[bytes]:
        """The lines of these votes behind their id."""
        if self._kept >= MOST_KEPT:
            self._alike.clear()
            self._tails.clear()
            self._kept = 0
        where = split, left_out, author
        tails = self._tails.setdefault(where, {})
        pairs = sorted(zip(judged.votes, judged.withdrawal_reasons, strict=True), key=_number)
        for each in pairs:
            if each not in tails:
                line = orjson.dumps(self._row(where, *each), option=orjson.OPT_APPEND_NEWLINE)
                tails[each] = line[1:]
                self._kept += 1
        self._kept += 1
        found = self._alike[judged, split, left_out, author] = [tails[each] for each in pairs]
        return found

    def _row(self, where: tuple[str, str, str], vote: FrozenVote, why: str) -> dict[str, Any]:
        split, left_out, author = where
        row = {
            "n": vote.n,
            "annotator": self.names.annotators[vote.annotator],
            "label": self.spell(vote.label),
            "counted": not why,
            "not_counted_because": why or None,
            "unsure": vote.unsure,
            "ambiguous": vote.ambiguous,
            "epoch": vote.epoch,
            "round": vote.round,
            "revision": vote.revision,
            "guideline": self.names.guidelines.get(vote.guideline or 0),
            "answers": plain_json(vote.answers),
            "split": split or None,
            "left_out": left_out or None,
        }
        if self.tells_imported:
            row["imported"] = vote.annotator in self.imported
        if self.tells_author:
            row["author_label"] = self.spell(author) if author else None
        return row | ({"comment": vote.comment} if self.comments else {})


def _number(pair: tuple[FrozenVote, str]) -> int:
    return pair[0].n


@lru_cache(maxsize=4096)
def plain_json(raw: str | None) -> dict[str, Any]:
    """A stored JSON object with its keys in one order; equal ones are one object, which nobody may change."""
    return with_sorted_keys(orjson.loads(raw)) if raw and raw != "{}" else {}


def with_sorted_keys(stored: Mapping[str, Any]) -> dict[str, Any]:
    """A JSON object with sorted keys at every depth: databases keep them each in an order of their own."""
    if any(type(value) in (dict, list) for value in stored.values()):
        ordered: dict[str, Any] = orjson.loads(orjson.dumps(stored, option=orjson.OPT_SORT_KEYS))
        return ordered
    return {name: stored[name] for name in sorted(stored)}
