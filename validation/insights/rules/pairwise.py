"""Cohen's kappa of each two people over the items that both judged, and its mean, for millions of pairs of votes.

The same figures as validation.insights.rules.agreement gives with exact fractions, in NumPy's floating
point. Place-holders of imports are no people and stand in no pair (domain.md §10, ruling 3).
"""

from itertools import combinations
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from validation.insights.rules.bootstrap import DRAWS, Floats, Interval, generator, percentile_interval
from validation.insights.rules.tallies import Ballots, Ints, Tick, no_tick

# Pairs of votes that are crossed at once; an interval is drawn up to so many in all.
AT_ONCE = 1_000_000
MOST_DRAWN = 4_000_000
MOST_WORK = 200_000_000
TICK_EACH = 10


class PairKappas(NamedTuple):
    """Each two people who share an item: `people` (n, 2), how many items they share, kappa (NaN: not defined)."""

    people: Ints
    items: Ints
    kappas: Floats
    agreeing: Ints

    @property
    def mean(self) -> float | None:
        """Mean of the kappas that are defined; None where none is."""
        defined = self.kappas[np.isfinite(self.kappas)]
        return float(defined.mean()) if len(defined) else None

    @property
    def defined(self) -> int:
        """The pairs that the mean is over."""
        return int(np.isfinite(self.kappas).sum())


class PairedVotes(NamedTuple):
    """Votes of two people on one item: which cell (pair and both labels) each such meeting is, and of which item.

    `pair`, `left` and `right` describe the cells; `item` and `cell` are empty where there are too many to keep.
    """

    people: Ints
    pair: Ints
    left: Ints
    right: Ints
    times: Ints
    item: Ints
    cell: Ints
    labels: int


def pair_votes(ballots: Ballots, tick: Tick = no_tick) -> PairedVotes:
    """Bring together the votes of each two people on the same item."""
    named = ballots.select(ballots.person >= 0)
    order = np.lexsort((named.person, named.item))
    item, person = named.item[order].astype(np.int64), named.person[order].astype(np.int64)
    label, k = named.label[order].astype(np.int64), named.labels
    starts = np.flatnonzero(np.r_[True, item[1:] != item[:-1]]) if len(item) else np.zeros(0, np.int64)
    sizes = np.diff(np.r_[starts, len(item)])
    whole = int((sizes * (sizes - 1) // 2).sum())
    cells: dict[int, int] = {}
    meetings: list[tuple[Ints, Ints]] = []
    for size in np.unique(sizes[sizes > 1]).tolist():
        of_size = starts[sizes == size]
        pairs = np.array(list(combinations(range(size), 2)), np.int64)
        step = max(1, AT_ONCE // len(pairs))
        for begin in range(0, len(of_size), step):
            tick()
            at = of_size[begin : begin + step, None]
            one, two = (at + pairs[:, 0]).ravel(), (at + pairs[:, 1]).ravel()
            code = ((person[one] * named.people + person[two]) * k + label[one]) * k + label[two]
            for value, n in zip(*(found.tolist() for found in np.unique(code, return_counts=True)), strict=True):
                cells[value] = cells.get(value, 0) + n
            if whole <= MOST_DRAWN:
                meetings.append((item[one], code))
    return _paired_votes(cells, meetings, named.people, k)


def _paired_votes(cells: dict[int, int], meetings: list[tuple[Ints, Ints]], people: int, k: int) -> PairedVotes:
    codes = np.array(sorted(cells), np.int64)
    times = np.array([cells[code] for code in codes.tolist()], np.int64)
    two, pair = np.unique(codes // (k * k), return_inverse=True)
    empty = np.zeros(0, np.int64)
    item = np.concatenate([found for found, _ in meetings]) if meetings else empty
    cell = np.searchsorted(codes, np.concatenate([found for _, found in meetings])) if meetings else empty
    named = np.column_stack((two // max(people, 1), two % max(people, 1)))
    return PairedVotes(named, pair, codes // k % k, codes % k, times, item, cell, k)


def _kappas(crossed: PairedVotes, times: npt.NDArray[np.float64]) -> tuple[Floats, Floats, Floats]:
    """Items, agreeing items and kappa of each pair, with so many meetings in each cell."""
    n, k = len(crossed.people), crossed.labels
    items: Floats = np.bincount(crossed.pair, times, n).astype(float)
    same: Floats = np.bincount(crossed.pair, times * (crossed.left == crossed.right), n).astype(float)
    left = np.bincount(crossed.pair * k + crossed.left, times, n * k).reshape(n, k)
    right = np.bincount(crossed.pair * k + crossed.right, times, n * k).reshape(n, k)
    with np.errstate(divide="ignore", invalid="ignore"):
        chance = (left * right).sum(axis=1) / items**2
        kappas = (same / items - chance) / (1 - chance)
    return items, same, np.where(chance == 1, np.nan, kappas)


def kappas_of_pairs(crossed: PairedVotes) -> PairKappas:
    """Cohen's kappa (1960) of each two people."""
    items, same, kappas = _kappas(crossed, crossed.times.astype(float))
    return PairKappas(crossed.people, items.astype(np.int64), kappas, same.astype(np.int64))


def mean_interval(
    crossed: PairedVotes, seed: str, purpose: str, *, draws: int = DRAWS, tick: Tick = no_tick
) -> Interval | None:
    """The bootstrap interval, over items, of the mean kappa; None where there are too many meetings, or none."""
    if not len(crossed.item):
        return None
    held, place = np.unique(crossed.item, return_inverse=True)
    # Fewer draws where there are many meetings, for the time that they take; a hundred at least.
    fewer = min(draws, max(100, MOST_WORK // len(crossed.item)))
    random, drawn = generator(seed, purpose), np.full(fewer, np.nan)
    for n in range(fewer):
        if not n % TICK_EACH:
            tick()
        weight = np.bincount(random.integers(0, len(held), len(held)), minlength=len(held)).astype(float)
        times: Floats = np.bincount(crossed.cell, weight[place], len(crossed.times)).astype(float)
        kappas = _kappas(crossed, times)[2]
        if np.isfinite(kappas).any():
            drawn[n] = np.nanmean(kappas)
    return percentile_interval(drawn)
