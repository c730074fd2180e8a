"""Agreement over votes of known probability: each item counts by its weight; intervals over items and over people.

Alpha is Krippendorff's (nominal) with weighted coincidences, percent agreement the weighted mean over items of the
share of agreeing pairs, kappa Cohen's, pooled over pairs of people. Over items: the bootstrap. Over people: the
jackknife that leaves out each person, with Student's t (Efron and Tibshirani 1993, chapter 11). The wider one is shown:
the people of a project are a sample as well as its items.
"""

from typing import NamedTuple

import numpy as np

from validation.insights.rules.agreement import NO_PAIRS, ONE_LABEL, REASONS
from validation.insights.rules.bootstrap import AT_ONCE, DRAWS, Floats, generator, percentile_interval
from validation.insights.rules.tallies import Ballots, Ints, Tick, no_tick, number_distinct_rows

# With more people the jackknife takes too long, and says hardly more than the bootstrap over items.
MOST_PEOPLE = 60
FEWEST_PEOPLE = 3
ENDS = ("low", "high")
# Two-sided 95 % quantiles of Student's t by degrees of freedom; from the last one on the normal one is close enough.
_T95 = (
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
    2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
)  # fmt: skip


class Estimate(NamedTuple):
    """A figure with the wider of its two 95 % intervals, and both; None where it is not defined."""

    value: float | None
    low: float | None
    high: float | None
    over_items: tuple[float, float] | None = None
    over_people: tuple[float, float] | None = None

    @property
    def columns(self) -> dict[str, float | None]:
        """Its value and the ends of its intervals, by the columns of files."""
        ends = {"items": self.over_items or (None, None), "people": self.over_people or (None, None)}
        both = {f"{over}_{end}": value for over, pair in ends.items() for end, value in zip(ENDS, pair, strict=True)}
        return {"value": self.value, "low": self.low, "high": self.high, **both}


class Agreement(NamedTuple):
    """Alpha, percent agreement (a share) and mean kappa; the items that two people judged, their votes, the pairs."""

    alpha: Estimate
    percent: Estimate
    kappa: Estimate
    items: int
    ratings: int
    pairs: int
    why: str


class _Pairs(NamedTuple):
    """Every two votes on an item: their people, labels, item (a code from 0), and weight: of the item by size - 1."""

    one: Ints
    two: Ints
    left: Ints
    right: Ints
    item: Ints
    share: Floats
    weight: Floats
    items: int
    labels: int
    people: int


def agreement(ballots: Ballots, weight: Floats, seed: str, *, draws: int = DRAWS, tick: Tick = no_tick) -> Agreement:
    """The figures over votes, each with the `weight` of its item; a vote without a person counts as one more person."""
    pairs = _pairs(ballots, weight)
    ratings = len(
        np.unique(np.r_[pairs.item * (pairs.people + 1) + pairs.one, pairs.item * (pairs.people + 1) + pairs.two])
    )
    times = np.ones(pairs.items)
    found = _figures(pairs, times)
    over_items = _bootstrap(pairs, seed, draws, tick)
    over_people = _jackknife(pairs, found, tick)
    estimates = [wider(value, one, two) for value, one, two in zip(found, over_items, over_people, strict=True)]
    met = len(np.unique(pairs.one * (pairs.people + 1) + pairs.two))
    why = REASONS[ONE_LABEL if pairs.items else NO_PAIRS] if found[0] is None else ""
    return Agreement(estimates[0], estimates[1], estimates[2], pairs.items, ratings, met, why)


def _pairs(ballots: Ballots, weight: Floats) -> _Pairs:
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
    held, code = number_distinct_rows(item[one]) if len(one) else (one, one)
    of_item = np.bincount(code, minlength=len(held))
    share = 1 / of_item[code] if len(one) else np.zeros(0)
    return _Pairs(
        person[one],
        person[two],
        label[one],
        label[two],
        code,
        share,
        weights[one],
        len(held),
        ballots.labels,
        ballots.people,
    )


def _figures(pairs: _Pairs, times: Floats) -> tuple[float | None, float | None, float | None]:
    """Alpha, percent and mean kappa, with each item so many times."""
    if not len(pairs.item):
        return None, None, None
    held = times[pairs.item] * pairs.weight
    same = pairs.left == pairs.right
    percent = float((held * pairs.share * same).sum() / (held * pairs.share).sum())
    return _alpha(pairs, held, same), percent, _kappa(pairs, held, same)


def _alpha(pairs: _Pairs, held: Floats, same: "np.ndarray") -> float | None:
    # A pair of an item with m votes stands for 2 / (m - 1) coincidences; m (m - 1) / 2 pairs share the item.
    size = (1 + np.sqrt(1 + 8 / pairs.share)) / 2
    coincidences = held * 2 / (size - 1)
    ratings = coincidences.sum()
    labels = np.bincount(pairs.left, coincidences / 2, pairs.labels) + np.bincount(
        pairs.right, coincidences / 2, pairs.labels
    )
    expected = (ratings**2 - (labels**2).sum()) / (ratings - 1)
    return float(1 - (coincidences * ~same).sum() / expected) if expected > 0 else None


