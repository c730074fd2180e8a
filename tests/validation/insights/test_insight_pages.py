"""Pages of insights: what is stored is shown, opened, kept as a file, computed anew; at one cost at any size."""

import csv
import io
import time
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.cache import cache
from django.core.cache.backends import locmem
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.jobs import queue as jobs
from annotation.jobs.models import Heartbeat, Job
from tests import factory, questions
from tests.answers import Row, browser_of, store_answers
from validation.insights import reports as insights
from validation.insights.actions import insights_ask
from validation.insights.models import Insight as Stored
from validation.insights.queries import results as computed
from validation.insights.reports.base import MOST_ROWS, Chart, Column, Table
from validation.insights.reports.reading import project_state
from validation.insights.views.insights import MOST_SHOWN, TableRenderer

pytestmark = pytest.mark.django_db
HOSTILE = "=HYPERLINK(1)<script>"


@pytest.fixture
def lead() -> Annotator:
    project = questions.a_question_project("own")
    store_answers(project, [Row("W1", "A", {"W2": "A", "W3": "B"}, "food"), Row("W1", "B", {"W2": "C"}, "place")])
    return factory.member(project, "lead")


def get(who: Annotator, name: str, *args: str, **headers: str) -> Any:
    answer = browser_of(who.user).get(reverse(name, args=[who.project.slug, *args]), headers=headers)
    assert answer.status_code == 200, answer.status_code
    return answer


def store(project: Project, slug: str = "balance", state: str = "", **tables: list[dict[str, Any]]) -> Stored:
    kept = {key: {"rows": rows, "of": len(rows)} for key, rows in tables.items()}
    return Stored.objects.create(project=project, slug=slug, tables=kept, state=state, votes=1, items=1)


def file_of(answer: Any) -> list[list[str]]:
    text = b"".join(answer) if answer.streaming else answer.content
    return list(csv.reader(io.StringIO(text.decode("utf-8-sig"))))


# --- from asking to the figures -----------------------------------------------------------


