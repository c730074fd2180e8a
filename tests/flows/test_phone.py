"""The rooms on a phone of 360×740 that is touched: what is seen, where it is said, what a tap does."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

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
    wait_until_done,
)
from validation.voting.actions.decide import decide_due
from validation.voting.models.assignment import Assignment
from validation.voting.models.vote import Vote

pytestmark = pytest.mark.django_db(transaction=True)
PageOf = Callable[..., Page]
REFUSED = ("net::ERR_", "htmx:sendError", "htmx:afterRequest", "status of", "Response Status Error")
# How much of the focused element is under a bar: what is found at its edges is neither it nor in it nor around it.
_COVERED = """() => {
  const field = document.activeElement, box = field.getBoundingClientRect();
  if (field === document.body || field.matches(".skip") || !box.height) return null;
  const line = field.getClientRects()[0], middle = (line.left + line.right) / 2;
  const own = (top) => field.contains(top) || top.contains(field)
    || [".choice", "label"].some((around) => top.closest(around)?.contains(field));
  const heights = [line.top + 1, Math.min(line.bottom - 1, line.top + 40)];
  const shown = heights.map((y) => document.elementFromPoint(middle, y)).every((top) => top && own(top));
  return shown ? null : `${field.id || field.name || field.textContent.trim()} ${Math.round(box.top)}`;
}"""

_LOOK = """(one) => {
  one.style.setProperty("transition", "none");
  return getComputedStyle(one).backgroundColor + getComputedStyle(one).borderColor;
}"""


@pytest.fixture
def project() -> Project:
    return factory.project()


def waiting(project: Project) -> Annotator:
    """A validator, and pairs that wait for votes."""
    factory.written_pairs(project, factory.member(project, "writer"), 2)
    while decide_due():
        pass
    return factory.member(project, "validator")


@pytest.fixture
def voting(project: Project, page_of: PageOf) -> Page:
    """The voting room on the phone."""
    page = page_of(waiting(project).user, phone=True, allow=REFUSED)
    page.goto(f"/p/{project.slug}/vote/")
    return page


def choose(page: Page, place: int) -> None:
    page.locator(f"#label-{place}").tap()


def send(page: Page) -> Locator:
    return page.locator(".vote__send .btn--primary")


def on_screen(page: Page, what: Locator) -> bool:
    """Whether its bottom edge is on the screen as the page stands scrolled now, and nothing lies over it."""
    return bool(
        what.evaluate("""(element) => {
          const { left, right, top, bottom } = element.getBoundingClientRect();
          return top >= 0 && bottom <= innerHeight
            && element.contains(document.elementFromPoint((left + right) / 2, bottom - 4));
        }""")
    )


def covered(page: Page) -> list[str]:
    """What of the page's fields and buttons is under a bar when Tab comes to it, forwards and then backwards."""
    found = []
    for key in ("Tab", "Shift+Tab"):
        for step in range(150):
            page.keyboard.press(key)
            if page.evaluate("!document.activeElement.closest('main, .top')") and step > 3:
                break
            if said := page.evaluate(_COVERED):
                found.append(f"{key}: {said}")
    return found


def test_send_is_always_on_the_screen(voting: Page) -> None:
    assert on_screen(voting, send(voting))
    choose(voting, 2)
    ends = voting.evaluate("document.documentElement.scrollHeight - innerHeight")
    voting.locator(".vote__mores > details").evaluate_all("all => all.forEach((more) => { more.open = true; })")
    for part in range(5):
        voting.evaluate("share => scrollTo(0, share * document.documentElement.scrollHeight)", part / 4)
        assert on_screen(voting, send(voting)), f"at {part}/4 of {ends}"


def test_the_tools_come_after_send(voting: Page) -> None:
    order = voting.locator(".vote__send, .vote__mores").evaluate_all("all => all.map((one) => one.className)")
    assert order == ["vote__send", "vote__mores"]


def test_no_field_of_a_card_is_focused_under_the_bar(voting: Page) -> None:
    choose(voting, 1)
    voting.locator(".vote__mores > details").evaluate_all("all => all.forEach((more) => { more.open = true; })")
    voting.evaluate("document.activeElement.blur(), scrollTo(0, 0)")
    assert covered(voting) == []


def test_what_happened_to_a_send_stands_beside_it(voting: Page) -> None:
    state = voting.locator(".vote__state")
    expect(state).to_be_hidden()
    choose(voting, 2)
    first = token(voting)
    drop_connection(voting)
    send(voting).tap()
    expect(state).to_contain_text("Not sent yet: no connection")
    assert on_screen(voting, state)
    assert on_screen(voting, send(voting))
    restore_connection(voting)
    wait_for_another_card(voting, first)
    expect(state).to_contain_text("Sent. Here is the next.")
    assert Vote.objects.get().label == "n"


def test_a_send_on_its_way_says_so(voting: Page, project: Project) -> None:
    held: list[Any] = []
    first = token(voting)
    voting.route(f"**/p/{project.slug}/vote/{first}/", lambda route: held.append(route))
    choose(voting, 2)
    send(voting).tap()
    expect(voting.locator(".vote__state")).to_contain_text("Sending…")
    held.pop().continue_()
    wait_for_another_card(voting, first)


