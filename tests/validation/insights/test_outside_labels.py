"""Labels outside the kind's: however many there are, few columns; and they agree with nobody of the kind's."""

from itertools import count

import pytest

from annotation.content.models.item import Item
from annotation.core.models.project import Project
from tests import questions
from tests.answers import Row, store_answers
from tests.validation.insights.test_agreement_insight import computed, first
from validation.consensus import design
from validation.insights.reports import vote_columns as columns
from validation.insights.reports.reading import Reading
from validation.insights.rules.agreement import krippendorff_alpha, percent_agreement
from validation.insights.rules.tallies import tally

pytestmark = pytest.mark.django_db
PEOPLE = ("W1", "W2", "W3", "W4")


@pytest.fixture
def project() -> Project:
    return questions.a_question_project("own")


def units_of(rows: list[Row]) -> list[list[str]]:
    return [list(row.answers.values()) for row in rows]


def many() -> list[Row]:
    """Two rows for each of forty outside labels: two people agree on it, and one says another that nobody else says."""
    once = (f"once {n}" for n in count())
    rows = [
        Row("W9", "A", dict(zip(PEOPLE, (f"out {n:02}", "A", f"out {n:02}", next(once)), strict=True)))
        for n in range(40)
    ]
    return [*rows, *(Row("W9", "B", dict.fromkeys(PEOPLE[:2], f"out {n:02}")) for n in range(40))]


def test_columns_are_few_and_agreement_is_what_it_was(project: Project) -> None:
    rows = many()
    store_answers(project, rows, options=False)
    found = columns.code_votes(Reading(project))
    assert found.names[:35] == [*"ABCDE", *(f"out {n:02}" for n in range(30))]
    # On no item are there more than two of the rare labels.
    assert len(found.names) == found.ballots.labels == 37
    counted = tally(found.ballots.item, found.ballots.label, found.ballots.labels)
    assert percent_agreement(counted.units(found.names)).exact == percent_agreement(units_of(rows)).exact
    alpha = krippendorff_alpha(counted.units(found.names)).value or 0
    assert first(computed(project, "agreement")["overall"], over=design.VOTES)["value"] == pytest.approx(alpha)
    # Rare labels share columns across items: chance alone would agree more often, so no figure flatters.
    assert 0 < alpha < (krippendorff_alpha(units_of(rows)).value or 0)


def test_authors_and_gold_have_the_codes_of_their_votes(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns, "MOST_OTHER_LABELS", 1)
    rows = [
        Row("W9", "y", {"W1": "x", "W2": "y", "W3": "A"}),
        Row("W9", "x", {"W1": "y", "W2": "x"}),
        Row("W9", "z", {"W1": "z", "W2": "A", "?1": "z"}),
        Row("W9", "z", {"W1": "z", "W2": "z"}),
    ]
    items = store_answers(project, rows, options=False)
    Item.objects.filter(pk=items[1].pk).update(gold="y", gold_from="votes")
    Item.objects.filter(pk=items[3].pk).update(gold="", gold_from="")
    found = columns.code_votes(Reading(project))
    assert found.names == [*"ABCDE", "z", "\0" + "0", "\0" + "1"]
    assert found.ballots.label.tolist() == [7, 6, 0, 6, 7, 5, 0, 5, 5, 5]
    assert (found.author.tolist(), found.gold.tolist()) == ([6, 7, 5, 5], [6, 6, 5, -1])
    people = {row["person"]: row for row in computed(project, "annotators")["people"]}
    assert [people[name]["author"] for name in ("W1", "W2", "W3")] == [50, 75, 0]
    assert [people[name]["others"] for name in ("W1", "W2", "W3")] == pytest.approx([37.5, 25, 0])


def test_more_rare_labels_on_one_item_than_there_are_codes(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns, "MOST_OTHER_LABELS", 0)
    monkeypatch.setattr(columns, "MOST_RARE", 2)
    store_answers(project, [Row("W9", "A", dict(zip(PEOPLE, "wxyA", strict=True)))], options=False)
    found = columns.code_votes(Reading(project))
    assert found.ballots.label.tolist() == [5, 6, 6, 0]
    assert found.ballots.labels == 7
