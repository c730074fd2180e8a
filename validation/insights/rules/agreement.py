"""Inter-annotator agreement on nominal labels, by our own formulas, each figure with its number of items.

Percent agreement (mean over the pairs of ratings of each item), Cohen's kappa (1960) averaged over pairs of
annotators, Fleiss' kappa (1971), Krippendorff's alpha (2011, nominal). Counts stay integers and sums exact fractions
until the very end. A figure that is not defined is None with a reason, never 0 and never an exception. Units (and
pairs) are given one by one, or as a mapping from each to how often it occurs: a database counts equal ones.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import NamedTuple

from annotation.text.gettext import gettext_noop

PERCENT = "percent agreement"
NO_PAIRS, ONE_LABEL, UNEQUAL = "no_pairs", "one_label", "unequal"
REASONS: Mapping[str, str] = {
    NO_PAIRS: gettext_noop("no item was judged by two people"),
    ONE_LABEL: gettext_noop("everybody always gave the same label, so chance agreement is complete"),
    UNEQUAL: gettext_noop("the items were judged by different numbers of people"),
}
FEW_PEOPLE = gettext_noop("too few people voted to tell how far others would differ, so there is no interval")


# The ratings of one item; a missing one is None.
Unit = Sequence[str | None]
Units = Iterable[Unit] | Mapping[tuple[str | None, ...], int]
Pair = tuple[str | None, str | None]
Pairs = Iterable[Pair] | Mapping[Pair, int]


class Figure(NamedTuple):
    """A coefficient with its exact value, or None and the reason; over how many items and ratings.

    `pairs` counts the pairs of annotators that an average of kappas is over. `interval` has the ends of the 95 %
    interval over items, where it was computed.
    """

    coefficient: str
    exact: Fraction | None
    items: int
    ratings: int
    reason: str = ""
    pairs: int = 0
    interval: tuple[float, float] | None = None

    @property
    def value(self) -> float | None:
        """The coefficient as a number to show."""
        return None if self.exact is None else float(self.exact)

    @property
    def in_percent(self) -> float | None:
        """Percent agreement as a percentage; None for the coefficients, which are none."""
        return None if self.exact is None or self.coefficient != PERCENT else float(100 * self.exact)

    @property
    def why(self) -> str:
        """Why it is undefined, in words; empty where it is not."""
        return REASONS[self.reason] if self.reason else ""


class _Counts(NamedTuple):
    """What alpha and percent agreement need of items with two ratings or more."""

    items: int
    ratings: int
    labels: Counter[str]
    agreeing: Mapping[int, int]
    sizes: Counter[int]


def _with_counts(units: Units) -> Iterable[tuple[Unit, int]]:
    return units.items() if isinstance(units, Mapping) else ((unit, 1) for unit in units)


def _count(units: Units) -> _Counts:
    """Count labels, and ordered agreeing pairs by the number of ratings; a missing rating is None."""
    labels: Counter[str] = Counter()
    agreeing: Counter[int] = Counter()
    sizes: Counter[int] = Counter()
    for unit, times in _with_counts(units):
        tally = Counter(label for label in unit if label is not None)
        ratings = tally.total()
        if ratings > 1:
            sizes[ratings] += times
            agreeing[ratings] += times * sum(n * (n - 1) for n in tally.values())
            for label, n in tally.items():
                labels[label] += times * n
    return _Counts(sizes.total(), labels.total(), labels, agreeing, sizes)


def percent_agreement(units: Units) -> Figure:
    """Give the mean over items of the share of agreeing pairs of ratings; an item with one rating has none."""
    counts = _count(units)
    if not counts.items:
        return Figure(PERCENT, None, 0, 0, NO_PAIRS)
    total = sum((Fraction(n, size * (size - 1)) for size, n in counts.agreeing.items()), Fraction(0))
    return Figure(PERCENT, total / counts.items, counts.items, counts.ratings)


def krippendorff_alpha(units: Units) -> Figure:
    """Give nominal alpha: 1 - observed / expected disagreement over all pairable ratings, missing ones allowed."""
    name, counts = "Krippendorff's alpha", _count(units)
    n = counts.ratings
    if not counts.items:
        return Figure(name, None, 0, 0, NO_PAIRS)
    expected = Fraction(n * n - sum(c * c for c in counts.labels.values()), n - 1)
    if not expected:
        return Figure(name, None, counts.items, n, ONE_LABEL)
    same = sum((Fraction(c, size - 1) for size, c in counts.agreeing.items()), Fraction(0))
    return Figure(name, 1 - (n - same) / expected, counts.items, n)


def alpha_with_interval(units: Units, sources: Sequence[Hashable] = ()) -> Figure:
    """Give nominal alpha with its 95 % interval over items; `sources` are theirs, else each is one of its own."""
    import numpy as np

    from validation.insights.rules.coefficients import ALPHA, intervals
    from validation.insights.rules.tallies import Tally

    figure = krippendorff_alpha(units)
    if figure.exact is None:
        return figure
    listed = [(Counter(label for label in unit if label is not None), times) for unit, times in _with_counts(units)]
    labels = sorted({label for tally, _ in listed for label in tally})
    rows = np.array([[tally[label] for label in labels] for tally, _ in listed], np.int64)
    times = np.array([times for _, times in listed], np.int64)
    found = Tally(rows, times)
    codes = None
    if sources:
        place = np.arange(len(rows))
        known = {source: code for code, source in enumerate(dict.fromkeys(sources))}
        found, codes = Tally(rows, times, place, place), np.array([known[source] for source in sources], np.int64)
    return figure._replace(interval=intervals(found, codes, wanted=(ALPHA,))[ALPHA])


# The library takes an array of items, labels and labels: so many numbers, 64 MB, are given to it at most.
MOST_NUMBERS = 8_000_000


def alpha_by_library(units: Units, labels: Sequence[str]) -> Figure:
    """Give nominal alpha as the krippendorff library computes it, for the figures that go into papers.

    What is undefined is said by our own formula, which also stands in where the items are too many for the library's
    arrays: both give the same.
    """
    import numpy as np
    from krippendorff import alpha

    ours = krippendorff_alpha(units)
    listed = [(Counter(unit), times) for unit, times in _with_counts(units)]
    items = sum(times for _, times in listed)
    if ours.exact is None or items * len(labels) ** 2 > MOST_NUMBERS:
        return ours
    rows = np.array([[tally[label] for label in labels] for tally, _ in listed])
    counts = np.repeat(rows, [times for _, times in listed], axis=0)
    return ours._replace(exact=Fraction(float(alpha(value_counts=counts, level_of_measurement="nominal"))))


def fleiss_kappa(units: Units) -> Figure:
    """Give Fleiss' kappa; it wants the same number of ratings on every item (items with fewer than two left out)."""
    name, counts = "Fleiss' kappa", _count(units)
    n = counts.ratings
    if not counts.items:
        return Figure(name, None, 0, 0, NO_PAIRS)
    if len(counts.sizes) > 1:
        return Figure(name, None, counts.items, n, UNEQUAL)
    ((size, agreeing),) = counts.agreeing.items()
    observed = Fraction(agreeing, counts.items * size * (size - 1))
    return _kappa(name, observed, Fraction(sum(c * c for c in counts.labels.values()), n * n), counts.items, n)


