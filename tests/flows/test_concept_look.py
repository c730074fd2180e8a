"""The pages of concepts in a browser: axe, widths, both schemes, without script."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from annotation.concepts.actions import ConceptIn, concepts_add
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from tests import factory
from tests.flows.looks import assert_for_everybody, axe_findings, open_in_each_look
from tests.questions import a_concept, a_question_project

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def project() -> Project:
    project = a_question_project("q1", settings={"category_target": 20})
    words = ("tikar", "payung lipat", "kelambu", "gerobak", "cobek", "kendi", "rumah panggung di tepi sungai")
    rows = [ConceptIn("", kind, word) for kind in ("kuliner", "tempat", "adat istiadat") for word in words]
    concepts_add(target=project.targets.get(), rows=rows)
    return project


@pytest.fixture
def people(project: Project) -> dict[str, Annotator]:
    boss = factory.user("boss@example.org", administrator=True)
    writer, lead = factory.member(project, "writer"), factory.member(project, "lead", account=boss)
    a_concept(project, "lesung", category="kuliner", state="proposed", proposed_by=writer)
    words = "Too special: only one village has it."
    a_concept(project, "anglo", category="kuliner", state="returned", proposed_by=writer, words=words)
    a_question_project("q2", language="su")
    return {"writer": writer, "lead": lead}


def shoot(page: Page, name: str) -> None:
    """Pictures for people to look at, where a folder is named."""
    if folder := os.environ.get("SCREENSHOTS"):
        for look in open_in_each_look(page):
            page.screenshot(path=Path(folder) / f"{name}-{look}.png", full_page=True)


@pytest.mark.parametrize("role", ["writer", "lead"])
def test_pages_look_right(
    project: Project,
    people: dict[str, Annotator],
    page_of: Callable[..., Page],
    role: str,
) -> None:
    page = page_of(people[role].user)
    own = project.concepts.get(text="anglo").pk
    for name, path in {"list": "", "one": f"{own}/"}.items():
        page.goto(f"/p/q1/concepts/{path}")
        shoot(page, f"concepts-{name}-{role}")
        assert_for_everybody(page, path)


@pytest.mark.parametrize("javascript", [True, False], ids=["script", "no script"])
def test_a_near_one_is_asked_about_and_sent_again(
    project: Project, people: dict[str, Annotator], page_of: Callable[..., Page], javascript: bool
) -> None:
    page = page_of(people["writer"].user, 360, javascript=javascript, allow=("status of 422",))
    page.goto("/p/q1/concepts/")
    page.get_by_label("Category").first.select_option("kuliner")
    page.get_by_label("Concept", exact=True).fill("kelambbu")
    page.get_by_role("button", name="Propose").click()
    note = page.get_by_role("alert")
    expect(note).to_contain_text("kelambu")
    expect(page.get_by_label("Concept", exact=True)).to_have_value("kelambbu")
    if javascript:
        shoot(page, "concepts-near-writer")
        assert axe_findings(page) == []
    note.get_by_role("checkbox").check()
    page.get_by_role("button", name="Propose").click()
    page.get_by_text("Your concept was proposed.").wait_for()
    assert project.concepts.get(text="kelambbu").state == "proposed"
