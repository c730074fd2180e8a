"""Flags: the reasons for a person to look at an item, and how much doubt each one casts (domain.md §1, §8).

Nothing is decided by a flag. It puts the item on the review desk, where the most doubtful stand first.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from annotation import answers
from annotation.answers import Answer, Question, type_of
from annotation.text.gettext import gettext_noop
from validation.consensus.engine import GOLD, NO_CONSENSUS, Decision

NO_GOLD, TEXT_ERROR, PROPOSED = "no_consensus", "text_error", "proposed_correction"
AMBIGUOUS, RETURNED_TWICE, NOBODY_LEFT = "ambiguous", "returned_twice", "nobody_left"
UNSURE, FAILED_CHECK, DUPLICATE, TOO_FAST = "unsure", "failed_check", "duplicate", "too_fast"
DISPUTED, SOURCE_CHANGED, TIED = "disputed", "source_changed", "tied"
MISSED_BY_MODELS = "missed_by_models"

# What the answers to a question raise together, as its answer type says.
ANSWER_FLAGS: Mapping[str, str] = {
    code: words for kind in answers.types_by_slug().values() for code, words in kind.flags.items()
}
# The order of the review desk (domain.md §8), most doubtful first.
FLAG_NAMES: Mapping[str, str] = {
    # Every model's answer is another than the one on which all people agreed: the gold label may be broken.
    MISSED_BY_MODELS: gettext_noop("missed by all models"),
    # A rule for ties made the gold label, no majority did. The first four stand there so that the other flags weigh
    # what they always did.
    TIED: gettext_noop("tie"),
    # What it was translated from says something else now (domain.md §7).
    SOURCE_CHANGED: gettext_noop("source changed"),
    # Two native speakers want two different texts.
    DISPUTED: gettext_noop("correction disputed"),
    NO_GOLD: gettext_noop("no consensus"),
    TEXT_ERROR: gettext_noop("text error"),
    PROPOSED: gettext_noop("proposed correction"),
    AMBIGUOUS: gettext_noop("ambiguous"),
    RETURNED_TWICE: gettext_noop("returned twice"),
    NOBODY_LEFT: gettext_noop("nobody left"),
    **ANSWER_FLAGS,
    UNSURE: gettext_noop("unsure"),
    FAILED_CHECK: gettext_noop("failed check"),
    DUPLICATE: gettext_noop("duplicate"),
    TOO_FAST: gettext_noop("too fast"),
}
# Of how somebody worked and not of the item: no release tells them.
ABOUT_PEOPLE = frozenset({TOO_FAST})
_LIGHTEST_FIRST = tuple(FLAG_NAMES)[::-1]
# Each weighs more than all lighter ones together, so that their sum keeps the order of the desk. Those of answers
# rank alike, and count as one.
WEIGHTS: Mapping[str, int] = {
    code: 2 ** sum(other not in ANSWER_FLAGS or other == next(iter(ANSWER_FLAGS)) for other in _LIGHTEST_FIRST[:place])
    for place, code in enumerate(_LIGHTEST_FIRST)
}


@dataclass(frozen=True, slots=True)
class FlagSettings:
    """What a project may set. Ruling 18: too fast is under 1 s and 0.1 s for each word shown."""

    fast_base_seconds: float = 1.0
    fast_word_seconds: float = 0.1


DEFAULT_SETTINGS = FlagSettings()


class FlagVote(NamedTuple):
    """What a standing vote says beside its label, with the time that it took and the words that were shown.

    `ambiguous` is true where the annotator marked the question or any option: they count once. Imported votes have
    no `seconds`.
    """

    annotator: str
    ambiguous: bool = False
    unsure: bool = False
    text_error: bool = False
    proposed: bool = False
    seconds: float | None = None
    words: int = 0


class RaisedFlag(NamedTuple):
    """A flag that the votes raise, and the pseudonyms of those whose votes do; none for `tied` and `no_consensus`."""

    code: str
    by: tuple[str, ...]


def is_too_fast(seconds: float | None, words: int, settings: FlagSettings = DEFAULT_SETTINGS) -> bool:
    """Say whether a vote came faster than the words shown can be read (ruling 18); unknown times never do."""
    # In milliseconds: 1 + 0.1 * 3 is more than 1.3 in binary fractions.
    least = round(1000 * settings.fast_base_seconds) + words * round(1000 * settings.fast_word_seconds)
    return seconds is not None and seconds * 1000 < least


def flags_from_votes(
    votes: Sequence[FlagVote], decision: Decision, settings: FlagSettings = DEFAULT_SETTINGS
) -> tuple[RaisedFlag, ...]:
    """Say which flags an item's votes raise, most doubtful first; the other flags are not raised by votes."""
    marked = {
        TEXT_ERROR: [vote.annotator for vote in votes if vote.text_error],
        PROPOSED: [vote.annotator for vote in votes if vote.proposed],
        AMBIGUOUS: [vote.annotator for vote in votes if vote.ambiguous],
        UNSURE: [vote.annotator for vote in votes if vote.unsure],
        TOO_FAST: [vote.annotator for vote in votes if is_too_fast(vote.seconds, vote.words, settings)],
    }
    raised = [RaisedFlag(code, tuple(by)) for code, by in marked.items() if by]
    if decision.state == NO_CONSENSUS:
        raised.insert(0, RaisedFlag(NO_GOLD, ()))
    if decision.tied and decision.state == GOLD:
        raised.insert(0, RaisedFlag(TIED, ()))
    return tuple(raised)


def answer_flags(
    posed: Sequence[Question], votes: Sequence[tuple[str, Mapping[str, Answer]]]
) -> tuple[RaisedFlag, ...]:
    """Say what the votes, a pseudonym with answers each, raise together by the types of the questions posed."""
    by: dict[str, set[str]] = {}
    for question in posed:
        parts = {part.key for part in question.parts}
        given_answers: list[tuple[str, Answer]] = []
        for name, given in votes:
            answer = {key: given[key] for key in parts & given.keys()} if parts else given.get(question.key)
            if answer is not None:
                given_answers.append((name, answer))
        for code, places in type_of(question).raised_flags(question, [answer for _, answer in given_answers]).items():
            by.setdefault(code, set()).update(given_answers[place][0] for place in places)
        for raised in answer_flags(question.parts, votes):
            by.setdefault(raised.code, set()).update(raised.by)
    return tuple(RaisedFlag(code, tuple(sorted(by[code]))) for code in ANSWER_FLAGS if code in by)


def doubt_of(codes: Collection[str]) -> int:
    """Weigh an item's open flags for the order of the desk; a code counts once, an unknown one not at all."""
    return sum({WEIGHTS.get(code, 0) for code in codes})
