"""What is missing, the registers, and releases of translations in a browser: axe, widths, both schemes, no script."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from annotation import presets
from annotation.content.models.item import Item
from annotation.core.models.project import Target
from annotation.core.models.user import User
from annotation.jobs import queue as jobs
from annotation.translation.actions.targets import target_members_set, targets_add
from exports.aligned.registers import registers_compare
from tests import factory, translations
from tests.exports.aligned import world
from tests.exports.world import build, freeze
from tests.flows.looks import assert_for_everybody, open_in_each_look

pytestmark = pytest.mark.django_db(transaction=True)
PAGES = ("missing/", "registers/", "releases/new/", "releases/1/", "releases/1/replace/")


@pytest.fixture
def at(settings: object, tmp_path: Path) -> world.Sets:
    """The paper's 22 targets; a few of them at work, two registers compared, a release built."""
    settings.MUFAKAT_DATA_DIR = tmp_path / "data"  # type: ignore[attr-defined]
    made = world.project_with_all_shapes("t1", targets=())
    targets_add(project=made.project, text=presets.get("loraxbench").targets)
    target_members_set(annotator=made.translator, targets=list(made.project.targets.all()))
    for key in ("jv-krama", "jv-ngoko"):
        for unit in made.units("pair") + made.units("choices"):
            texts = {each["key"]: f"{each['text']} ({key.partition('-')[2]})" for each in unit.fields}
            item = translations.a_translation(unit, made.target(key), made.translator, texts)
            Item.objects.filter(pk=item.pk).update(stage="settled", gold="approve", gold_from="lead", due_at=None)
    translations.a_translation(made.units("passage")[0], made.target("ban"), made.translator)
    Target.objects.filter(key="bug").update(name="Buginese of a long name", register="with a long register")
    job = registers_compare(project=made.project, formal="jv-krama", casual="jv-ngoko", by=None)
    assert jobs.run_here(job).state == "done"
    build(freeze(made, "loraxbench"))
    return made


@pytest.fixture
def boss(at: world.Sets) -> User:
    return factory.user(administrator=True)


def shoot(page: Page, name: str) -> None:
    """Pictures for people to look at, where a folder is named."""
    if folder := os.environ.get("SCREENSHOTS"):
        for look in open_in_each_look(page):
            page.screenshot(path=Path(folder) / f"{name}-{look}.png", full_page=True)


def test_pages_look_right(boss: User, page_of: Callable[..., Page]) -> None:
    page = page_of(boss)
    for path in PAGES:
        page.goto(f"/p/t1/{path}")
        assert_for_everybody(page, path)
        shoot(page, f"out-{path.strip('/').replace('/', '-')}")


def test_registers_are_computed_without_looking_away(boss: User, page_of: Callable[..., Page]) -> None:
    page = page_of(boss, 1280, False)
    page.goto("/p/t1/registers/")
    section = page.locator("section", has_text="Sundanese").first
    section.get_by_role("button", name="Compute").click()
    expect(page.locator("#registers[hx-get]")).to_have_count(1)
    expect(section.get_by_text("Units compared")).to_be_visible()
    for waiting in jobs.waiting_job_ids():
        jobs.run(waiting)
    expect(page.locator("#registers[hx-get]")).to_have_count(0)
    expect(section.get_by_text("Computed:")).to_be_visible()
