"""How far a coefficient would wander if other items of the sort had been judged: the bootstrap over items.

Efron's percentile interval: items are drawn with replacement, as many as there are, each with all of its votes; the
coefficient is computed again for each draw, and 95 % of the draws lie between the two ends. Equal outcomes are drawn
together (a multinomial over tallies is the same as drawing items), so a million items cost no more than their
different outcomes. The same votes give the same ends, on whatever page: outcomes are put into one order first, and
one generator draws.
"""

import hashlib
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from validation.insights.rules.tallies import Tally, Tick, no_tick

Floats = npt.NDArray[np.float64]
DRAWS = 1000
LEVEL = 0.95
NOTHING = 1e-12  # what is nearer to 0 is 0
# So many numbers at once: 32 MB.
AT_ONCE = 4_000_000
# With fewer items an interval would say nothing.
FEWEST_ITEMS = 2


class Interval(NamedTuple):
    """The ends within which 95 % of the draws lie."""

    low: float
    high: float


class Statistics(NamedTuple):
    """What the three coefficients over items need of each outcome: ratings, agreeing ordered pairs, labels."""

    sizes: Floats
    agreeing: Floats
    rows: Floats


def generator(seed: str, purpose: str) -> np.random.Generator:
    """Random numbers that the seed and the purpose decide."""
    digest = hashlib.sha256(f"{seed}:bootstrap:{purpose}".encode()).digest()
    return np.random.Generator(np.random.PCG64(int.from_bytes(digest[:8], "big")))


def percentile_interval(values: Floats) -> Interval | None:
    """The percentile interval of what was drawn; draws in which it is not defined say nothing."""
    defined = values[np.isfinite(values)]
    if not len(defined):
        return None
    low, high = np.quantile(defined, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    # Differences of equal sums miss 0 by a few units of the last place.
    return Interval(*(0.0 if abs(end) < NOTHING else float(end) for end in (low, high)))


def _percent(weights: Floats, of: Statistics) -> Floats:
    share = of.agreeing / (of.sizes * (of.sizes - 1))
    return np.asarray(weights @ share / weights.sum(axis=1))


def _alpha(weights: Floats, of: Statistics) -> Floats:
    ratings, labels = weights @ of.sizes, weights @ of.rows
    same = weights @ (of.agreeing / (of.sizes - 1))
    expected = (ratings**2 - (labels**2).sum(axis=1)) / (ratings - 1)
    return np.asarray(1 - (ratings - same) / expected)


def _fleiss(weights: Floats, of: Statistics) -> Floats:
    size, items = of.sizes[0], weights.sum(axis=1)
    observed = weights @ of.agreeing / (items * size * (size - 1))
    chance = (((weights @ of.rows) / (items * size)[:, None]) ** 2).sum(axis=1)
    return np.asarray((observed - chance) / (1 - chance))


PERCENT, ALPHA, FLEISS = "percent", "alpha", "fleiss"
_MEASURES: dict[str, Callable[[Floats, Statistics], Floats]] = {
    PERCENT: _percent,
    ALPHA: _alpha,
    FLEISS: _fleiss,
}


def _in_one_order(tally: Tally, names: Sequence[str]) -> Tally:
    """The outcomes of items that two or more judged, by the labels that they got in the order of their names."""
    rows, times = tally.with_several_votes
    if not len(rows):
        return Tally(rows, times)
    given = [place for place in sorted(range(rows.shape[1]), key=lambda at: names[at]) if rows[:, place].any()]
    distinct, place = np.unique(rows[:, given], axis=0, return_inverse=True)
    return Tally(distinct, np.bincount(place.ravel(), weights=times, minlength=len(distinct)).astype(np.int64))


def intervals(
    tally: Tally,
    names: Sequence[str],
    *,
    draws: int = DRAWS,
    wanted: tuple[str, ...] = (PERCENT, ALPHA, FLEISS),
    tick: Tick = no_tick,
) -> dict[str, Interval | None]:
    """The interval of each coefficient over the items that two or more judged; None where it says nothing.

    `names` are those of the labels that the tally's columns count.

    Fleiss' kappa has one only where every item has the same number of ratings.
    """
    rows, times = _in_one_order(tally, names)
    items = int(times.sum())
    sizes = rows.sum(axis=1).astype(float)
    defined = [name for name in wanted if name != FLEISS or len(set(sizes.tolist())) == 1]
    if items < FEWEST_ITEMS:
        return dict.fromkeys(wanted)
    of = Statistics(sizes, (rows * (rows - 1)).sum(axis=1).astype(float), rows.astype(float))
    random, drawn = generator("", "items"), {name: np.empty(draws) for name in defined}
    step = max(1, AT_ONCE // len(times))
    for begin in range(0, draws, step):
        tick()
        weights = random.multinomial(items, times / items, size=min(step, draws - begin)).astype(float)
        with np.errstate(divide="ignore", invalid="ignore"):
            for name in defined:
                drawn[name][begin : begin + step] = _MEASURES[name](weights, of)
    return {name: percentile_interval(drawn[name]) if name in drawn else None for name in wanted}