def cohen_kappa(pairs: Pairs) -> Figure:
    """Give Cohen's kappa of two annotators over the items that both judged."""
    name = "Cohen's kappa"
    both: Counter[Pair] = Counter()
    for pair, times in pairs.items() if isinstance(pairs, Mapping) else ((pair, 1) for pair in pairs):
        if None not in pair:
            both[pair] += times
    items = both.total()
    if not items:
        return Figure(name, None, 0, 0, NO_PAIRS)
    left: Counter[str | None] = Counter()
    right: Counter[str | None] = Counter()
    for (a, b), times in both.items():
        left[a] += times
        right[b] += times
    observed = Fraction(sum(times for (a, b), times in both.items() if a == b), items)
    expected = Fraction(sum(count * right[label] for label, count in left.items()), items * items)
    return _kappa(name, observed, expected, items, 2 * items)


def _kappa(name: str, observed: Fraction, expected: Fraction, items: int, ratings: int) -> Figure:
    """Correct observed agreement for chance; where chance alone agrees always there is nothing to correct."""
    if expected == 1:
        return Figure(name, None, items, ratings, ONE_LABEL)
    return Figure(name, (observed - expected) / (1 - expected), items, ratings)


def pairwise_kappas(rows: Iterable[Mapping[str, str | None]]) -> dict[tuple[str, str], Figure]:
    """Give Cohen's kappa for each two annotators who share an item; a row maps pseudonyms to labels."""
    shared: dict[tuple[str, str], list[tuple[str | None, str | None]]] = {}
    for row in rows:
        given = sorted((who, label) for who, label in row.items() if label is not None)
        for (a, first), (b, second) in combinations(given, 2):
            shared.setdefault((a, b), []).append((first, second))
    return {pair: cohen_kappa(shared[pair]) for pair in sorted(shared)}


def mean_pairwise_kappa(rows: Iterable[Mapping[str, str | None]]) -> Figure:
    """Average Cohen's kappa over the pairs of annotators (Kalahi §4.1); a pair without a kappa is left out."""
    return mean_kappa(pairwise_kappas(rows).values())


def mean_kappa(kappas: Iterable[Figure]) -> Figure:
    """Average kappas of pairs of annotators; undefined ones are left out.

    `items` and `ratings` add up over the pairs that count.
    """
    name, figures = "mean pairwise Cohen's kappa", list(kappas)
    defined = [(figure, figure.exact) for figure in figures if figure.exact is not None]
    if not defined:
        return Figure(name, None, 0, 0, ONE_LABEL if figures else NO_PAIRS)
    return Figure(
        name,
        sum((exact for _, exact in defined), Fraction(0)) / len(defined),
        sum(figure.items for figure, _ in defined),
        sum(figure.ratings for figure, _ in defined),
        pairs=len(defined),
    )


# The figure changes in steps of this many items: changing with each one, it would reveal the outcome of that item.
STEP = 10


def own_agreement(beside: Sequence[tuple[float, float]], start: int) -> int | None:
    """The share of one's votes that the gold of the others agrees with, in whole percent; None below `start` items.

    `beside` says of each settled item how far the others make gold, and how far the vote is it, in the order in which
    they were settled (domain.md §2: one figure, from 20 settled items on).
    """
    first = max(start, 1)
    if len(beside) < first:
        return None
    counted = beside[: max(len(beside) // STEP * STEP, first)]
    gold, agrees = (sum(scores) for scores in zip(*counted, strict=True))
    return round(100 * min(max(agrees / gold, 0.0), 1.0)) if gold > 0 else None
