"""Translating in a real browser: by keys alone, with a connection that drops, with hints, spans and warnings."""

import gzip
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from annotation.content.models.item import Item
from annotation.content.models.source import Allocation, Draft
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.text.tokens import word_count
from tests.annotation.text.test_words import WHOLE
from tests.flows.looks import faults_in_all_looks, open_all, open_in_each_look
from tests.flows.steps import drop_connection, restore_connection
from tests.translations import (
    a_share,
    a_source_set,
    a_translation,
    a_translation_project,
    member,
    pair_rows,
    passage_rows,
    sentence_rows,
    target_of,
)
from tests.wait import wait_until
from validation.consensus import stages

pytestmark = pytest.mark.django_db(transaction=True)
PageOf = Callable[..., Page]
DROPPED = ("net::ERR_",)
BUDGET = 100_000
TEXTS = {
    "premise": "Bakul nomer 0 adol pelem ing peken esuk.",
    "hypothesis.1": "Ana 2 pelem ing peken.",
    "hypothesis.2": "Ana 3 pelem ing peken.",
}


@pytest.fixture
def project() -> Project:
    made = a_translation_project()
    target = target_of(made)
    target.words, target.description = [["peken", "pasar"], ["adol", "menjual"]], "Basa padinan."
    target.save()
    return made


@pytest.fixture
def translator(project: Project) -> Annotator:
    made = member(project, "writer")
    a_share(a_source_set(project, pair_rows(2)).units.get(), target_of(project), made)
    return made


def room(annotator: Annotator) -> str:
    allocation = Allocation.objects.filter(writer=annotator, state="open").order_by("position")[0]
    return f"/p/{annotator.project.slug}/write/{allocation.token}/"


def field(page: Page, key: str) -> Locator:
    return page.locator(f"textarea[data-more='field-{key}']")


def lines(page: Page, key: str) -> Locator:
    return page.locator(f"[data-lines='field-{key}']")


def saved(page: Page) -> None:
    expect(page.locator("[data-state]")).to_contain_text("Saved at")


def handed_in(page: Page) -> Item:
    """What was submitted; the page has gone on, so that its request was answered."""
    expect(page.locator("form.write")).to_have_count(0)
    return Item.objects.get()


def test_translate_with_the_keyboard_alone(translator: Annotator, page_of: PageOf) -> None:
    page = page_of(translator.user)
    page.goto(room(translator))
    expect(field(page, "premise")).to_be_focused()
    for key, text in TEXTS.items():
        expect(field(page, key)).to_be_focused()
        page.keyboard.type(text)
        page.keyboard.press("Alt+ArrowDown")
    expect(page.locator("[data-count]")).to_have_text("3 of 3 fields filled in")
    page.keyboard.press("Alt+ArrowUp")
    expect(field(page, "hypothesis.1")).to_be_focused()
    page.keyboard.press("Control+s")
    saved(page)
    page.keyboard.press("Escape")
    page.keyboard.press("Control+Enter")
    item = handed_in(page)
    assert {each["key"]: each["text"] for each in item.translation.fields} == TEXTS
    assert not item.translation.more


def test_a_warning_is_answered_and_handed_in(translator: Annotator, page_of: PageOf) -> None:
    page = page_of(translator.user)
    page.goto(room(translator))
    for key, text in TEXTS.items():
        field(page, key).fill(text)
    expect(page.locator(".why:visible")).to_have_count(0)
    field(page, "premise").fill("Bakul nomer 0 adol pelem / taksaka ing peken (esuk).")
    expect(lines(page, "premise").locator(".check-line--warn")).to_have_count(2)
    slash = page.locator("[name='more_t_why-alternatives_slash']")
    expect(slash).to_be_visible()
    page.keyboard.press("Alt+ArrowDown")
    expect(slash).to_be_focused()
    page.keyboard.type("Kaya ngono unine.")
    field(page, "premise").fill("Bakul nomer 0 adol pelem / taksaka ing peken esuk.")
    expect(page.locator("[name='more_t_why-brackets_added']")).to_be_hidden()
    expect(slash).to_have_value("Kaya ngono unine.")
    page.keyboard.press("Control+s")  # what is on its way at a reload would meet itself
    saved(page)
    page.reload()
    expect(slash).to_have_value("Kaya ngono unine.")
    page.keyboard.press("Control+Enter")
    assert handed_in(page).translation.more == {"whys": {"alternatives_slash": "Kaya ngono unine."}}


def test_what_blocks_is_red_and_stands_under_its_field(translator: Annotator, page_of: PageOf) -> None:
    page = page_of(translator.user, allow=("status of 422",))
    page.goto(room(translator))
    field(page, "premise").fill(TEXTS["premise"])
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("alert")).to_contain_text("Not submitted yet")
    expect(lines(page, "hypothesis.1").locator(".check-line--block")).to_have_count(1)
    expect(field(page, "hypothesis.1")).to_have_attribute("aria-invalid", "true")
    expect(field(page, "hypothesis.1")).to_be_focused()
    expect(lines(page, "premise")).to_have_text("")
    page.keyboard.type(TEXTS["hypothesis.1"])
    expect(lines(page, "hypothesis.1")).to_have_text("")
    assert not Item.objects.exists()


