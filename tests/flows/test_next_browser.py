"""The card that follows is fetched while one reads: Send shows it at once, and whatever happens to the answer behind it
ends in one vote or in a clear word; what is fetched and not shown goes back."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Route, expect

from annotation.content.models.item import Item, Revision
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from tests import factory
from tests.flows.steps import drop_connection, restore_connection, token, wait_for_another_card
from tests.flows.test_offline_browser import KEPT
from tests.wait import wait_until
from validation.voting.actions.decide import decide_due
from validation.voting.models.assignment import NEXT_PLACE, Assignment
from validation.voting.models.vote import Vote

pytestmark = pytest.mark.django_db(transaction=True)
PageOf = Callable[..., Page]
NOISE = ("net::ERR_", "Failed to load", "htmx:", "status of 4", "status of 5", "Failed to fetch")


@pytest.fixture
def project() -> Project:
    return factory.project()


@pytest.fixture
def validator(project: Project) -> Annotator:
    factory.written_pairs(project, factory.member(project, "writer"), 2)
    while decide_due():
        pass
    return factory.member(project, "validator")


def ahead() -> str:
    """The token of the card that is fetched and not shown."""
    return Assignment.objects.filter(state="open", place=NEXT_PLACE).values_list("token", flat=True).first() or ""


def vote_page(page: Page, project: Project) -> str:
    """Open the page and wait until the next card is there; its token."""
    page.goto(f"/p/{project.slug}/vote/")
    expect(page.locator("#card[data-ahead]")).to_be_visible()
    return ahead()


def choose(page: Page, key: str = "1") -> None:
    page.locator(f"#label-{key}").check()
    page.get_by_role("button", name="Send").last.click()


def test_send_shows_the_next_card_before_the_server_answers(
    project: Project, validator: Annotator, page_of: PageOf
) -> None:
    page = page_of(validator.user)
    following = vote_page(page, project)
    held: list[Route] = []
    page.route("**/vote/*/", lambda route: held.append(route), times=1)
    choose(page, "2")
    expect(page.locator("#card")).to_have_attribute("data-token", following)
    expect(page.locator("[data-state]")).to_contain_text("Sending")
    assert not Vote.objects.exists()
    held[0].continue_()
    expect(page.locator("[data-state]")).to_contain_text("Sent. Here is the next.")
    assert Vote.objects.get().label == "n"
    assert Assignment.objects.get(token=following).place == 0
    # How long the second was before them is known: from where it was shown.
    choose(page)
    wait_for_another_card(page, following)
    wait_until(lambda: Vote.objects.filter(seconds__isnull=False).count() == 2, what="both votes", page=page)


def test_nobody_holds_more_than_two_and_leaving_returns_one(
    project: Project, validator: Annotator, page_of: PageOf
) -> None:
    page = page_of(validator.user)
    for _ in range(3):
        vote_page(page, project)
        assert Assignment.objects.filter(annotator=validator, state="open").count() == 2
    page.goto("/")
    wait_until(lambda: ahead() == "", what="the unused one to go back", page=page)
    assert Assignment.objects.filter(annotator=validator, state="open").count() == 1
    held = Assignment.objects.filter(state="open").values_list("item", flat=True)
    assert set(Item.objects.exclude(pk__in=held).values_list("slots_free", flat=True)) == {2}


def test_an_answer_that_is_refused_comes_back_in_place_of_the_next(
    project: Project, validator: Annotator, page_of: PageOf
) -> None:
    page = page_of(validator.user, allow=NOISE)
    following = vote_page(page, project)
    first = token(page)
    # The text is corrected while it is read, and another tab has shown it so.
    item = Assignment.objects.get(token=first).item
    revision = Revision.objects.get(item=item)
    revision.pk, revision.n, revision.version = None, 2, 2
    revision.save()
    Item.objects.filter(pk=item.pk).update(revision_n=2)
    Assignment.objects.filter(token=first).update(revision_n=2)
    choose(page)
    expect(page.locator("#card-problem")).to_contain_text("changed after you saw it")
    assert (token(page), ahead()) == (first, following)
    assert not Vote.objects.exists()
    wait_until(lambda: page.evaluate(KEPT) == 0, what="nothing to be kept", page=page)
    choose(page)
    wait_for_another_card(page, first)
    wait_until(lambda: Vote.objects.count() == 1, what="the vote", page=page)


def test_without_a_connection_the_next_card_stands_and_the_answer_follows(
    project: Project, validator: Annotator, page_of: PageOf
) -> None:
    page = page_of(validator.user, allow=NOISE)
    following = vote_page(page, project)
    drop_connection(page)
    first = token(page)
    choose(page, "3")
    assert wait_for_another_card(page, first) == following
    expect(page.locator("[data-state]")).to_contain_text("Not sent yet")
    # Nothing is undone before what is unsent: it would be another answer.
    page.keyboard.press("Backspace")
    expect(page.locator("[data-state]")).to_contain_text("Not sent yet")
    restore_connection(page)
    wait_until(lambda: Vote.objects.filter(label="c").count() == 1, what="the vote", page=page)
    assert token(page) == following
    choose(page)
    wait_for_another_card(page, following)
    wait_until(lambda: Vote.objects.count() == 2, what="both votes", page=page)


def test_undo_follows_what_is_on_its_way(project: Project, validator: Annotator, page_of: PageOf) -> None:
    page = page_of(validator.user)
    following, first = vote_page(page, project), token(page)
    held: list[Route] = []
    page.route(f"**/vote/{first}/", lambda route: held.append(route), times=1)
    choose(page, "2")
    expect(page.locator("#card")).to_have_attribute("data-token", following)
    page.keyboard.press("Backspace")
    expect(page.locator("[data-state=busy]")).to_be_visible()
    held[0].continue_()
    expect(page.locator("[data-state]")).to_contain_text("undone")
    assert Vote.objects.get().withdrawn_at is not None
    expect(page.locator("#label-2")).to_be_checked()
    assert Assignment.objects.get(token=token(page)).item_id == Vote.objects.get().item_id
    assert first != token(page)


def test_the_last_card_was_fetched_ahead(project: Project, validator: Annotator, page_of: PageOf) -> None:
    """Nothing is left behind the one that was fetched; without its token it is found all the same."""
    keep = list(Item.objects.order_by("pk").values_list("pk", flat=True)[:2])
    Item.objects.exclude(pk__in=keep).update(slots_free=0, pending=0)
    page = page_of(validator.user)
    following, first = vote_page(page, project), token(page)
    # A page without scripts sends no token of what was fetched.
    answer = page.request.post(
        f"/p/{project.slug}/vote/{first}/",
        form={
            "label": "e",
            "csrfmiddlewaretoken": page.locator("form.vote [name=csrfmiddlewaretoken]").input_value(),
        },
        headers={"Referer": page.url},
    )
    assert answer.status == 200
    assert following in answer.text()
    assert ahead() == ""


def test_a_server_that_fails_for_a_moment_is_told_and_the_answer_is_sent_again(
    project: Project, validator: Annotator, page_of: PageOf
) -> None:
    page = page_of(validator.user, allow=NOISE)
    following, first = vote_page(page, project), token(page)
    # What a broken server answers cannot be had from one that works. Tried again at once, it fails until that is seen.
    sending = f"**/vote/{first}/"
    page.route(sending, lambda route: route.fulfill(status=500, body="no"))
    choose(page)
    assert wait_for_another_card(page, first) == following
    expect(page.locator("[data-state=failed]")).to_contain_text("will be sent again")
    page.unroute(sending)
    page.evaluate("dispatchEvent(new Event('online'))")
    wait_until(lambda: Vote.objects.count() == 1, what="the vote", page=page)
    expect(page.locator("[data-state]")).to_contain_text("Sent.")
