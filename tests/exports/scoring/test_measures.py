"""Figures of models on tables whose results are worked out by hand; tests/oracle compares them with libraries."""

import math

import pytest

from exports.scoring.measures import compare_models, label_measures, mean_measure, soft_label_measures

PAIRS = [("e", "e"), ("e", "n"), ("n", "n"), ("c", "")]


def test_accuracy_and_macro_f1() -> None:
    found = label_measures(PAIRS, ["e", "n", "c"], "s")
    assert found["accuracy"].value == 0.5
    # e: 2 * 1 / (2 + 1), n: 2 * 1 / (1 + 2), c: nothing right.
    assert found["macro_f1"].value == pytest.approx((2 / 3 + 2 / 3 + 0) / 3)
    assert found == label_measures(PAIRS[::-1], ["e", "n", "c"], "s")
    accuracy = found["accuracy"]
    assert accuracy.low is not None
    assert accuracy.high is not None
    assert 0 <= accuracy.low < 0.5 < accuracy.high <= 1
    assert "macro_f1" not in label_measures(PAIRS, [], "s")


def test_a_label_that_nobody_has_or_says_is_in_no_mean() -> None:
    assert label_measures([("e", "e"), ("n", "n")], ["e", "n", "c"], "s")["macro_f1"].value == 1


def test_one_item_has_no_interval() -> None:
    assert mean_measure([0.5], "s", "mc2")[:3] == (0.5, None, None)


def test_the_same_answers_differ_in_nothing_and_better_ones_do() -> None:
    same = compare_models([1, 0, 1], [1, 0, 1], "s")
    assert tuple(same) == (0, 0, 0, 1)
    better = compare_models([1] * 50, [1] * 20 + [0] * 30, "s")
    assert better.difference == 0.6
    assert better.low is not None
    assert better.low > 0.4
    assert better.p == 0
    worse = compare_models([1] * 20 + [0] * 30, [1] * 50, "s")
    assert (worse.difference, worse.p) == (-0.6, 0)


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
