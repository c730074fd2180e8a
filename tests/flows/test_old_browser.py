"""Near the floor of docs/browsers.md, in Chromium 92: votes, sets, no connection, signing out."""

import os
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Playwright, expect

from annotation.content.models.item import Item
from annotation.core.models.project import Project
from annotation.core.models.user import User
from annotation.writing.actions.allocation import allocations_assign
from tests import factory
from tests.binaries import ServiceMissingError, old_chromium
from tests.conftest import Pages, launch
from tests.flows import test_offline_browser as offline
from tests.flows.conftest import sign_in
from tests.flows.steps import drop_connection, next_card, restore_connection, token
from tests.flows.test_offline_browser import NOISE, answer, take, waiting
from tests.wait import wait_until
from validation.voting.models.vote import Vote

pytestmark = pytest.mark.django_db(transaction=True)
PageOf = Callable[..., Page]
VOTES = 20
# What Playwright itself takes for granted, for the scripts that it runs beside the page's own; the page has it not.
# Engines of selectors are read in each of its worlds: that is the way in.
SEEN = """(() => {
  Element.prototype.checkVisibility ??= function () { return this.getClientRects().length > 0; };
  return { query: () => null, queryAll: () => [] };
})()"""


@pytest.fixture(scope="module")
def old_browser(driver: Playwright) -> Iterator[Browser]:
    """Chromium 92. Where the checks run a missing one is a failure."""
    try:
        program = old_chromium()
    except ServiceMissingError as missing:
        if os.environ.get("MUFAKAT_CI"):
            raise
        pytest.skip(str(missing))
    driver.selectors.register("seen", script=SEEN, content_script=True)
    opened = launch(driver, str(program), "--disable-gpu")
    assert int(opened.version.split(".")[0]) <= 92
    yield opened
    opened.close()


@pytest.fixture
def page_of(old_browser: Browser, live_server: Any) -> Iterator[PageOf]:
    """`page_of(user)`: a page of somebody who is signed in, in the old browser."""
    pages = Pages(old_browser, live_server.url)

    def opened(user: User, **options: Any) -> Page:
        page = pages(**options)
        sign_in(page.context, user, pages.origin)
        return page

    yield opened
    pages.close()
    pages.check()


@pytest.fixture
def project() -> Project:
    return factory.project()


def sign_out(page: Page) -> None:
    page.locator("details.menu summary").click()
    page.get_by_role("button", name="Sign out").click()
    page.wait_for_url("**/accounts/login/**")


def test_twenty_votes_and_signing_out(project: Project, page_of: PageOf) -> None:
    """Ten with a connection, five without one, five with it again: all are stored, and each page said what was true."""
    page = page_of(waiting(project, 4).user, allow=NOISE)
    page.goto(f"/p/{project.slug}/vote/")
    assert page.evaluate("[AbortSignal.timeout, Element.prototype.checkVisibility].every((name) => !name)")
    for n in range(10):
        next_card(page, str(n % 3 + 1), "Enter")
    wait_until(lambda: Vote.objects.count() == 10, what="ten votes", page=page)
    take(page, project, 10)
    drop_connection(page)
    for n in range(5):
        answer(page, str(n % 3 + 1))
    expect(page.locator("#unsent")).to_contain_text("not sent yet: 5")
    restore_connection(page)
    wait_until(lambda: Vote.objects.count() == 15, what="what was kept", page=page)
    for n in range(5):
        answer(page, str(n % 3 + 1))
    wait_until(lambda: Vote.objects.count() == VOTES, what="all votes", page=page)
    expect(page.locator("#unsent")).to_be_empty()
    sign_out(page)


def test_a_set_is_written_and_submitted(project: Project, page_of: PageOf) -> None:
    writer = factory.member(project, "writer")
    factory.premises(project, 1)
    allocations_assign(target=project.targets.get(), writers=[writer], size=1)
    page = page_of(writer.user, allow=NOISE)
    page.goto(f"/p/{project.slug}/write/")
    state, fields = page.locator("[data-state]"), page.locator(".slot__main")
    fields.first.fill("Ada mangga di meja.")
    expect(state).to_contain_text("Saved at")
    drop_connection(page)
    for n in range(1, fields.count()):
        fields.nth(n).fill(f"Kalimat nomor {n} ditulis di sini.")
    expect(state).to_contain_text("kept on this device")
    page.keyboard.press("Control+Enter")
    expect(state).to_contain_text("NOT submitted")
    restore_connection(page)
    expect(state).to_contain_text("Saved at")
    page.keyboard.press("Control+Enter")
    wait_until(lambda: Item.objects.filter(project=project).count() == fields.count(), what="the set", page=page)
    sign_out(page)


@pytest.mark.parametrize("dark", [False, True])
def test_the_chosen_answer_looks_chosen(project: Project, page_of: PageOf, dark: bool) -> None:
    page = page_of(waiting(project, 1).user, dark=dark)
    page.goto(f"/p/{project.slug}/vote/")
    look = "(of) => ['background-color', 'border-top-color'].map((name) => getComputedStyle(of)[name])"
    chosen, other = page.locator(".choice label").nth(1), page.locator(".choice label").first
    assert chosen.evaluate(look) == other.evaluate(look)
    page.keyboard.press("2")
    for name, value in zip(("background-color", "border-top-color"), other.evaluate(look), strict=True):
        expect(chosen).not_to_have_css(name, value)
    clear = "rgba(0, 0, 0, 0)"
    assert page.locator(".vote__send").evaluate("(of) => getComputedStyle(of).backgroundColor") != clear
    ground = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    assert (ground == "rgb(25, 23, 20)") is dark


def test_below_the_floor_forms_are_plain(project: Project, page_of: PageOf) -> None:
    """No script takes the place of a form, and votes are stored."""
    page = page_of(waiting(project, 1).user, allow=("older than scripts here go",))
    page.add_init_script("delete Promise.any")
    page.goto(f"/p/{project.slug}/vote/")
    for _ in range(2):
        before = token(page)
        page.locator("#label-2").check(force=True)
        with page.expect_navigation():
            page.get_by_role("button", name="Send").last.click()
        assert token(page) != before
    assert Vote.objects.count() == 2
    sign_out(page)


# What happens in a browser of today happens here.
test_a_tab_that_is_killed_loses_nothing = offline.test_a_tab_that_is_killed_loses_nothing
test_two_tabs_make_one_vote_and_one_word = offline.test_two_tabs_make_one_vote_and_one_word
test_signing_out_with_something_unsent_asks = offline.test_signing_out_with_something_unsent_asks
