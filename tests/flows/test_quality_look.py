"""People's work, gold questions, quiz and training in a browser: axe, widths, both schemes; the quiz on a phone."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page

from annotation.content.models.item import Item
from tests.flows.looks import assert_for_everybody, open_in_each_look
from tests.quality import lead_of, user_of
from tests.validation.qualification import test_quiz, test_writers_quiz
from validation.qualification.models import QuizAttempt, QuizItem
from validation.quality.actions.gold import gold_add, pause_begin
from validation.quality.models import GoldStanding

pytestmark = pytest.mark.django_db(transaction=True)
PageOf = Callable[..., Page]


def look_at(page: Page, path: str, name: str) -> None:
    """The page is for everybody; pictures of it for people to look at, where a folder is named."""
    page.goto(path)
    page.wait_for_load_state("load")
    see(page, path, name)


def see(page: Page, path: str, name: str) -> None:
    assert_for_everybody(page, path)
    if folder := os.environ.get("SCREENSHOTS"):
        for look in open_in_each_look(page):
            page.screenshot(path=Path(folder) / f"quality-{name}-{look}.png", full_page=True)


def test_leads_and_the_quiz(page_of: PageOf) -> None:
    at = test_quiz.world(gold_questions=True)
    person = at.validators[0]
    voter = page_of(user_of(person))
    base = f"/p/{at.project.slug}"
    look_at(voter, f"{base}/vote/", "quiz-begin")
    voter.goto(f"{base}/training/")
    voter.get_by_role("button", name="Begin").click()
    voter.locator("fieldset").wait_for()
    see(voter, f"{base}/training/", "training")
    voter.goto(f"{base}/quiz/")
    voter.get_by_role("button", name="Begin").click()
    voter.wait_for_load_state("load")
    see(voter, f"{base}/quiz/", "quiz")
    for group in voter.locator("fieldset").all():
        group.locator("input[type=radio]").first.check()
    voter.get_by_role("button", name="Hand in").click()
    voter.get_by_role("heading", name="Attempt 1").wait_for()
    see(voter, f"{base}/quiz/", "quiz-told")
    for each in at.validators:
        each.qualified_at = "2026-01-01T00:00Z"
        each.save()
    lead = page_of(lead_of(at))
    free = Item.objects.get(project=at.project, sampled=False, asked_in_quiz=None)
    gold_add(project=at.project, item_id=free.pk, accepted=["e", "n"], by=lead_of(at))
    GoldStanding.objects.create(annotator=person, answered=10, right=7, all_answered=15, all_right=11)
    pause_begin(annotator_id=at.validators[1].pk, by=lead_of(at), reason="answers in a second each")
    for name, path in (
        ("people", "quality/"),
        ("person", f"quality/{person.pk}/"),
        ("paused", f"quality/{at.validators[1].pk}/"),
        ("set-aside", f"quality/{person.pk}/set-aside/"),
        ("gold", "quality/gold/"),
        ("gold-chosen", f"quality/gold/?item={Item.objects.filter(project=at.project).latest('pk').key}"),
        ("qualification", "qualification/"),
    ):
        look_at(lead, f"{base}/{path}", name)
    look_at(page_of(user_of(at.validators[1])), f"{base}/vote/", "vote-paused")


def test_a_writer_comes_from_the_quiz_to_writing(page_of: PageOf) -> None:
    at, person = test_writers_quiz.world()
    writer = page_of(user_of(person))
    base = f"/p/{at.project.slug}"
    writer.goto(f"{base}/")
    writer.get_by_role("link", name="Write", exact=True).first.click()
    writer.wait_for_url(f"**{base}/writers-quiz/")
    see(writer, f"{base}/writers-quiz/", "writers-quiz-begin")
    writer.get_by_role("button", name="Begin").click()
    writer.get_by_role("button", name="Hand in").wait_for()
    see(writer, f"{base}/writers-quiz/", "writers-quiz")
    attempt = QuizAttempt.objects.get()
    for row in QuizItem.objects.filter(pk__in=attempt.items):
        writer.locator(f"input[name=answer-{row.pk}][value={row.accepted[0]}]").check()
    writer.get_by_role("button", name="Hand in").click()
    writer.get_by_role("heading", name="Attempt 1: 2 of 2 right").wait_for()
    see(writer, f"{base}/writers-quiz/", "writers-quiz-told")
    writer.get_by_role("main").get_by_role("link", name="Write", exact=True).click()
    writer.wait_for_url(f"**{base}/write/*/")
    assert writer.get_by_role("textbox").first.is_visible()
    lead = page_of(lead_of(at))
    look_at(lead, f"{base}/qualification/?role=writer", "writers-qualification")