def test_sizes_and_numbers_are_counted_along(translator: Annotator, page_of: PageOf) -> None:
    page = page_of(translator.user)
    page.goto(room(translator))
    size = field(page, "hypothesis.1").locator("xpath=..").locator("[data-size]")
    expect(size).to_have_text("0 of 5 words · 0 of 22 characters · numbers: 2")
    field(page, "hypothesis.1").fill("Ana loro")
    expect(size).to_have_text("2 of 5 words · 8 of 22 characters · not there yet: 2")
    field(page, "hypothesis.1").fill("Ana 2")
    expect(size).to_have_text("2 of 5 words · 5 of 22 characters · numbers: 2")
    # Words are cut as the server cuts them.
    strange = " ".join([*WHOLE, "a_b 1.500", "\u0301", "it's", "anak-anak"])
    field(page, "hypothesis.1").fill(strange)
    expect(size).to_contain_text(f"{word_count(strange)} of 5 words")


def test_all_fields_are_kept_when_the_connection_drops(translator: Annotator, page_of: PageOf) -> None:
    page = page_of(translator.user, allow=DROPPED)
    page.goto(room(translator))
    drop_connection(page)
    for key, text in TEXTS.items():
        field(page, key).fill(text)
    expect(page.locator("[data-state]")).to_have_text("No connection: kept on this device, not saved yet")
    assert not Draft.objects.exists()
    address = page.url
    page.close()
    # Before it is opened, and not after: so it was never cut off.
    page.context.set_offline(False)
    again = page.context.new_page()
    again.goto(address)
    for key, text in TEXTS.items():
        expect(field(again, key)).to_have_value(text)
    expect(again.locator("[data-count]")).to_have_text("3 of 3 fields filled in")
    saved(again)
    assert Draft.objects.get().content["more"]["field-premise"] == TEXTS["premise"]
    again.keyboard.press("Control+Enter")
    handed_in(again)


@pytest.mark.parametrize(("button", "left"), [("Keep mine", "Kapindho"), ("Use this text", "Kapisan")])
def test_two_tabs_lose_no_field(translator: Annotator, page_of: PageOf, button: str, left: str) -> None:
    first = page_of(translator.user, allow=("status of 409",))
    first.goto(room(translator))
    second = first.context.new_page()
    second.goto(first.url)
    first.bring_to_front()
    field(first, "premise").fill("Kapisan")
    saved(first)
    second.bring_to_front()
    field(second, "premise").fill("Kapindho")
    expect(second.locator(".other")).to_contain_text("Kapisan")
    second.locator(".other").get_by_role("button", name=button).click()
    expect(field(second, "premise")).to_have_value(left)
    wait_until(lambda: Draft.objects.get().content["more"]["field-premise"] == left, page=second)


# --- hints, spans, other targets ----------------------------------------------------------


def test_hints_are_reached_by_keyboard_pointer_and_finger(translator: Annotator, page_of: PageOf) -> None:
    page = page_of(translator.user, width=360)
    page.goto(room(translator))
    word = page.locator(".hint__word").first
    says = page.locator(".hint__says").first
    expect(word).to_have_text("menjual")
    expect(says).to_be_hidden()
    page.keyboard.press("Shift+Tab")
    last = page.locator(".side").first.locator(".hint").last
    expect(last.locator(".hint__word")).to_be_focused()
    expect(last.locator(".hint__says")).to_have_text("pasar: peken")
    expect(last.locator(".hint__says")).to_be_visible()
    page.keyboard.press("Escape")
    expect(last.locator(".hint__says")).to_be_hidden()
    word.hover()
    expect(says).to_be_visible()
    page.mouse.move(0, 0)
    expect(says).to_be_hidden()
    word.click()
    expect(says).to_have_text("menjual: adol")
    expect(says).to_be_visible()
    box = says.bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 360


def test_an_answer_is_taken_from_the_passage(project: Project, translator: Annotator, page_of: PageOf) -> None:
    Allocation.objects.update(state="skipped")
    a_share(a_source_set(project, passage_rows(), shape="passage").units.get(), target_of(project), translator)
    page = page_of(translator.user)
    page.goto(room(translator))
    passage = field(page, "passage")
    passage.fill("Peken iku dibukak taun 1950. Bakul kapisan jenenge Sarmi.")
    field(page, "answer.1").fill("taun sewu")
    outside = lines(page, "answer.1").locator("[data-check=answer_not_in_passage]")
    expect(outside).to_have_count(1)
    first, second = page.get_by_role("button", name="Take the words I marked").all()
    passage.evaluate("(field) => field.setSelectionRange(0, 0)")
    second.click()
    expect(page.locator(".span__says").last).to_have_text("Mark the words in the translated text first.")
    expect(passage).to_be_focused()
    passage.evaluate(
        "(field) => field.setSelectionRange(field.value.indexOf('1950') - 5, field.value.indexOf('1950') + 5)"
    )
    first.click()
    expect(field(page, "answer.1")).to_have_value("taun 1950.")
    passage.evaluate(
        "(field) => field.setSelectionRange(field.value.indexOf('Sarmi'), field.value.indexOf('Sarmi') + 5)"
    )
    passage.focus()
    page.keyboard.press("Alt+Enter")
    expect(field(page, "answer.2")).to_have_value("Sarmi")
    expect(outside).to_have_count(0)
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_contain_text("Take the marked words as the answer")
    expect(page.get_by_role("dialog")).not_to_contain_text("Move a response")


