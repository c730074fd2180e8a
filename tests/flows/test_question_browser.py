"""Answering questions in a real browser: keys as shown, marks, the reason that they ask for, and no script at all."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from tests import factory
from tests.flows.looks import faults_in_all_looks, open_in_each_look
from tests.flows.steps import token, wait_for_another_card
from tests.questions import CHOICES, a_question, a_question_project
from validation.voting.actions.decide import decide_due
from validation.voting.models.review import Proposal
from validation.voting.models.vote import Vote

pytestmark = pytest.mark.django_db(transaction=True)
PageOf = Callable[..., Page]
KEY_OF = {text: key for key, text in CHOICES.items()}
LONG = {
    "A": "Duduk berkeliling sambil membicarakan hasil panen dengan semua tetangga yang sudah selesai bekerja",
    "B": "Mencuci beras di tepi sumur supaya airnya tidak terbuang dan dapat dipakai untuk menyiram tanaman",
    "C": "Memanggil kereta",
    "D": "Menimbang emas dan perak milik saudagar yang datang dari kota seberang pada musim kemarau panjang",
    "E": "Mengirim surat kepada keluarga yang merantau jauh serta menunggu jawabannya berminggu-minggu lamanya",
}


@pytest.fixture
def project() -> Project:
    return a_question_project(settings={"spacing": 0})


def waiting(project: Project, count: int = 3, **typed: Any) -> Annotator:
    """A validator, and questions that wait for answers."""
    writer = factory.member(project, "writer")
    for _ in range(count):
        a_question(project, writer, **typed)
    while decide_due():
        pass
    return factory.member(project, "validator")


def room(project: Project) -> str:
    return f"/p/{project.slug}/vote/"


def on_screen(page: Page) -> dict[str, str]:
    """The option's key behind each letter, as the texts on the screen say."""
    return dict(zip("ABCDE", (KEY_OF[text] for text in page.locator(".choice__name").all_inner_texts()), strict=True))


def marks(page: Page) -> list[str]:
    """The letters of the options that are marked."""
    return [str(box.get_attribute("value")) for box in page.locator("[name=mark_option]:checked").all()]


def test_answer_with_the_keyboard_alone(project: Project, page_of: PageOf) -> None:
    page = page_of(waiting(project).user, allow=("status of 422",))
    page.goto(room(project))
    first, shown = token(page), on_screen(page)
    page.keyboard.press("4")
    expect(page.locator("#label-4")).to_be_checked()
    page.keyboard.press("b")
    expect(page.locator("#label-2")).to_be_checked()
    expect(page.locator("#comment")).to_be_hidden()
    page.keyboard.press("Shift+Digit1")
    page.keyboard.press("Shift+E")
    page.keyboard.press("Shift+Digit3")
    page.keyboard.press("Shift+C")
    assert marks(page) == ["A", "E"]
    expect(page.locator("#comment")).to_be_visible()
    page.keyboard.press("m")
    page.keyboard.press("u")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("Please say why")
    assert token(page) == first
    expect(page.locator("#comment")).to_be_focused()
    assert (marks(page), on_screen(page)) == (["A", "E"], shown)
    expect(page.locator("[name=mark_question]")).to_be_checked()
    page.keyboard.type("sama: (A) dan ")
    page.keyboard.press("Tab")
    for _ in range(4):
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("#comment")).to_have_value("sama: (A) dan (E)")
    page.keyboard.press("Escape")
    page.keyboard.press("Enter")
    second = wait_for_another_card(page, first)
    expect(page.locator("#card")).to_be_focused()
    vote = Vote.objects.get()
    assert (vote.label, vote.unsure, vote.ambiguous) == (shown["B"], True, True)
    assert vote.comment == f"sama: ({shown['A']}) dan ({shown['E']})"
    assert vote.answers == {
        "question": "ambiguous",
        "options": "".join(sorted([shown["A"], shown["E"]])),
        "order": "".join(shown.values()),
    }

    page.keyboard.press("Backspace")
    third = wait_for_another_card(page, second)
    assert (marks(page), on_screen(page)) == (["A", "E"], shown)
    expect(page.locator("#label-2")).to_be_checked()
    expect(page.locator("#comment")).to_have_value("sama: (A) dan (E)")
    page.keyboard.press("Shift+A")
    page.keyboard.press("m")
    page.keyboard.press(",")
    expect(page.locator("#comment")).to_be_focused()
    page.keyboard.press("Control+a")
    page.keyboard.type("(E) 1 kabur")
    page.keyboard.press("Control+Enter")
    wait_for_another_card(page, third)
    stands = Vote.objects.get(withdrawn_at=None)
    assert (stands.comment, stands.answers["options"]) == (f"({shown['E']}) 1 kabur", shown["E"])
    assert "question" not in stands.answers


