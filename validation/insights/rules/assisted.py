"""Means over all items where people checked a random sample of them, with what is predicted of the others.

Prediction-powered inference (Angelopoulos, Bates, Fannjiang, Jordan and Zrnic 2023): the mean of what is predicted of
every item, plus what the predictions miss on the checked ones. The interval holds whatever the predictions are worth,
because only the draw of the sample is random. Its forms here:

- power-tuned (Angelopoulos, Duchi and Zrnic 2023, "PPI++"): predictions count by a factor from 0 to 1 that the sample
  sets, so that a useless model costs nothing;
- stratified (Fisch, Maynez, Hofer, Dhingra, Globerson and Cohen 2024): each stratum has a factor of its own;
- cross-fit (Zrnic and Candès 2024): where the predictor learns from the same labels, each item is predicted by what was
  learnt from other folds (`cross_fitted`);
- sampling probabilities that differ: weights 1/q (Horvitz and Thompson 1952; as a ratio, Hájek 1971), and units that
  were drawn together, such as all items of a source.

Intervals are Wilson's (1927) with the effective number of checks and Student's t, since shares are often close to 0 or
1 and samples small. The mean is that of these items, not of others of their sort: of a checked item all is known.
"""

from collections.abc import Sequence
from math import ceil, sqrt
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from validation.insights.rules.clusters import t95
from validation.insights.rules.tallies import Codes, Ints

Floats = npt.NDArray[np.float64]
# With fewer drawn units there is no interval.
FEWEST_UNITS = 10
# Smaller strata share one factor, and each is taken to vary as all do by so many more units: where everything that was
# drawn is alike, that says little of what was not.
OWN_FACTOR, BORROWED = 100, 4
# Predictions are taken to miss so many more checked units than they did, each by as much.
UNSEEN = 1.5
# How far the regression shrinks what it learns, in items; so many items at once.
RIDGE = 4.0
AT_ONCE = 20_000


class Checked(NamedTuple):
    """All items that a mean is over, one entry each.

    `value` is what people found, from 0 to 1, NaN where nobody checked; `predicted` the same as a model has it, of
    every item; `weight` 1/q, one over the probability of being checked (1: certain; of unchecked items not read).
    `stratum` and `unit` are codes from 0: strata whose sizes are known, and what was drawn together.
    """

    value: Floats
    predicted: Floats
    weight: Floats
    stratum: Ints
    unit: Ints


class Mean(NamedTuple):
    """A mean from 0 to 1 with its 95 % interval; `more` is how many more checks make that ± 1 point.

    None where too few units were drawn.
    """

    value: float
    low: float | None
    high: float | None
    more: int | None


class Means(NamedTuple):
    """The mean without the model and with it; `factor` is how far predictions count, from 0 to 1.

    `checked` of `items` were checked.
    """

    classic: Mean
    assisted: Mean
    factor: float
    checked: int
    items: int


class _Stratum(NamedTuple):
    """A drawn stratum: how many units were drawn, its part of both means, and what each unit adds to their errors.

    `predicted` is what the mean moves by where predictions count whole, `ours` and `theirs` are the errors of the mean
    and of what is predicted, `ones` those of a deviation of 1.
    """

    units: int
    classic: float
    predicted: float
    ours: Floats
    theirs: Floats
    ones: Floats


class _Estimate(NamedTuple):
    """A mean over the drawn strata, its variance, and that of each stratum's part."""

    value: float
    variance: float
    parts: Floats