def test_other_targets_are_fetched_when_they_are_asked_for(
    project: Project, translator: Annotator, page_of: PageOf
) -> None:
    unit = Allocation.objects.get().unit
    assert unit is not None
    words = {each["key"]: "Ing krama" for each in unit.fields}
    made = a_translation(unit, target_of(project, "jv-krama"), member(project, "writer"), words)
    Item.objects.filter(pk=made.pk).update(stage=stages.SETTLED)
    page = page_of(translator.user, allow=DROPPED)
    page.goto(room(translator))
    expect(page.get_by_text("Ing krama")).to_have_count(0)
    box = page.locator("details.elsewhere")
    drop_connection(page)
    box.locator("summary").click()
    expect(box).to_contain_text("This could not be loaded")
    restore_connection(page)
    box.locator("summary").click()
    box.locator("summary").click()
    expect(box.get_by_text("Ing krama")).to_have_count(3)
    expect(box.get_by_role("heading")).to_have_text(target_of(project, "jv-krama").title)


# --- the page -----------------------------------------------------------------------------


def test_without_javascript(translator: Annotator, page_of: PageOf) -> None:
    page = page_of(translator.user, javascript=False)
    page.goto(room(translator))
    for key, text in TEXTS.items():
        field(page, key).fill(text)
    field(page, "premise").fill("Bakul nomer 0 adol pelem / taksaka ing peken esuk.")
    page.get_by_role("button", name="Save").last.click()
    page.locator("[name='more_t_why-alternatives_slash']").fill("Kaya ngono unine.")
    page.get_by_role("button", name="Submit").click()
    assert handed_in(page).translation.more == {"whys": {"alternatives_slash": "Kaya ngono unine."}}
    page.goto(f"/p/{translator.project.slug}/write/done/")
    expect(page.get_by_text("Kaya ngono unine.")).to_be_visible()


def test_the_first_load_is_light(translator: Annotator, page_of: PageOf) -> None:
    page = page_of(translator.user)
    answers = []
    page.on("response", lambda answer: answers.append(answer))
    page.goto(room(translator), wait_until="networkidle")
    weights = {answer.url: len(gzip.compress(answer.body(), 6)) for answer in answers if answer.status == 200}
    assert sum(weights.values()) < BUDGET, weights


def test_axe_finds_nothing(project: Project, translator: Annotator, page_of: PageOf) -> None:
    own = a_translation(
        a_source_set(project, sentence_rows(1), shape="sentence").units.get(), target_of(project), translator
    )
    unit = Allocation.objects.get(writer=translator, state="open").unit
    assert unit is not None
    elsewhere = a_translation(unit, target_of(project, "su"), member(project, "writer"))
    Item.objects.filter(pk=elsewhere.pk).update(stage=stages.SETTLED)
    page = page_of(translator.user, allow=("status of 422",))

    found: list[str] = []

    def look(what: str = "") -> None:
        open_all(page)
        page.wait_for_load_state("networkidle")
        found.extend(faults_in_all_looks(page, f"{page.url} {what}"))

    page.goto(f"{room(translator)}elsewhere/")
    look()
    page.goto(room(translator))
    page.locator("details.elsewhere summary").click()
    page.locator(".elsewhere__one").wait_for()
    look()
    for shown in open_in_each_look(page):
        boxes = [page.locator(name).first.bounding_box() for name in (".side__source", ".side__target")]
        source, target = [box for box in boxes if box is not None]
        beside = source["x"] + source["width"] <= target["x"]
        assert beside if shown.endswith("-1280") else source["y"] + source["height"] <= target["y"]
    field(page, "premise").fill("Bakul nomer 0 adol pelem / taksaka ing peken esuk (Senin).")
    page.locator("[name='more_t_why-brackets_added']").wait_for()
    page.locator(".hint__word").first.focus()
    look("with a warning")
    field(page, "premise").fill("")
    page.keyboard.press("Control+Enter")
    page.get_by_role("alert").wait_for()
    look("refused")
    for path in ("write/done", f"write/item/{own.pk}", f"returned/{own.pk}", "returned"):
        page.goto(f"/p/{project.slug}/{path}/")
        look()
    assert not found, "\n".join(found)
