"""Insights in a browser: axe finds nothing at any width and in either scheme; charts are drawn, and need not be."""

import re
from collections import Counter
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from annotation.core.models.member import Annotator
from annotation.jobs import queue as jobs
from tests import factory, questions
from tests.answers import Row, store_answers
from tests.flows.looks import assert_for_everybody
from validation.insights.actions import insights_ask

pytestmark = pytest.mark.django_db(transaction=True)
# Whether the chart is drawn in colours of which none was there before; gives those that are there now.
COLOURS = """(before) => {
  const canvas = document.querySelector("[data-chart] canvas");
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  const found = new Set();
  for (let at = 0; at < data.length; at += 4) if (data[at + 3] === 255) found.add(data.slice(at, at + 3).join());
  return found.size > 1 && [...found].every((one) => !before.includes(one)) && [...found];
}"""


@pytest.fixture
def lead() -> Annotator:
    project = questions.a_question_project("own")
    rows = [
        Row(
            f"W{n % 3}",
            "ABCDE"[n % 5],
            {f"W{3 + m}": "ABCDE"[(n + n * m % 3) % 5] for m in range(4)},
            ("food", "place")[n % 2],
        )
        for n in range(20)
    ]
    store_answers(project, rows)
    jobs.run(insights_ask(project=project, by=None, nightly=True).pk)
    return factory.member(project, "lead")


def test_axe_finds_nothing(lead: Annotator, page_of: Callable[..., Page]) -> None:
    page = page_of(lead.user)
    base = f"/p/{lead.project.slug}/insights/"
    for path in (base, *(f"{base}{slug}/" for slug in ("rounds", "labels", "lengths"))):
        page.goto(path)
        assert_for_everybody(page, path)


def test_charts_follow_the_scheme(lead: Annotator, page_of: Callable[..., Page]) -> None:
    page = page_of(lead.user)
    page.goto(f"/p/{lead.project.slug}/insights/rounds/")
    expect(page.locator("[data-chart] canvas").first).to_be_visible()
    light = page.wait_for_function(COLOURS, arg=[]).json_value()
    page.emulate_media(color_scheme="dark")
    dark = page.wait_for_function(COLOURS, arg=light).json_value()
    page.emulate_media(color_scheme="light")
    page.wait_for_function(COLOURS, arg=dark)
    page.locator("details.menu summary").click()
    page.locator("[data-theme-switch]").click()
    page.wait_for_function(COLOURS, arg=light)


def test_a_figure_opens_its_items_without_a_script(lead: Annotator, page_of: Callable[..., Page]) -> None:
    page = page_of(lead.user, javascript=False)
    page.goto(f"/p/{lead.project.slug}/insights/")
    page.get_by_role("link", name="Label confusion").click()
    expect(page.get_by_role("heading", level=1, name="Label confusion")).to_be_visible()
    expect(page.locator("[data-chart]").first).to_be_hidden()
    cell = page.locator(".table--heat").first.locator("tbody td a").first
    n = int(cell.inner_text().split()[0])
    cell.click()
    expect(page).to_have_url(re.compile("gold="))
    expect(page.locator("main tbody tr")).to_have_count(n)


DRAWN = """(name) => Chart.getChart(document.querySelector(`[data-table=table-${name}] canvas`)).data.datasets.map(
    (each) => [each.label, each.data.filter((point) => point !== null && point.y !== null).length])"""


def apart(page: Page, table: str) -> dict[str, int]:
    """Of each series that is drawn how many places it has; so many rows have its name in their second column."""
    expect(page.locator(f"[data-table=table-{table}] canvas")).to_be_visible()
    drawn = dict(page.evaluate(DRAWN, table))
    told = page.locator(f"#table-{table} tbody tr > :nth-child(2) > *").all_inner_texts()
    assert Counter(name.split()[-1] for name in told) == Counter({name.split()[-1]: n for name, n in drawn.items()})
    return drawn


def test_ways_of_asking_are_lines_of_their_own(lead: Annotator, page_of: Callable[..., Page]) -> None:
    page = page_of(lead.user)
    page.goto(f"/p/{lead.project.slug}/insights/protocols/")
    assert apart(page, "curve") == {"As many for every item": 5, "Until so many agree": 2}


def test_words_are_drawn_by_their_label(page_of: Callable[..., Page]) -> None:
    project = factory.project()
    factory.written_pairs(project, factory.member(project, "writer"), 8)
    jobs.run(insights_ask(project=project, by=None, only="words").pk)
    page = page_of(factory.member(project, "lead").user)
    page.goto(f"/p/{project.slug}/insights/words/")
    assert apart(page, "words") == {"Entailment": 10, "Neutral": 10, "Contradiction": 10}
