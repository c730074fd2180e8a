"""Studies in a browser: pages of leads, cards of ratings and comparisons; axe, widths, both schemes, keys."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from annotation.projects.actions.projects import project_close
from tests import factory
from tests.comparisons import a_compared_world, compare_all
from tests.flows.looks import assert_for_everybody, open_in_each_look
from tests.flows.steps import wait_for_another_card, wait_until_done
from tests.ratings import MODELS, YES_TO_ALL, a_rated_world, rate_all, study_members
from tests.validation.studies.test_label_checks import World
from validation.studies.types.comparison import tally_of
from validation.voting.actions.decide import decide_due
from validation.voting.models.vote import Vote

pytestmark = pytest.mark.django_db(transaction=True)
PageOf = Callable[..., Page]


def look_at(page: Page, path: str, name: str) -> None:
    """The page is for everybody; pictures of it for people to look at, where a folder is named."""
    page.goto(path)
    page.wait_for_load_state("load")
    assert_for_everybody(page, path)
    if folder := os.environ.get("SCREENSHOTS"):
        for look in open_in_each_look(page):
            page.screenshot(path=Path(folder) / f"studies-{name}-{look}.png", full_page=True)


def test_a_rating_looks_right_and_is_answered_by_keys(page_of: PageOf) -> None:
    at = a_rated_world(prompts=4, raters=6)
    made, open_one = at.draw("closed"), at.draw("open")
    rate_all(made, lambda prompt, model, place: {"spelling": "no"} if model == MODELS[0] else {})
    project_close(project=made.project, by=at.by, closed=True)
    decide_due()
    lead, base = page_of(at.by), f"/p/{at.project.slug}/studies/"
    factory.member(open_one.project, "validator")  # somebody who joined later
    look_at(lead, f"/p/{open_one.project.slug}/", "project")
    for name, path in (
        ("list", ""),
        ("rating-new", "rating/"),
        ("rating-closed", "rating/1/"),
        ("open", "rating/2/"),
    ):
        look_at(lead, base + path, name)
    rater = page_of(study_members(open_one)[0].user)
    look_at(rater, f"/p/{open_one.project.slug}/vote/", "rating-card")
    card = rater.locator("#card").get_attribute("data-token")
    for _ in YES_TO_ALL:
        rater.keyboard.press("y")
    rater.keyboard.press("Enter")
    wait_for_another_card(rater, str(card))
    (vote,) = Vote.objects.filter(project=open_one.project)
    assert set(vote.answers.values()) >= {"yes"}
    assert len(vote.answers) >= len(YES_TO_ALL)


def test_a_comparison_looks_right(page_of: PageOf) -> None:
    at = a_compared_world()
    made, open_one = at.draw("closed"), at.draw("open")
    compare_all(made, lambda place, person: {"question": "A", "options": "B" if person else "A"})
    assert tally_of(made).single_choices["question"].first == 8
    project_close(project=made.project, by=at.by, closed=True)
    decide_due()
    lead, base = page_of(at.by), f"/p/{at.project.slug}/studies/"
    for name, path in (("comparison-new", "comparison/"), ("comparison-closed", "comparison/1/")):
        look_at(lead, base + path, name)
    look_at(page_of(study_members(open_one)[0].user), f"/p/{open_one.project.slug}/vote/", "comparison-card")
    administrator = page_of(factory.user(administrator=True))
    administrator.goto(base + "comparison/2/")
    administrator.get_by_role("link", name=open_one.project.name).click()
    assert f"/p/{open_one.project.slug}/" in administrator.url


def test_a_closed_study_asks_before_it_is_opened_again(page_of: PageOf) -> None:
    at = World()
    at.approve()
    made, path = at.draw(), f"/p/{at.project.slug}/studies/label-check/1/"
    project_close(project=made.project, by=at.admin, closed=True)
    page = page_of(at.admin, allow=("422",))
    page.goto(path)
    page.locator("summary", has_text="Open it again").click()
    page.get_by_role("button", name="Open it again").click()
    expect(page.locator(".field__error")).to_contain_text("Type the short name")
    assert_for_everybody(page, path)
    if folder := os.environ.get("SCREENSHOTS"):
        for look in open_in_each_look(page):
            page.screenshot(path=Path(folder) / f"studies-reopening-{look}.png", full_page=True)
    page.get_by_label("To open it all the same").fill(made.project.slug)
    page.get_by_role("button", name="Open it again").click()
    wait_until_done(page, "The study is open again.")
