"""The pages of targets and of their people in a browser: axe, widths, both schemes, without script."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page

from annotation import presets
from annotation.content.models.item import Item
from annotation.core.actions.members import Roles
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project, Target
from annotation.projects.actions.invitations import invitation_create
from annotation.translation.actions.targets import targets_add
from tests import factory, translations
from tests.flows.looks import assert_for_everybody, axe_findings, open_in_each_look
from tests.translations import member, target_of
from validation.voting.actions.decide import decide_due

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def project() -> Project:
    """The paper's 22 targets, one of them at work and one ended."""
    project = translations.a_translation_project("t1", targets=())
    targets_add(project=project, text=presets.get("loraxbench").targets)
    source = translations.a_source_set(project, translations.sentence_rows(30), shape="sentence")
    target, writer = target_of(project), member(project, "writer", targets=("jv-ngoko", "jv-krama"))
    for unit in source.units.order_by("position")[:3]:
        translations.a_translation(unit, target, writer)
    decide_due()
    Item.objects.filter(project=project).update(doubt=1)
    Target.objects.filter(project=project, key="bew").update(
        ended_at="2026-01-01T00:00Z", description="Sehari-hari.", words=[["gue", "saya"]]
    )
    return project


@pytest.fixture
def people(project: Project) -> dict[str, Annotator]:
    boss = factory.user("boss@example.org", administrator=True)
    invitation_create(project=project, email="new@example.org", roles=Roles(writer=True), by=boss, targets=["iba"])
    return {
        "lead": member(project, "lead", account=boss, targets=("jv-ngoko",)),
        "translator": member(project, "writer", "validator", targets=("jv-ngoko", "su-loma")),
        "nobody": factory.member(project, "writer", "validator"),
    }


def shoot(page: Page, name: str) -> None:
    """Pictures for people to look at, where a folder is named."""
    if folder := os.environ.get("SCREENSHOTS"):
        for look in open_in_each_look(page):
            page.screenshot(path=Path(folder) / f"{name}-{look}.png", full_page=True)


def paths(people: dict[str, Annotator], role: str) -> list[str]:
    if role == "lead":
        one = people["translator"].pk
        return [
            "targets/",
            "targets/new/",
            "targets/on/jv-ngoko/",
            "targets/on/bew/",
            "people/",
            f"people/{one}/targets/",
            "items/?part=in_review&target=jv-ngoko",
            "",
        ]
    return ["write/", ""] if role == "translator" else ["write/", "vote/", ""]


@pytest.mark.parametrize("role", ["lead", "translator", "nobody"])
def test_pages_look_right(people: dict[str, Annotator], page_of: Callable[..., Page], role: str) -> None:
    page = page_of(people[role].user)
    for number, path in enumerate(["/", *(f"/p/t1/{path}" for path in paths(people, role))]):
        page.goto(path)
        shoot(page, f"targets-{role}-{number}")
        assert_for_everybody(page, path)


@pytest.mark.parametrize("javascript", [True, False], ids=["script", "no script"])
def test_from_lines_to_the_first_text(
    people: dict[str, Annotator], page_of: Callable[..., Page], javascript: bool
) -> None:
    """A lead adds a target with its words, gives it to somebody, and they take its first texts."""
    lead = page_of(people["lead"].user, 1280, javascript=javascript, allow=("status of 422",))
    lead.goto("/p/t1/targets/")
    lead.get_by_role("link", name="Add targets").click()
    lead.get_by_label("Targets, one a line").fill("ind, informal\nelvish")
    lead.get_by_role("button", name="Add").click()
    assert "elvish" in lead.locator("ul.note--error").inner_text()
    if javascript:
        assert axe_findings(lead) == []
    lead.get_by_label("Targets, one a line").fill("ind, informal")
    lead.get_by_role("button", name="Add").click()
    lead.get_by_role("link", name="Indonesian (informal)").click()
    lead.get_by_label("When it is used").fill("Among friends.")
    lead.get_by_label("Word list").fill("gue = saya\nnggak = tidak")
    lead.get_by_role("button", name="Save").click()
    lead.get_by_text("The target was changed.").wait_for()
    lead.goto(f"/p/t1/people/{people['nobody'].pk}/targets/")
    lead.get_by_label("Indonesian (informal)").check()
    lead.get_by_role("button", name="Save targets").click()
    lead.get_by_text("were changed.").wait_for()
    theirs = page_of(people["nobody"].user, 360, javascript=javascript)
    theirs.goto("/")
    theirs.get_by_role("button", name="Take 20 texts in Indonesian (informal)").click()
    theirs.wait_for_url("**/p/t1/write/*/")
    assert people["nobody"].allocations.filter(state="open").count() == 20
