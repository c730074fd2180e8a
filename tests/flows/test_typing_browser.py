"""How texts come to be, in Chromium: typed, pasted, composed, as phones write; how often a flag is wrong."""

import json
import random
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import CDPSession, Page, expect

from annotation.core.models.project import Project
from annotation.writing.actions.allocation import allocations_assign
from annotation.writing.actions.typing import typing_choose
from annotation.writing.models import TypingRecord
from annotation.writing.rules.typing import Typing, in_one_insertion, read
from tests import factory

pytestmark = pytest.mark.django_db(transaction=True)
PageOf = Callable[..., Page]
TEXT = "Pedagang itu menjual mangga dan pisang setiap pagi di pasar."


@pytest.fixture
def project() -> Project:
    return factory.project(settings={"typing": "sums"})


@pytest.fixture
def page(project: Project, page_of: PageOf) -> Page:
    """The page of a writer who agreed."""
    writer = factory.member(project, "writer")
    factory.premises(project, 1)
    allocations_assign(target=project.targets.get(), writers=[writer], size=1)
    typing_choose(writer=writer, agreed=True)
    page = page_of(writer.user)
    page.goto(f"/p/{project.slug}/write/")
    page.locator("#text-e1").click()
    return page


def told(page: Page, slot: str = "e1") -> Typing | None:
    return read(page.locator(f"[name=typing_{slot}]").input_value())


def typed(page: Page, _: CDPSession, text: str) -> None:
    page.keyboard.type(text)


def corrected(page: Page, _: CDPSession, text: str) -> None:
    """Typed with slips that are taken back."""
    for word in text.split(" "):
        page.keyboard.type(word + "x")
        page.keyboard.press("Backspace")
        page.keyboard.type(" ")
    page.keyboard.press("Backspace")


def composed(_: Page, input_method: CDPSession, text: str) -> None:
    """As input methods do: each word grows letter by letter while it is composed, and is then put in."""
    for word in text.split(" "):
        for n in range(1, len(word) + 1):
            input_method.send("Input.imeSetComposition", {"text": word[:n], "selectionStart": n, "selectionEnd": n})
        input_method.send("Input.insertText", {"text": word})
        input_method.send("Input.insertText", {"text": " "})