def means(sample: Checked, *, unchecked_only: bool = False, within: float = 0.01) -> Means:
    """The mean of `value` over all items, or over those that nobody checked.

    Raises ValueError where nothing was drawn: every item is checked, or none of a stratum.
    """
    known = np.isfinite(sample.value)
    open_strata = np.unique(sample.stratum[~known])
    if not len(open_strata):
        raise ValueError("every item is checked")
    drawn = np.isin(sample.stratum, open_strata)
    items, checked = int(drawn.sum()), int((known & drawn).sum())
    strata = [_stratum(sample, known, sample.stratum == code, items) for code in open_strata.tolist()]
    classic, assisted, factor = _estimates(strata)
    # The mean that is wanted is a part of that of the drawn strata, and what is known for certain.
    over = int((~known).sum()) if unchecked_only else len(known)
    certain = -sample.value[known & drawn].sum() if unchecked_only else sample.value[known & ~drawn].sum()
    scale, shift = items / over, float(certain) / over
    found = []
    for estimate in (classic, assisted):
        value, ends = _inside(scale * estimate.value + shift), _interval(strata, classic, estimate)
        if ends is None:
            found.append(Mean(value, None, None, None))
            continue
        more = _more_checks((ends[1] - ends[0]) / 2, checked, items, within / scale)
        found.append(Mean(value, _inside(scale * ends[0] + shift), _inside(scale * ends[1] + shift), more))
    return Means(found[0], found[1], factor, int(known.sum()), len(known))


def _inside(share: float) -> float:
    return min(1.0, max(0.0, float(share)))


def _stratum(sample: Checked, known: npt.NDArray[np.bool_], inside: npt.NDArray[np.bool_], items: int) -> _Stratum:
    """A stratum's means as ratios of weighted sums over what was drawn together."""
    there, share = known & inside, float(inside.sum()) / items
    if not there.any():
        raise ValueError("nobody checked an item of a stratum")
    weight, value, predicted = sample.weight[there], sample.value[there], sample.predicted[there]
    codes, unit = np.unique(sample.unit[there], return_inverse=True)
    mean, predicted_mean = np.average(value, weights=weight), np.average(predicted, weights=weight)
    heaviest = np.ones(len(codes))
    np.maximum.at(heaviest, unit, weight)
    # A unit that was drawn with certainty adds nothing to the variance.
    scale = np.sqrt(1 - 1 / heaviest) * share / weight.sum()
    ours, theirs, ones = (
        scale * np.bincount(unit, weight * column)
        for column in (value - mean, predicted - predicted_mean, np.ones(len(unit)))
    )
    moved = share * (float(sample.predicted[inside].mean()) - float(predicted_mean))
    return _Stratum(int((heaviest > 1).sum()), share * float(mean), moved, ours, theirs, ones)


def _estimates(strata: list[_Stratum]) -> tuple[_Estimate, _Estimate, float]:
    """Both means over the drawn strata, and how far predictions count: not at all where that would be worse."""
    together = [np.concatenate(columns) for columns in zip(*(each[3:] for each in strata), strict=True)]
    own = len(strata) == 1 or min(stratum.units for stratum in strata) >= OWN_FACTOR
    factors = [_factor(*(stratum[3:] if own else together)) for stratum in strata]
    plain = _variances(strata, [float(stratum.ours @ stratum.ours) for stratum in strata], [0.0] * len(strata))
    left, lost = [], []
    for stratum, factor in zip(strata, factors, strict=True):
        missed = stratum.ours - factor * stratum.theirs
        part = 1.0 if own else stratum.units / len(together[0])
        left.append(float(missed @ missed) + factor**2 * part * _unseen(*stratum[3:]))
        lost.append(float(own and 0 < factor < 1))
    tuned = _variances(strata, left, lost)
    value = sum(stratum.classic for stratum in strata)
    classic = _Estimate(value, float(plain.sum()), plain)
    if tuned.sum() >= plain.sum():
        return classic, classic, 0.0
    value += sum(factor * stratum.predicted for factor, stratum in zip(factors, strata, strict=True))
    return classic, _Estimate(value, float(tuned.sum()), tuned), float(np.average(factors, weights=plain))


def _factor(ours: Floats, theirs: Floats, ones: Floats) -> float:
    """How far predictions count, by least squares, from 0 to 1."""
    spread = float(theirs @ theirs) + _unseen(ours, theirs, ones)
    return min(1.0, max(0.0, float(ours @ theirs) / spread)) if spread else 0.0


def _unseen(ours: Floats, theirs: Floats, ones: Floats) -> float:
    """What misses that the sample did not show would add to the squares: each as large as those that it showed."""
    missed, one = ours - theirs, float(ones @ ones) / len(ones)
    squares = float(missed @ missed)
    return UNSEEN * (float((missed**4).sum()) / squares if squares > 1e-9 * one else one)


