"""Writing a question in a real browser: by keyboard alone, with a connection that drops, in two tabs, sent back."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from annotation.content.models.item import Item, Option, QAPair
from annotation.content.models.source import Draft
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from tests import factory
from tests.flows.looks import assert_for_everybody, open_all
from tests.flows.steps import drop_connection
from tests.questions import CHOICES, a_concept, a_question, a_question_project, a_share
from tests.wait import wait_until
from validation.review.actions.decisions import return_item

pytestmark = pytest.mark.django_db(transaction=True)
PageOf = Callable[..., Page]
DROPPED = ("net::ERR_",)
QUESTION = "Untuk apa warga desa memakai tikar pada sore hari?"


@pytest.fixture
def project() -> Project:
    return a_question_project(settings={"check_first": True})


@pytest.fixture
def writer(project: Project) -> Annotator:
    made = factory.member(project, "writer")
    a_share(a_concept(project, "tikar"), made)
    return made


def room(project: Project, *rest: str) -> str:
    return "/".join([f"/p/{project.slug}", *rest]) + "/"


def choice(page: Page, key: str) -> str:
    return page.locator(f"[name='more_q_option-{key}']").input_value()


def saved(page: Page) -> None:
    expect(page.locator("[data-state]")).to_contain_text("Saved at")


def test_write_a_question_with_the_keyboard_alone(project: Project, writer: Annotator, page_of: PageOf) -> None:
    page = page_of(writer.user)
    page.goto(room(project, "write"))
    expect(page.locator("#text-q")).to_be_focused()
    page.keyboard.type(QUESTION)
    for text in CHOICES.values():
        page.keyboard.press("Alt+ArrowDown")
        page.keyboard.type(text)
    page.keyboard.press("Alt+ArrowDown")
    page.keyboard.press("Space")
    for _ in range(2):
        page.keyboard.press("ArrowDown")
    expect(page.get_by_label("Answer C")).to_be_checked()
    page.keyboard.press("Alt+ArrowDown")
    page.keyboard.press("Space")
    expect(page.get_by_label("Wrong answer that looks right A")).to_be_checked()
    expect(page.locator("[data-count]")).to_have_text("8 of 8 fields filled in")
    page.keyboard.press("Alt+ArrowUp")
    expect(page.get_by_label("Answer C")).to_be_focused()
    page.keyboard.press("Control+s")
    saved(page)
    page.keyboard.press("Control+Enter")
    page.get_by_role("heading", name="You have written everything you were given").wait_for()
    assert (Item.objects.get().author_label, QAPair.objects.get().question) == ("C", QUESTION)
    assert dict(Option.objects.exclude(role="").values_list("role", "key")) == {
        "answer": "C",
        "distractor": "A",
    }


def test_tab_passes_the_choices_before_it_comes_to_which_is_right(
    writer: Annotator, project: Project, page_of: PageOf
) -> None:
    page = page_of(writer.user)
    page.goto(room(project, "write"))
    expect(page.locator("#text-q")).to_be_focused()
    names = []
    for _ in range(7):
        page.keyboard.press("Tab")
        names.append(page.evaluate("[document.activeElement.type, document.activeElement.name].join(' ')"))
    kinds = [name.split()[0] for name in names]
    assert kinds.index("radio") > max(n for n, kind in enumerate(kinds) if kind == "text"), names
    assert kinds.count("text") + kinds.count("textarea") >= 5, names


def test_what_is_typed_is_saved_and_stands_there_again(project: Project, writer: Annotator, page_of: PageOf) -> None:
    page = page_of(writer.user)
    page.goto(room(project, "write"))
    page.keyboard.type(QUESTION)
    page.get_by_label("Choice D").fill(CHOICES["D"])
    page.get_by_label("Answer D").check()
    wait_until(lambda: Draft.objects.filter(content__more__answer="D").exists(), page=page)
    page.reload()
    expect(page.locator("#text-q")).to_have_value(QUESTION)
    expect(page.get_by_label("Answer D")).to_be_checked()
    assert choice(page, "D") == CHOICES["D"]
    expect(page.get_by_label("Choice A")).to_be_focused()  # the first that holds nothing


def test_checks_speak_under_the_field_that_they_are_about(project: Project, writer: Annotator, page_of: PageOf) -> None:
    page = page_of(writer.user, allow=("status of 422",))
    page.goto(room(project, "write"))
    page.keyboard.type("Siapa yang menjahit?")
    under = page.locator(".slot__foot .check-line--block")
    expect(under).to_contain_text("tikar")
    page.get_by_label("Choice B").fill("mencuci beras")
    page.get_by_label("Choice D").fill("Mencuci beras.")
    expect(page.locator("[data-lines=option-D]")).to_have_text("Choice D says the same as B.")
    expect(page.get_by_label("Choice D")).to_have_attribute("aria-invalid", "true")
    expect(page.locator("[data-lines=option-B]")).to_have_text("")
    expect(page.locator("[data-lines=answer]")).to_have_text("")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("alert")).to_contain_text("Not submitted yet")
    expect(page.locator("[data-lines=answer]")).to_have_text("Choose which one is the answer.")
    expect(page.locator("[data-lines=option-A]")).to_have_text("Choice A is empty.")
    expect(page.get_by_label("Choice A")).to_be_focused()  # the script is there
    page.get_by_label("Choice D").fill("menimbang emas")
    expect(page.locator("[data-lines=option-D]")).to_have_text("")
    assert not Item.objects.exists()


def test_all_fields_are_kept_when_the_connection_drops(project: Project, writer: Annotator, page_of: PageOf) -> None:
    page = page_of(writer.user, allow=DROPPED)
    page.goto(room(project, "write"))
    drop_connection(page)
    page.keyboard.type(QUESTION)
    page.get_by_label("Choice B").fill(CHOICES["B"])
    page.get_by_label("Wrong answer that looks right B").check()
    expect(page.locator("[data-state]")).to_have_text("No connection: kept on this device, not saved yet")
    assert not Draft.objects.exists()
    address = page.url
    page.close()
    # Before it is opened, and not after: so it was never cut off.
    page.context.set_offline(False)
    again = page.context.new_page()
    again.goto(address)
    expect(again.get_by_label("Wrong answer that looks right B")).to_be_checked()
    assert choice(again, "B") == CHOICES["B"]
    saved(again)
    stored = Draft.objects.get().content
    assert (stored["text"], stored["more"]["option-B"], stored["more"]["distractor"]) == (
        QUESTION,
        CHOICES["B"],
        "B",
    )


@pytest.mark.parametrize(("button", "left"), [("Keep mine", "Kedua"), ("Use this text", "Pertama")])
def test_two_tabs_lose_no_field(project: Project, writer: Annotator, page_of: PageOf, button: str, left: str) -> None:
    first = page_of(writer.user, allow=("status of 409",))
    first.goto(room(project, "write"))
    second = first.context.new_page()
    second.goto(first.url)
    first.bring_to_front()
    first.get_by_label("Answer A").check()
    first.get_by_label("Choice A").fill("Pertama")
    # The answer may have been saved, and said to be, before the text was typed.
    first.keyboard.press("Control+s")
    saved(first)
    second.bring_to_front()
    second.get_by_label("Choice A").fill("Kedua")
    note = second.locator(".other")
    expect(note).to_contain_text("Pertama")
    expect(note.locator(".tag")).to_have_text("Answer")
    note.get_by_role("button", name=button).click()
    expect(second.get_by_label("Choice A")).to_have_value(left)
    expect(second.get_by_label("Answer A")).to_be_checked(checked=left == "Pertama")
    wait_until(lambda: Draft.objects.get().content["more"]["option-A"] == left, page=second)


def test_without_javascript(project: Project, writer: Annotator, page_of: PageOf) -> None:
    page = page_of(writer.user, javascript=False)
    page.goto(room(project, "write"))
    page.fill("#text-q", QUESTION)
    for key, text in CHOICES.items():
        page.get_by_label(f"Choice {key}").fill(text)
    page.keyboard.press("Enter")  # saves, and never skips or submits
    saved(page)
    page.get_by_label("Answer E").check()
    page.get_by_label("Wrong answer that looks right A").check()
    page.get_by_role("button", name="Submit").click()
    page.get_by_role("heading", name="You have written everything you were given").wait_for()
    assert Item.objects.get().author_label == "E"


def test_a_returned_question_is_mended_by_keyboard(project: Project, writer: Annotator, page_of: PageOf) -> None:
    item = give_back(project, writer)
    page = page_of(writer.user)
    page.goto(room(project, "returned", str(item.pk)))
    page.get_by_label("Choice E").fill("Mencuci beras!")
    expect(page.locator("[data-lines=option-E]")).to_have_text("Choice E says the same as B.")
    page.keyboard.press("Enter")  # checks, and sends nothing
    page.get_by_label("Choice E").fill("mengusir ayam")
    expect(page.locator("[data-lines=option-E]")).to_have_text("")
    page.keyboard.press("Alt+ArrowDown")
    page.keyboard.press("ArrowUp")
    expect(page.get_by_label("Answer E")).to_be_checked()
    page.keyboard.press("Control+Enter")
    expect(page.locator("#messages")).to_contain_text("Submitted")
    item.refresh_from_db()
    assert (item.stage, item.author_label) == ("corrected", "E")
    assert Option.objects.get(item=item, key="E").text == "mengusir ayam"


def give_back(project: Project, writer: Annotator) -> Item:
    item = a_question(project, writer, concept=a_concept(project, "payung"))
    lead = factory.member(project, "lead")
    return_item(lead=lead, item_id=item.pk, version=item.version, error_type="options-equal", words="B dan E sama.")
    return item


def test_axe_finds_nothing(project: Project, writer: Annotator, page_of: PageOf) -> None:
    project.settings = {**project.settings, "own_wording": True}
    project.save()
    returned = give_back(project, writer)
    own = a_question(project, writer, concept=a_concept(project, "kendi", parallel="kendi tanah"))
    page = page_of(writer.user, allow=("status of 422",))

    def look() -> None:
        open_all(page)
        assert_for_everybody(page, page.url)

    page.goto(room(project, "write"))
    look()
    page.get_by_label("Choice B").fill("mencuci beras")
    page.get_by_label("Choice D").fill("Mencuci beras.")
    page.get_by_label("Answer B").check()
    page.keyboard.press("Control+Enter")
    page.get_by_role("alert").wait_for()
    look()
    paths = (("write", "done"), ("write", "item", str(own.pk)), ("returned",), ("returned", str(returned.pk)))
    for path in paths:
        page.goto(room(project, *path))
        look()
