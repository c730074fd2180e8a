"""The quiz over HTTP, on PostgreSQL: no card before it is passed, two attempts, explanations after, paid, disjoint."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation.content.models.item import Item
from annotation.core.errors import Conflict
from annotation.core.models.member import Annotator
from tests import review
from tests.pay import a_rate, entries
from tests.quality import lead_of, user_of
from validation.qualification import queries
from validation.qualification.actions import (
    attempt_begin,
    quiz_item_add,
    quiz_items_draw,
    training_answer,
)
from validation.qualification.models import QuizAttempt, QuizItem
from validation.quality.actions.gold import gold_add
from validation.voting.models.assignment import Assignment

pytestmark = pytest.mark.django_db


def world(questions: int = 2, right: int = 2, **more: Any) -> review.World:
    """Six items of one set that nobody votes on: four in the quiz, one to train on; six more wait for votes."""
    at = review.world(
        2, settings={"spacing": 0, "quiz_questions": questions, "quiz_right": right, **more}, opened=False
    )
    items = list(Item.objects.filter(project=at.project).order_by("pk"))
    aside = [item.pk for item in items[:6]]
    Item.objects.filter(pk__in=aside).update(sampled=False, due_at=None)
    review.decide()
    for item in items[:5]:
        quiz_item_add(
            project=at.project,
            item_id=item.pk,
            accepted=[item.author_label],
            explanation="because of this",
            training=item == items[4],
            by=lead_of(at),
        )
    return at


def url(at: review.World, name: str = "quiz", *args: object) -> str:
    return reverse(name, args=[at.project.slug, *args])


def sends(at: review.World, client: Client, *, right: bool) -> Any:
    """Begin an attempt, and hand it in with only right or only wrong answers."""
    assert client.post(url(at)).status_code == 302
    attempt = QuizAttempt.objects.get(done_at=None, training=False)
    rows = QuizItem.objects.in_bulk(attempt.items)
    given = {f"answer-{pk}": row.accepted[0] if right else review.WRONG[row.accepted[0]] for pk, row in rows.items()}
    return client.post(url(at), given)


@pytest.fixture
def browser() -> Client:
    return Client()


def test_nothing_before_it_is_passed_and_cards_after(browser: Client) -> None:
    at = world()
    person = at.validators[0]
    a_rate(at.project, "quiz", "0.5", unit="item")
    browser.force_login(user_of(person))
    assert browser.get(url(at, "vote")).headers["Location"] == url(at)
    page = browser.get(url(at)).content.decode()
    assert "because of this" not in page
    assert sends(at, browser, right=True).status_code == 302
    attempt = QuizAttempt.objects.get()
    assert (attempt.right, attempt.asked, attempt.passed) == (2, 2, True)
    page = browser.get(url(at)).content.decode()
    assert page.count("because of this") == 2
    assert b'name="assignment"' in browser.get(url(at, "vote")).content
    assert [(entry.rate.action, entry.units) for entry in entries(at.project, person)] == [("quiz", 2)]
    # Whoever was asked an item here has a barred place at it.
    asked = QuizItem.objects.filter(pk__in=attempt.items).values("item")
    barred = Assignment.objects.filter(annotator=person, item__in=asked)
    assert set(barred.values_list("state", flat=True)) == {"barred"}
    assert barred.count() == 2


def test_two_attempts_with_other_questions_then_a_lead_decides(browser: Client) -> None:
    at = world()
    person = at.validators[0]
    browser.force_login(user_of(person))
    for _ in range(2):
        assert sends(at, browser, right=False).status_code == 302
    first, second = QuizAttempt.objects.order_by("n")
    assert not set(first.items) & set(second.items)
    assert browser.get(url(at, "vote")).headers["Location"] == url(at)
    again = browser.post(url(at))
    assert again.status_code == 409
    assert "You made all your attempts" in again.content.decode()
    (row,) = queries.results(at.project, [Annotator.objects.get(pk=person.pk)])
    assert [each.right for each in row.attempts] == [0, 0]
    assert row.bounds is not None
    assert row.bounds[0] == 0
    lead = Client()
    lead.force_login(lead_of(at))
    waive = url(at, "quiz_waive", person.pk)
    assert lead.post(waive, {"reason": " "}).status_code == 422
    assert lead.post(waive, {"reason": "talked it through"}).status_code == 302
    assert b'name="assignment"' in browser.get(url(at, "vote")).content
    assert queries.qualification_sums(at.project) == {
        "attempts": 2,
        "people": 1,
        "passed": 0,
        "asked": 4,
        "right": 0,
        "waived": 1,
    }


def test_what_was_chosen_is_kept_where_an_answer_is_missing(browser: Client) -> None:
    at = world()
    browser.force_login(user_of(at.validators[0]))
    browser.post(url(at))
    attempt = QuizAttempt.objects.get()
    answer = browser.post(url(at), {f"answer-{attempt.items[0]}": "n"})
    assert answer.status_code == 422
    page = answer.content.decode()
    assert "Choose an answer to every question" in page
    assert f'name="answer-{attempt.items[0]}" value="n" checked' in page
    assert QuizAttempt.objects.get().done_at is None


def test_too_few_questions_are_said(browser: Client) -> None:
    at = world(questions=3)
    browser.force_login(user_of(at.validators[0]))
    answer = browser.post(url(at))
    assert answer.status_code == 409
    assert "not enough questions yet" in answer.content.decode()


def test_the_training_round_tells_after_each_answer(browser: Client) -> None:
    at = world()
    browser.force_login(user_of(at.validators[0]))
    assert "Begin" in browser.get(url(at, "training")).content.decode()
    assert not QuizAttempt.objects.exists()
    first = browser.post(url(at, "training"), follow=True).content.decode()
    assert "Question 1" in first
    assert "because of this" not in first
    row = QuizItem.objects.get(training=True)
    answer = browser.post(url(at, "training"), {"item": row.pk, f"answer-{row.pk}": review.WRONG[row.accepted[0]]})
    page = answer.content.decode()
    assert "not right" in page
    assert "because of this" in page
    attempt = QuizAttempt.objects.get(training=True)
    # The first answer stays.
    training_answer(attempt=attempt, item=row.pk, answer=row.accepted[0])
    attempt.refresh_from_db()
    assert (attempt.right, attempt.asked) == (0, 1)
    assert "You answered all: 0 of 1" in browser.get(url(at, "training")).content.decode()
    # It neither counts as an attempt nor lets anybody in.
    assert browser.get(url(at, "vote")).headers["Location"] == url(at)


def test_nothing_is_a_gold_question_and_in_the_quiz() -> None:
    at = world()
    row = QuizItem.objects.all()[0]
    by = lead_of(at)
    with pytest.raises(Conflict) as refused:
        gold_add(project=at.project, item_id=row.item_id, accepted=["e"], by=by)
    assert refused.value.code == "gold_is_quiz"
    free = Item.objects.get(project=at.project, sampled=False, asked_in_quiz=None)
    gold_add(project=at.project, item_id=free.pk, accepted=["e"], by=by)
    with pytest.raises(Conflict) as refused:
        quiz_item_add(project=at.project, item_id=free.pk, accepted=["e"], by=by)
    assert refused.value.code == "quiz_is_gold"


def test_drawn_from_what_people_agree_on_and_begun_once() -> None:
    at = world()
    first = Item.objects.filter(project=at.project, stage="voting").order_by("pk")[0]
    Annotator.objects.filter(project=at.project).update(qualified_at="2026-01-01T00:00Z")
    review.cast_votes(at, first, first.author_label * 2)
    assert quiz_items_draw(project=at.project, count=5, training=False, by=lead_of(at)) == 1
    person = Annotator.objects.select_related("project").get(pk=at.validators[3].pk)
    with pytest.raises(Conflict) as refused:
        attempt_begin(annotator=person)  # attempts are paid
    assert refused.value.code == "quiz_not_owed"
    Annotator.objects.filter(pk=person.pk).update(qualified_at=None)
    assert attempt_begin(annotator=person).pk == attempt_begin(annotator=person).pk


def test_leads_set_it_up_on_the_page(browser: Client) -> None:
    at = world()
    browser.force_login(lead_of(at))
    page = url(at, "qualification")
    assert "Items" in browser.get(page).content.decode()
    free = Item.objects.get(project=at.project, sampled=False, asked_in_quiz=None)
    sent = {
        "role": "validator",
        "use": "training",
        "key": free.key,
        "accepted": ["e", "n"],
        "explanation": "both can be",
    }
    assert browser.post(page, sent).status_code == 302
    row = QuizItem.objects.get(item=free)
    assert (row.accepted, row.training) == (["e", "n"], True)
    refused = browser.post(page, sent)
    assert refused.status_code == 409
    assert "is asked in a quiz or in a training round already" in refused.content.decode()
    assert browser.post(url(at, "quiz_item_retire", row.pk)).status_code == 302
    assert QuizItem.objects.get(pk=row.pk).retired_at is not None
