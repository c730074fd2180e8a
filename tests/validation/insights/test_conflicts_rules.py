"""Conflicts by hand, and the published figures straight from the file (id-csqa, human_gen)."""

import json
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest

from tests.data import DATA, needs_data
from validation.insights.rules import conflicts as rules
from validation.insights.rules.agreement import NO_PAIRS, UNEQUAL, mean_pairwise_kappa
from validation.insights.rules.conflicts import (
    AnswerGroup,
    Cell,
    ConflictFilters,
    Tallies,
    agreement,
    group_of_vote,
    heat,
    merge_tallies,
    tabulate,
)
from validation.review.rules.filters import FilterError


def test_a_vote_conflicts_where_it_is_not_the_writers_label() -> None:
    assert group_of_vote("W1", "W2", "A", "B", "food", "Java", "Bali") == AnswerGroup(
        "W1", "W2", "food", "Java", "Bali", 1, 1
    )
    assert group_of_vote("", "W2", "A", "A") == AnswerGroup("-", "W2", "", "", "", 1, 0)


def test_sums_in_every_direction() -> None:
    found = tabulate(
        [
            AnswerGroup("W10", "W2", "food", "Java", "Bali", 4, 1),
            AnswerGroup("W9", "W2", "food", "", "Bali", 3, 0),
            AnswerGroup("W9", "W10", "place", "", "Java", 2, 2),
            AnswerGroup("W9", "W10", "food", "", "Java", 1, 1),
        ]
    )
    assert found.cells == {("W9", "W2"): (3, 0), ("W9", "W10"): (3, 3), ("W10", "W2"): (4, 1)}
    assert list(found.cells) == [("W9", "W2"), ("W9", "W10"), ("W10", "W2")]
    assert found.writers == {"W9": (6, 3), "W10": (4, 1)}
    assert found.answerers == {"W2": (7, 1), "W10": (3, 3)}
    assert found.categories == {"food": (8, 2), "place": (2, 2)}
    assert found.regions == {("", "Bali"): (3, 0), ("", "Java"): (3, 3), ("Java", "Bali"): (4, 1)}
    assert found.total == Cell(10, 4)
    assert (found.total.percent, found.total.agreeing) == (40.0, 60.0)


def test_nothing_answered_is_no_share() -> None:
    empty = tabulate([])
    assert (empty.total, empty.cells) == (Cell(0, 0), {})
    assert (empty.total.percent, empty.total.agreeing) == (None, None)


@pytest.mark.parametrize(
    ("cell", "step"),
    [(Cell(10, 5), 10), (Cell(10, 0), 0), (Cell(0, 0), 0), (Cell(1000, 1), 1), (Cell(100, 25), 5)],
)
def test_heat(cell: Cell, step: int) -> None:
    assert heat(cell, Fraction(1, 2)) == step
    assert heat(cell, Fraction(0)) == 0


@pytest.mark.parametrize(
    ("name", "nobody"), [("?1", True), ("?12", True), ("W1", False), ("?", False), ("?1 (imported)", False)]
)
def test_placeholders(name: str, nobody: bool) -> None:
    assert rules.is_placeholder(name) is nobody


def test_agreement_counts_equal_items_once() -> None:
    tallies = {("A", ("A", "A", "B")): 2, ("", ("A", "B", "B")): 1, ("B", ()): 5}
    found = agreement(tallies)
    assert (found.percent.exact, found.percent.items, found.percent.ratings) == (Fraction(1, 3), 3, 9)
    assert (found.with_author.items, found.with_author.ratings) == (2, 8)
    assert [figure.coefficient for figure in found.listed] == [
        "percent agreement",
        "Krippendorff's alpha",
        "Fleiss' kappa",
    ]


def test_agreement_says_why_it_is_undefined() -> None:
    unequal = agreement({("A", ("A", "B")): 1, ("A", ("A", "B", "B")): 1})
    assert (unequal.fleiss.exact, unequal.fleiss.reason) == (None, UNEQUAL)
    assert unequal.alpha.exact is not None
    assert agreement({}).alpha.reason == NO_PAIRS
    assert agreement({("A", ("A",)): 3}).percent.reason == NO_PAIRS


def test_tallies_of_parts_make_the_whole() -> None:
    one: Tallies = {("A", ("A", "B")): 1}
    two: Tallies = {("A", ("A", "B")): 2, ("B", ("B", "B")): 1}
    assert merge_tallies([one, two]) == {("A", ("A", "B")): 3, ("B", ("B", "B")): 1}


# --- what an address says ---------------------------------------------------------------


def test_filters_are_read_and_written() -> None:
    raw = {
        "category": " food ",
        "region": "-",
        "round": "2",
        "writer": "W1",
        "all": "1",
        "page": "3",
        "x": "y",
    }
    found = rules.read_filters(raw)
    assert found == ConflictFilters(category="food", region="-", round=2, writer="W1", all=True, page=3)
    assert found.page == 3
    assert found.of_page == {"category": "food", "region": "-", "round": "2"}
    assert found.query == "category=food&region=-&writer=W1&round=2&all=1&"
    assert rules.read_filters({}).query == ""


@pytest.mark.parametrize(
    "raw",
    [
        {"round": "0"},
        {"round": "10"},
        {"round": "x"},
        {"page": "²"},
        {"category": "x" * 201},
        {"region": "\0"},
        {"item__gold": "A"},
    ],
)
def test_values_that_cannot_be(raw: dict[str, str]) -> None:
    with pytest.raises(FilterError):
        rules.read_filters(raw)


# --- the published file -----------------------------------------------------------------

WRITERS = tuple(f"W{number}" for number in range(1, 7))


@pytest.fixture(scope="module")
def published() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((DATA / "idcsqa/human_gen_ind.json").read_text())
    return found


def creator(row: dict[str, Any]) -> str:
    """Who is missing among those who answered."""
    (name,) = set(WRITERS) - set(row["answers"])
    return name


def votes(published: list[dict[str, Any]]) -> Iterator[AnswerGroup]:
    for row in published:
        for who, label in row["answers"].items():
            yield group_of_vote(creator(row), who, row["answer_creator"], label, row["category"])


@needs_data
def test_conflicts_as_published(published: list[dict[str, Any]]) -> None:
    found = tabulate(votes(published))
    assert found.total == Cell(7490, 243)
    assert [found.answerers[name].conflicts for name in WRITERS] == [8, 24, 13, 33, 21, 144]
    assert [found.writers[name].conflicts for name in WRITERS] == [81, 49, 53, 27, 23, 10]
    assert len(found.cells) == 30
    assert sum(cell.answers for cell in found.categories.values()) == 7490
    assert {name: cell.answers for name, cell in found.categories.items()} == {
        name: 5 * count for name, count in Counter(row["category"] for row in published).items()
    }


@needs_data
def test_agreement_as_published(published: list[dict[str, Any]]) -> None:
    tallies: Counter[tuple[str, tuple[str, ...]]] = Counter(
        (row["answer_creator"], tuple(sorted(row["answers"].values()))) for row in published
    )
    found = agreement(tallies)
    figures = [found.alpha, found.fleiss, found.with_author, found.fleiss_with_author]
    assert [round(figure.value or 0, 6) for figure in figures] == [0.929515, 0.929506, 0.938878, 0.938871]
    assert [(figure.items, figure.ratings) for figure in figures] == [(1498, 7490)] * 2 + [(1498, 8988)] * 2
    mean = mean_pairwise_kappa(row["answers"] for row in published)
    assert (round(mean.value or 0, 6), mean.pairs) == (0.929550, 15)
