"""Each template in a browser, from its description over the import, the votes and the desk to a release."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from playwright.sync_api import Page, expect

from annotation.content.models.item import Item
from annotation.core.models.project import Project
from annotation.jobs import queue as jobs
from annotation.jobs.models import Job
from annotation.tasks.rules.templates import templates
from exports.releases.models import Release
from tests import factory
from tests.annotation.tasks.answers import FORMS, GOLD, Form, vote_all
from tests.annotation.tasks.items import ITEMS, write_items_file
from tests.flows.steps import token, wait_for_another_card, wait_until_done
from tests.wait import wait_until
from validation.voting.actions.decide import decide_due
from validation.voting.models.assignment import Assignment

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize("slug", sorted(templates()))
def test_from_a_template_to_a_release(slug: str, page_of: Callable[..., Page], tmp_path: Path, settings: Any) -> None:
    settings.MUFAKAT_DATA_DIR = tmp_path / "data"
    boss = page_of(factory.user(administrator=True))
    boss.goto(f"/projects/new/task/?template={slug}")
    boss.get_by_label("Short name").fill(slug)
    boss.get_by_role("button", name="Create the project").click()
    wait_until_done(boss, "The project was made.")
    project = Project.objects.get()
    bring(boss, project, write_items_file(slug, tmp_path))
    first, *others = [factory.member(project, "validator") for _ in range(5)]
    vote(page_of(first.user), project)
    for place, person in enumerate(others, start=1):
        decide_due()
        vote_all(person, slug, place)
    decide_due()
    gold = dict(Item.objects.values_list("key", "gold"))
    assert {key: gold[key] for key, wanted in GOLD[slug].items() if wanted} == {
        key: wanted for key, wanted in GOLD[slug].items() if wanted
    }
    item = Item.objects.get(key=ITEMS[slug][0]["id"])
    boss.goto(f"/p/{slug}/items/{item.pk}/")
    expect(boss.locator("main")).to_contain_text(first.pseudonym)
    rows = freeze(boss, project, tmp_path)
    assert {key: row["gold_label"] for key, row in rows.items()} == {key: label for key, label in gold.items() if label}


def bring(boss: Page, project: Project, path: Path) -> None:
    """The items, by the page of imports: their columns are known by name."""
    boss.goto(f"/p/{project.slug}/import/")
    boss.get_by_label("File", exact=True).set_input_files(path)
    boss.get_by_role("button", name="Send the file").click()
    boss.get_by_role("button", name="Take the file in").click()
    expect(boss.get_by_text("rows read")).to_be_visible()
    wait_until(lambda: Job.objects.filter(state=Job.State.QUEUED).exists(), what="the import")
    jobs.run_here(Job.objects.get())
    expect(boss.get_by_text("The file was taken in.")).to_be_visible()
    decide_due()


def vote(page: Page, project: Project) -> None:
    """One person answers all cards, by pointer, and sends each by keys."""
    page.goto(f"/p/{project.slug}/vote/")
    while card := token(page):
        answer(page, FORMS[project.slug](Assignment.objects.get(token=card).item.key, 0))
        page.keyboard.press("Control+Enter")
        wait_for_another_card(page, card)


def answer(page: Page, form: Form) -> None:
    """Fill the card's fields in: what is chosen is chosen, a text is typed, what is hidden stays."""
    for name, said in form.items():
        field = page.locator(f"#card [name='{name}']")
        if field.first.get_attribute("type") in ("radio", "checkbox"):
            for value in [said] if isinstance(said, str) else said:
                page.locator(f"#card [name='{name}'][value='{value}']").check(force=True)
        elif said and isinstance(said, str):
            field.first.fill(said)


def freeze(boss: Page, project: Project, folder: Path) -> dict[str, dict[str, Any]]:
    """A release by its page, verified; the rows of the file that is downloaded there, by their id."""
    boss.goto(f"/p/{project.slug}/releases/new/")
    boss.get_by_label("Freeze it without a licence").check()
    boss.get_by_role("button", name="Freeze this release").click()
    wait_until(lambda: Job.objects.filter(state=Job.State.QUEUED).exists(), what="the release")
    jobs.run_here(Job.objects.get(state=Job.State.QUEUED))
    link = boss.locator("a[href$='/test.jsonl']").first
    expect(link).to_be_attached()
    folded = boss.locator("details:not([open])", has=link)
    if folded.count():
        folded.locator("summary").first.click()
    with boss.expect_download() as taken:
        link.click()
    taken.value.save_as(folder / "test.jsonl")
    call_command("verify_release", str(folder / "data" / Release.objects.get().path))
    lines = (folder / "test.jsonl").read_text(encoding="utf-8").splitlines()
    return {row["id"]: row for row in map(json.loads, lines)}
