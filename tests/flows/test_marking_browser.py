"""Cards of a team's own task in a real browser: passages marked with a mouse, keys of many labels, writing systems."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from playwright.sync_api import Locator, Page, expect

from annotation.tasks.rules.reading import read, task_from_plain
from annotation.tasks.rules.task import Task
from tests import factory
from tests.annotation.tasks.items import make_task_project
from tests.data import DATA, needs_data
from tests.flows.steps import token, wait_for_another_card
from validation.voting.actions.decide import decide_due
from validation.voting.models.vote import Vote

pytestmark = pytest.mark.django_db(transaction=True)
Card = Callable[..., Page]

NAMES: dict[str, Any] = {
    "name": "Nama",
    "language": "id",
    "source": [{"key": "note", "name": "Catatan"}, {"key": "text", "name": "Teks"}],
    "questions": [
        {
            "key": "mood",
            "type": "single",
            "text": "Nada?",
            "labels": [{"key": "good", "name": "Baik"}, {"key": "bad", "name": "Buruk"}],
        },
        {
            "key": "names",
            "type": "spans",
            "text": "Tandai nama",
            "of": "text",
            "many": True,
            "required": False,
            "labels": [{"key": "per", "name": "Orang"}, {"key": "loc", "name": "Tempat"}],
        },
    ],
    "protocol": {"rounds": [2], "quorum": 2},
}
NOTE, TEXT = "Dari buku harian.", "Ibu Siti di Bogor.\n  Siti lahir di Solo."
ARABIC = "  سيتي في بوغور.\n    سيتي في سولو."
# Where a character of a text stands on the screen.
_PLACE = """(text, at) => {
  const range = document.createRange();
  range.setStart(text.firstChild, at);
  range.setEnd(text.firstChild, at + 1);
  const box = range.getBoundingClientRect();
  return [box.left, box.right, box.top + box.height / 2];
}"""
# A press on a keyboard with another layout: what it types, and the place of its key.
_PRESS = """([key, code]) => document.activeElement.dispatchEvent(
  new KeyboardEvent("keydown", { key, code, bubbles: true, cancelable: true }))"""


@pytest.fixture
def card(page_of: Callable[..., Page], tmp_path: Path, settings: Any) -> Card:
    """`card(task, {"text": …}, …)`: the first of the cards with these texts."""
    settings.MUFAKAT_DATA_DIR = tmp_path / "data"

    def opened(task: Task, *rows: dict[str, Any]) -> Page:
        project = make_task_project("", task=task, name="sendiri")
        lines = (json.dumps({"id": f"x{n}", **row}) for n, row in enumerate(rows))
        (tmp_path / "rows.jsonl").write_text("\n".join(lines), encoding="utf-8")
        call_command("import_items", project.slug, str(tmp_path / "rows.jsonl"))
        decide_due()
        page = page_of(factory.member(project, "validator").user)
        page.goto(f"/p/{project.slug}/vote/")
        return page

    return opened


def text(page: Page, key: str) -> Locator:
    return page.locator(f"[data-text={key}] .text")


def drag(page: Page, begin: Locator, at: int, end: tuple[float, float]) -> None:
    """From the beginning of a character to a place on the screen."""
    left, _, middle = begin.evaluate(_PLACE, at)
    page.mouse.move(left + 0.5, middle)
    page.mouse.down()
    page.mouse.move(*end, steps=3)
    page.mouse.up()


def rows(page: Page) -> list[tuple[str, str]]:
    """The passages marked, each with its label."""
    fields = page.locator(".spans__row").all()
    found = [(row.locator("[data-passage]").input_value(), row.locator("select").input_value()) for row in fields]
    return [row for row in found if row[0]]


def test_what_is_selected_is_marked(card: Card) -> None:
    page = card(task_from_plain(NAMES), {"note": NOTE, "text": TEXT}, {"note": NOTE, "text": TEXT})
    page.locator("#answer-mood-2").focus()
    # A triple click ends behind its text; the digit marks, whatever question has the focus.
    last = TEXT.index("Siti lahir")
    left, _, middle = text(page, "text").evaluate(_PLACE, last)
    page.mouse.click(left + 5, middle, click_count=3)
    page.keyboard.press("1")
    assert rows(page) == [("Siti lahir di Solo.", "per")]
    expect(page.locator("input[name=answer-mood]:checked")).to_have_count(0)
    # A drag that ends on the question.
    box = page.locator(".vote__question").last.bounding_box()
    assert box is not None
    drag(page, text(page, "text"), 12, (box["x"] + 1, box["y"] + 2))
    page.keyboard.press("2")
    assert rows(page)[1:] == [(" ".join(TEXT[12:].split()), "loc")]
    # One that begins in another text.
    left, _, middle = text(page, "text").evaluate(_PLACE, 3)
    drag(page, text(page, "note"), 5, (left, middle))
    page.get_by_role("button", name="Tempat").click()
    assert rows(page)[2:] == [("Ibu", "loc")]
    # Nothing is selected any more: the digit answers the question as before.
    page.keyboard.press("2")
    expect(page.locator("#answer-mood-2")).to_be_checked()
    first = token(page)
    page.keyboard.press("Control+Enter")
    wait_for_another_card(page, first)
    names = Vote.objects.get().answers["names"]
    assert [(one["start"], one["end"], one["label"]) for one in names] == [
        (0, 3, "loc"),
        (12, len(TEXT), "loc"),
        (last, len(TEXT), "per"),
    ]


def test_a_selection_is_not_lost_in_silence(card: Card) -> None:
    page = card(task_from_plain(NAMES), {"note": NOTE, "text": TEXT}, {"note": NOTE, "text": TEXT})
    state = page.locator(".spans__state")
    page.keyboard.press("1")
    text(page, "note").dblclick()
    page.get_by_role("button", name="Orang").click()
    expect(state).to_contain_text("Nothing is selected")
    text(page, "text").dblclick(position={"x": 5, "y": 5})
    first = token(page)
    page.get_by_role("button", name="Send").click()
    expect(state).to_contain_text("The selected words are not marked: “Ibu”.")
    assert (token(page), Vote.objects.count()) == (first, 0)
    page.keyboard.press("1")
    expect(state).to_be_empty()
    assert rows(page) == [("Ibu", "per")]
    text(page, "text").dblclick(position={"x": 5, "y": 5})
    page.keyboard.press("Control+Enter")
    wait_for_another_card(page, first)
    assert [one["text"] for one in Vote.objects.get().answers["names"]] == ["Ibu"]
    second = token(page)
    page.keyboard.press("2")
    text(page, "text").dblclick(position={"x": 5, "y": 5})
    page.keyboard.press("Control+Enter")
    expect(state).to_contain_text("not marked")
    page.keyboard.press("Control+Enter")
    wait_for_another_card(page, second)
    assert Vote.objects.latest("pk").answers["names"] == []


def back_to(inputs: Locator) -> None:
    """Light the question of these again: where one is answered the next is lit."""
    inputs.page.locator("#card").focus()
    inputs.first.focus()


@needs_data
@pytest.mark.parametrize("alone", [True, False], ids=["one question", "two"])
def test_every_key_shown_can_be_pressed(card: Card, alone: bool) -> None:
    """More labels than digits: each key that is shown chooses what it is shown at, and no other key does."""
    task = read((DATA / "cases" / "lab30.yaml").read_text(encoding="utf-8"))
    if not alone:
        plain = task.model_dump(exclude_unset=True, mode="json")
        task = task_from_plain({**plain, "questions": [*plain["questions"], NAMES["questions"][0]]})
    page = card(task, {"text": "Kalimat."})
    inputs = page.locator(".choices").first.locator("input")
    keys = page.locator(".choice .key:visible")
    assert keys.all_inner_texts() == [*"123456789"]
    for place, key in enumerate(keys.all_inner_texts()):
        back_to(inputs)
        page.keyboard.press(key)
        expect(inputs.nth(place)).to_be_checked()
    back_to(inputs)
    for name in ("u", "m", "l"):
        page.keyboard.press(name)
    expect(page.locator(".vote__marks :checked")).to_have_count(2)
    expect(inputs.nth(0)).to_be_checked()
    back_to(inputs)
    page.locator("#card").focus()
    for key in ("Numpad1", "Numpad2", "Numpad3"):  # without NumLock: End, ArrowDown, PageDown
        page.keyboard.press(key)
    page.keyboard.press("0")
    expect(inputs.nth(0)).to_be_checked()
    for typed, code, place in (("٣", "Digit3", 2), ("&", "Digit1", 29), ("1", "Numpad1", 0), ("д", "KeyL", 0)):
        inputs.nth(29).check()
        back_to(inputs)
        page.evaluate(_PRESS, [typed, code])
        expect(inputs.nth(place)).to_be_checked()
    for typed, code in (("г", "KeyU"), ("ь", "KeyM")):
        page.evaluate(_PRESS, [typed, code])
    expect(page.locator(".vote__marks :checked")).to_have_count(0)


def test_a_text_is_laid_out_in_its_own_direction(card: Card) -> None:
    """From the right in Arabic script, in texts, dialogues and tables; as it is indented."""
    source = [
        {"key": "text", "name": "Teks"},
        {"key": "talk", "type": "dialogue", "name": "Percakapan"},
        {"key": "facts", "type": "table", "name": "Fakta"},
    ]
    task = task_from_plain({**NAMES, "source": source, "questions": NAMES["questions"][:1]})
    page = card(task, {"text": ARABIC, "talk": [["Siti", "سيتي في سولو."]], "facts": {"كوتا": "سولو"}})
    places = {
        "text": page.locator(".vote__texts .text"),
        "turn": page.locator(".drawn li"),
        "cell": page.locator(".drawn dd"),
    }
    for name, place in places.items():
        assert place.evaluate("each => getComputedStyle(each).direction") == "rtl", name
    box = places["text"].bounding_box()
    assert box is not None
    end = box["x"] + box["width"]
    first, second = (places["text"].evaluate(_PLACE, ARABIC.index("س", at))[1] for at in (0, 10))
    assert end > first > second > end - 100
    page.evaluate("document.querySelector('.text').textContent = '  Ibu\\n    Siti'")
    first, second = (places["text"].evaluate(_PLACE, at)[0] for at in (2, 10))
    assert box["x"] < first < second < box["x"] + 100
