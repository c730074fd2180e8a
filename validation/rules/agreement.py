"""Inter-annotator agreement on nominal labels, by our own formulas, each figure with what it is over.

Percent agreement (mean over the pairs of ratings of each item), Cohen's kappa (1960) averaged over pairs of
annotators, Fleiss' kappa (1971), Krippendorff's alpha (2011, nominal). Counts stay integers and sums exact fractions
until the very end. A figure that is not defined is None with a reason, never 0 and never an exception.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import NamedTuple


def gettext_noop(message: str) -> str:
    """Mark a text for translation where it stands; templates translate it where it is shown."""
    return message


NO_PAIRS, ONE_LABEL, UNEQUAL = "no_pairs", "one_label", "unequal"
REASONS: Mapping[str, str] = {
    NO_PAIRS: gettext_noop("no item was judged by two people"),
    ONE_LABEL: gettext_noop("everybody always gave the same label, so chance agreement is complete"),
    UNEQUAL: gettext_noop("the items were judged by different numbers of people"),
}


class Figure(NamedTuple):
    """A coefficient with its exact value, or None and the reason; over how many items and ratings.

    `pairs` counts the pairs of annotators that an average of kappas is over.
    """

    coefficient: str
    exact: Fraction | None
    items: int
    ratings: int
    reason: str = ""
    pairs: int = 0

    @property
    def value(self) -> float | None:
        """The coefficient as a number to show."""
        return None if self.exact is None else float(self.exact)


class _Counts(NamedTuple):
    """What alpha and percent agreement need of items with two ratings or more."""

    items: int
    ratings: int
    labels: Counter[str]
    agreeing: Mapping[int, int]
    sizes: Counter[int]


def _count(units: Iterable[Sequence[str | None]]) -> _Counts:
    """Count labels, and ordered agreeing pairs by the number of ratings; a missing rating is None."""
    labels: Counter[str] = Counter()
    agreeing: Counter[int] = Counter()
    sizes: Counter[int] = Counter()
    for unit in units:
        tally = Counter(label for label in unit if label is not None)
        ratings = tally.total()
        if ratings > 1:
            sizes[ratings] += 1
            agreeing[ratings] += sum(n * (n - 1) for n in tally.values())
            labels.update(tally)
    return _Counts(sizes.total(), labels.total(), labels, agreeing, sizes)


def percent_agreement(units: Iterable[Sequence[str | None]]) -> Figure:
    """Give the mean over items of the share of agreeing pairs of ratings; an item with one rating has none."""
    counts = _count(units)
    if not counts.items:
        return Figure("percent agreement", None, 0, 0, NO_PAIRS)
    total = sum((Fraction(n, size * (size - 1)) for size, n in counts.agreeing.items()), Fraction(0))
    return Figure("percent agreement", total / counts.items, counts.items, counts.ratings)


def krippendorff_alpha(units: Iterable[Sequence[str | None]]) -> Figure:
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


def fleiss_kappa(units: Iterable[Sequence[str | None]]) -> Figure:
    """Give Fleiss' kappa; it wants the same number of ratings on every item (items with fewer than two left out)."""
    name, counts = "Fleiss' kappa", _count(units)
    n = counts.ratings
    if not counts.items:
        return Figure(name, None, 0, 0, NO_PAIRS)
    if len(counts.sizes) > 1:
        return Figure(name, None, counts.items, n, UNEQUAL)
    ((size, agreeing),) = counts.agreeing.items()
    observed = Fraction(agreeing, counts.items * size * (size - 1))
    return _kappa(
        name, observed, Fraction(sum(c * c for c in counts.labels.values()), n * n), counts.items, n
    )


def cohen_kappa(pairs: Iterable[tuple[str | None, str | None]]) -> Figure:
    """Give Cohen's kappa of two annotators over the items that both judged."""
    name, both = "Cohen's kappa", [(a, b) for a, b in pairs if a is not None and b is not None]
    items = len(both)
    if not items:
        return Figure(name, None, 0, 0, NO_PAIRS)
    left, right = Counter(a for a, _ in both), Counter(b for _, b in both)
    observed = Fraction(sum(a == b for a, b in both), items)
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
    """Average Cohen's kappa over the pairs of annotators (Kalahi §4.1); a pair without a kappa is left out.

    `items` and `ratings` add up over the pairs that count.
    """
    name, figures = "mean pairwise Cohen's kappa", list(pairwise_kappas(rows).values())
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
