"""Accuracy, macro-F1 and measures against distributions of labels, with bootstrap intervals; NumPy, for jobs only.

Intervals are Efron's percentiles over items that are drawn with replacement. Accuracy and macro-F1 depend on nothing
but how often each pair of labels came together, so pairs are drawn (a multinomial), which is the same and costs no
more for a million items. Two models are compared on the same drawn items.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from validation.insights.rules.bootstrap import AT_ONCE, DRAWS, Floats, generator, percentile_interval
from validation.insights.rules.weighted import ratio

# A probability of zero would make the cross-entropy infinite, whatever the other items say.
LEAST_PROBABILITY = 1e-12


class MeasuredFigure(NamedTuple):
    """A figure over `n` items with the ends of its 95 % interval; None where there are too few items for one."""

    value: float
    low: float | None
    high: float | None
    n: int


class ComparedFigure(NamedTuple):
    """One model's figure less another's on the same items, its interval, and the share of draws on the other side."""

    difference: float
    low: float | None
    high: float | None
    p: float | None


def macro_f1(confusion: Floats, kept: Sequence[int]) -> Floats:
    """The mean F1 of the labels at these places; of matrices [..., right, said]. A label without any item has 0."""
    right = np.diagonal(confusion, axis1=-2, axis2=-1)
    both = confusion.sum(axis=-1) + confusion.sum(axis=-2)
    with np.errstate(divide="ignore", invalid="ignore"):
        each = np.where(both > 0, 2 * right / both, 0.0)
    return np.asarray(each[..., list(kept)].mean(axis=-1))


def label_measures(pairs: Sequence[tuple[str, str]], labels: Sequence[str], seed: str) -> dict[str, MeasuredFigure]:
    """Accuracy and macro-F1 of (right, said); what is said is empty where a model gave no label, which is wrong.

    Macro-F1 is the mean over those of the labels that are right somewhere or said somewhere; without `labels` (the
    choices of each item are its own) there is none.
    """
    counts = Counter(pairs)
    cells, n = sorted(counts), len(pairs)
    hits = np.array([right == predicted for right, predicted in cells], dtype=float)
    times = np.array([counts[cell] for cell in cells], dtype=float)
    drawn = generator(seed, "labels").multinomial(n, times / n, size=DRAWS).astype(float)
    found = {"accuracy": with_interval(float(times @ hits / n), drawn @ hits / n, n)}
    met = {label for cell in cells for label in cell}
    kept = [place for place, label in enumerate(labels) if label in met]
    if kept:
        where = {label: place for place, label in enumerate(labels)}
        rest = len(labels)  # a place for what is said and no label
        rows = [where.get(right, rest) for right, _ in cells]
        columns = [where.get(predicted, rest) for _, predicted in cells]
        matrices = np.zeros((DRAWS + 1, rest + 1, rest + 1))
        matrices[:, rows, columns] = np.vstack([times, drawn])
        values = macro_f1(matrices, kept)
        found["macro_f1"] = with_interval(float(values[0]), values[1:], n)
    return found


def mean_measure(values: Sequence[float], seed: str, purpose: str) -> MeasuredFigure:
    """The mean of a figure that every item has."""
    return with_interval(
        math.fsum(values) / len(values), _bootstrap_means(np.array(values), seed, purpose), len(values)
    )


def weighted_measure(values: Sequence[float], weights: Sequence[float], seed: str, purpose: str) -> MeasuredFigure:
    """The mean of a figure of items that stand for so many each."""
    weight = np.array(weights)
    found = ratio(weight * np.array(values), weight, seed, purpose)
    low, high = found.over_items or (None, None)
    return MeasuredFigure(found.value or 0.0, low, high, len(values))


def compare_models(first: Sequence[float], second: Sequence[float], seed: str) -> ComparedFigure:
    """Two models by a figure of the same items, in the same order (paired bootstrap, Koehn 2004).

    p is twice the share of draws in which the difference is not on its own side, at most 1.
    """
    gaps = np.array(first, dtype=float) - np.array(second, dtype=float)
    difference = float(gaps.mean())
    draws = _bootstrap_means(gaps, seed, "pairs")
    interval = percentile_interval(draws) if len(gaps) > 1 else None
    if interval is None:
        return ComparedFigure(difference, None, None, None)
    other = min(float((draws <= 0).mean()), float((draws >= 0).mean()))
    return ComparedFigure(difference, interval.low, interval.high, min(1.0, 2 * other))


def soft_label_measures(people: Mapping[str, int], model: Mapping[str, float]) -> dict[str, float]:
    """How far a model's probabilities are from the labels that people gave an item.

    Cross-entropy in nats (Peterson et al. 2019), Manhattan distance (0 to 2), Jensen-Shannon divergence in bits (0 to
    1; Nie et al. 2020). What the model does not name has probability 0; its probabilities are taken as shares of
    their sum.
    """
    total, given = math.fsum(model.values()), sum(people.values())
    pairs = [(people.get(each, 0) / given, model.get(each, 0.0) / total) for each in sorted({*people, *model})]
    middle = [(p + q) / 2 for p, q in pairs]
    return {
        "cross_entropy": -math.fsum(p * math.log(max(q, LEAST_PROBABILITY)) for p, q in pairs if p),
        "manhattan": math.fsum(abs(p - q) for p, q in pairs),
        "jsd": math.fsum((_bits(p, m) + _bits(q, m)) / 2 for (p, q), m in zip(pairs, middle, strict=True) if m),
    }


def _bits(share: float, middle: float) -> float:
    return share * math.log2(share / middle) if share else 0.0


def _bootstrap_means(values: Floats, seed: str, purpose: str) -> Floats:
    """Means of as many drawn values; equal values are drawn together."""
    distinct, times = np.unique(values, return_counts=True)
    random, n = generator(seed, purpose), len(values)
    step = max(1, AT_ONCE // len(distinct))
    parts = [
        random.multinomial(n, times / n, size=min(step, DRAWS - begin)) @ distinct / n
        for begin in range(0, DRAWS, step)
    ]
    return np.concatenate(parts)


def with_interval(value: float, draws: Floats, n: int) -> MeasuredFigure:
    """A figure with the ends of what was drawn; none over one item."""
    interval = percentile_interval(draws) if n > 1 else None
    return MeasuredFigure(value, interval.low if interval else None, interval.high if interval else None, n)
