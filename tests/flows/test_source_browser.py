"""Source sets in a browser: how their pages look, clean-up by the keyboard alone, and without script."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from annotation.content.models.units import SourceSet
from annotation.core.models.project import Project
from annotation.core.models.user import User
from annotation.jobs import queue as jobs
from annotation.translation.models import CleanUp
from annotation.translation.rules.source_units import Row
from tests import factory, translations
from tests.flows.looks import faults_in_all_looks
from tests.translations import pair_rows, passage_rows

pytestmark = pytest.mark.django_db(transaction=True)
QUESTION = Row(
    "q-1",
    {"question": "Minum apa?", "choice-A": "kopi", "choice-B": "teh", "choice-C": "roket"},
    label="A",
    split="test",
)


@pytest.fixture
def project() -> Project:
    made = translations.a_translation_project("lorax")
    translations.a_source_set(made, pair_rows(9, of_one=3), frozen=False)
    translations.a_source_set(made, [QUESTION], shape="choices", frozen=False)
    translations.a_source_set(made, passage_rows(), shape="passage")
    return made


@pytest.fixture
def lead(project: Project) -> User:
    user = translations.member(project, "lead").user
    assert user is not None
    return user


def first_unit(key: str) -> str:
    unit = SourceSet.objects.get(key=key).units.order_by("position")[0]
    return f"/p/lorax/sources/units/{unit.pk}/"


def test_pages_look_right(project: Project, lead: User, page_of: Callable[..., Page]) -> None:
    page = page_of(lead)
    found = []
    pages = ["/p/lorax/sources/", "/p/lorax/sources/new/", "/p/lorax/sources/new/?from=release"]
    pages += [f"/p/lorax/sources/sets/{key}/" for key in ("pair", "choices", "passage")]
    for path in [*pages, *(first_unit(key) for key in ("pair", "choices", "passage"))]:
        page.goto(path)
        for key in ("x", "t", "d", "u") if "units" in path else ("",):
            if key:
                page.keyboard.press("Escape")
                page.keyboard.press(key)
            found += faults_in_all_looks(page, (path, key))
    assert not found, "\n".join(found)


def press(page: Page, key: str) -> None:
    """A key, once the page has read what its keys are."""
    page.wait_for_load_state()
    page.keyboard.press(key)


def test_clean_up_by_the_keyboard_alone(project: Project, lead: User, page_of: Callable[..., Page]) -> None:
    page = page_of(lead, 1280)
    page.goto("/p/lorax/sources/sets/pair/")
    press(page, "n")
    expect(page.locator("h1")).to_contain_text("pair-0000")
    press(page, "x")
    press(page, "2")
    press(page, "Enter")
    expect(page.get_by_text("Removed: done.")).to_be_visible()
    expect(page.locator("h1")).to_contain_text("pair-0001")
    press(page, "t")
    press(page, "Control+a")
    page.keyboard.type("Pasar pagi.")
    press(page, "Control+Enter")
    expect(page.get_by_text("Fixed typo: done.")).to_be_visible()
    expect(page.locator(".pair")).to_contain_text("Pasar pagi.")
    press(page, "n")
    expect(page.locator("h1")).to_contain_text("pair-0002")
    press(page, "p")
    expect(page.locator("h1")).to_contain_text("pair-0001")
    steps = list(CleanUp.objects.order_by("pk").values_list("what", "reason", "field"))
    assert steps == [("removed", "repetitive", ""), ("typo", "spelling", "premise")]


def test_distractors_and_marks_have_their_keys(project: Project, lead: User, page_of: Callable[..., Page]) -> None:
    page = page_of(lead, 1280)
    page.goto(first_unit("choices"))
    press(page, "d")
    expect(page.get_by_role("textbox", name="Choice B")).to_be_focused()
    expect(page.locator("[id='distractor-choice-A']")).to_have_count(0)
    page.locator("[id='distractor-choice-C']").fill("delman")
    press(page, "Escape")
    press(page, "3")
    press(page, "Control+Enter")
    expect(page.get_by_text("Improved distractor: done.")).to_be_visible()
    page.goto(first_unit("passage"))
    press(page, "u")
    press(page, "4")
    press(page, "Enter")
    expect(page.get_by_text("Unanswerable without its passage: done.")).to_be_visible()
    assert list(CleanUp.objects.order_by("pk").values_list("what", "reason")) == [
        ("distractor", "obvious"),
        ("unanswerable", "changes-with-time"),
    ]


def test_it_works_without_script(project: Project, lead: User, page_of: Callable[..., Page]) -> None:
    page = page_of(lead, 360, javascript=False)
    page.goto(first_unit("pair"))
    page.locator("summary", has_text="Remove").click()
    page.get_by_label("Obvious").first.check()
    page.get_by_role("button", name="Remove, next").click()
    page.get_by_text("Removed: done.").wait_for()
    page.get_by_role("button", name="Undo").first.click()
    page.get_by_text("It was undone.").wait_for()
    page.goto("/p/lorax/sources/sets/pair/")
    page.locator("summary", has_text="Freeze").click()
    page.get_by_role("button", name="Freeze this set").click()
    page.get_by_text("Translation has begun.").wait_for()
    assert SourceSet.objects.get(key="pair").frozen_at is not None


def test_the_count_follows_the_filter(project: Project, page_of: Callable[..., Page]) -> None:
    """What is counted while one chooses is what the set has."""
    other = factory.project("nli")
    factory.written_pairs(other, factory.member(other, "writer"), 2)
    boss = factory.user(administrator=True)
    page = page_of(boss, 360)
    page.goto("/p/lorax/sources/new/?from=project&project=nli")
    expect(page.locator("#source-count")).to_contain_text("0 rows fit")
    page.get_by_label("Which items").select_option("all")
    expect(page.locator("#source-count")).to_contain_text("12 rows fit")
    page.get_by_label("Premises").select_option("double")
    expect(page.locator("#source-count")).to_contain_text("0 rows fit")
    page.get_by_label("Premises").select_option("single")
    expect(page.locator("#source-count")).to_contain_text("12 rows fit")
    page.get_by_label("Short name").fill("nli")
    page.get_by_role("button", name="Make the set").click()
    page.locator("#import-state").wait_for()
    for job_id in jobs.waiting_job_ids():
        jobs.run(job_id)
    page.get_by_text("The set was made.").wait_for()
    assert SourceSet.objects.get(key="nli").entries.count() == 12
