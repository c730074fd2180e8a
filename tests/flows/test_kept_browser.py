"""What pages say of what is kept on a device, in every tab, and where a browser keeps nothing; one that is refused."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.writing.actions.allocation import allocations_assign
from tests import factory
from tests.conftest import Pages
from tests.flows.conftest import sign_in
from tests.flows.steps import drop_connection, press, restore_connection
from tests.flows.test_offline_browser import NOISE, answer, kept, take, waiting
from tests.wait import wait_until
from validation.voting.models.vote import Vote

pytestmark = pytest.mark.django_db(transaction=True)
PageOf = Callable[..., Page]


@pytest.fixture
def project() -> Project:
    return factory.project()


def writing(page_of: PageOf, script: str = "") -> Page:
    """The page of a writer's set, with a script before its own."""
    project = factory.project()
    writer = factory.member(project, "writer")
    factory.premises(project, 1)
    allocations_assign(target=project.targets.get(), writers=[writer], size=1)
    page = page_of(writer.user, allow=NOISE)
    page.add_init_script(script)
    page.goto(f"/p/{project.slug}/write/")
    return page


def test_submit_without_a_connection_says_not_submitted(page_of: PageOf) -> None:
    page = writing(page_of)
    page.locator("#text-e1").fill("Ada mangga.")
    expect(page.locator("[data-state]")).to_contain_text("Saved at")
    drop_connection(page)
    page.keyboard.press("Control+Enter")
    expect(page.locator("[data-state]")).to_contain_text("NOT submitted")
    expect(page.locator("#text-e1")).to_have_value("Ada mangga.")


@pytest.mark.parametrize("passes", [False, True])
def test_one_that_is_refused_holds_up_no_other(project: Project, page_of: PageOf, passes: bool) -> None:
    """They left the first project with something unsent; what they answered in the second is stored."""
    validator = waiting(project)
    other = factory.project()
    waiting(other)
    assert validator.user is not None
    factory.member(other, "validator", account=validator.user)
    page = page_of(validator.user, allow=NOISE)
    take(page, project, 2)
    second = page.context.new_page()
    take(second, other, 1)
    drop_connection(page)
    if passes:
        page.locator("#card summary", has_text="Skip").click()
        page.locator("#card [name=reason]").select_option(index=1)
        page.get_by_role("button", name="Skip this one").click()
        expect(page.locator("[data-left]")).to_have_text("1")
    else:
        answer(page)
    answer(second)
    Annotator.objects.filter(pk=validator.pk).update(left_at="2026-01-01T00:00Z")
    restore_connection(page)
    wait_until(lambda: Vote.objects.filter(item__project=other).count() == 1, what="the vote", page=page)
    expect(page.locator("#unsent .note--error")).to_contain_text("not open to you any more")
    expect(second.locator("#unsent .note--warn")).to_have_count(0)
    wait_until(lambda: kept(page) == 1, what="the refused one alone", page=page)


@pytest.mark.parametrize(("status", "ends"), [(400, True), (500, False)])
def test_pages_of_faults_hold_up_no_other(project: Project, page_of: PageOf, status: int, ends: bool) -> None:
    """A fault of the server's own with one leaves it for later; a refusal without words of its own is given some."""
    page = page_of(waiting(project).user, allow=NOISE)
    take(page, project, 2)
    drop_connection(page)
    first = answer(page)
    answer(page, "2")
    page.route(f"**/vote/{first}/", lambda route: route.fulfill(status=status, body="<h1>Fault</h1>"))
    restore_connection(page)
    wait_until(lambda: Vote.objects.filter(label="n").count() == 1, what="the other vote", page=page)
    if ends:
        expect(page.locator("#unsent .note--error")).to_contain_text("not sent again")
    else:
        expect(page.locator("#unsent")).to_contain_text("not sent yet: 1")
        page.unroute_all()
        page.evaluate("dispatchEvent(new Event('online'))")
        wait_until(lambda: Vote.objects.count() == 2, what="the first vote", page=page)
        expect(page.locator("#unsent")).to_be_empty()


REFUSED_STORAGE = """
Object.defineProperty(window, "indexedDB", { get() { throw new DOMException("refused", "SecurityError"); } });
Storage.prototype.setItem = () => { throw new DOMException("refused", "QuotaExceededError"); };
"""


def test_where_a_browser_stores_nothing_pages_say_not_kept(project: Project, page_of: PageOf) -> None:
    page = page_of(waiting(project).user, allow=NOISE)
    page.add_init_script(REFUSED_STORAGE)
    page.goto(f"/p/{project.slug}/vote/")
    state = page.locator("#card [data-state]")
    drop_connection(page)
    press(page, "2", "Enter")
    expect(state).to_contain_text("NOT kept on this device")
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    restore_connection(page)
    wait_until(lambda: Vote.objects.count() == 1, what="the vote", page=page)
    expect(state).to_contain_text("Sent.")
    page.context.clear_cookies()
    press(page, "2", "Enter")
    expect(state).to_contain_text("NOT kept on this device: leave this page open, sign in")


def test_where_a_browser_stores_nothing_a_text_is_not_kept(page_of: PageOf) -> None:
    page = writing(page_of, REFUSED_STORAGE)
    drop_connection(page)
    page.locator("#text-e1").fill("Ada mangga.")
    expect(page.locator("[data-state]")).to_contain_text("NOT kept on this device")
    page.keyboard.press("Control+Enter")
    expect(page.locator("[data-state]")).to_contain_text("NOT saved, and NOT kept")
    restore_connection(page)
    expect(page.locator("[data-state]")).to_contain_text("Saved at")


def test_tabs_follow_each_other(project: Project, page_of: PageOf, open_page: Pages) -> None:
    """Counters, the word that somebody is signed out, and that something is sent, in tabs where nothing was done."""
    user = waiting(project).user
    assert user is not None
    page = page_of(user, allow=NOISE)
    take(page, project, 3)
    same, voting = page.context.new_page(), page.context.new_page()
    same.goto(page.url)
    expect(same.locator("[data-left]")).to_have_text("3")
    voting.goto(f"/p/{project.slug}/vote/")
    drop_connection(page)
    answer(page)
    expect(same.locator("[data-left]")).to_have_text("2")
    expect(same.locator("#unsent")).to_contain_text("not sent yet: 1")
    page.context.clear_cookies()
    restore_connection(page)
    for tab in (page, same, voting):
        expect(tab.locator("#unsent")).to_contain_text("You are signed out")
    press(voting, "2", "Enter")
    expect(voting.locator("#card [data-state]")).to_contain_text("you are signed out")
    sign_in(page.context, user, open_page.origin)
    page.context.new_page().goto("/")
    wait_until(lambda: Vote.objects.count() == 2, what="both votes", page=page)
    for tab in (page, same, voting):
        expect(tab.locator("#unsent")).to_be_empty()
    expect(voting.locator("#card [data-state]")).not_to_contain_text("you are signed out")
