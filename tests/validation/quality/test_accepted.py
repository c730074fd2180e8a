"""Known answers by answer type, as tables; gold questions and a quiz of cards with several questions, on PostgreSQL."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation.answers import Question, ShownItem, get, types_by_slug
from annotation.content.models.item import Item
from annotation.core.errors import Conflict, Invalid
from annotation.core.models.project import Project
from annotation.projects.actions.projects import project_settings_change
from tests import factory
from tests.every_answer_type import POSTED_ANSWERS, QUESTIONS, a_project, browser_of, registered
from tests.quality import user_of
from validation.qualification.actions import quiz_item_add
from validation.qualification.models import QuizAttempt, QuizItem
from validation.quality.actions.gold import gold_add, gold_add_unanimous, questions_watch, unanimous_items
from validation.quality.models import GoldQuestion
from validation.quality.queries import gold_questions
from validation.quality.rules.accepted import (
    accepted_in_words,
    agreed_answers,
    clean_accepted,
    is_right,
    judgeable_questions,
)
from validation.voting.actions.decide import decide_due
from validation.voting.models.assignment import Assignment

LEAVES = [leaf for question in QUESTIONS for leaf in question.leaf_questions()]
CARD = ShownItem({"premise": "p", "hypothesis": "h"})
END = "2100-01-01T00:00Z"
EMOTIONS = {"must": ["joy"], "may": ["fear"]}


def test_what_can_be_known_and_what_cannot() -> None:
    assert {slug for slug, kind in types_by_slug().items() if not kind.known_answer_form} == {
        "criteria",
        "free_text",
        "spans",
    }
    assert [question.key for question in judgeable_questions(LEAVES)] == [
        "relation",
        "toxicity",
        "emotions",
        "better",
        "fluent",
        "useful",
    ]


@pytest.mark.parametrize(
    ("accepted", "label", "answers", "right"),
    [
        (["e", "n"], "n", {}, True),
        (["e", "n"], "c", {}, False),
        ({"toxicity": ["4", "5"]}, "", {"toxicity": "5"}, True),
        ({"toxicity": ["4", "5"]}, "", {"toxicity": "3"}, False),
        ({"toxicity": ["4"]}, "", {}, False),
        ({"emotions": EMOTIONS}, "", {"emotions": ["joy"]}, True),
        ({"emotions": EMOTIONS}, "", {"emotions": ["joy", "fear"]}, True),
        ({"emotions": EMOTIONS}, "", {"emotions": ["fear"]}, False),
        ({"emotions": {"must": [], "may": []}}, "", {}, True),
        ({"fluent": ["yes"], "useful": ["2", "3"]}, "", {"fluent": "yes", "useful": "1"}, False),
        ({"fluent": ["yes"], "useful": ["2", "3"]}, "", {"fluent": "yes", "useful": "3", "why": "x"}, True),
    ],
)
def test_what_is_right(accepted: Any, label: str, answers: dict[str, Any], right: bool) -> None:
    assert is_right(accepted, label, answers) is right


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ({"toxicity": ["5", "4"]}, {"toxicity": ["4", "5"]}),
        ({"emotions": {"must": ["joy"]}}, {"emotions": {"must": ["joy"], "may": []}}),
        ({"emotions": {"may": ["joy"]}}, {"emotions": {"must": [], "may": ["joy"]}}),
        ({"better": ["tie"], "relation": []}, {"better": ["tie"]}),
        ({"evidence": ["x"]}, None),
        ({"toxicity": ["6"]}, None),
        ({"toxicity": "4"}, None),
        ({"emotions": ["joy"]}, None),
        ({}, None),
        (["e"], None),
    ],
)
def test_what_can_be_accepted(given: Any, found: Any) -> None:
    assert clean_accepted(given, LEAVES, (), CARD) == found


@pytest.mark.parametrize(("given", "found"), [(["n", "e", "e"], ["e", "n"]), (["x"], None), ([], None), ("e", None)])
def test_labels_that_can_be_accepted(given: Any, found: Any) -> None:
    assert clean_accepted(given, (), ("e", "n", "c"), CARD) == found


def test_what_three_people_agree_on() -> None:
    three = [{"toxicity": "4", "emotions": ["joy"], "better": "A", "why": word} for word in "abc"]
    three[2] = {**three[2], "better": "B"}
    assert agreed_answers(LEAVES, three) == {
        "toxicity": ["3", "4", "5"],
        "emotions": {"must": ["joy"], "may": []},
    }
    assert agreed_answers(LEAVES, three[:2]) is None
    ends: list[Question] = [question for question in LEAVES if question.key == "toxicity"]
    assert [get("scale").accepted_keys(ends[0], point) for point in ("1", "5")] == [["1", "2"], ["4", "5"]]


def test_in_words() -> None:
    found = accepted_in_words({"toxicity": ["4", "5"], "emotions": EMOTIONS}, LEAVES, CARD)
    assert found == [("How toxic is it?", ["4", "5"], []), ("Which emotions?", ["Joy"], ["Fear"])]


@pytest.fixture
def project() -> Iterator[Project]:
    with registered():
        made = a_project()
        project_settings_change(project=made, by=None, changes={"gold_questions": True, "spacing": 0})
        made.refresh_from_db()
        yield made


@pytest.mark.django_db
def test_a_card_with_several_questions_as_a_gold_question(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("validation.voting.rules.dealing.place_of", lambda n, secret, person: n)
    boss = factory.user(administrator=True)
    (item, *_) = Item.objects.filter(project=project).order_by("pk")
    Item.objects.filter(pk=item.pk).update(stage="settled", gold="=1", gold_from="votes", slots_free=0, pending=0)
    with pytest.raises(Invalid) as refused:
        gold_add(project=project, item_id=item.pk, accepted={"evidence": ["x"]}, by=boss)
    assert refused.value.code == "gold_labels_wrong"
    for _ in range(3):
        factory.member(project, "validator")
    lead = factory.member(project, "lead")
    page = reverse("quality_gold", args=[project.slug])
    shown = browser_of(lead).get(page, {"item": item.key}).content.decode()
    assert "These must be chosen." in shown
    sent = {"key": item.key, "accepted-toxicity": ["4", "5"], "accepted-emotions-must": ["joy"]}
    assert browser_of(lead).post(page, sent).status_code == 302
    question = GoldQuestion.objects.get()
    assert question.accepted == {"toxicity": ["4", "5"], "emotions": {"must": ["joy"], "may": []}}
    given = []
    for emotions in (["joy"], ["fear", "joy"]):
        person = factory.member(project, "validator")
        GoldQuestion.objects.update(most=5)
        Item.objects.filter(pk=question.item_id).update(slots_free=1, pending=5)
        browser = browser_of(person)
        browser.get(f"/p/{project.slug}/vote/")
        held = Assignment.objects.get(annotator=person, state="open")
        assert held.item_id == question.item_id
        posted = {**POSTED_ANSWERS, "answer-emotions": emotions}
        assert browser.post(f"/p/{project.slug}/vote/{held.token}/", posted).status_code == 302
        (row,) = gold_questions(project)
        given.append((row["answered"], row["missed"]))
    assert given == [(1, 0), (2, 1)]
    assert row["right"] == ["How toxic is it? 4, 5", "Which emotions? Joy"]
    questions_watch(project)


@pytest.mark.django_db
def test_drawn_from_what_people_agree_on_of_several_questions(project: Project) -> None:
    item = Item.objects.filter(project=project).order_by("pk")[0]
    Item.objects.filter(pk=item.pk).update(slots_free=0, pending=3)
    for n in range(3):
        person = factory.member(project, "validator")
        Assignment.objects.create(
            project=project,
            target=item.target,
            item=item,
            annotator=person,
            state="open",
            token=f"t{n}",
            until="2100-01-01T00:00Z",
        )
        posted = {**POSTED_ANSWERS, "answer-better": "1" if n else "2"}
        assert browser_of(person).post(f"/p/{project.slug}/vote/t{n}/", posted).status_code == 302
    decide_due()
    Item.objects.filter(pk=item.pk).update(stage="settled", gold="=1", gold_from="votes")
    boss = factory.user(administrator=True)
    ((found, accepted),) = unanimous_items(project)
    assert found == item.pk
    assert isinstance(accepted, dict)
    assert accepted["toxicity"] == ["3", "4", "5"]
    assert accepted["relation"] == ["e"]
    assert "evidence" not in accepted
    with pytest.raises(Conflict):
        gold_add(project=project, item_id=item.pk, accepted=accepted, by=boss)
    assert gold_add_unanimous(project=project, count=1, by=boss) == 0


@pytest.mark.django_db
def test_a_quiz_of_cards_with_several_questions(project: Project) -> None:
    project_settings_change(project=project, by=None, changes={"quiz_questions": 1, "quiz_right": 1})
    project.refresh_from_db()
    boss = factory.user(administrator=True)
    items = list(Item.objects.filter(project=project).order_by("pk")[:2])
    Item.objects.filter(pk__in=[item.pk for item in items]).update(stage="settled", slots_free=0, pending=0)
    for item in items:
        accepted = {"toxicity": ["4", "5"], "emotions": {"must": ["joy"], "may": []}}
        quiz_item_add(project=project, item_id=item.pk, accepted=accepted, by=boss, explanation="see § 2")
    person = factory.member(project, "validator")
    browser: Client = browser_of(person)
    page = reverse("quiz", args=[project.slug])
    assert browser.post(page).status_code == 302
    (pk,) = QuizAttempt.objects.get().items
    shown = browser.get(page).content.decode()
    assert f'name="answer-{pk}-toxicity"' in shown
    # Nobody is asked for what cannot be known, nor told what is right before they answered.
    assert "answer-{pk}-why" not in shown
    assert "see § 2" not in shown
    missing = browser.post(page, {f"answer-{pk}-toxicity": "4"})
    assert missing.status_code == 422
    sent: dict[str, Any] = {
        f"answer-{pk}-{name}": value
        for name, value in {
            "relation": "e",
            "toxicity": "5",
            "emotions": ["joy"],
            "better": "1",
            "fluent": "yes",
            "useful": "2",
        }.items()
    }
    assert browser.post(page, sent).status_code == 302
    attempt = QuizAttempt.objects.get()
    assert (attempt.right, attempt.passed) == (1, True)
    assert attempt.answers[str(pk)]["emotions"] == ["joy"]
    told = browser.get(page).content.decode()
    assert "see § 2" in told
    assert "Question 1: right" in told
    assert QuizItem.objects.get(pk=pk).accepted["toxicity"] == ["4", "5"]
    lead = browser_of(factory.member(project, "lead")).get(reverse("qualification", args=[project.slug]))
    assert "How toxic is it? 4, 5" in lead.content.decode()
    assert user_of(person).pk
