"""Cohen's kappa of each two people over the items that both judged, and its mean, for millions of pairs of votes.

The same figures as validation.insights.rules.agreement gives with exact fractions, in NumPy's floating
point. Place-holders of imports are no people and stand in no pair (domain.md §10, ruling 3).
"""

from itertools import combinations
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from validation.insights.rules.clusters import (
    MOST_PEOPLE,
    Estimate,
    Floats,
    add_up,
    interval,
    jackknife_interval,
)
from validation.insights.rules.tallies import Ballots, Ints, Tick, no_tick

# Pairs of votes that are crossed at once; they are kept, for an interval, up to so many in all.
AT_ONCE = 1_000_000
MOST_KEPT = 4_000_000


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
            if whole <= MOST_KEPT:
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


def mean_estimate(crossed: PairedVotes, source: Ints) -> Estimate:
    """The mean kappa with its intervals over sources (`source` is each item's) and over people.

    Over sources there is none where there are too many meetings to keep.
    """
    kappas = _kappas(crossed, crossed.times.astype(float))[2]
    defined = np.isfinite(kappas)
    if not defined.any():
        return Estimate(None)
    value = float(kappas[defined].mean())
    over_people = None
    people = np.unique(crossed.people[defined])
    if len(people) <= MOST_PEOPLE:
        without = [kappas[defined & (crossed.people != person).all(axis=1)] for person in people.tolist()]
        means = [float(left.mean()) if len(left) else None for left in without]
        over_people = jackknife_interval(value, means)
    adds = add_up(crossed.item, _adds(crossed, defined)[crossed.cell], len(source)) if len(crossed.item) else None
    judged = np.unique(crossed.item)
    over_items = None if adds is None else interval(value, adds[judged], source[judged])
    return Estimate(value, over_items, over_people)


def _adds(crossed: PairedVotes, defined: "npt.NDArray[np.bool_]") -> Floats:
    """What a meeting in each cell adds to the mean of kappas."""
    n, k, pair, times = len(crossed.people), crossed.labels, crossed.pair, crossed.times.astype(float)
    items, same = np.bincount(pair, times, n), crossed.left == crossed.right
    left = np.bincount(pair * k + crossed.left, times, n * k).reshape(n, k) / items[:, None]
    right = np.bincount(pair * k + crossed.right, times, n * k).reshape(n, k) / items[:, None]
    observed, chance = np.bincount(pair, times * same, n) / items, (left * right).sum(axis=1)
    of_observed = (same - observed[pair]) / items[pair]
    of_chance = (right[pair, crossed.left] + left[pair, crossed.right] - 2 * chance[pair]) / items[pair]
    rest = np.where(defined, 1 - chance, 1.0)[pair]
    adds = of_observed / rest - (1 - observed[pair]) / rest**2 * of_chance
    return np.asarray(np.where(defined[pair], adds, 0.0) / defined.sum())
