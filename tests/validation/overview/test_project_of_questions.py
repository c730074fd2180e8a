"""The project page of a project of questions: its stages, categories, places of answers, what its voters excluded."""

from types import SimpleNamespace

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.content.models.item import Item
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from tests import factory, questions
from tests.answers import Row, browser_of, store_answers
from validation.overview import queries as overview
from validation.voting.models.vote import Verdict

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return questions.a_question_project("own", settings={"check_first": True})


@pytest.fixture
def lead(project: Project) -> Annotator:
    return factory.member(project, "lead")


def text_of(lead: Annotator) -> str:
    answer = browser_of(lead.user).get(reverse("project", args=["own"]))
    assert answer.status_code == 200
    return answer.content.decode()


def by_voters(item: Item) -> None:
    """Excluded as the system does it."""
    Item.objects.filter(pk=item.pk).update(stage="excluded", gold="", gold_from="")
    Verdict.objects.create(
        project_id=item.project_id, item=item, version=5, epoch=1, event="exclude_ambiguous", round=1
    )


def test_what_waits_for_a_check_stands_first(project: Project, lead: Annotator) -> None:
    writer = factory.member(project, "writer")
    questions.a_question(project, writer)
    bars = browser_of(lead.user).get(reverse("project", args=["own"])).context["stages"]
    assert [(bar.name, bar.count) for bar in bars] == [("to be checked", 1)]
    assert browser_of(lead.user).get(bars[0].url).context["page"].paginator.count == 1


def test_categories_say_how_far_they_are(project: Project, lead: Annotator) -> None:
    writer = factory.member(project, "writer")
    store_answers(project, [Row("X1", "A", {"X2": "A"}, "food")] * 3)
    store_answers(project, [Row("X1", "B", {"X2": "B"}, "place")])
    questions.a_question(project, writer, concept=questions.a_concept(project, category="food"))
    questions.a_concept(project, category="food", state="proposed")
    by_voters(Item.objects.get(project=project, author_label="B"))
    food, place = overview.progress_by_category(factory.reader(project))
    assert food == SimpleNamespace(name="food", sources=2, written=4, approved=3, settled=3, excluded=0)
    assert place == SimpleNamespace(name="place", sources=1, written=1, approved=0, settled=0, excluded=1)
    text = text_of(lead)
    assert "Approved" in text
    assert "1 of them because too many people called it ambiguous" in text


def test_an_exclusion_by_a_lead_is_not_the_voters(project: Project, lead: Annotator) -> None:
    first, second, third = store_answers(project, [Row("X1", "A", {"X2": "A"})] * 3)
    for item in (first, second):
        by_voters(item)
    Item.objects.filter(pk=third.pk).update(stage="excluded", gold="", gold_from="")
    second.reviews.create(project=project, version=7, event="exclude", by=lead)
    assert list(overview.excluded_as_ambiguous(project)) == [first]


def test_nothing_is_called_a_premise_or_a_pair(project: Project, lead: Annotator) -> None:
    store_answers(project, [Row("X1", "A", {"X2": "A"})])
    validator = factory.member(project, "writer", "validator")
    for who in (lead, validator):
        text = text_of(who).lower()
        assert "premise" not in text
        assert " pair" not in text
    assert "positions of the answers" in text_of(lead).lower()


def test_the_page_costs_the_same_with_more_items(project: Project, lead: Annotator) -> None:
    browser, costs = browser_of(lead.user), []
    for n in (5, 500):
        store_answers(project, [Row("X1", "A", {"X2": "A"}, f"c{k % 5}") for k in range(n)])
        with CaptureQueriesContext(connection) as caught:
            browser.get(reverse("project", args=["own"]))
        costs.append(len(caught))
    assert costs[0] == costs[1]
