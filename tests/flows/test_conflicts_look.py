"""The conflict view, the items behind a cell, the project page of questions: axe finds nothing, in both schemes."""

import itertools
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from tests import factory, questions
from tests.answers import Row, store_answers
from tests.flows.looks import assert_for_everybody, open_all

pytestmark = pytest.mark.django_db(transaction=True)
NAMES = [f"W{number}" for number in range(1, 7)]
REGIONS = ("Jawa Barat", "Bali", "")


@pytest.fixture
def lead() -> Annotator:
    """Six people who answer each other's questions in five categories, some otherwise than the writer."""
    project = questions.a_question_project("own", settings={"check_first": True})
    lead = factory.member(project, "lead")
    Annotator.objects.filter(pk=lead.pk).update(pseudonym="L1")
    turns = itertools.cycle([0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 0])
    rows = [
        Row(
            writer,
            "ABCDE"[n % 5],
            {who: "ABCDE"[(n + next(turns) * (who in "W3 W6")) % 5] for who in NAMES if who != writer},
            questions.CATEGORIES[n % 5],
        )
        for n, writer in enumerate(NAMES * 10)
    ]
    store_answers(project, rows)
    for number, name in enumerate(NAMES):
        Annotator.objects.filter(project=project, pseudonym=name).update(region=REGIONS[number % 3])
    questions.a_question(project, factory.member(project, "writer"))
    return lead


def pages(project: Project) -> list[str]:
    base = f"/p/{project.slug}/"
    return [
        base,
        f"{base}conflicts/",
        f"{base}conflicts/?category=place&region=Bali",
        f"{base}conflicts/?category=none",
        f"{base}conflicts/items/?answerer=W6",
        "/me/",
    ]


def test_axe_finds_nothing(lead: Annotator, page_of: Callable[..., Page]) -> None:
    page = page_of(lead.user)
    for path in pages(lead.project):
        page.goto(path)
        open_all(page)
        assert_for_everybody(page, path)


def test_a_cell_opens_its_items_without_a_script(lead: Annotator, page_of: Callable[..., Page]) -> None:
    page = page_of(lead.user, javascript=False)
    page.goto(f"/p/{lead.project.slug}/conflicts/")
    cell = page.locator(".table--heat").first.locator("tbody td a").first
    conflicts = int(cell.inner_text())
    cell.click()
    expect(page.locator("tbody ul.plain > li")).to_have_count(conflicts)
    with page.expect_navigation():
        page.get_by_role("link", name="All that were answered").click()
    assert page.locator("tbody ul.plain > li").count() >= conflicts
    assert "/items/" in (page.locator("a.cell-link").first.get_attribute("href") or "")