def _kappa(pairs: _Pairs, held: Floats, same: "np.ndarray") -> float | None:
    """Cohen's kappa, pooled: agreement over all pairs of people against what their own labels lead one to expect.

    Pair by pair it is too low where two people share few items: their labels on those alone say little of chance.
    """
    named = (pairs.one < pairs.people) & (pairs.two < pairs.people)
    if not named.any():
        return None
    n, k, weight = pairs.people, pairs.labels, held[named]
    one, two = pairs.one[named], pairs.two[named]
    labels = np.bincount(one * k + pairs.left[named], weight, n * k) + np.bincount(
        two * k + pairs.right[named], weight, n * k
    )
    shares = labels.reshape(n, k)
    shares = shares / np.maximum(shares.sum(axis=1, keepdims=True), 1e-300)
    chance = float(np.average((shares[one] * shares[two]).sum(axis=1), weights=weight))
    observed = float(np.average(same[named], weights=weight))
    return (observed - chance) / (1 - chance) if chance < 1 else None


def _bootstrap(pairs: _Pairs, seed: str, draws: int, tick: Tick) -> list[tuple[float, float] | None]:
    if pairs.items < 2:
        return [None] * 3
    random = generator(seed, "designed")
    # Fewer draws where there are many pairs, for the time that they take; a hundred at least.
    fewer = min(draws, max(100, 200_000_000 // (20 * len(pairs.item))))
    drawn = np.full((fewer, 3), np.nan)
    for n in range(fewer):
        if not n % 10:
            tick()
        times = np.bincount(random.integers(0, pairs.items, pairs.items), minlength=pairs.items).astype(float)
        drawn[n] = [np.nan if value is None else value for value in _figures(pairs, times)]
    return [percentile_interval(drawn[:, n]) for n in range(3)]


def _jackknife(
    pairs: _Pairs, found: tuple[float | None, float | None, float | None], tick: Tick
) -> list[tuple[float, float] | None]:
    people = np.unique(np.r_[pairs.one, pairs.two])
    people = people[people < pairs.people]
    if not FEWEST_PEOPLE <= len(people) <= MOST_PEOPLE:
        return [None] * 3
    times, left_out = np.ones(pairs.items), []
    for person in people.tolist():
        tick()
        kept = (pairs.one != person) & (pairs.two != person)
        some = _select(pairs, kept)
        left_out.append(_figures(some, times))
    return [t_interval(value, [one[n] for one in left_out]) for n, value in enumerate(found)]


def _select(pairs: _Pairs, kept: "np.ndarray") -> _Pairs:
    """Some of the pairs; an item shares its weight among those that are left."""
    item = pairs.item[kept]
    share = 1 / np.bincount(item, minlength=pairs.items)[item]
    some = (pairs.one[kept], pairs.two[kept], pairs.left[kept], pairs.right[kept], item, share, pairs.weight[kept])
    return _Pairs(*some, pairs.items, pairs.labels, pairs.people)


def people_intervals(ballots: Ballots, *, tick: Tick = no_tick) -> list[tuple[float, float] | None]:
    """The intervals over people alone of alpha, percent agreement and pooled kappa over all of these votes alike."""
    pairs = _pairs(ballots, np.ones(len(ballots.item)))
    return _jackknife(pairs, _figures(pairs, np.ones(pairs.items)), tick)


def t_interval(value: float | None, without: list[float | None]) -> tuple[float, float] | None:
    """The jackknife's interval of a figure from its values without each person; None of fewer than three people."""
    defined = np.array([one for one in without if one is not None])
    n = len(defined)
    if value is None or n < FEWEST_PEOPLE:
        return None
    error = float(np.sqrt((n - 1) / n * ((defined - defined.mean()) ** 2).sum()))
    t = student_t(n - 1)
    return value - t * error, value + t * error


def student_t(freedom: int) -> float:
    """The two-sided 95 % quantile of Student's t."""
    return _T95[freedom - 1] if freedom <= len(_T95) else 1.96


def ratio(parts: Floats, wholes: Floats, seed: str, purpose: str, tick: Tick = no_tick) -> Estimate:
    """The sum of parts by that of wholes, a pair an item, with its interval over items (bootstrap)."""
    if not wholes.sum() > 0:
        return Estimate(None, None, None)
    pairs, times = np.unique(np.column_stack((parts, wholes)), axis=0, return_counts=True)
    tick()
    random, drawn, step = generator(seed, purpose), [], max(1, AT_ONCE // len(pairs))
    for begin in range(0, DRAWS, step):
        tick()
        sums = random.multinomial(len(parts), times / len(parts), size=min(step, DRAWS - begin)) @ pairs
        drawn.append(np.where(sums[:, 1] > 0, sums[:, 0], np.nan) / np.where(sums[:, 1] > 0, sums[:, 1], 1.0))
    over_items = percentile_interval(np.concatenate(drawn)) if len(parts) > 1 else None
    return Estimate(float(parts.sum() / wholes.sum()), None, None, over_items)


def wider(value: float | None, items: tuple[float, float] | None, people: tuple[float, float] | None) -> Estimate:
    """A figure with the wider of its interval over items and that over people; no end is above 1."""
    two = [interval and (float(interval[0]), float(min(interval[1], 1.0))) for interval in (items, people)]
    ends = [interval for interval in two if interval is not None]
    if value is None or not ends:
        return Estimate(value, None, None)
    low, high = max(ends, key=lambda interval: interval[1] - interval[0])
    return Estimate(value, low, high, *two)
