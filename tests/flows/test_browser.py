"""Writing and voting in a real browser: with the keyboard alone, with a connection that drops, in two tabs."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from annotation.content.models.item import Hypothesis, Item
from annotation.content.models.source import Draft
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.writing.actions.allocation import allocations_assign
from tests import factory
from tests.flows.steps import (
    disable_prefetch,
    drop_connection,
    restore_connection,
    token,
    wait_for_another_card,
)
from tests.wait import wait_until
from validation.voting.actions.decide import decide_due
from validation.voting.models.assignment import Assignment
from validation.voting.models.review import Proposal
from validation.voting.models.vote import Vote

pytestmark = pytest.mark.django_db(transaction=True)
PageOf = Callable[..., Page]
DROPPED = ("net::ERR_", "htmx:sendError", "htmx:afterRequest")


@pytest.fixture
def project() -> Project:
    return factory.project()


def share_out(project: Project, count: int = 1) -> Annotator:
    """A writer with `count` premises to write for."""
    writer = factory.member(project, "writer")
    factory.premises(project, count)
    allocations_assign(target=project.targets.get(), writers=[writer], size=count)
    return writer


def waiting(project: Project, sets: int = 2) -> Annotator:
    """A validator, and pairs that wait for votes."""
    factory.written_pairs(project, factory.member(project, "writer"), sets)
    while decide_due():
        pass
    return factory.member(project, "validator")


def room(project: Project, name: str) -> str:
    return f"/p/{project.slug}/{name}/"


def test_write_six_with_the_keyboard_alone(project: Project, page_of: PageOf) -> None:
    page = page_of(share_out(project).user)
    page.goto(room(project, "write"))
    for place, text in enumerate(factory.SET.values()):
        if place:
            page.keyboard.press("Alt+ArrowDown")
        page.keyboard.type(text)
    expect(page.locator("[data-count]")).to_have_text("6 of 6 written")
    page.keyboard.press("Alt+ArrowUp")
    expect(page.locator("#text-c1")).to_be_focused()
    page.keyboard.press("Control+s")
    expect(page.locator("[data-state]")).to_contain_text("Saved at")
    assert Draft.objects.count() == 6
    page.keyboard.press("Control+Enter")
    page.get_by_role("heading", name="You have written everything you were given").wait_for()
    assert set(Hypothesis.objects.values_list("text", flat=True)) == set(factory.SET.values())


def test_checks_speak_while_one_types(project: Project, page_of: PageOf) -> None:
    page = page_of(share_out(project).user, allow=("status of 422",))
    page.goto(room(project, "write"))
    page.keyboard.type("Ada banyak mangga di pasar. Penjualnya datang dari desa sebelah.")
    slot = page.locator("[data-slot=e1]")
    expect(slot.locator(".check-line--block")).to_have_text("This looks like more than one sentence.")
    slot.get_by_label("This is one sentence").check()
    expect(slot.locator(".check-line--block")).to_have_count(0)
    expect(page.locator("[data-slot=e2] .slot__one")).to_be_hidden()
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("alert")).to_contain_text("Not submitted yet")
    expect(page.locator("#lines-e2")).to_have_text("Nothing written here yet.")
    expect(page.locator("#text-e1")).to_have_value("Ada banyak mangga di pasar. Penjualnya datang dari desa sebelah.")


def test_input_methods_are_left_alone(project: Project, page_of: PageOf) -> None:
    page = page_of(share_out(project).user)
    page.goto(room(project, "write"))
    pressed = """key => document.activeElement.dispatchEvent(new KeyboardEvent("keydown",
        {...key, isComposing: true, bubbles: true, cancelable: true}))"""
    assert page.evaluate(pressed, {"key": "Enter", "ctrlKey": True})
    assert page.evaluate(pressed, {"key": "ArrowDown", "altKey": True})
    expect(page.locator("#text-e1")).to_be_focused()


def test_text_is_kept_when_the_connection_drops(project: Project, page_of: PageOf) -> None:
    writer = share_out(project)
    page = page_of(writer.user, allow=DROPPED)
    page.goto(room(project, "write"))
    drop_connection(page)
    page.keyboard.type("Ada mangga yang dijual di pasar.")
    expect(page.locator("[data-state]")).to_have_text("No connection: kept on this device, not saved yet")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#text-e1")).to_have_value("Ada mangga yang dijual di pasar.")
    assert not Draft.objects.exists()
    address = page.url
    page.close()
    # Before it is opened, and not after: so it was never cut off.
    page.context.set_offline(False)
    again = page.context.new_page()
    again.goto(address)
    expect(again.locator("#text-e1")).to_have_value("Ada mangga yang dijual di pasar.")
    expect(again.locator("[data-state]")).to_contain_text("Saved at")
    assert Draft.objects.get().content["text"] == "Ada mangga yang dijual di pasar."


def test_text_is_sent_when_the_connection_is_back(project: Project, page_of: PageOf) -> None:
    page = page_of(share_out(project).user, allow=DROPPED)
    page.goto(room(project, "write"))
    drop_connection(page)
    page.keyboard.type("Ada mangga.")
    expect(page.locator(".savebar__state--unsaved")).to_be_visible()
    restore_connection(page)
    expect(page.locator("[data-state]")).to_contain_text("Saved at")
    assert Draft.objects.get().content["text"] == "Ada mangga."


@pytest.mark.parametrize(("button", "left"), [("Keep mine", "Kedua."), ("Use this text", "Pertama.")])
def test_two_tabs_lose_nothing(project: Project, page_of: PageOf, button: str, left: str) -> None:
    first = page_of(share_out(project).user, allow=("status of 409",))
    first.goto(room(project, "write"))
    second = first.context.new_page()
    second.goto(first.url)
    first.bring_to_front()
    first.locator("#text-e1").fill("Pertama.")
    expect(first.locator("[data-state]")).to_contain_text("Saved at")
    second.bring_to_front()
    second.locator("#text-e1").fill("Kedua.")
    note = second.locator("[data-slot=e1] .other")
    expect(note).to_contain_text("Pertama.")
    expect(second.locator("#text-e1")).to_have_value("Kedua.")
    note.get_by_role("button", name=button).click()
    expect(second.locator("#text-e1")).to_have_value(left)
    wait_until(lambda: Draft.objects.get().content["text"] == left, page=second)


def test_vote_with_the_keyboard_alone(project: Project, page_of: PageOf) -> None:
    validator = waiting(project)
    page = page_of(validator.user)
    page.goto(room(project, "vote"))
    first = token(page)
    page.keyboard.press("2")
    page.keyboard.press("u")
    page.keyboard.press("Enter")
    second = wait_for_another_card(page, first)
    expect(page.locator("#card")).to_be_focused()
    expect(page.locator("#status")).to_have_text("Sent. Here is the next.")
    vote = Vote.objects.get()
    assert (vote.label, vote.unsure, vote.ambiguous) == ("n", True, False)

    page.keyboard.press("Backspace")
    third = wait_for_another_card(page, second)
    expect(page.locator("#label-2")).to_be_checked()
    expect(page.locator("[name=unsure]")).to_be_checked()
    page.keyboard.press("1")
    page.keyboard.press("u")
    page.keyboard.press("m")
    page.keyboard.press(".")
    expect(page.locator("#propose-premise")).to_be_focused()
    page.keyboard.press("Control+End")
    page.keyboard.type(" Benar.")
    page.keyboard.press("Escape")
    page.keyboard.press(",")
    page.keyboard.type("1 kata kurang")
    page.keyboard.press("Control+Enter")
    wait_for_another_card(page, third)
    stands = Vote.objects.get(withdrawn_at=None)
    assert (stands.label, stands.unsure, stands.ambiguous) == ("e", False, True)
    assert stands.comment == "1 kata kurang"
    proposal = Proposal.objects.get()
    assert (proposal.field, proposal.vote_id) == ("premise", stands.pk)
    assert proposal.text.endswith(" Benar.")


def test_keys_are_listed_and_can_be_switched_off(project: Project, page_of: PageOf) -> None:
    validator = waiting(project)
    page = page_of(validator.user)
    page.goto(room(project, "vote"))
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_contain_text("I am unsure")
    page.keyboard.press("Escape")
    assert validator.user is not None
    validator.user.single_keys = False
    validator.user.save()
    page.reload()
    page.keyboard.press("1")
    expect(page.locator("#label-1")).not_to_be_checked()
    expect(page.locator("#card .key--single").first).to_be_hidden()
    first = token(page)
    page.locator("#label-1").check()
    page.keyboard.press("Enter")
    wait_for_another_card(page, first)
    assert Vote.objects.get().label == "e"


def test_sending_without_a_choice_says_so(project: Project, page_of: PageOf) -> None:
    page = page_of(waiting(project).user)
    page.goto(room(project, "vote"))
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.name") == "label"
    assert not Vote.objects.exists()


def test_a_ballot_survives_a_dropped_connection(project: Project, page_of: PageOf) -> None:
    page = page_of(waiting(project).user, allow=DROPPED)
    disable_prefetch(page)
    page.goto(room(project, "vote"))
    first = token(page)
    drop_connection(page)
    page.keyboard.press("3")
    page.keyboard.press("Enter")
    expect(page.locator("#status")).to_contain_text("Not sent yet: no connection")
    expect(page.locator("#label-3")).to_be_checked()
    assert not Vote.objects.exists()
    restore_connection(page)
    wait_for_another_card(page, first)
    assert Vote.objects.get().label == "c"


def test_a_lost_answer_makes_no_second_vote(project: Project, page_of: PageOf) -> None:
    page = page_of(waiting(project).user, allow=DROPPED)
    lost: list[int] = []

    def lose(route: Route) -> None:
        if lost:
            route.continue_()
            return
        lost.append(route.fetch().status)
        route.abort()

    # Before the page is opened: one that stands may send its next request before Chromium has told it of the route.
    page.route("**/vote/*/", lose)
    disable_prefetch(page)
    page.goto(room(project, "vote"))
    first = token(page)
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    wait_for_another_card(page, first)
    assert lost == [200]
    assert Vote.objects.count() == 1


def test_a_reload_brings_back_what_was_typed(project: Project, page_of: PageOf) -> None:
    page = page_of(waiting(project).user)
    page.goto(room(project, "vote"))
    page.keyboard.press("1")
    page.keyboard.press(",")
    with page.expect_response("**/stay/"):
        page.keyboard.type("belum selesai")
    page.reload()
    expect(page.locator("#label-1")).to_be_checked()
    expect(page.locator("#comment")).to_have_value("belum selesai")
    expect(page.locator("#comment")).to_be_visible()


def test_an_item_that_is_gone_keeps_what_was_typed(project: Project, page_of: PageOf) -> None:
    validator = waiting(project)
    page = page_of(validator.user, allow=("status of 409",))
    page.goto(room(project, "vote"))
    first = token(page)
    Item.objects.filter(assignments__token=first).update(stage="excluded", slots_free=0, pending=0)
    Assignment.objects.filter(token=first).update(state=Assignment.State.EXPIRED)
    page.keyboard.press("2")
    page.keyboard.press(",")
    page.keyboard.type("kata yang saya tulis")
    page.keyboard.press("Control+Enter")
    wait_for_another_card(page, first)
    expect(page.get_by_role("alert")).to_contain_text("no longer answer this one")
    expect(page.locator("#card details.note")).to_contain_text("kata yang saya tulis")
    assert not Vote.objects.exists()


def test_passing_needs_a_reason(project: Project, page_of: PageOf) -> None:
    page = page_of(waiting(project).user, allow=("status of 422",))
    page.goto(room(project, "vote"))
    first = token(page)
    page.locator("summary", has_text="Skip").click()
    page.get_by_role("button", name="Skip this one").click()
    expect(page.get_by_role("alert")).to_have_text("Please choose a reason first.")
    page.locator("#reason").select_option("other")
    page.get_by_role("button", name="Skip this one").click()
    wait_for_another_card(page, first)
    assert Assignment.objects.get(token=first).reason == "other"


def test_without_javascript(project: Project, page_of: PageOf) -> None:
    page = page_of(share_out(project).user, javascript=False)
    page.goto(room(project, "write"))
    for key, text in factory.SET.items():
        page.fill(f"#text-{key}", text)
    page.get_by_role("button", name="Save").click()
    expect(page.locator("[data-state]")).to_contain_text("Saved at")
    page.get_by_role("button", name="Submit").click()
    page.get_by_role("heading", name="You have written everything you were given").wait_for()
    decide_due()
    page = page_of(factory.member(project, "validator").user, javascript=False)
    page.goto(room(project, "vote"))
    first = token(page)
    page.locator("summary", has_text="Comment").click()
    page.fill("#comment", "tanpa skrip")
    page.locator("#label-2").check()
    page.get_by_role("button", name="Send").click()
    second = wait_for_another_card(page, first, script=False)
    assert (Vote.objects.get().label, Proposal.objects.count()) == ("n", 0)
    page.get_by_role("button", name="Undo last answer").click()
    third = wait_for_another_card(page, second, script=False)
    expect(page.locator("#label-2")).to_be_checked()
    expect(page.locator("#comment")).to_have_value("tanpa skrip")
    page.locator("summary", has_text="Skip").click()
    page.locator("#reason").select_option("cannot-read")
    page.get_by_role("button", name="Skip this one").click()
    wait_for_another_card(page, third, script=False)
    assert not Vote.objects.filter(withdrawn_at=None).exists()


def test_nothing_left_says_so(project: Project, page_of: PageOf) -> None:
    validator: Any = factory.member(project, "validator")
    page = page_of(validator.user)
    page.goto(room(project, "vote"))
    expect(page.get_by_role("heading", name="Nothing for you now")).to_be_visible()


def test_a_swap_sets_no_style_attribute(project: Project, page_of: PageOf) -> None:
    """What a browser puts on the fields of a card is not carried to the next: the policy refuses it."""
    page = page_of(waiting(project).user)
    page.goto(room(project, "vote"))
    first = token(page)
    page.evaluate(
        """() => {
          window.refused = 0;
          document.addEventListener("securitypolicyviolation", () => { window.refused += 1; });
          for (const field of document.querySelectorAll("#card [id]")) {
            field.style.color = "red";
            field.style.color = "";
          }
        }"""
    )
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    wait_for_another_card(page, first)
    assert page.evaluate("window.refused") == 0
    assert page.locator("#card [style]").count() == 0
