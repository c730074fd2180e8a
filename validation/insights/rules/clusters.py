"""Intervals over sources: the items of one premise, concept or document come together, so they are left out together.

What each item adds to a figure (its influence) is summed by source, and the spread of these sums is the figure's
variance: the infinitesimal jackknife (Efron 1981; for clusters Cameron and Miller 2015), with Student's t of one degree
of freedom less than there are sources, so that few of them have a wide interval. Shares have Wilson's interval with as
many items as that variance is worth (Dean and Pagano 2015): it stays within 0 and 1, also where all are right.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from validation.insights.rules.tallies import Codes, Ints

Floats = npt.NDArray[np.float64]
FEWEST_SOURCES = 2
# Of fewer people nothing is said of others; with more the jackknife takes too long, and adds hardly anything.
FEWEST_PEOPLE, MOST_PEOPLE = 3, 60
# Two-sided 95 % quantiles of Student's t by degrees of freedom; from the last one on by Cornish and Fisher's expansion.
_T95 = (
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
    2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
)  # fmt: skip
_Z95 = 1.959964


class Ends(NamedTuple):
    """The two ends of a 95 % interval."""

    low: float
    high: float

    @property
    def width(self) -> float:
        """How far the ends are from each other."""
        return self.high - self.low


class Estimate(NamedTuple):
    """A figure with its two 95 % intervals, over items (by source) and over people; None where one is not defined.

    `few_people`: too few gave the votes to tell how far others would differ, which is most of what is not known.
    """

    value: float | None
    items: Ends | None = None
    people: Ends | None = None
    few_people: bool = False

    @property
    def ends(self) -> Ends | None:
        """The wider of the two: the people of a project are a sample as well as its items."""
        return None if self.few_people else wider(self.items, self.people)

    def within(self, least: float, most: float) -> "Estimate":
        """The same where no figure can be lower or higher: estimates of few votes may lie outside."""

        def inside(figure: float) -> float:
            return min(max(figure, least), most)

        items, people = (ends and Ends(*map(inside, ends)) for ends in (self.items, self.people))
        return self._replace(value=None if self.value is None else inside(self.value), items=items, people=people)

    @property
    def columns(self) -> dict[str, float | None]:
        """Its value and the ends of its intervals, by the columns of files."""
        both = {"": self.ends, "items_": self.items, "people_": self.people}
        ends = {f"{over}{end}": pair and getattr(pair, end) for over, pair in both.items() for end in Ends._fields}
        return {"value": self.value, **ends}


def t95(freedom: float) -> float:
    """The two-sided 95 % quantile of Student's t; between whole numbers by Cornish and Fisher's expansion."""
    if freedom <= 1:
        return _T95[0]
    if freedom <= len(_T95) and freedom == int(freedom):
        return _T95[int(freedom) - 1]
    z = _Z95
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
    )
    return z + sum(term / freedom**power for power, term in enumerate(terms, 1))


def add_up(code: Ints, values: Floats, codes: int) -> Floats:
    """The sum of the values of each code."""
    return np.bincount(code, values, codes).astype(float)


def number_sources(family: Codes) -> Ints:
    """A code from 0 for each item's source; an item of none (0 or less) is one of its own."""
    alone = family <= 0
    codes = np.where(alone, -1 - np.arange(len(family)), family)
    return np.unique(codes, return_inverse=True)[1].astype(np.int64)


def variance(influence: Floats, source: Ints) -> float | None:
    """The variance of a figure from what each item adds to it; None where there are too few sources."""
    sums = np.bincount(source, influence)
    n = len(np.unique(source))
    return None if n < FEWEST_SOURCES else float((sums**2).sum() * n / (n - 1))


def interval(value: float, influence: Floats, source: Ints) -> Ends | None:
    """The interval of a figure over sources."""
    spread = variance(influence, source)
    if spread is None:
        return None
    half = t95(len(np.unique(source)) - 1) * float(np.sqrt(spread))
    return Ends(value - half, value + half)


def mean_interval(values: Floats, source: Ints) -> Ends | None:
    """The interval of a mean over items."""
    mean = float(values.mean())
    return interval(mean, (values - mean) / len(values), source)


def ratio(parts: Floats, wholes: Floats, source: Ints) -> Estimate:
    """The sum of parts by that of wholes, a pair an item, with its interval over sources."""
    whole = float(wholes.sum())
    if not whole > 0:
        return Estimate(None)
    value, counted = float(parts.sum()) / whole, (parts != 0) | (wholes != 0)
    return Estimate(value, interval(value, (parts - value * wholes)[counted] / whole, source[counted]))


def share_ratio(parts: Floats, wholes: Floats, source: Ints) -> Estimate:
    """`ratio` of what is a share: from 0 to 1, and with Wilson's interval where nothing is spread."""
    found = ratio(parts, wholes, source).within(0.0, 1.0)
    if found.value is None or found.items is None or (0 < found.value < 1 and found.items.width > 0):
        return found
    return found._replace(items=alike_ends(found.value, wholes, source))


def alike_ends(share: float, weights: Floats, source: Ints) -> Ends | None:
    """The interval of a share of 0 or 1: each source, by its weight, is then worth one item."""
    sums = np.bincount(source, np.abs(weights))
    n = int((sums > 0).sum())
    return wilson_ends(share, float(sums.sum() ** 2 / (sums**2).sum()), t95(n - 1)) if n >= FEWEST_SOURCES else None


def share_interval(right: "npt.NDArray[np.bool_]", source: Ints) -> Ends | None:
    """The interval of the share of items that are right."""
    share, n = float(np.mean(right)), len(np.unique(source))
    spread = variance((right - share) / len(right), source)
    if spread is None:
        return None
    # Where all are right nothing is spread: each source is then worth one item.
    worth = min(share * (1 - share) / spread, len(right)) if 0 < share < 1 and spread > 0 else n
    return wilson_ends(share, worth, t95(n - 1))


def wilson_ends(share: float, n: float, t: float) -> Ends:
    """Wilson's interval of a share of so many items."""
    middle = (share + t * t / (2 * n)) / (1 + t * t / n)
    half = t * float(np.sqrt(share * (1 - share) / n + t * t / (4 * n * n))) / (1 + t * t / n)
    return Ends(0.0 if share == 0 else middle - half, 1.0 if share == 1 else middle + half)


def jackknife_interval(
    value: float | None, left_out: "Sequence[float | None]", fewest: int = FEWEST_PEOPLE
) -> Ends | None:
    """The interval from the figure without each person (or source), with Student's t (Efron, Tibshirani 1993)."""
    defined = np.array([other for other in left_out if other is not None])
    n = len(defined)
    if value is None or n < fewest:
        return None
    half = t95(n - 1) * float(np.sqrt((n - 1) / n * ((defined - defined.mean()) ** 2).sum()))
    return Ends(value - half, value + half)


def wider(*intervals: Ends | None) -> Ends | None:
    """The wider of some intervals; None where there is none."""
    known = [ends for ends in intervals if ends is not None]
    return max(known, key=lambda ends: ends.width) if known else None
