"""Label confusion on items: small matrices by hand, and the patterns of the published answers."""

import json
from collections import Counter
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from tests.data import DATA, needs_data
from validation.insights.rules.label_counts import count_votes_by_label, label_cooccurrence, patterns


def matrix(*rows: list[int]) -> Any:
    return np.array(rows, dtype=np.int64)


def test_votes_are_counted_by_item_and_label() -> None:
    items, labels = np.array([0, 0, 2, 2, 2]), np.array([1, 1, 0, 2, 0])
    assert count_votes_by_label(items, labels, (4, 3)).tolist() == [
        [0, 2, 0],
        [0, 0, 0],
        [2, 0, 1],
        [0, 0, 0],
    ]
    assert count_votes_by_label(items[:0], labels[:0], (0, 3)).shape == (0, 3)


@pytest.mark.parametrize(
    "votes",
    [["aa"], ["ab"], ["aab", "abc"], ["abcc", "c", "bbb", "aabbc"]],
    ids=lambda votes: "-".join(votes),
)
def test_pairs_of_votes_one_by_one(votes: list[str]) -> None:
    rows = matrix(*([item.count(label) for label in "abc"] for item in votes))
    pairs = Counter("".join(sorted(pair)) for item in votes for pair in combinations(item, 2))
    met = label_cooccurrence(rows)
    assert (met == met.T).all()
    for a, one in enumerate("abc"):
        for b, other in enumerate("abc"[a:], a):
            assert met[a, b] == pairs[one + other], (one, other)


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([[0, 0]], {}),
        ([[2, 1], [1, 2], [3, 0]], {(2, 1): 2, (3,): 1}),
        ([[1, 1], [2, 0]], {(2,): 1, (1, 1): 1}),
    ],
)
def test_how_votes_fell(rows: list[list[int]], expected: dict[tuple[int, ...], int]) -> None:
    found = patterns(matrix(*rows))
    assert found == expected
    assert list(found) == list(expected)


def test_no_items_fell_nowhere() -> None:
    assert patterns(np.zeros((0, 3), dtype=np.int64)) == {}


@needs_data
def test_the_published_answers() -> None:
    told = json.loads((DATA / "idcsqa" / "human_gen_ind.json").read_text(encoding="utf-8"))
    rows = matrix(*([list(row["answers"].values()).count(key) for key in "ABCDE"] for row in told))
    assert patterns(rows) == {(5,): 1317, (4, 1): 146, (3, 2): 23, (3, 1, 1): 9, (2, 2, 1): 3}
