"""How pages look and answer to keys: sizes, both schemes, no script needed, nothing too heavy."""

import gzip
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests import factory
from tests.flows.looks import assert_for_everybody, faults_in_all_looks

WIDTHS = (320, 360, 1280)
ENTRANCE = ("/accounts/login/", "/accounts/password/reset/", "/accounts/signup/", "/no-such-page")
OWN = (
    "/accounts/email/",
    "/accounts/password/change/",
    "/accounts/2fa/",
    "/accounts/2fa/totp/activate/",
    "/accounts/logout/",
)
BUDGET = 100_000

pytestmark = pytest.mark.django_db(transaction=True)


def sign_in(page: Page, email: str) -> None:
    page.goto("/accounts/login/?next=/accounts/email/")
    page.get_by_label("Email").fill(email)
    page.get_by_label("Password").fill(factory.PASSWORD)
    page.get_by_role("main").get_by_role("button", name="Sign in").click()
    page.wait_for_url("**/accounts/email/")


WRONG = """<!doctype html><html lang="en" style="color-scheme: light dark"><title>Wrong</title><main><h1>Wrong</h1>
<p style="background: light-dark(#fff, #222); color: light-dark(#000, #444)">Not to be read in the dark</p>
<p style="background: light-dark(#fff, #222); color: light-dark(#ddd, #fff)">Not to be read in the light</p>
<p style="width: 700px"><img src="data:,"></p></main>"""


def test_what_is_wrong_is_found(open_page: Callable[..., Page]) -> None:
    """Each fault in every look that has it."""
    page = open_page()
    page.set_content(WRONG)
    found = [
        (line.split(": ")[0].removeprefix("here, "), line) for line in faults_in_all_looks(page, "here", every=True)
    ]
    kinds = ("color-contrast", "image-alt", "wider than the screen")
    assert [(look, next(kind for kind in kinds if kind in line)) for look, line in found] == [
        ("light-360", "color-contrast"),
        ("light-360", "image-alt"),
        ("light-360", "wider than the screen"),
        ("dark-360", "color-contrast"),
        ("dark-360", "image-alt"),
        ("dark-360", "wider than the screen"),
        ("light-1280", "color-contrast"),
        ("light-1280", "image-alt"),
        ("dark-1280", "color-contrast"),
        ("dark-1280", "image-alt"),
    ]
    assert ["in the dark" in line for look, line in found if "contrast" in line] == [False, True] * 2


def test_pages_before_signing_in(open_page: Callable[..., Page]) -> None:
    page = open_page(allow=("404",))
    found = []
    for path in ENTRANCE:
        page.goto(path)
        found += faults_in_all_looks(page, path, WIDTHS)
    assert not found, "\n".join(found)


def test_pages_of_ones_own_account(open_page: Callable[..., Page]) -> None:
    page = open_page()
    sign_in(page, factory.user().email)
    found = []
    for path in OWN:
        page.goto(path)
        found += faults_in_all_looks(page, path, WIDTHS)
    assert not found, "\n".join(found)


def test_the_audit_log(open_page: Callable[..., Page]) -> None:
    page = open_page()
    sign_in(page, factory.user(administrator=True).email)
    page.goto("/audit/")
    assert_for_everybody(page, "/audit/", WIDTHS)


def test_signing_in_needs_no_script(open_page: Callable[..., Page]) -> None:
    page = open_page(javascript=False)
    sign_in(page, factory.user().email)
    page.locator("details.menu > summary").click()
    page.get_by_role("button", name="Sign out").click()
    page.wait_for_url(lambda url: "/accounts/login" in url)


