"""What annotators' votes are worth: through the job to the rows that pages show, each with how much it is over."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from annotation.content.models.item import Item
from annotation.core.models.project import Project
from tests import questions
from tests.answers import Row, store_answers
from tests.data import DATA, needs_data
from tests.validation.consensus.ballots import simulated
from tests.validation.imports_run import import_items
from tests.validation.insights.test_agreement_insight import computed, first
from validation.insights.reports import get, quality
from validation.insights.rules import dawid_skene, mace
from validation.voting.actions.decide import decide_due
from validation.voting.models.vote import Vote

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return questions.a_question_project("own")


def rows_of(seed: int, items: int) -> list[Row]:
    """Four people of whom each errs more than the last, as questions."""
    votes = simulated(seed, items=items)
    given: list[dict[str, str]] = [{} for _ in range(items)]
    for item, person, label in zip(votes.item, votes.person, votes.label, strict=True):
        given[item][f"W{person}"] = "ABC"[label]
    return [Row("W9", "ABC"[n % 3], answers) for n, answers in enumerate(given)]


def test_the_figures_of_people_are_those_of_the_models(project: Project) -> None:
    store_answers(project, rows_of(7, 120), options=False)
    found, votes = computed(project, "annotators"), simulated(7, items=120)._replace(labels=5)
    skene, hovy = dawid_skene.fit(votes, smoothing=quality.SMOOTHING), mace.fit(votes, "seed")
    people = found["people"]
    assert [row["person"] for row in people] == ["W0", "W1", "W2", "W3"]
    assert [row["skene"] for row in people] == pytest.approx((100 * skene.accuracy).tolist())
    assert [row["mace"] for row in people] == pytest.approx((100 * hovy.competence).tolist())
    assert [(row["votes"], row["met"], row["gold_n"], row["author_n"]) for row in people] == [(120,) * 4] * 4
    same = np.array(votes.label).reshape(120, 4)
    # Gold is what most of the three others say, and of three different answers that of the lowest name.
    golds = [[max(row, key=row.count) for row in np.delete(same, n, axis=1).tolist()] for n in range(4)]
    right = [(same[:, n] == golds[n]).mean() for n in range(4)]
    assert [row["gold"] for row in people] == pytest.approx([100 * share for share in right])
    assert {row["gold_out"] for row in people} == {0}
    others = [(same[:, [n]] == np.delete(same, n, axis=1)).mean() for n in range(4)]
    assert [row["others"] for row in people] == pytest.approx([100 * share for share in others])
    assert {row["model"]: (row["judged"], row["gold"]) for row in found["models"]} == dict.fromkeys(
        [quality.MAJORITY, quality.DAWID_SKENE, quality.MACE], (120, 120)
    )
    # Who guesses says something else in two of three cases.
    assert len([row for row in found["errors"] if row["person"] == "W3"]) == 6
    assert get("annotators").table("people").item_filters(people[0]) == {"person": "W0"}  # type: ignore[misc]


def test_speed_marks_and_evidence(project: Project) -> None:
    items = store_answers(project, [Row("W9", "A", {"W1": "A", "W2": "B"}), Row("W9", "A", {"W1": "A", "?1": "A"})])
    items += store_answers(project, [Row("", "C", {"W1": "A"}), Row("W9", "A", {"W3": "A", "?2": "B"})])
    mine = Vote.objects.filter(annotator__pseudonym="W1")
    for vote, seconds in zip(mine.order_by("item"), (4.0, 8.0, None), strict=True):
        Vote.objects.filter(pk=vote.pk).update(seconds=seconds, unsure=seconds == 4, ambiguous=True)
    Item.objects.filter(pk=items[1].pk).update(gold="B", gold_from="lead")
    Item.objects.filter(pk=items[2].pk).update(author_label="", gold="", gold_from="")
    people = computed(project, "annotators")["people"]
    assert [row["person"] for row in people] == ["W1", "W2", "W3"]
    one = people[0]
    assert (one["votes"], one["met"], one["others"]) == (3, 2, 50)
    # W2 said something else; the lead's word does not count, nor an item without another's vote.
    assert (one["gold_n"], one["gold_out"], one["gold"]) == (1, 2, 0)
    assert (one["author_n"], one["author"]) == (2, 100)
    assert (one["seconds"], one["ambiguous"]) == (6, 100)
    assert one["unsure"] == pytest.approx(100 / 3)
    assert one["skene"] is not None
    alone = first(people, person="W3")
    assert (alone["met"], alone["others"], alone["skene"], alone["mace"], alone["seconds"]) == (
        1,
        0,
        None,
        None,
        None,
    )
    assert alone["why"] == "judged no item that somebody else judged by name"


def test_votes_without_names_are_nobodys(project: Project) -> None:
    store_answers(project, [Row("W9", "A", {"?1": "A", "?2": "B"})])
    assert not any(computed(project, "annotators").values())


def test_nobody_is_found_out_before_anybody_voted(project: Project) -> None:
    assert not any(computed(project, "annotators").values())


@needs_data
@pytest.mark.data
@pytest.mark.django_db(transaction=True)
def test_the_published_questions(project: Project, tmp_path: Path, settings: Any) -> None:
    """Whoever conflicts with the writers most (W6: 144 of 1,250) is relied on least, by every figure."""
    settings.MUFAKAT_DATA_DIR, settings.REDIS_URL = tmp_path, ""
    import_items("own", DATA / "idcsqa/human_gen_ind.json")
    while decide_due():
        pass
    found = computed(project, "annotators")
    people: Mapping[str, Any] = {row["person"]: row for row in found["people"]}
    assert [row["votes"] for row in people.values()] == [1248] * 5 + [1250]
    conflicts = {name: round(row["votes"] * (100 - row["author"]) / 100) for name, row in people.items()}
    assert conflicts == {"W1": 8, "W2": 24, "W3": 13, "W4": 33, "W5": 21, "W6": 144}
    for figure in ("others", "gold", "author", "skene", "mace"):
        assert min(people, key=lambda name: people[name][figure]) == "W6", figure
        assert max(people, key=lambda name: people[name][figure]) == "W1", figure
    assert all(row["percent"] > 99 and row["gold"] == 1498 for row in found["models"])
