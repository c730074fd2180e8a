"""Gold questions: whom to notify, whom to pause for a lead's decision, when to retire a question. Pure.

Nothing here bans anybody, withholds pay or erases votes.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import ceil, comb

from validation.voting.rules.dealing import AGAIN_AFTER, LATER_EVERY

# Figures cover at most this many answers, in groups of five: changing with one answer, they would reveal which it was.
WINDOW, ANSWERS_PER_STEP = 20, 5
NOTE_BELOW = 0.8
# Of people who are right so often, or oftener, at most this share is ever paused within so many answers.
PAUSE_BELOW, FALSE_PAUSES, HORIZON = 0.7, 0.05, 100
# Few people are asked more: a thousand votes hold 44 gold questions.
SPENT_BY = 50
# A question is taken out when more than so many of those who were asked miss it, from so many answers on.
MISSED_OVER, MISSED_FROM = 0.4, 3


@dataclass(frozen=True, slots=True)
class Standing:
    """So many right of so many answers: of the last `WINDOW`, of all, and of those that a pause is decided by."""

    answered: int
    right: int
    all_answered: int
    all_right: int
    tested: int = 0
    tested_right: int = 0

    @property
    def noted(self) -> bool:
        """Whether the person sees a note to read the guidelines again."""
        return self.answered >= ANSWERS_PER_STEP and self.right < NOTE_BELOW * self.answered

    @property
    def must_pause(self) -> bool:
        """Whether they wait for a lead: too few are right for somebody who is right in `PAUSE_BELOW` of all."""
        return self.tested >= ANSWERS_PER_STEP and self.tested_right <= pause_limits()[self.tested]


@cache
def pause_limits() -> dict[int, int]:
    """By number of answers, at every fifth: at most so many are right, and the person is paused; -1: never there.

    A sequential test: of those who are right in `PAUSE_BELOW` of all answers the share that was paused by then is at
    most `FALSE_PAUSES` within `HORIZON` answers, spent evenly over the first `SPENT_BY` (Lan and DeMets 1983). Exact,
    by the binomial distribution of the right answers of those who were not paused before; who is right oftener is
    paused less.
    """
    step = [
        comb(ANSWERS_PER_STEP, k) * PAUSE_BELOW**k * (1 - PAUSE_BELOW) ** (ANSWERS_PER_STEP - k)
        for k in range(ANSWERS_PER_STEP + 1)
    ]
    limits, going, paused = dict[int, int](), {0: 1.0}, 0.0
    for answered in range(ANSWERS_PER_STEP, HORIZON + 1, ANSWERS_PER_STEP):
        after: dict[int, float] = defaultdict(float)
        for right, probability in going.items():
            for more, share in enumerate(step):
                after[right + more] += probability * share
        limit, allowed = -1, FALSE_PAUSES * min(1, answered / SPENT_BY)
        while paused + after.get(limit + 1, 0.0) <= allowed:
            limit += 1
            paused += after.pop(limit, 0.0)
        limits[answered], going = limit, after
    return limits


def standing_of(results: Sequence[bool], *, since: int = 0) -> Standing | None:
    """The standing after these answers, in their order, in groups of five only; None before five.

    `since`: so many of the first came before the last pause, and count in all answers alone. What a pause is decided
    by begins anew after each `HORIZON` answers.
    """
    whole = results[: len(results) // ANSWERS_PER_STEP * ANSWERS_PER_STEP]
    if not whole:
        return None
    fresh = results[since:]
    fresh = fresh[: len(fresh) // ANSWERS_PER_STEP * ANSWERS_PER_STEP]
    window, tested = fresh[-WINDOW:], fresh[max(0, len(fresh) - 1) // HORIZON * HORIZON :]
    return Standing(len(window), sum(window), len(whole), sum(whole), len(tested), sum(tested))


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