def _variances(strata: list[_Stratum], squares: list[float], lost: list[float]) -> Floats:
    alone = [float(stratum.ones @ stratum.ones) for stratum in strata]
    pooled = sum(squares) / sum(alone) if sum(alone) else 0.0
    found = []
    for stratum, own, one, degrees in zip(strata, squares, alone, lost, strict=True):
        n = stratum.units
        corrected = own * n / max(n - 1 - degrees, 1)
        found.append((corrected * n + BORROWED * pooled * one) / (n + BORROWED) if len(strata) > 1 else corrected)
    return np.array(found)


def _interval(strata: list[_Stratum], classic: _Estimate, estimate: _Estimate) -> tuple[float, float] | None:
    """The ends of the interval of a mean over the drawn strata; None where too few units were drawn."""
    units = np.array([stratum.units for stratum in strata])
    if units.sum() < FEWEST_UNITS:
        return None
    each = classic.value * (1 - classic.value)
    # One over the number of independent checks that say as much: where all are alike, what their weights say.
    alike = each <= 0 or classic.variance <= 0
    per_check = sum(float(stratum.ones @ stratum.ones) for stratum in strata) if alike else estimate.variance / each
    spread = float((classic.parts**2 / np.maximum(units - 1, 1)).sum())
    t = t95(classic.variance**2 / spread if spread > 0 else float(units.sum() - len(units)))
    return _wilson(_inside(estimate.value), per_check, t)


def _wilson(share: float, per_check: float, t: float) -> tuple[float, float]:
    """The ends of Wilson's interval; `per_check` is one over the number of checks."""
    squared = t * t * per_check
    middle = (share + squared / 2) / (1 + squared)
    half = sqrt(squared * share * (1 - share) + squared**2 / 4) / (1 + squared)
    return max(0.0, middle - half), min(1.0, middle + half)


def _more_checks(half: float, checked: int, items: int, within: float) -> int:
    """How many more of the items have to be checked until an interval reaches so far to each side, as now `half`."""
    if half <= within or checked == items:
        return 0
    wanted = 1 / ((1 / checked - 1 / items) * (within / half) ** 2 + 1 / items)
    return max(0, min(items, ceil(wanted)) - checked)


def cross_fitted(value: Floats, columns: Sequence[Codes], fold: Ints, weight: Floats) -> Floats:
    """What a ridge regression on codes predicts of each item, learnt from the other folds: from 0 to 1.

    `columns` are codes from 0, -1 for none, one column a property of items; items whose value is NaN teach nothing,
    the others by their `weight`. Items that were drawn together have one `fold`, a code from 0.
    """
    known, predicted = np.isfinite(value), np.zeros(len(value))
    levels = [int(column.max(initial=-1)) + 1 for column in columns]
    shrunk = np.diag([0.0] + [RIDGE] * sum(levels))
    for code in np.unique(fold).tolist():
        learnt, asked = np.flatnonzero(known & (fold != code)), np.flatnonzero(fold == code)
        if not len(learnt):
            predicted[asked] = 0.5
            continue
        sums, totals = np.zeros(shrunk.shape), np.zeros(len(shrunk))
        for begin in range(0, len(learnt), AT_ONCE):
            page = learnt[begin : begin + AT_ONCE]
            rows = _indicators(columns, levels, page)
            weighted = rows.T * (weight[page] / weight[learnt].mean())
            sums, totals = sums + weighted @ rows, totals + weighted @ value[page]
        slopes = np.linalg.solve(sums + shrunk, totals)
        for begin in range(0, len(asked), AT_ONCE):
            page = asked[begin : begin + AT_ONCE]
            predicted[page] = _indicators(columns, levels, page) @ slopes
    return np.clip(predicted, 0, 1)


def _indicators(columns: Sequence[Codes], levels: Sequence[int], page: Ints) -> Floats:
    """A row an item: 1, and for each column the indicators of its codes."""
    rows, at = np.zeros((len(page), 1 + sum(levels))), 1
    rows[:, 0] = 1
    for column, size in zip(columns, levels, strict=True):
        codes = column[page]
        there = np.flatnonzero(codes >= 0)
        rows[there, at + codes[there]] = 1
        at += size
    return rows
