"""Signs that somebody answers without reading, for leads: speed, one label over and over. They decide nothing."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import NamedTuple

# From so many votes on a figure is shown: fewer say little.
FEWEST_VOTES = 20
# Somebody seems to be in a hurry from this share of answers that are too fast on, or from so many equal ones in a row.
FAST_SHARE, LONG_RUN = 0.2, 20


class TimedAnswer(NamedTuple):
    """One vote: the place of its label on the screen, seconds (None where unknown), words shown."""

    label: str
    seconds: float | None
    words: int


@dataclass(frozen=True)
class Signs:
    """Of so many votes: seconds in the middle, the share too fast, the share of the commonest label, the longest run.

    Shares are from 0 to 1; None where there are fewer than `FEWEST_VOTES` votes to say it by, or no times.
    """

    votes: int
    median_seconds: float | None
    fast: float | None
    commonest: float | None
    longest_run: int | None

    @property
    def hasty(self) -> bool:
        """Whether one of them is as with people who do not read: never enough by itself to say that they do not."""
        return (self.fast or 0.0) >= FAST_SHARE or (self.longest_run or 0) >= LONG_RUN


def longest_run(labels: Iterable[str]) -> int:
    """How often one label was given in a row at most."""
    best = here = 0
    before: str | None = None
    for label in labels:
        here = here + 1 if label == before else 1
        best, before = max(best, here), label
    return best


def signs_of(answers: Sequence[TimedAnswer], *, base: float, word: float) -> Signs:
    """The signs of one person's votes in the order in which they were cast.

    Too fast: under `base` seconds and `word` seconds for each word (domain.md §10.18).
    """
    timed = [(each.seconds, each.words) for each in answers if each.seconds is not None]
    enough, timed_enough = len(answers) >= FEWEST_VOTES, len(timed) >= FEWEST_VOTES
    labels = [each.label for each in answers]
    return Signs(
        votes=len(answers),
        median_seconds=median(seconds for seconds, _ in timed) if timed_enough else None,
        fast=sum(seconds < base + word * words for seconds, words in timed) / len(timed) if timed_enough else None,
        commonest=Counter(labels).most_common(1)[0][1] / len(labels) if enough else None,
        longest_run=longest_run(labels) if enough else None,
    )
