"""Rounds, balance, labels that meet and lengths: from rows of the database to the rows that pages show."""

from collections.abc import Mapping
from typing import Any

import pytest

from annotation.content.models.item import Item
from annotation.core.models.project import Project
from tests import factory, questions, review, translations
from tests.answers import Row, store_answers
from validation.insights.reports import applicable_to, balance, labels, lengths, rounds
from validation.insights.reports.base import Insight
from validation.insights.reports.reading import Reading

pytestmark = pytest.mark.django_db
SMALL = (
    Row("W1", "A", {"W2": "A", "W3": "B"}, "food"),
    Row("W1", "B", {"W2": "C", "W3": "C"}, "place"),
    Row("W2", "A", {"W1": "A", "W3": "A"}, "food"),
    Row("", "D", {"W1": "E"}, "place"),
)


def found(insight: Insight, project: Project) -> Mapping[str, list[Any]]:
    rows = insight.compute(Reading(project))
    return {key: list(each) for key, each in rows.items()}


def opened(insight: Insight, table: str, row: Mapping[str, Any]) -> Mapping[str, str]:
    """The filters of the list that a row of a table opens."""
    opens = next(each.item_filters for each in insight.tables if each.key == table)
    assert opens is not None
    return opens(row)


def values(rows: list[Any], *names: str) -> list[tuple[Any, ...]]:
    return [tuple(row[name] for name in names) for row in rows]


# --- labels -------------------------------------------------------------------------------


def test_labels_that_meet() -> None:
    project = questions.a_question_project()
    items = store_answers(project, SMALL)
    Item.objects.filter(pk=items[1].pk).update(gold="C", gold_from="lead", stage="adjudicated")
    Item.objects.filter(pk=items[3].pk).update(gold="", gold_from="", stage="no_consensus")
    rows = found(labels.INSIGHT, project)
    crossed = {(row["author"], row["gold"]): row["n"] for row in rows["gold"] if row["n"]}
    assert crossed == {("A", "A"): 2, ("B", "C"): 1, ("D", "-"): 1}
    assert len(rows["gold"]) == 5 * 6
    votes = {(row["author"], row["vote"]): row["n"] for row in rows["votes"] if row["n"]}
    assert votes == {("A", "A"): 3, ("A", "B"): 1, ("B", "C"): 2, ("D", "E"): 1}
    met = {(row["one"], row["other"]): row["n"] for row in rows["meetings"] if row["n"]}
    assert met == {("A", "A"): 1, ("A", "B"): 1, ("B", "A"): 1, ("C", "C"): 1}
    assert values(rows["patterns"], "pattern", "n", "share") == [
        ("2", 2, 50.0),
        ("1", 1, 25.0),
        ("1 – 1", 1, 25.0),
    ]
    assert opened(labels.INSIGHT, "gold", rows["gold"][0]) == {"label": "A", "gold": "A"}


def test_labels_without_a_vote_are_crossed_with_gold_alone() -> None:
    at = review.world(opened=False)
    rows = found(labels.INSIGHT, at.project)
    assert {(row["author"], row["gold"]): row["n"] for row in rows["gold"] if row["n"]} == {
        (label, "-"): 2 for label in "enc"
    }
    assert (rows["votes"], rows["meetings"], rows["patterns"]) == ([], [], [])


def test_a_project_without_items_has_no_rows() -> None:
    project = factory.project()
    assert not any(found(labels.INSIGHT, project).values())
    assert not any(found(lengths.INSIGHT, project).values())
    assert values(found(rounds.INSIGHT, project)["rounds"], "entered", "so_far") == [(0, None)] * 3
    assert values(found(balance.INSIGHT, project)["labels"], "author", "author_share") == [(0, None)] * 3


def test_where_labels_are_reviews_they_do_not_meet() -> None:
    slugs = [each.slug for each in applicable_to(translations.a_translation_project())]
    assert "labels" not in slugs
    assert "lengths" in slugs


def test_balance_counts_authors_and_gold() -> None:
    at = review.world()
    review.cast_votes(at, at.item("e"), "ee")
    review.cast_votes(at, at.item("n"), "ee")
    rows = found(balance.INSIGHT, at.project)["labels"]
    assert values(rows, "label", "author", "gold") == [("e", 2, 1), ("n", 2, 0), ("c", 2, 0)]
    assert values(rows, "author_share", "gold_share")[0] == (pytest.approx(100 / 3), 100.0)


