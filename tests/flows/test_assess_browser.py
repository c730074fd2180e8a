"""Checking what machines wrote in a real browser: with the keyboard alone, without a script, and how it looks."""

from collections.abc import Callable

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotation.content.models.item import Item
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from tests.factory import member
from tests.flows.looks import assert_for_everybody, open_all
from tests.machine import a_run
from tests.unchecked_questions import CHOICES, a_checked_project, a_machine_item, assess, check
from validation.review.queries import assessments as assessed

pytestmark = pytest.mark.django_db(transaction=True)
PageOf = Callable[..., Page]


@pytest.fixture
def at() -> tuple[Project, Annotator]:
    project = a_checked_project(recipe="llm-adapt")
    return project, member(project, "lead")


def verdicts(item: Item) -> dict[str, str]:
    return {part: row.error for part, row in assessed.verdicts_of(item).items()}


def keys(page: Page, *pressed: str) -> None:
    page.wait_for_load_state("load")
    for key in pressed:
        page.keyboard.press(key)


def test_three_verdicts_and_on_to_the_next_with_the_keyboard_alone(
    page_of: PageOf, at: tuple[Project, Annotator]
) -> None:
    project, lead = at
    one, two, three = (a_machine_item(project) for _ in range(3))
    page = page_of(lead.user, allow=("status of 422",))
    page.goto(reverse("desk", args=[project.slug]) + "?check=1")
    keys(page, "n")
    expect(page.locator("h1")).to_contain_text(one.key)
    # No error in concept and question, invalid choices; one of them is corrected, and another is the answer.
    keys(page, "Alt+1", "1", "Shift+Digit6", "o")
    expect(page.locator("#options-invalid-options")).to_be_checked()
    expect(page.locator("#text-option-A")).to_be_focused()
    keys(page, "Control+a")
    page.keyboard.type("pembersih lantai")
    keys(page, "Escape")
    page.locator("#answer-B").focus()
    keys(page, "Space", "a")
    expect(page.locator("h1")).to_contain_text(two.key)
    assert verdicts(one) == {"concept": "", "question": "", "options": "invalid-options"}
    one.refresh_from_db()
    assert (one.stage, one.author_label) == ("written", "B")
    # Something is missing: the page says so, and keeps what was chosen.
    keys(page, "1", "a")
    expect(page.get_by_role("alert")).to_contain_text("Say of each part what is wrong with it")
    expect(page.locator("#question-none")).to_be_checked()
    keys(page, "Alt+2", "Shift+Digit1", "x")
    expect(page.locator("#assess-words")).to_be_focused()
    page.keyboard.type("It insults somebody.")
    keys(page, "Control+Enter")
    expect(page.locator("h1")).to_contain_text(three.key)
    two.refresh_from_db()
    assert (two.stage, verdicts(two)["concept"]) == ("excluded", "translation")
    keys(page, "Alt+1", "8", "Shift+Digit1", "a")
    expect(page.get_by_text("Nothing is doubtful now")).to_be_visible()
    assert verdicts(three) == {"concept": "", "question": "typo", "options": ""}


def test_without_a_script_on_a_small_screen(page_of: PageOf, at: tuple[Project, Annotator]) -> None:
    project, lead = at
    item = a_machine_item(project, choices={**CHOICES, "F": "a sixth", "G": "a seventh"}, answer="F")
    page = page_of(lead.user, width=360, javascript=False)
    page.goto(reverse("item", args=[project.slug, item.pk]))
    for part, error in (("concept", "none"), ("question", "typo"), ("options", "invalid-options")):
        page.locator(f"label[for={part}-{error}]").click()
    # A machine's choices beyond the five stand open.
    for letter in "FG":
        page.locator(f"#text-option-{letter}").fill("")
    page.locator("label[for=answer-E]").click()
    page.get_by_role("button", name="Approve, and go on").click()
    page.get_by_text("Checked.").wait_for()
    item.refresh_from_db()
    assert (item.stage, item.author_label, item.options.count()) == ("written", "E", 5)


def test_axe_finds_nothing(page_of: PageOf, at: tuple[Project, Annotator]) -> None:
    project, lead = at
    assert lead.user is not None
    waits, done = a_machine_item(project), a_machine_item(project)
    corrected = {"question": "Apa fungsi utama tikar di desa?", "option-C": "wisata kota tua"}
    assess(lead, done, check(question="typo", concept="translation", notes="Stiff.", texts=corrected))
    assess(lead, done, check(question="fluency"))
    a_run(project, 1)
    of_run = Item.objects.filter(candidate__run__project=project).order_by("pk").first()
    other = a_checked_project()
    again = member(other, "lead", account=lead.user)
    assess(again, a_machine_item(other), check(options="invalid-options"))
    page = page_of(lead.user, allow=("status of 422",))
    errors = reverse("machine_errors", args=[project.slug])
    shown = [waits, done] + ([of_run] if of_run is not None else [])
    for path in (
        *(reverse("item", args=[project.slug, item.pk]) for item in shown),
        errors,
        f"{errors}?over=mine&by=model",
        reverse("desk", args=[project.slug]) + "?verdict=question-fluency",
    ):
        page.goto(path)
        open_all(page)
        assert_for_everybody(page, path)
    # As it stands where something was sent that could not be done.
    page.goto(reverse("item", args=[project.slug, waits.pk]))
    page.get_by_role("button", name="Approve, and go on").click()
    page.get_by_role("alert").wait_for()
    assert_for_everybody(page, "refused")
