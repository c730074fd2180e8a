"""Gold questions: whom to notify, whom to pause for a lead's decision, when to retire a question. Pure.

Nothing here bans anybody, withholds pay or erases votes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from validation.quality.rules.intervals import upper_bound
from validation.voting.rules.dealing import AGAIN_AFTER, LATER_EVERY

# Figures cover at most this many answers, in groups of five: changing with one answer, they would reveal which it was.
WINDOW, ANSWERS_PER_STEP = 20, 5
NOTE_BELOW = 0.8
PAUSE_BELOW, CONFIDENCE = 0.7, 0.9
# A question is taken out when more than so many of those who were asked miss it, from so many answers on.
MISSED_OVER, MISSED_FROM = 0.4, 3


@dataclass(frozen=True, slots=True)
class Standing:
    """So many right of so many answers, of the last `WINDOW` and of all."""

    answered: int
    right: int
    all_answered: int
    all_right: int

    @property
    def noted(self) -> bool:
        """Whether the person sees a note to read the guidelines again."""
        return self.answered >= ANSWERS_PER_STEP and self.right < NOTE_BELOW * self.answered

    @property
    def must_pause(self) -> bool:
        """Whether they wait for a lead: the upper bound of their share of right answers is below the limit."""
        return self.answered >= ANSWERS_PER_STEP and upper_bound(self.right, self.answered, CONFIDENCE) < PAUSE_BELOW


def standing_of(results: Sequence[bool], *, since: int = 0) -> Standing | None:
    """The standing after these answers, in their order, in groups of five only; None before five.

    `since`: so many of the first came before the last pause, and count in all answers alone.
    """
    whole = results[: len(results) // ANSWERS_PER_STEP * ANSWERS_PER_STEP]
    if not whole:
        return None
    fresh = results[since:]
    window = fresh[: len(fresh) // ANSWERS_PER_STEP * ANSWERS_PER_STEP][-WINDOW:]
    return Standing(len(window), sum(window), len(whole), sum(whole))


def most_asked(*, team: int, votes_at_most: int, seen: int) -> int:
    """How many people are asked a gold question: a third of the team, and with those who saw the text before (`seen`)
    no more than any text is shown to under the protocol. 0 where nobody can be."""
    return max(0, min(ceil(team / 3), votes_at_most - seen))


def is_missed(answered: int, wrong: int) -> bool:
    """Whether so many miss it that its answer is doubtful."""
    return answered >= MISSED_FROM and wrong > MISSED_OVER * answered


def repeats_due(votes: int) -> int:
    """How many of their own earlier items somebody with so many votes has been asked again: after 50, 1 in 25."""
    return max(0, votes - AGAIN_AFTER) // LATER_EVERY


def is_unanimous(labels: Sequence[str], least: int = 3) -> bool:
    """Whether this many people at least gave the same label, and nobody another one."""
    return len(labels) >= least and len(set(labels)) == 1
