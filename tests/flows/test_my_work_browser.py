"""My work, questions and notices in a real browser: how they look to everybody, and the way of a question."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.flows.looks import assert_for_everybody
from tests.review import assign, give_back, world

pytestmark = pytest.mark.django_db(transaction=True)
PageOf = Callable[..., Page]


def test_returned_work_a_question_and_its_answer(page_of: PageOf) -> None:
    at = world()
    give_back(at, at.item("e"))
    writer = page_of(at.writer.user)
    writer.goto("/")
    expect(writer.get_by_role("link", name="Fix")).to_be_visible()
    assert_for_everybody(writer, "my work")
    assignment = assign(at.item("n"), at.validators[0])
    asker, lead = page_of(at.validators[0].user), page_of(at.lead.user)
    asker.goto(f"/p/{at.project.slug}/questions/?assignment={assignment.token}")
    asker.get_by_label("Your question").fill("Is a stall a market?")
    assert_for_everybody(asker, "asking")
    asker.get_by_role("button", name="Send").click()
    expect(asker.get_by_role("heading", name="A question")).to_be_visible()
    lead.goto(f"/p/{at.project.slug}/questions/")
    lead.get_by_role("link", name="Is a stall a market?").click()
    lead.get_by_label("Your words").fill("Yes.")
    lead.get_by_role("button", name="Send").click()
    lead.get_by_label("Voting").check()
    assert_for_everybody(lead, "an answer")
    lead.get_by_role("button", name="Publish").click()
    expect(lead.get_by_role("heading", name="Answered for all")).to_be_visible()
    asker.goto("/me/notices/")
    expect(asker.get_by_text("Your question was answered")).to_be_visible()
    expect(asker.get_by_text("The guidelines have changed")).to_be_visible()
    assert_for_everybody(asker, "notices")
    asker.get_by_role("button", name="Mark all as read").click()
    expect(asker.get_by_role("button", name="Mark all as read")).to_have_count(0)
