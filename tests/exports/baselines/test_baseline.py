"""Human baselines: what is asked and shown, what people's answer is, and how often it is right (IndoNLI C)."""

from collections import Counter
from typing import NamedTuple

import pytest

from exports.baselines.rules import (
    Accuracy,
    AnsweredItem,
    draw_examples,
    judge_items,
    majority,
    majority_accuracies,
    most_frequent_label,
    person_accuracies,
    sample_source,
)


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        ("eee", ("e", True)),
        ("een", ("e", True)),
        ("nee", ("e", True)),
        ("enc", ("x", False)),
        ("eenn", ("x", False)),
        ("e", ("e", True)),
        ("", ("x", False)),
    ],
)
def test_more_than_half_or_the_most_frequent_label(said: str, wanted: tuple[str, bool]) -> None:
    assert majority(said, "x") == wanted


@pytest.mark.parametrize(
    ("labels", "wanted"),
    [("eenc", "e"), ("ncc", "c"), ("nnee", "e"), ("ccnn", "n"), ("zzy", "z"), ("yz", "y"), ("", "")],
)
def test_the_most_frequent_label_and_of_equals_the_kinds_first(labels: str, wanted: str) -> None:
    assert most_frequent_label(Counter(labels), ("e", "n", "c")) == wanted


class Row(NamedTuple):
    key: str
    gold: str


def test_a_sample_has_of_each_label_its_share_and_each_source_its_own() -> None:
    gold = {f"{label}{n}": label for label, size in (("e", 40), ("n", 20)) for n in range(size)}
    rows, counts = [Row(*each) for each in gold.items()], Counter(gold.values())
    one, two = sample_source("s", 1, counts, rows, 12), sample_source("s", 2, counts, rows, 12)
    assert Counter(row.gold for row in one) == {"e": 8, "n": 4}
    assert set(one) != set(two)


def test_examples_share_no_text_with_what_is_asked_as_far_as_there_are() -> None:
    fresh = {"e1": "e", "e2": "e", "n1": "n"}
    others = {**fresh, "e3": "e", "n2": "n", "n3": "n", "c1": "c"}
    found = draw_examples("s", fresh, others, 5)
    assert Counter(others[key] for key in found) == {"e": 2, "n": 2, "c": 1}
    assert {"e1", "e2", "n1", "c1"} < set(found)
    assert len(set(draw_examples("s", fresh, others, 99))) == 7
    assert draw_examples("s", {}, {}, 3) == []


def row(key: str, source: int, gold: str, said: str) -> AnsweredItem:
    return AnsweredItem(key, source, gold, tuple((f"W0{n}", label) for n, label in enumerate(said, start=1)))


ROWS = [
    row("1", 1, "e", "eee"),
    row("2", 1, "n", "een"),
    row("3", 1, "n", "enc"),
    row("4", 2, "e", "ncc"),
    row("5", 2, "c", "enc"),
    row("6", 2, "c", "cc"),
]


def test_an_item_counts_once_everybody_answered_it() -> None:
    judged = judge_items(ROWS, 3, {1: "n", 2: "c"})
    assert [each.is_complete for each in judged] == [True] * 5 + [False]
    assert [each.label for each in judged] == ["e", "e", "n", "c", "c", ""]
    assert [each.has_majority for each in judged] == [True, True, False, True, False, False]
    assert [each.right for each in judged] == [True, False, True, False, True, False]


def test_accuracy_of_most_by_source_and_label() -> None:
    judged = judge_items(ROWS, 3, {1: "n", 2: "c"})
    found = {
        (each.source, each.label): (each.n, each.right, each.no_majority) for each in majority_accuracies(judged, "enc")
    }
    assert found[1, ""] == (3, 2, 1)
    assert found[2, ""] == (2, 1, 1)
    assert found[None, ""] == (5, 3, 2)
    assert found[None, "n"] == (2, 1, 1)
    assert found[2, "n"] == (0, 0, 0)
    assert len(found) == 12


def test_one_source_is_told_once() -> None:
    judged = judge_items(ROWS[:3], 3, {1: "n"})
    assert [each.source for each in majority_accuracies(judged, ())] == [1]
    assert [each.source for each in majority_accuracies([], ())] == [None]


def test_accuracy_of_each_person_over_all_that_they_answered() -> None:
    judged = judge_items(ROWS, 3, {1: "n", 2: "c"})
    found = {(each.person, each.source): (each.n, each.right) for each in person_accuracies(judged)}
    assert found["W01", None] == (6, 2)
    assert found["W02", 1] == (3, 2)
    assert found["W03", None] == (5, 3)


def test_a_share_and_its_interval() -> None:
    found = Accuracy(None, "", "", 10, 8)
    assert found.share == 0.8
    assert found.interval is not None
    assert round(found.interval.low, 3) == 0.49
    assert round(found.interval.high, 3) == 0.943
    assert (Accuracy(None, "", "", 0, 0).share, Accuracy(None, "", "", 0, 0).interval) == (None, None)
