"""Accuracy, macro-F1 and measures against distributions of labels, with intervals over sources; NumPy, for jobs only.

Rows of one source (a premise, a concept) are no independent sample: `source` is each row's, and intervals are those of
`validation.insights.rules.clusters`. Two models are compared on the same rows.
"""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from validation.insights.rules import clusters
from validation.insights.rules.clusters import Ends, Floats
from validation.insights.rules.p_values import sign_flip_p
from validation.insights.rules.tallies import Ints

# A probability of zero would make the cross-entropy infinite, whatever the other items say.
LEAST_PROBABILITY = 1e-12
NOTHING = 1e-12  # what is nearer to 0 is 0


class MeasuredFigure(NamedTuple):
    """A figure over `n` items with the ends of its 95 % interval; None where there are too few sources for one."""

    value: float
    low: float | None
    high: float | None
    n: int


class ComparedFigure(NamedTuple):
    """One model's figure less another's on the same items, its interval, and the p-value of no difference."""

    difference: float
    low: float | None
    high: float | None
    p: float | None


def label_measures(pairs: Sequence[tuple[str, str]], labels: Sequence[str], source: Ints) -> dict[str, MeasuredFigure]:
    """Accuracy and macro-F1 of (right, said); what is said is empty where a model gave no label, which is wrong.

    Macro-F1 is the mean over those of the labels that are right somewhere or said somewhere; without `labels` (the
    choices of each item are its own) there is none.
    """
    hits = np.array([right == predicted for right, predicted in pairs])
    found = {"accuracy": with_ends(float(hits.mean()), clusters.share_interval(hits, source), len(pairs))}
    met = {label for pair in set(pairs) for label in pair}
    kept = [label for label in labels if label in met]
    if kept:
        value, adds = _macro_f1(pairs, kept)
        found["macro_f1"] = with_ends(value, _within(clusters.interval(value, adds, source), 0.0, 1.0), len(pairs))
    return found


def _macro_f1(pairs: Sequence[tuple[str, str]], kept: Sequence[str]) -> tuple[float, Floats]:
    """The mean F1 of these labels, and what each row adds to it."""
    places = {label: place for place, label in enumerate(kept)}
    right, said = (np.array([places.get(pair[side], -1) for pair in pairs]) for side in range(2))
    value, adds = 0.0, np.zeros(len(pairs))
    for place in range(len(kept)):
        hits, uses = (right == place) & (said == place), (right == place) * 1.0 + (said == place)
        f1 = 2 * float(hits.sum()) / float(uses.sum())
        value += f1 / len(kept)
        adds += (2 * hits - f1 * uses) / float(uses.sum()) / len(kept)
    return value, adds


def weighted_measure(values: Sequence[float], weights: Sequence[float], source: Ints) -> MeasuredFigure:
    """The mean of a figure of items that stand for so many each."""
    weight = np.array(weights)
    found = clusters.ratio(weight * np.array(values), weight, source)
    return with_ends(found.value or 0.0, found.items, len(values))


def mean_measure(values: Sequence[float], source: Ints) -> MeasuredFigure:
    """The mean of a figure that every item has; where it is right or wrong everywhere, a share."""
    column = np.array(values, dtype=float)
    shares = set(column.tolist()) <= {0.0, 1.0}
    ends = clusters.share_interval(column == 1, source) if shares else clusters.mean_interval(column, source)
    return with_ends(math.fsum(values) / len(values), ends, len(values))


def compare_models(first: Sequence[float], second: Sequence[float], source: Ints, seed: str) -> ComparedFigure:
    """Two models by a figure of the same items, in the same order: the interval and the test are over sources."""
    gaps = np.array(first, dtype=float) - np.array(second, dtype=float)
    ends = clusters.mean_interval(gaps, source)
    if ends is None:
        return ComparedFigure(float(gaps.mean()), None, None, None)
    p = sign_flip_p(np.bincount(source, gaps), seed)
    return ComparedFigure(float(gaps.mean()), *_rounded(ends), p)


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


def with_ends(value: float, ends: Ends | None, n: int) -> MeasuredFigure:
    """A figure with the ends of its interval."""
    low, high = _rounded(ends) if ends else (None, None)
    return MeasuredFigure(value, low, high, n)


def _rounded(ends: Ends) -> tuple[float, float]:
    """Differences of equal sums miss 0 by a few units of the last place."""
    low, high = (0.0 if abs(end) < NOTHING else float(end) for end in ends)
    return low, high


def _within(ends: Ends | None, least: float, most: float) -> Ends | None:
    return ends and Ends(max(ends.low, least), min(ends.high, most))