def phone(_: Page, input_method: CDPSession, text: str) -> None:
    """As keyboards of phones do: a few letters composed, then the suggested word put in their place whole."""
    for word in text.split(" "):
        head = word[: max(1, len(word) // 3)]
        input_method.send(
            "Input.imeSetComposition",
            {"text": head, "selectionStart": len(head), "selectionEnd": len(head)},
        )
        input_method.send("Input.insertText", {"text": word + " "})


def autocorrected(page: Page, input_method: CDPSession, text: str) -> None:
    """A word is typed wrongly, and replaced by the keyboard."""
    for word in text.split(" "):
        page.keyboard.type(word[:-1] + "q")
        end = page.evaluate("document.activeElement.selectionEnd")
        input_method.send(
            "Input.imeSetComposition",
            {
                "text": word,
                "selectionStart": len(word),
                "selectionEnd": len(word),
                "replacementStart": end - len(word),
                "replacementEnd": end,
            },
        )
        input_method.send("Input.insertText", {"text": word})
        page.keyboard.type(" ")


def dictated(_: Page, input_method: CDPSession, text: str) -> None:
    """Dictation and screen readers put in a sentence at once."""
    input_method.send("Input.insertText", {"text": text})


WRITERS = [typed, corrected, composed, phone, autocorrected, dictated]


@pytest.mark.parametrize("way", WRITERS, ids=lambda way: way.__name__)
def test_every_keyboard_types(page: Page, way: Callable[[Page, CDPSession, str], None]) -> None:
    way(page, page.context.new_cdp_session(page), TEXT)
    found = told(page)
    assert found is not None
    assert (found.pasted, found.inserted, found.longest) == (0, 0, 0)
    assert found.typed >= 0.6 * len(TEXT)
    assert not in_one_insertion(found, len(TEXT))


def paste(page: Page, text: str) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.evaluate("text => navigator.clipboard.writeText(text)", text)
    page.keyboard.press("Control+V")


def test_what_is_pasted_is_told_from_what_is_typed(page: Page) -> None:
    paste(page, TEXT)
    page.keyboard.type(" Ya.")
    found = told(page)
    assert found is not None
    assert (found.typed, found.pasted, found.inserted, found.longest) == (4, len(TEXT), 0, len(TEXT))
    assert in_one_insertion(found, len(TEXT) + 4)


def test_what_a_paste_replaces_is_not_taken_off(page: Page) -> None:
    page.keyboard.type("Kalimat yang lain sama sekali.")
    page.keyboard.press("Control+A")
    paste(page, TEXT)
    found = told(page)
    assert found is not None
    assert found.pasted == len(TEXT)


def test_what_another_program_puts_in_is_inserted(page: Page) -> None:
    put = """text => { const field = document.activeElement; field.value = text;
        field.dispatchEvent(new Event("input", {bubbles: true})); }"""
    page.evaluate(put, TEXT)
    found = told(page)
    assert found is not None
    assert (found.typed, found.inserted, found.longest) == (0, len(TEXT), len(TEXT))


def test_edits_are_runs_of_deleting(page: Page) -> None:
    page.keyboard.type("Satu dua")
    for _ in range(3):
        page.keyboard.press("Backspace")
    page.keyboard.type("tiga")
    page.keyboard.press("Backspace")
    found = told(page)
    assert found is not None
    assert (found.typed, found.edits) == (12, 2)


def test_no_text_is_sent_or_kept_and_a_second_sitting_goes_on(page: Page) -> None:
    page.keyboard.type("Rahasia")
    sent = page.locator("[name=typing_e1]").input_value()
    kept = page.evaluate("Object.entries(localStorage).filter(([key]) => key.startsWith('mufakat-typing'))")
    assert "Rahasia" not in sent + json.dumps(kept)
    assert len(kept) == 1
    expect(page.locator("[data-state]")).to_contain_text("Saved at")
    page.reload()
    page.locator("#text-e1").click()
    page.keyboard.press("End")
    page.keyboard.type(" ini")
    found = told(page)
    assert found is not None
    assert found.typed == len("Rahasia ini")


def test_a_set_arrives_with_its_sums(page: Page) -> None:
    for slot, text in factory.SET.items():
        page.locator(f"#text-{slot}").click()
        page.keyboard.type(text)
    page.get_by_label("I wrote these texts myself").check()
    page.keyboard.press("Control+Enter")
    page.get_by_role("heading", name="You have written everything you were given").wait_for()
    records = TypingRecord.objects.select_related("item")
    assert {record.item.slot: record.typed for record in records} == {
        slot: len(text) for slot, text in factory.SET.items()
    }
    assert {record.attested for record in records} == {True}


def test_hardly_anybody_who_types_is_flagged(page: Page, capsys: Any) -> None:
    """Forty texts by every sort of keyboard, drawn by seed: none is flagged; of ten that are pasted all are."""
    generator, flagged = random.Random("typing"), 0
    field, input_method = page.locator("#text-e1"), page.context.new_cdp_session(page)
    clear = """() => { localStorage.clear(); }"""
    ways = [way for way in WRITERS for _ in range(40 // len(WRITERS) + 1)][:40]
    for way in ways:
        words = generator.sample(TEXT.rstrip(".").split(" ") * 2, 12)
        page.evaluate(clear)
        page.reload()
        field.fill("")
        page.evaluate(clear)
        page.reload()
        field.click()
        way(page, input_method, " ".join(words))
        flagged += in_one_insertion(told(page), len(field.input_value()))
    print(f"\n{len(ways)} typed texts, {flagged} flagged wrongly")
    assert flagged == 0
