"""Agreement over votes of known probability: each item counts by its weight; intervals over items and over people.

Alpha is Krippendorff's (nominal) with weighted coincidences, percent agreement the weighted mean over items of the
share of agreeing pairs, kappa Cohen's, pooled over pairs of people. Over items: by source (`clusters`).
Over people: the jackknife that leaves out each person, with Student's t. The wider one is shown: the people of a
project are a sample as well as its items.
"""

from typing import NamedTuple

import numpy as np

from validation.insights.rules.agreement import NO_PAIRS, ONE_LABEL, REASONS
from validation.insights.rules.clusters import (
    FEWEST_PEOPLE,
    MOST_PEOPLE,
    Ends,
    Estimate,
    Floats,
    add_up,
    alike_ends,
    interval,
    jackknife_interval,
)
from validation.insights.rules.tallies import Ballots, Ints, Tick, no_tick

# Pairs of votes times people: more take minutes.
MOST_WORK = 100_000_000


class Agreement(NamedTuple):
    """Alpha, percent agreement (a share) and pooled kappa; the items that two people judged, their votes, the pairs."""

    alpha: Estimate
    percent: Estimate
    kappa: Estimate
    items: int
    ratings: int
    pairs: int
    why: str


class _Pairs(NamedTuple):
    """Every two votes on an item: their people, labels, item (a code from 0), and weight; `share`: of the item, which
    shares its weight among its pairs. `source` is each item's.
    """

    one: Ints
    two: Ints
    left: Ints
    right: Ints
    item: Ints
    share: Floats
    weight: Floats
    source: Ints
    labels: int
    people: int

    @property
    def items(self) -> int:
        """How many items have a pair."""
        return len(self.source)

    @property
    def coincidences(self) -> Floats:
        """A pair of an item with m votes stands for 2 / (m - 1) coincidences; m (m - 1) / 2 pairs share the item."""
        size = (1 + np.sqrt(1 + 8 / self.share)) / 2
        return np.asarray(self.weight * 2 / (size - 1))


Figures = tuple[float | None, float | None, float | None]


def agreement(ballots: Ballots, weight: Floats, source: Ints, *, tick: Tick = no_tick) -> Agreement:
    """The figures over votes, each with the `weight` of its item; `source` is each item's, a code from 0.

    A vote without a person counts as one more person.
    """
    pairs = _pairs(ballots, weight, source)
    ratings = len(
        np.unique(np.r_[pairs.item * (pairs.people + 1) + pairs.one, pairs.item * (pairs.people + 1) + pairs.two])
    )
    figures = _figures(pairs)
    over_people = _jackknife(pairs, figures, tick)
    people = np.unique(np.r_[pairs.one, pairs.two])
    few = len(people) < FEWEST_PEOPLE and bool((people < pairs.people).all())
    estimates = [
        Estimate(value, _bounded(by_source), _bounded(by_person), few)
        for value, by_source, by_person in zip(figures, _over_sources(pairs, figures), over_people, strict=True)
    ]
    met = len(np.unique(pairs.one * (pairs.people + 1) + pairs.two))
    why = REASONS[ONE_LABEL if pairs.items else NO_PAIRS] if figures[0] is None else ""
    return Agreement(estimates[0], estimates[1], estimates[2], pairs.items, ratings, met, why)


def _bounded(ends: Ends | None) -> Ends | None:
    """No agreement is more than complete."""
    return ends and Ends(ends.low, min(ends.high, 1.0))


def _pairs(ballots: Ballots, weight: Floats, source: Ints) -> _Pairs:
    order = np.lexsort((ballots.person, ballots.item))
    item, person = ballots.item[order].astype(np.int64), ballots.person[order].astype(np.int64)
    label, weights = ballots.label[order].astype(np.int64), np.asarray(weight, float)[order]
    person = np.where(person < 0, ballots.people, person)
    starts = np.flatnonzero(np.r_[True, item[1:] != item[:-1]]) if len(item) else np.zeros(0, np.int64)
    sizes = np.diff(np.r_[starts, len(item)])
    left, right = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for size in np.unique(sizes[sizes > 1]).tolist():
        at = starts[sizes == size]
        for first in range(size):
            for second in range(first + 1, size):
                left.append(at + first)
                right.append(at + second)
    one, two = np.concatenate(left), np.concatenate(right)
    judged, code = np.unique(item[one], return_inverse=True)
    share = 1 / np.bincount(code)[code] if len(one) else np.zeros(0)
    people, labels = (person[one], person[two]), (label[one], label[two])
    return _Pairs(
        *people, *labels, code, share, weights[one], source[judged], labels=ballots.labels, people=ballots.people
    )


def _figures(pairs: _Pairs) -> Figures:
    """Alpha, percent and pooled kappa."""
    if not len(pairs.item):
        return None, None, None
    same = pairs.left == pairs.right
    percent = float((pairs.weight * pairs.share * same).sum() / (pairs.weight * pairs.share).sum())
    chance, _ = _chance(pairs)
    named = _named(pairs)
    kappa = None
    if chance is not None and chance < 1:
        kappa = (float(np.average(same[named], weights=pairs.weight[named])) - chance) / (1 - chance)
    return _alpha(pairs, same)[0], percent, kappa


