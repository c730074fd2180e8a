"""Reviewing translations in a real browser: by keyboard alone, with and without a script, for everybody."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from annotation.content.queries import current_content
from annotation.kinds import text_at
from tests.flows.looks import assert_for_everybody, open_all
from tests.flows.steps import token, wait_for_another_card
from tests.review import decide
from tests.reviews import TranslationReviewWorld, translation_review_world
from validation.consensus import stages
from validation.voting.models.review import Review
from validation.voting.models.vote import Vote

pytestmark = pytest.mark.django_db(transaction=True)
PageOf = Callable[..., Page]


def at_the_card(page: Page, at: TranslationReviewWorld) -> str:
    """Go to the room; the token of the card that is there."""
    page.goto(f"/p/{at.project.slug}/vote/")
    return token(page)


def test_approve_correct_and_send_back_by_keys_alone(page_of: PageOf) -> None:
    at = translation_review_world(6)
    page = page_of(at.reviewers[0].user, 1280, allow=("422",))
    first = at_the_card(page, at)
    page.keyboard.press("a")
    page.keyboard.press("Enter")
    second = wait_for_another_card(page, first)

    page.keyboard.press(".")
    field = page.locator("textarea[data-correct]").first
    expect(field).to_be_focused()
    page.keyboard.press("Control+a")
    page.keyboard.type("Wong dodol pelem.")
    expect(page.locator("[name=label][value=correct]")).to_be_checked()
    page.keyboard.press("Control+Enter")
    third = wait_for_another_card(page, second)

    page.keyboard.press("r")
    page.keyboard.press("Enter")
    expect(page.locator("#card-problem")).to_contain_text("tell the translator what is wrong")
    expect(page.locator("#comment")).to_be_focused()
    page.keyboard.type("Dudu ukara.")
    page.keyboard.press("Control+Enter")
    wait_for_another_card(page, third)

    votes = list(Vote.objects.order_by("pk"))
    assert [vote.label for vote in votes] == ["approve", "correct", "return"]
    assert votes[1].proposals.get().text == "Wong dodol pelem."
    assert votes[2].comment == "Dudu ukara."


def test_the_second_key_opens_every_field_and_the_third_asks_why(page_of: PageOf) -> None:
    at = translation_review_world()
    page = page_of(at.reviewers[0].user, 360)
    at_the_card(page, at)
    page.keyboard.press("2")
    for correct in page.locator(".review__correction textarea").all():
        expect(correct).to_be_visible()
    expect(page.locator("#comment")).to_be_hidden()
    page.keyboard.press("3")
    expect(page.locator("#comment")).to_be_visible()
    page.keyboard.press(",")
    expect(page.locator("#error")).to_be_focused()


def test_without_a_script(page_of: PageOf) -> None:
    at = translation_review_world()
    page = page_of(at.reviewers[0].user, 360, javascript=False)
    first = at_the_card(page, at)
    page.locator(".review__correction > summary").first.click()
    page.locator("textarea[data-correct]").first.fill("Wong dodol pelem.")
    page.get_by_role("radio", name="Fix the text").check(force=True)
    page.locator(".vote__send button[type=submit]").first.click()
    wait_for_another_card(page, first, script=False)
    decide()
    assert text_at(current_content(at.item), "field-premise") == "Wong dodol pelem."


def test_the_translator_answers_by_keys_alone(page_of: PageOf) -> None:
    at = translation_review_world()
    at.correct()
    page = page_of(at.translator.user, 1280)
    page.goto("/")
    with page.expect_navigation(url=f"**/p/{at.project.slug}/corrected/"):
        page.keyboard.press("Enter")
    page.keyboard.press("r")
    expect(page.locator(f"#words-{at.item.pk}")).to_be_focused()
    page.keyboard.type("Dudu kuwi.")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_text("Sent. Another reviewer decides")).to_be_visible()
    assert Review.objects.get(event=stages.DISPUTE).words == "Dudu kuwi."


def test_a_correction_is_accepted_by_one_key(page_of: PageOf) -> None:
    at = translation_review_world()
    at.correct()
    page = page_of(at.translator.user, 360)
    page.goto(f"/p/{at.project.slug}/corrected/")
    page.keyboard.press("a")
    expect(page.get_by_text("It is settled")).to_be_visible()
    assert at.item.gold_from == "author"


def test_for_everybody(page_of: PageOf) -> None:
    at = translation_review_world(4)
    at.correct()
    reviewer = page_of(at.reviewers[1].user)
    at_the_card(reviewer, at)
    open_all(reviewer)
    assert_for_everybody(reviewer, "card")
    translator = page_of(at.translator.user)
    translator.goto(f"/p/{at.project.slug}/corrected/")
    open_all(translator)
    assert_for_everybody(translator, "corrected")
    lead = page_of(at.lead.user)
    lead.goto(f"/p/{at.project.slug}/items/{at.item.pk}/")
    assert_for_everybody(lead, "item")