@pytest.mark.parametrize("cookies", ["session", "all"])
def test_who_is_signed_out_keeps_the_answer(voting: Page, project: Project, cookies: str) -> None:
    choose(voting, 3)
    first = token(voting)
    voting.context.clear_cookies(**({"name": "sessionid"} if cookies == "session" else {}))
    send(voting).tap()
    state = voting.locator(".vote__state")
    expect(state).to_contain_text("Your answer is kept")
    assert on_screen(voting, state)
    assert not Vote.objects.exists()
    user = Assignment.objects.get(token=first).annotator.user
    assert user is not None
    user.set_password("a-word-of-one's-own")
    user.save()
    state.get_by_role("link", name="Sign in").tap()
    voting.locator("[name=login]").fill(user.email)
    voting.locator("[name=password]").fill("a-word-of-one's-own")
    voting.locator("main form [type=submit]").first.tap()
    # What is kept on the device is sent by itself, and the next card stands there.
    wait_for_another_card(voting, first, script=False)
    assert Vote.objects.get().label == "c"


def test_a_failure_says_so_and_keeps_the_answer(voting: Page, project: Project) -> None:
    # What a broken server answers cannot be had from one that works.
    voting.route(f"**/p/{project.slug}/vote/*/", lambda route: route.fulfill(status=500, body="no"))
    disable_prefetch(voting)
    voting.reload()
    choose(voting, 1)
    send(voting).tap()
    expect(voting.locator(".vote__state[data-state=failed]")).to_contain_text("something went wrong on our side")
    expect(voting.locator("#label-1")).to_be_checked()


def test_a_tap_sends_where_one_set_so(project: Project, page_of: PageOf) -> None:
    validator = waiting(project)
    page = page_of(validator.user, phone=True)
    page.goto("/me/")
    page.get_by_label("Tapping a choice sends it").check()
    page.locator("form:has([name=tap_sends]) [type=submit]").tap()
    wait_until_done(page, "Saved.")
    page.goto(f"/p/{project.slug}/vote/")
    first = token(page)
    choose(page, 2)
    second = wait_for_another_card(page, first)
    assert Vote.objects.get().label == "n"
    page.locator(".vote__send [data-key=Backspace]").tap()
    wait_for_another_card(page, second)
    expect(page.locator("#label-2")).to_be_checked()
    assert not Vote.objects.filter(withdrawn_at=None).exists()


def test_a_tap_only_chooses_otherwise_and_keys_never_send(project: Project, page_of: PageOf) -> None:
    validator = waiting(project)
    assert validator.user is not None
    page = page_of(validator.user, phone=True)
    page.goto(f"/p/{project.slug}/vote/")
    first = token(page)
    choose(page, 2)
    validator.user.tap_sends = True
    validator.user.save()
    page.reload()
    page.keyboard.press("1")
    expect(page.locator("#label-1")).to_be_checked()
    assert (token(page), Vote.objects.count()) == (first, 0)


def test_keys_are_told_only_of_a_keyboard(voting: Page) -> None:
    opener, hint = voting.locator("[data-keys-open]"), voting.locator(".choice .key").first
    expect(opener).to_be_hidden()
    expect(hint).to_be_hidden()
    expect(voting.locator("main .key").filter(visible=True)).to_have_count(0)
    voting.keyboard.press("2")
    expect(opener).to_be_visible()
    expect(hint).to_be_visible()


def test_forced_colours_show_what_is_chosen_and_where_one_is(voting: Page) -> None:
    voting.emulate_media(forced_colors="active")
    choose(voting, 2)
    frames = voting.locator(".choice > label").evaluate_all(
        "all => all.map((one) => getComputedStyle(one).outlineStyle + getComputedStyle(one).borderTopColor)"
    )
    assert frames[0] == frames[2] != frames[1]
    tabs = voting.locator(".rooms a").evaluate_all(
        "all => all.map((one) => [one.ariaCurrent, getComputedStyle(one).borderBottomColor])"
    )
    mine = {colour for current, colour in tabs if current}
    assert len(mine) == 1
    assert mine.isdisjoint(colour for current, colour in tabs if not current)


def test_choices_do_not_look_like_approval_or_refusal(voting: Page) -> None:
    looks = set()
    for place in (1, 2, 3):
        choose(voting, place)
        looks.add(voting.locator(f"label[for=label-{place}]").evaluate(_LOOK))
    assert len(looks) == 1


@pytest.fixture
def writing(project: Project, page_of: PageOf) -> Page:
    """The writing room on the phone, of a premise."""
    writer = factory.member(project, "writer")
    factory.premises(project, 1)
    allocations_assign(target=project.targets.get(), writers=[writer], size=1)
    page = page_of(writer.user, phone=True)
    page.goto(f"/p/{project.slug}/write/")
    return page


def test_the_premise_stays_in_sight_while_one_writes(writing: Page) -> None:
    premise = writing.locator(".write__text .text")
    last = writing.locator(".slot__main").last
    last.focus()
    assert on_screen(writing, last)
    assert premise.evaluate("one => one.getBoundingClientRect().top >= 0 && one.getBoundingClientRect().top < 100")
    writing.locator(".write__text > summary").tap()
    expect(premise).to_be_hidden()


@pytest.mark.parametrize("words", ["1 of 6", "one of altogether six fields filled in"])
def test_save_and_submit_stand_side_by_side_however_long_the_words_above_them(writing: Page, words: str) -> None:
    bar = writing.locator(".savebar")
    bar.locator("[data-count]").evaluate("(one, words) => { one.textContent = words; }", words)
    boxes = [bar.locator(f"[name={name}]").bounding_box() for name in ("save", "submit")]
    assert boxes[0] is not None
    assert boxes[1] is not None
    assert boxes[0]["y"] == boxes[1]["y"]
    assert on_screen(writing, bar.locator("[name=submit]"))


def test_no_field_of_the_writing_room_is_focused_under_a_bar(writing: Page) -> None:
    assert covered(writing) == []