def test_asked_for_it_is_computed_and_says_when_it_is_out_of_date(
    lead: Annotator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(insights, "applicable_to", lambda project: [insights.get("balance")])
    page = get(lead, "insights").content.decode()
    assert "Not computed yet" in page
    browser = browser_of(lead.user)
    assert browser.post(reverse("insights_compute", args=["own"]))["Location"] == reverse("insights", args=["own"])
    page = get(lead, "insights").content.decode()
    assert "Insights computed" in page
    assert "no worker is running" in page
    assert 'hx-trigger="every 1500ms"' in page
    jobs.run(Job.objects.get(kind="insights").pk)
    page = get(lead, "insights").content.decode()
    assert "Nothing has changed since." in page
    assert "Compute now" not in page
    assert "hx-trigger" not in page
    store_answers(lead.project, [Row("W1", "A", {"W2": "A", "W3": "A"}, "food")])
    page = get(lead, "insights").content.decode()
    assert "Something has changed since." in page
    assert "Compute now" in page


def test_one_is_computed_whatever_its_state(lead: Annotator) -> None:
    browser = browser_of(lead.user)
    url = reverse("insight", args=["own", "balance"])
    for times in (1, 2):
        assert browser.post(reverse("insights_compute", args=["own"]), {"only": "balance"})["Location"] == url
        jobs.run(Job.objects.filter(kind="insights").latest("pk").pk)
        assert Job.objects.filter(kind="insights", state="done").count() == times
    assert list(Stored.objects.values_list("slug", flat=True)) == ["balance"]
    # What is asked for by name is no night, however long it takes.
    assert Job.objects.latest("pk").args == {"only": "balance", "nightly": False}
    assert browser.post(reverse("insights_compute", args=["own"]), {"only": "nowhere"}).status_code == 404


def test_a_computation_of_another_one_is_not_waited_for(lead: Annotator) -> None:
    insights_ask(project=lead.project, by=None, only="balance")
    assert "hx-trigger" in get(lead, "insight", "balance").content.decode()
    assert "hx-trigger" not in get(lead, "insight", "lengths").content.decode()


def test_it_waits_for_no_worker_that_is_there(lead: Annotator) -> None:
    Heartbeat.objects.update_or_create(name="worker", defaults={"at": timezone.now()})
    insights_ask(project=lead.project, by=None)
    assert "no worker is running" not in get(lead, "insights").content.decode()


def test_what_failed_says_so_and_leaves_what_stood(lead: Annotator) -> None:
    store(lead.project, labels=[{"label": "A", "author": 4321}])
    job = insights_ask(project=lead.project, by=None)
    Job.objects.filter(pk=job.pk).update(state="failed", error="The disk was full.")
    assert "The disk was full." in get(lead, "insights").content.decode()
    page = get(lead, "insight", "balance").content.decode()
    assert "The disk was full." in page
    assert "4,321" in page


def test_while_it_waits_only_the_part_is_sent(lead: Annotator) -> None:
    for name, args in (("insights", ()), ("insight", ("balance",))):
        part = get(lead, name, *args, **{"HX-Target": name}).content.decode()
        assert "<html" not in part
        assert f'id="{name}"' in part


def test_without_items_there_is_nothing_to_compute() -> None:
    lead = factory.member(questions.a_question_project(), "lead")
    assert "There are no items yet" in get(lead, "insights").content.decode()


# --- tables -------------------------------------------------------------------------------


def test_rows_open_their_items_and_undefined_figures_say_why(lead: Annotator) -> None:
    rows = [
        {"label": "A", "author": 12345, "author_share": 66.66, "gold": None, "why": "nobody voted"},
        {"label": "B", "author": 1, "author_share": None, "gold": 0, "gold_share": None},
    ]
    store(lead.project, labels=rows)
    page = get(lead, "insight", "balance").content.decode()
    assert reverse("items", args=["own"]) + "?gold=A" in page
    assert "12,345" in page
    assert "66.7\u00a0%" in page
    assert page.count("nobody voted") == 1
    assert 'data-value="12345"' in page


def test_a_category_opens_its_items(lead: Annotator) -> None:
    store(lead.project, "lengths", groups=[{"group": "food", "text": "Question", "n": 1}, {"group": "", "n": 1}])
    page = get(lead, "insight", "lengths").content.decode()
    url = reverse("items", args=["own"]) + "?group=food"
    assert url in page
    listed = browser_of(lead.user).get(url).content.decode()
    urls = [reverse("item", args=["own", item.pk]) for item in lead.project.items.order_by("pk")]
    assert [f'href="{url}?group=food' in listed for url in urls] == [True, False]


def test_the_headline_stands_on_the_overview_and_on_the_project_page(lead: Annotator) -> None:
    rows = [{"coefficient": "Krippendorff's alpha", "over": "votes", "value": 0.9295154}]
    stored = store(lead.project, "agreement", overall=rows)
    for name in ("insights", "project"):
        page = get(lead, name).content.decode()
        assert "0.930" in page
        assert "Krippendorff&#x27;s alpha" in page
    stored.tables["overall"]["rows"][0].update(value=None, why="no item was judged by two people")
    stored.save()
    for name in ("insights", "project"):
        assert "no item was judged by two people" in get(lead, name).content.decode()


def test_files_have_every_row_and_no_formula(lead: Annotator) -> None:
    rows: list[dict[str, Any]] = [{"label": HOSTILE, "author": n, "gold": None, "why": "w"} for n in range(300)]
    store(lead.project, labels=rows)
    answer = get(lead, "insight_file", "balance", "labels")
    assert "own-balance-labels.csv" in answer["Content-Disposition"]
    head, *lines = file_of(answer)
    assert head == [
        "label",
        "author",
        "author_share",
        "gold",
        "gold_share",
        "gold_low",
        "gold_high",
        "undefined because",
    ]
    assert len(lines) == 300
    assert lines[7] == [HOSTILE, "7", "", "", "", "", "", "w"]
    copy = browser_of(lead.user).get(
        reverse("insight_file", args=["own", "balance", "labels"]), {"copy": "spreadsheet"}
    )
    assert file_of(copy)[8] == ["'" + HOSTILE, "7", "", "", "", "", "", "w", ""]
    page = get(lead, "insight", "balance").content.decode()
    assert "<script>" not in page.replace("<script src", "")
    assert page.count("<tr>") == MOST_SHOWN + 1
    assert f"The first {MOST_SHOWN} of 300 rows" in page


def test_no_file_of_what_is_not_there(lead: Annotator) -> None:
    for args in (["own", "nowhere", "labels"], ["own", "balance", "nowhere"]):
        assert browser_of(lead.user).get(reverse("insight_file", args=args)).status_code == 404
    assert browser_of(lead.user).get(reverse("insight", args=["own", "nowhere"])).status_code == 404


def test_a_heat_map_is_crossed() -> None:
    project = factory.project()
    table = Table(
        key="crossed",
        title="Crossed",
        columns=(Column("a", "A", "label"), Column("b", "B", "label"), Column("n", "N", "number")),
        chart=Chart("heat", "a", ("b", "n")),
        item_filters=lambda row: {"label": str(row["a"]), "gold": str(row["b"])},
    )
    rows = [{"a": "e", "b": "e", "n": 10}, {"a": "e", "b": "n", "n": 0}, {"a": "n", "b": "n", "n": 4}]
    shown = TableRenderer(project).table(table, rows, 3)
    assert shown.crossed is not None
    assert [cell.chart_value for cell in shown.crossed.across] == ["e", "n"]
    lines = [
        [cell and (cell.chart_value, cell.heat, bool(cell.url)) for cell in cells] for _, cells in shown.crossed.lines
    ]
    assert lines == [[("10", 10, True), ("0", 0, False)], [None, ("4", 4, True)]]
    assert shown.drawn == ""


def test_a_curve_is_shown_whole() -> None:
    columns = (Column("at", "At", "day"), Column("n", "N", "figure"))
    table = Table("curve", "Curve", columns, chart=Chart("line", "at", ("n",)))
    rows = [{"at": "2026-11-21", "n": 0.25}] * MOST_ROWS
    shown = TableRenderer(factory.project()).table(table, rows, 2 * MOST_ROWS)
    assert len(shown.lines) == MOST_ROWS
    assert (shown.drawn, shown.x, shown.ys) == ("line", 0, "1")
    assert [cell.display for cell in shown.lines[0].cells] == ["11/21/2026", "0.250"]


def test_what_insights_say_of_their_tables_fits_together() -> None:
    for insight in insights.all_insights():
        for table in insight.tables:
            keys, where = [column.key for column in table.columns], (insight.slug, table.key)
            assert len(set(keys)) == len(keys), where
            if table.chart:
                assert {table.chart.x, *table.chart.ys, table.chart.by} <= {*keys, ""}, where
                assert not table.chart.by or (table.chart.kind != "heat" and len(table.chart.ys) == 1), where
                assert table.chart.kind != "heat" or len(table.chart.ys) == 2, where
        if insight.headline:
            key, name = insight.headline
            assert name in [column.key for column in insight.table(key).columns], insight.slug
        assert len({table.key for table in insight.tables}) == len(insight.tables), insight.slug


# --- cost ---------------------------------------------------------------------------------


def statements(lead: Annotator, name: str, *args: str) -> int:
    browser = browser_of(lead.user)
    browser.get(reverse(name, args=["own", *args]))
    with CaptureQueriesContext(connection) as caught:
        assert browser.get(reverse(name, args=["own", *args])).status_code == 200
    return len(caught)


@pytest.mark.parametrize("page", [("insights",), ("insight", "balance")])
def test_of_a_large_project_what_came_since_is_counted_once_in_some_seconds(
    lead: Annotator, monkeypatch: pytest.MonkeyPatch, page: tuple[str, ...]
) -> None:
    cache.clear()
    store(lead.project, state=project_state(lead.project)[0])

    def opened() -> tuple[int, bool]:
        """How often the items were counted for the page, and whether it says that nothing came since."""
        with CaptureQueriesContext(connection) as caught:
            told = get(lead, *page).content.decode()
        counts = sum("sum(i.votes_n)" in each["sql"] for each in caught)
        return counts, "Nothing has changed since." in told

    assert [opened(), opened()] == [(1, True), (1, True)]
    monkeypatch.setattr(computed, "LARGE", 1)
    # The cache's clock stands: a slow machine would not have looked again within those seconds.
    stands = SimpleNamespace(time=partial(float, time.time()))
    monkeypatch.setattr(locmem, "time", stands)
    assert [opened(), opened()] == [(1, True), (0, True)]
    store_answers(lead.project, [Row("W1", "A", {"W2": "A"}, "food")])
    assert opened() == (0, True)
    later = SimpleNamespace(time=lambda: time.time() + computed.REMEMBERED_SECONDS)
    monkeypatch.setattr(locmem, "time", later)
    assert opened() == (1, False)


def test_the_number_of_statements_is_fixed(lead: Annotator) -> None:
    few = [{"label": "A", "author": n} for n in range(10)]
    stored = store(lead.project, labels=few)
    pages = (("insights",), ("insight", "balance"), ("insight_file", "balance", "labels"))
    before = [statements(lead, *page) for page in pages]
    stored.tables = {"labels": {"rows": few * 100, "of": 1000}}
    stored.save()
    store_answers(lead.project, [Row("W1", "A", {"W2": "A"}, "food")] * 100)
    assert [statements(lead, *page) for page in pages] == before
