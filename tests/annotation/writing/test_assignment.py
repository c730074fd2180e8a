"""Shares of premises: even over writers, sentence classes and documents, whatever the order of what is given."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.writing.rules.allocation import spread_premises

CLASSES = ["single", "double", "paragraph"]
POOLS = st.lists(st.tuples(st.sampled_from(CLASSES), st.sampled_from(["", "d1", "d2", "d3"])), max_size=60).map(
    lambda rows: [(f"p{number}", *row) for number, row in enumerate(rows)]
)
TEAMS = st.lists(st.sampled_from("ABCDEFG"), unique=True, max_size=7)


def pool(**counts):
    return [(f"{name}{number}", name, "") for name, count in counts.items() for number in range(count)]


@given(POOLS, TEAMS, st.integers(-1, 12), st.text())
def test_shares_are_even_and_never_overlap(premises, writers, size, seed):
    shares = spread_premises(premises, writers, size, seed)
    assert set(shares) == set(writers)
    dealt = [key for keys in shares.values() for key in keys]
    assert len(dealt) == len(set(dealt)) == min(len(premises), max(0, size) * len(writers))
    class_of = {key: name for key, name, _ in premises}
    for name in [*CLASSES, None]:
        held = [sum(name in (None, class_of[key]) for key in keys) for keys in shares.values()]
        assert not held or max(held) - min(held) <= 1


@given(POOLS, TEAMS, st.integers(0, 12), st.randoms(use_true_random=False))
def test_the_order_of_what_is_given_changes_nothing(premises, writers, size, random):
    shares = spread_premises(premises, writers, size, "seed")
    random.shuffle(premises)
    random.shuffle(writers)
    assert spread_premises(premises, writers, size, "seed") == shares


@pytest.mark.parametrize(
    ("counts", "size", "expected"),
    [
        ({"single": 60, "double": 30, "paragraph": 10}, 5, {"single": 6, "double": 3, "paragraph": 1}),
        ({"single": 3, "double": 3, "paragraph": 3}, 2, {"double": 2, "paragraph": 1, "single": 1}),
        ({"single": 4, "double": 1}, 9, {"single": 4, "double": 1}),
    ],
)
def test_classes_keep_the_proportion_of_the_pool(counts, size, expected):
    shares = spread_premises(pool(**counts), ["A", "B"], size, "seed")
    assert Counter(key.rstrip("0123456789") for keys in shares.values() for key in keys) == expected


def test_premises_of_one_document_go_to_different_writers():
    premises = [(f"{document}-{number}", "single", document) for document in "abcd" for number in range(3)]
    for keys in spread_premises(premises, ["A", "B", "C"], 10, "seed").values():
        assert len({key.partition("-")[0] for key in keys}) == 4


def test_another_seed_deals_otherwise():
    assert spread_premises(pool(single=40), ["A", "B"], 20, "one") != spread_premises(
        pool(single=40), ["A", "B"], 20, "two"
    )


def test_a_deal_never_changes():
    dealt = {"A": ["single3", "single0"], "B": ["double1", "single2"]}
    assert spread_premises(pool(single=4, double=2), ["A", "B"], 2, "pinned") == dealt