def _alpha(pairs: _Pairs, same: "np.ndarray") -> tuple[float | None, Floats]:
    """Alpha, and what each pair adds to it."""
    times = pairs.coincidences
    ratings = float(times.sum())
    labels = np.bincount(pairs.left, times / 2, pairs.labels) + np.bincount(pairs.right, times / 2, pairs.labels)
    expected = (ratings**2 - float((labels**2).sum())) / (ratings - 1)
    if expected <= 0:
        return None, np.zeros(len(times))
    differing = float((times * ~same).sum())
    of_expected = times * (2 * ratings - labels[pairs.left] - labels[pairs.right] - expected) / (ratings - 1)
    return 1 - differing / expected, differing / expected**2 * of_expected - times * ~same / expected


def _named(pairs: _Pairs) -> "np.ndarray":
    return np.asarray((pairs.one < pairs.people) & (pairs.two < pairs.people))


def _chance(pairs: _Pairs) -> tuple[float | None, Floats]:
    """The agreement that people's own labels lead one to expect, over pairs by name, and what each adds to it.

    It is pooled over pairs of people: pair by pair it is too high where two share few items, whose labels say little.
    """
    named, n, k = _named(pairs), pairs.people, pairs.labels
    if not named.any():
        return None, np.zeros(0)
    one, two, weight = pairs.one[named], pairs.two[named], pairs.weight[named]
    left, right, whole = pairs.left[named], pairs.right[named], float(weight.sum())
    counts = (np.bincount(one * k + left, weight, n * k) + np.bincount(two * k + right, weight, n * k)).reshape(n, k)
    times = np.maximum(counts.sum(axis=1), 1e-300)
    shares = counts / times[:, None]
    met, pair = np.unique(one * n + two, return_inverse=True)
    held = np.bincount(pair, weight)
    first, second = met // n, met % n
    expected = (shares[first] * shares[second]).sum(axis=1)
    chance = float(held @ expected / whole)
    # How chance moves with the shares of each person: the weighted shares of those whom they met.
    others = np.zeros((n, k))
    np.add.at(others, first, held[:, None] * shares[second])
    np.add.at(others, second, held[:, None] * shares[first])
    own = (others * shares).sum(axis=1)
    moved = (others[one, left] - own[one]) / times[one] + (others[two, right] - own[two]) / times[two]
    return chance, weight * (expected[pair] - chance + moved) / whole


def _over_sources(pairs: _Pairs, figures: Figures) -> list[Ends | None]:
    """The interval of each figure over sources."""
    if not pairs.items:
        return [None] * 3
    same, held = pairs.left == pairs.right, pairs.weight * pairs.share
    percent, kappa = figures[1:]
    if percent in (0, 1):
        return _alike(pairs, percent, held)
    adds = [_alpha(pairs, same)[1], held * (same - (percent or 0)) / held.sum(), np.zeros(len(same))]
    if kappa is not None:
        named, (chance, of_chance) = _named(pairs), _chance(pairs)
        weight = pairs.weight[named]
        observed = float(np.average(same[named], weights=weight))
        of_observed = weight * (same[named] - observed) / weight.sum()
        rest = 1 - (chance or 0)
        adds[2][named] = of_observed / rest - (1 - observed) / rest**2 * of_chance
    return [
        None if value is None else interval(value, add_up(pairs.item, add, pairs.items), pairs.source)
        for value, add in zip(figures, adds, strict=True)
    ]


def _alike(pairs: _Pairs, percent: float, held: Floats) -> list[Ends | None]:
    """The intervals where all pairs agree, or none does: Wilson's of the share, and what the others are at its ends."""
    ends = alike_ends(percent, held, pairs.source[pairs.item])
    alpha, chance = _alpha(pairs, pairs.left == pairs.right)[0], _chance(pairs)[0]
    if ends is None:
        return [None] * 3
    times = pairs.coincidences
    labels = np.bincount(pairs.left, times / 2, pairs.labels) + np.bincount(pairs.right, times / 2, pairs.labels)
    by_labels = float((labels**2).sum() / times.sum() ** 2)
    found: list[Ends | None] = []
    for defined, expected in ((alpha is not None, by_labels), (chance is not None and chance < 1, chance or 0.0)):
        found.append(Ends(*((end - expected) / (1 - expected) for end in ends)) if defined and expected < 1 else None)
    return [found[0], ends, found[1]]


def people_intervals(ballots: Ballots, *, tick: Tick = no_tick) -> list[Ends | None]:
    """The intervals over people alone of alpha, percent agreement and pooled kappa over all of these votes alike."""
    pairs = _pairs(ballots, np.ones(len(ballots.item)), np.arange(ballots.items))
    return [_bounded(ends) for ends in _jackknife(pairs, _figures(pairs), tick)]


def _jackknife(pairs: _Pairs, figures: Figures, tick: Tick) -> list[Ends | None]:
    people = np.unique(np.r_[pairs.one, pairs.two])
    people = people[people < pairs.people]
    if not FEWEST_PEOPLE <= len(people) <= MOST_PEOPLE or len(people) * len(pairs.item) > MOST_WORK:
        return [None] * 3
    left_out = []
    for person in people.tolist():
        tick()
        left_out.append(_figures(_select(pairs, (pairs.one != person) & (pairs.two != person))))
    return [jackknife_interval(value, [other[n] for other in left_out]) for n, value in enumerate(figures)]


def _select(pairs: _Pairs, kept: "np.ndarray") -> _Pairs:
    """Some of the pairs; an item shares its weight among those that are left."""
    item = pairs.item[kept]
    share = 1 / np.bincount(item, minlength=pairs.items)[item]
    columns = (pairs.one[kept], pairs.two[kept], pairs.left[kept], pairs.right[kept], item, share, pairs.weight[kept])
    return _Pairs(*columns, pairs.source, pairs.labels, pairs.people)
