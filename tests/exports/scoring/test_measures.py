"""Figures of models on tables whose results are worked out by hand; tests/oracle compares them with libraries."""

import math

import numpy as np
import pytest

from exports.scoring.measures import compare_models, label_measures, mean_measure, soft_label_measures
from validation.insights.rules.p_values import holm, sign_flip_p
from validation.insights.rules.tallies import Ints

PAIRS = [("e", "e"), ("e", "n"), ("n", "n"), ("c", "")]


def alone(n: int) -> Ints:
    """Each row a source of its own."""
    return np.arange(n)


def test_accuracy_and_macro_f1() -> None:
    found = label_measures(PAIRS, ["e", "n", "c"], alone(4))
    assert found["accuracy"].value == 0.5
    # e: 2 * 1 / (2 + 1), n: 2 * 1 / (1 + 2), c: nothing right.
    assert found["macro_f1"].value == pytest.approx((2 / 3 + 2 / 3 + 0) / 3)
    assert found["accuracy"] == label_measures(PAIRS[::-1], ["e", "n", "c"], alone(4))["accuracy"]
    accuracy = found["accuracy"]
    assert accuracy.low is not None
    assert accuracy.high is not None
    assert 0 <= accuracy.low < 0.5 < accuracy.high <= 1
    assert "macro_f1" not in label_measures(PAIRS, [], alone(4))


def test_a_label_that_nobody_has_or_says_is_in_no_mean() -> None:
    assert label_measures([("e", "e"), ("n", "n")], ["e", "n", "c"], alone(2))["macro_f1"].value == 1


def test_one_item_has_no_interval() -> None:
    assert mean_measure([0.5], alone(1))[:3] == (0.5, None, None)


def test_the_same_answers_differ_in_nothing_and_better_ones_do() -> None:
    same = compare_models([1, 0, 1], [1, 0, 1], alone(3), "s")
    assert tuple(same) == (0, 0, 0, 1)
    better = compare_models([1] * 50, [1] * 20 + [0] * 30, alone(50), "s")
    assert better.difference == 0.6
    assert better.low is not None
    assert better.low > 0.4
    # The smallest p of 9,999 permutations, never 0.
    assert better.p == 1 / 10_000
    worse = compare_models([1] * 20 + [0] * 30, [1] * 50, alone(50), "s")
    assert (worse.difference, worse.p) == (-0.6, 1 / 10_000)


def test_rows_of_one_source_prove_no_more_than_one_row() -> None:
    """Thirty rows in which the one model is better, of thirty sources and of three."""
    first, second = [1] * 50, [1] * 20 + [0] * 30
    many = compare_models(first, second, alone(50), "s")
    few = compare_models(first, second, np.arange(50) // 10, "s")
    assert many.p is not None
    assert few.p is not None
    # Three sums that differ from 0 agree by chance in one case of four.
    assert few.p == pytest.approx(0.25, abs=0.02)
    assert many.low is not None
    assert few.low is not None
    assert few.low < 0 < many.low


def test_p_values_under_no_difference_are_spread_evenly() -> None:
    random = np.random.default_rng(2026)
    ps = np.array([sign_flip_p(random.normal(size=12), str(n)) for n in range(400)])
    for level in (0.05, 0.2, 0.5):
        assert np.mean(ps <= level) == pytest.approx(level, abs=3 * (level * (1 - level) / 400) ** 0.5)


def test_holm() -> None:
    """Holm 1979: the smallest times the number of tests, the next times one fewer, and never below one before."""
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.5, 0.9]) == [1.0, 1.0]
    assert holm([]) == []


@pytest.mark.parametrize(
    ("people", "model", "expected"),
    [
        ({"e": 5}, {"e": 1.0}, (0, 0, 0)),
        ({"e": 5}, {"n": 1.0}, (-math.log(1e-12), 2, 1)),
        ({"e": 4, "n": 1}, {"e": 0.5, "n": 0.5}, (math.log(2), 0.6, 0.073104)),
        ({"e": 1, "n": 1}, {"e": 0.25, "n": 0.25}, (math.log(2), 0, 0)),
    ],
)
def test_soft_measures(people: dict[str, int], model: dict[str, float], expected: tuple[float, ...]) -> None:
    assert tuple(soft_label_measures(people, model).values()) == pytest.approx(expected, abs=1e-5)
