"""Intervals of percent agreement, alpha and Fleiss' kappa over sources: what each item adds to each of them.

The same votes have the same ends on every page: nothing is drawn.
"""

from collections.abc import Callable

import numpy as np

from validation.insights.rules.clusters import Ends, Floats, interval
from validation.insights.rules.tallies import Ints, Tally

PERCENT, ALPHA, FLEISS = "percent", "alpha", "fleiss"
FEWEST_ITEMS = 2


def intervals(
    tally: Tally, source: Ints | None = None, *, wanted: tuple[str, ...] = (PERCENT, ALPHA, FLEISS)
) -> dict[str, Ends | None]:
    """The interval of each coefficient over the items that two or more judged; None where it is not defined.

    `source` is that of each item by its code; without it each item is one of its own. Fleiss' kappa has one only where
    every item has the same number of ratings.
    """
    judged = tally.with_several_votes
    if judged.items < FEWEST_ITEMS:
        return dict.fromkeys(wanted)
    if source is None or not len(judged.outcome):
        outcome = np.repeat(np.arange(len(judged.times)), judged.times)
        of_item = np.arange(len(outcome))
    else:
        outcome, of_item = judged.outcome, np.unique(source[judged.item], return_inverse=True)[1]
    found: dict[str, Ends | None] = {}
    for name in wanted:
        value, adds = _COEFFICIENTS[name](judged.rows.astype(float), judged.times.astype(float))
        found[name] = None if value is None else _bounded(interval(value, adds[outcome], of_item))
    return found


def _bounded(ends: Ends | None) -> Ends | None:
    """No agreement is more than complete."""
    return ends and Ends(ends.low, min(ends.high, 1.0))


def _agreeing(rows: Floats) -> Floats:
    return np.asarray((rows * (rows - 1)).sum(axis=1))


def _percent(rows: Floats, times: Floats) -> tuple[float | None, Floats]:
    sizes = rows.sum(axis=1)
    share = _agreeing(rows) / (sizes * (sizes - 1))
    value = float(np.average(share, weights=times))
    return value, (share - value) / times.sum()


def _alpha(rows: Floats, times: Floats) -> tuple[float | None, Floats]:
    sizes = rows.sum(axis=1)
    differing = sizes - _agreeing(rows) / (sizes - 1)
    ratings, labels = float(times @ sizes), times @ rows
    expected = (ratings**2 - float(labels @ labels)) / (ratings - 1)
    if expected <= 0:
        return None, sizes
    of_expected = (2 * ratings * sizes - 2 * rows @ labels - expected * sizes) / (ratings - 1)
    observed = float(times @ differing)
    return 1 - observed / expected, observed / expected**2 * of_expected - differing / expected


def _fleiss(rows: Floats, times: Floats) -> tuple[float | None, Floats]:
    sizes, items = rows.sum(axis=1), float(times.sum())
    size = float(sizes[0])
    shares = times @ rows / (items * size)
    chance = float(shares @ shares)
    if (sizes != size).any() or chance >= 1:
        return None, sizes
    share = _agreeing(rows) / (size * (size - 1))
    observed = float(times @ share) / items
    of_observed, of_chance = (share - observed) / items, 2 * (rows @ shares / size - chance) / items
    return (observed - chance) / (1 - chance), of_observed / (1 - chance) - (1 - observed) / (
        1 - chance
    ) ** 2 * of_chance


_COEFFICIENTS: dict[str, Callable[[Floats, Floats], tuple[float | None, Floats]]] = {
    PERCENT: _percent,
    ALPHA: _alpha,
    FLEISS: _fleiss,
}
