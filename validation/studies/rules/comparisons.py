"""Choosing a generator: which of two runs wrote better, part by part, from blind pairs (id-csqa Appendix A.2, Table 8).

A pair are two questions from the same material, one of each run. People see them in an order of their own; here what
they chose is told as the first run, the second, or neither.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from math import sqrt
from typing import NamedTuple

from annotation.core.rules import draws

CONCEPT, QUESTION, OPTIONS = "concept", "question", "options"
PARTS = (CONCEPT, QUESTION, OPTIONS)
FIRST, SECOND, EQUAL = "first", "second", "equal"
# The two-sided 95 % of a normal distribution.
Z = 1.959963984540054
_DRAW_PURPOSE = "comparison"


def draw_pairs(seed: str, keys: Iterable[str], size: int) -> list[str]:
    """So many of the pairs, in drawn order: the same for the same seed, on any machine."""
    return draws.order(seed, _DRAW_PURPOSE, set(keys))[:size]


class Interval(NamedTuple):
    """Where a share lies with 95 % confidence."""

    low: float
    high: float


def wilson(wins: int, n: int) -> Interval | None:
    """Wilson's score interval of wins among n; None where n is 0. Unlike the normal one it stays within 0 and 1."""
    if n == 0:
        return None
    share, square = wins / n, Z * Z
    middle = (share + square / (2 * n)) / (1 + square / n)
    half = Z * sqrt(share * (1 - share) / n + square / (4 * n * n)) / (1 + square / n)
    # Of none and of all, one end is 0 or 1 exactly, which the difference misses by 2e-17.
    return Interval(0.0 if wins == 0 else middle - half, 1.0 if wins == n else middle + half)


class RightShare:
    """How many of so many answers are right: for tuples that have `n` and `right`."""

    n: int
    right: int

    @property
    def share(self) -> float | None:
        return self.right / self.n if self.n else None

    @property
    def interval(self) -> Interval | None:
        """Wilson's interval of that share."""
        return wilson(self.right, self.n)

    @property
    def percent(self) -> float | None:
        """The share in percent."""
        return None if self.share is None else 100 * self.share

    @property
    def percents(self) -> tuple[float, float] | None:
        """The interval in percent."""
        return self.interval and (100 * self.interval.low, 100 * self.interval.high)


class WinRate(NamedTuple):
    """How often each run won, and how often neither did; rates are over what had a winner, ties distinguished."""

    first: int = 0
    second: int = 0
    equal: int = 0
    by_pair: tuple[tuple[int, int], ...] = ()
    """Of choices of several people: how often each pair's choices were for the first run, and for the second."""

    @property
    def decided(self) -> int:
        """How many had a winner."""
        return self.first + self.second

    @property
    def total(self) -> int:
        """How many there were, with those that nobody won."""
        return self.decided + self.equal

    def rate(self, run: str) -> float | None:
        """The share of those with a winner that this run won; None where there is none."""
        return self.wins(run) / self.decided if self.decided else None

    def interval(self, run: str) -> Interval | None:
        """Wilson's interval of that share; choices of several people of one pair count together."""
        if not self.by_pair:
            return wilson(self.wins(run), self.decided)
        import numpy as np

        from validation.insights.rules.clusters import share_interval

        times = np.array(self.by_pair)
        first = np.repeat(np.tile([True, False], len(times)), times.ravel())
        ends = share_interval(first == (run == FIRST), np.repeat(np.arange(len(times)), times.sum(axis=1)))
        return ends and Interval(*ends)

    def wins(self, run: str) -> int:
        """How often this run won."""
        return self.first if run == FIRST else self.second


class Choice(NamedTuple):
    """What one person said of one pair: for each part the run that they meant, or `equal`."""

    pair: str
    person: str
    chosen_runs: Mapping[str, str]


class Tally(NamedTuple):
    """The outcome of a comparison, by part: over all that was said, over pairs (each counts once), and by person."""

    single_choices: Mapping[str, WinRate]
    pairs: Mapping[str, WinRate]
    people: Mapping[str, Mapping[str, WinRate]]


def tally(choices: Sequence[Choice], parts: Iterable[str]) -> Tally:
    """Count by part. What several people said of a pair is not independent, so each pair also counts once, as most
    of them said; where as many chose the one as the other, it counts as equal."""
    listed = list(parts)
    people = sorted({choice.person for choice in choices})
    by_person = {who: [choice for choice in choices if choice.person == who] for who in people}
    return Tally(
        {part: _count_choices(choices, part) for part in listed},
        {part: _count_wins(_by_pair(choices, part)) for part in listed},
        {
            who: {part: _count_wins(choice.chosen_runs[part] for choice in own) for part in listed}
            for who, own in by_person.items()
        },
    )


def _count_wins(won: Iterable[str]) -> WinRate:
    counted = Counter(won)
    return WinRate(counted[FIRST], counted[SECOND], counted[EQUAL])


def _count_choices(choices: Sequence[Choice], part: str) -> WinRate:
    """All choices; with those of each pair where a pair has several."""
    counted = _count_wins(choice.chosen_runs[part] for choice in choices)
    if len({choice.pair for choice in choices}) == len(choices):
        return counted
    chosen = _chosen_by_pair(choices, part).values()
    return counted._replace(by_pair=tuple((of[FIRST], of[SECOND]) for of in chosen if of[FIRST] + of[SECOND]))


def _by_pair(choices: Iterable[Choice], part: str) -> list[str]:
    return [_majority_run(each[FIRST], each[SECOND]) for each in _chosen_by_pair(choices, part).values()]


def _chosen_by_pair(choices: Iterable[Choice], part: str) -> "dict[str, Counter[str]]":
    by_pair: dict[str, Counter[str]] = defaultdict(Counter)
    for choice in choices:
        by_pair[choice.pair][choice.chosen_runs[part]] += 1
    return by_pair


def _majority_run(first: int, second: int) -> str:
    if first == second:
        return EQUAL
    return FIRST if first > second else SECOND