def test_a_first_page_is_light(open_page: Callable[..., Page]) -> None:
    """Counted as it travels compressed; fonts are compressed already. Judged text brings the serif."""
    page = open_page()
    answers: list[Any] = []
    page.on("response", lambda answer: answers.append(answer))
    page.goto("/accounts/login/", wait_until="networkidle")
    # That the page is idle is said once: what is fetched from here on has to be waited for by its name.
    with page.expect_response("**/mufakat-serif-latin*"):
        page.evaluate("document.querySelector('main').insertAdjacentHTML('beforeend', '<p class=\"text\">Teks</p>')")
    page.evaluate("document.fonts.ready")
    weights = {answer.url: len(gzip.compress(answer.body(), 6)) for answer in answers if answer.status == 200}
    assert any("mufakat-serif-latin" in url for url in weights)
    assert sum(weights.values()) < BUDGET, weights


# --- keys ---------------------------------------------------------------------------------

BOARD = """
<form id="board"><label><input type="radio" name="l" value="e" data-key="1 e">Entailment</label>
<label><input type="radio" name="l" value="n" data-key="2 n">Neutral</label>
<label><input type="checkbox" id="unsure" data-key="Shift+1">Unsure</label>
<details><summary data-key=".">Propose</summary><textarea id="words"></textarea></details>
<button type="submit" data-key="Enter">Send</button>
<button type="button" id="save" data-key="Ctrl+s">Save</button></form>
"""
COUNT = """
window.sent = 0; window.saved = 0;
document.getElementById("board").addEventListener("submit", (e) => { e.preventDefault(); window.sent += 1; });
document.getElementById("save").addEventListener("click", () => { window.saved += 1; });
"""


@pytest.fixture
def board(open_page: Callable[..., Page]) -> Page:
    page = open_page()
    page.goto("/accounts/login/")
    page.evaluate("(html) => { document.querySelector('main').innerHTML = html; }", BOARD)
    page.evaluate(COUNT)
    return page


def chosen(page: Page) -> str:
    return str(page.evaluate("new FormData(document.getElementById('board')).get('l')"))


def test_keys_choose_and_send(board: Page) -> None:
    board.keyboard.press("2")
    assert chosen(board) == "n"
    board.keyboard.press("e")
    assert chosen(board) == "e"
    board.keyboard.press("Shift+Digit1")
    assert board.locator("#unsure").is_checked()
    board.keyboard.press("Enter")
    assert board.evaluate("window.sent") == 1


def test_single_keys_rest_inside_a_field_and_combinations_do_not(board: Page) -> None:
    board.keyboard.press("1")
    board.keyboard.press(".")
    board.keyboard.type("n2?")
    assert board.locator("#words").input_value() == "n2?"
    assert chosen(board) == "e"
    board.keyboard.press("Control+s")
    assert board.evaluate("window.saved") == 1
    board.keyboard.press("Escape")
    board.keyboard.press("n")
    assert chosen(board) == "n"


def test_an_input_method_keeps_its_keys(board: Page) -> None:
    compose = "document.body.dispatchEvent(new KeyboardEvent('keydown', {key: '2', bubbles: true, isComposing: %s}))"
    board.evaluate(compose % "true")
    assert chosen(board) == "None"
    board.evaluate(compose % "false")
    assert chosen(board) == "n"


def test_the_list_of_keys_names_what_they_do(board: Page) -> None:
    board.keyboard.press("?")
    listed = board.locator("#keys-help")
    expect(listed).to_be_visible()
    for words in ("Entailment", "Propose", "Send", "Save"):
        expect(listed).to_contain_text(words)
    board.keyboard.press("2")
    assert chosen(board) == "None"
    board.keyboard.press("Escape")
    expect(listed).to_be_hidden()


def test_single_keys_can_be_switched_off(board: Page) -> None:
    board.evaluate("document.body.dataset.keys = 'off'")
    for key in ("1", "?", "."):
        board.keyboard.press(key)
    assert chosen(board) == "None"
    assert not board.locator("#keys-help").is_visible()
    board.keyboard.press("Control+s")
    assert board.evaluate("window.saved") == 1


def test_light_or_dark_by_hand_outlives_the_page(open_page: Callable[..., Page]) -> None:
    page = open_page(dark=True)
    page.goto("/accounts/login/")
    before = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    page.locator("[data-theme-switch]").click()
    page.reload()
    assert page.locator("html").get_attribute("data-theme") == "light"
    assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") != before