# --- rounds -------------------------------------------------------------------------------


def in_rounds(project: Project, *ended: tuple[str, int]) -> None:
    for item, (stage, number) in zip(Item.objects.filter(project=project).order_by("pk"), ended, strict=False):
        gold = {"gold": item.author_label, "gold_from": "votes"} if stage == "settled" else {}
        gold = {"gold": "e", "gold_from": "lead"} if stage == "adjudicated" else gold
        Item.objects.filter(pk=item.pk).update(stage=stage, round=number, slots_free=0, pending=0, **gold)


def test_rounds_as_table_2_has_them() -> None:
    project = factory.project()
    factory.written_pairs(project, factory.member(project, "writer"), 2)
    in_rounds(
        project,
        *[("settled", 1)] * 4,
        ("settled", 2),
        ("settled", 3),
        ("no_consensus", 3),
        ("adjudicated", 3),
        ("voting", 2),
        ("written", 0),
    )
    rows = found(rounds.INSIGHT, project)
    columns = ("round", "entered", "settled", "without", "lead", "waiting")
    assert values(rows["rounds"], *columns) == [(1, 8, 4, 0, 0, 0), (2, 4, 1, 0, 0, 1), (3, 3, 1, 1, 1, 0)]
    assert values(rows["rounds"], "so_far") == [(50.0,), (62.5,), (75.0,)]
    # Seven items ended by votes: 3 × 7 + 3 + 2 labels with the authors', 2 × 7 + 3 + 2 without.
    assert values(rows["saved"], "used", "five", "saved", "percent") == [
        (26, 35, 9, pytest.approx(100 * 9 / 35)),
        (19, 28, 9, pytest.approx(100 * 9 / 28)),
    ]
    opened = [rounds.round_filter(row) for row in rows["rounds"]]
    assert opened == [{"round": str(n), "stage": "settled"} for n in (1, 2, 3)]
    assert rounds.round_filter({"round": 2, "settled": 0}) == {}


def test_one_round_is_compared_with_nothing() -> None:
    project = questions.a_question_project()
    store_answers(project, SMALL)
    rows = found(rounds.INSIGHT, project)
    assert values(rows["rounds"], "round", "entered", "settled") == [(1, 4, 4)]
    assert rows["saved"] == []


# --- lengths ------------------------------------------------------------------------------


def test_lengths_of_pairs_by_text_label_and_class() -> None:
    at = review.world(opened=False)
    rows = found(lengths.INSIGHT, at.project)
    contents = list(Item.objects.filter(project=at.project).values_list("hypothesis__text", flat=True))
    words = [len(text.split()) for text in contents]
    assert values(rows["texts"], "text", "n") == [("Premise", 6), ("Hypothesis", 6)]
    mine = rows["texts"][1]
    assert (mine["mean"], mine["least"], mine["most"]) == (sum(words) / 6, min(words), max(words))
    assert values(rows["labels"], "label", "text", "n") == [(key, "Hypothesis", 2) for key in "enc"]
    assert values(rows["groups"], "text", "n") == [("Premise", 6), ("Hypothesis", 6)]
    assert sum(row["n"] for row in rows["spread"]) == 6
    assert lengths.label_filter(rows["labels"][0]) == {"labelled": "e"}


def test_the_label_that_counts_is_gold_where_there_is_one() -> None:
    at = review.world()
    review.cast_votes(at, at.item("e"), "nnn")
    rows = found(lengths.INSIGHT, at.project)
    assert values(rows["labels"], "label", "n") == [("e", 1), ("n", 3), ("c", 2)]


def test_choices_are_counted_by_what_they_are() -> None:
    project = questions.a_question_project()
    writer = factory.member(project, "writer")
    for category in ("food", "place"):
        questions.a_question(project, writer, concept=questions.a_concept(project, category=category))
    rows = found(lengths.INSIGHT, project)
    names = ("Question", "Answer", "Wrong answer that looks right", "Other choice")
    assert values(rows["texts"], "text", "n") == list(zip(names, (2, 2, 2, 6), strict=True))
    assert rows["labels"] == []
    assert opened(lengths.INSIGHT, "groups", rows["groups"][0]) == {"group": "food"}
    assert opened(lengths.INSIGHT, "groups", {"group": ""}) == {}
    assert values(rows["groups"], "group", "text") == [(group, name) for group in ("food", "place") for name in names]