def test_a_correction_of_an_option(project: Project, page_of: PageOf) -> None:
    page = page_of(waiting(project).user)
    page.goto(room(project))
    first, shown = token(page), on_screen(page)
    page.keyboard.press("c")
    page.keyboard.press(".")
    expect(page.locator("#propose-question")).to_be_focused()
    page.locator("#propose-option-C").fill("pilihan yang dibetulkan")
    page.keyboard.press("Control+Enter")
    wait_for_another_card(page, first)
    proposal = Proposal.objects.get()
    assert (proposal.field, proposal.text) == (f"option-{shown['C']}", "pilihan yang dibetulkan")


def test_a_reload_brings_back_the_marks(project: Project, page_of: PageOf) -> None:
    page = page_of(waiting(project).user)
    page.goto(room(project))
    shown = on_screen(page)
    page.keyboard.press("5")
    page.keyboard.press("Shift+Digit2")
    page.keyboard.press("Shift+Digit4")
    page.reload()
    assert on_screen(page) == shown
    expect(page.locator("#label-5")).to_be_checked()
    expect(page.locator("#comment")).to_be_visible()
    assert marks(page) == ["B", "D"]


def test_keys_are_listed_and_can_be_switched_off(project: Project, page_of: PageOf) -> None:
    validator = waiting(project)
    page = page_of(validator.user)
    page.goto(room(project))
    page.keyboard.press("?")
    for words in (
        "A could also be right",
        "The question can be read in two ways",
        "Reason",
        *CHOICES.values(),
    ):
        expect(page.get_by_role("dialog")).to_contain_text(words)
    page.keyboard.press("Escape")
    assert validator.user is not None
    validator.user.single_keys = False
    validator.user.save()
    page.reload()
    page.keyboard.press("Shift+Digit1")
    page.keyboard.press("1")
    assert marks(page) == []
    expect(page.locator("#label-1")).not_to_be_checked()
    expect(page.locator(".option__mark .key").first).to_be_hidden()


def test_without_javascript(project: Project, page_of: PageOf) -> None:
    page = page_of(waiting(project).user, javascript=False, allow=("status of 422",))
    page.goto(room(project))
    first, shown = token(page), on_screen(page)
    expect(page.locator("[data-letters]")).to_be_hidden()
    page.locator("#label-3").check()
    page.locator("[name=mark_option][value=B]").check()
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_role("alert")).to_contain_text("Please say why")
    expect(page.locator("#label-3")).to_be_checked()
    page.wait_for_load_state("load")
    assert marks(page) == ["B"]
    page.fill("#comment", "(B) kabur")
    page.get_by_role("button", name="Send").click()
    second = wait_for_another_card(page, first, script=False)
    vote = Vote.objects.get()
    assert (vote.label, vote.comment) == (shown["C"], f"({shown['B']}) kabur")
    assert not Proposal.objects.exists()
    page.get_by_role("button", name="Undo last answer").click()
    wait_for_another_card(page, second, script=False)
    assert (marks(page), on_screen(page)) == (["B"], shown)
    page.goto("/me/")
    expect(page.locator(".own-options__chosen")).to_have_text(re.compile(CHOICES[shown["C"]]))


@pytest.mark.parametrize("width", [320, 360, 1280])
def test_five_long_options_are_readable(project: Project, page_of: PageOf, width: int) -> None:
    page = page_of(waiting(project, choices=LONG).user, width=width, allow=("status of 4",))
    found = []
    page.goto(room(project))
    page.keyboard.press("2")
    page.keyboard.press("Shift+Digit3")
    page.keyboard.press("Enter")
    page.get_by_role("alert").wait_for()
    page.keyboard.press("Escape")
    page.keyboard.press(".")
    for path in ("", "/me/"):
        if path:
            page.fill("#comment", "(C) kabur")
            before = token(page)
            page.keyboard.press("Control+Enter")
            wait_for_another_card(page, before)
            page.goto(path)
        found += faults_in_all_looks(page, page.url, (width,))
    page.goto(room(project))
    for look in open_in_each_look(page, (width,)):
        for name in page.locator(".choice__name").all():
            box = name.bounding_box()
            assert box is not None
            assert box["width"] >= min(150, width / 2), look
    assert not found, "\n".join(found)
