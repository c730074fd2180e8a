"""The conflict view: its figures through the database, its filters, its links, its files, and what it costs."""

import csv
import io
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.content.models.item import Item
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from tests import factory, questions, review
from tests.answers import Row, browser_of, store_answers
from tests.data import DATA, needs_data
from tests.page_text import page_text
from tests.validation.imports_run import import_items
from validation.insights.queries import conflicts as fetch
from validation.insights.rules.conflicts import Cell, ConflictFilters, group_of_vote, tabulate
from validation.voting.models.vote import Vote

pytestmark = pytest.mark.django_db
WHOLE = ConflictFilters()


SMALL = (
    Row("W1", "A", {"W2": "A", "W3": "B"}, "food"),
    Row("W1", "B", {"W2": "C", "W3": "C"}, "place"),
    Row("W2", "A", {"W1": "A", "W3": "A"}, "food"),
    Row("", "D", {"W1": "E"}, "place"),
)


@pytest.fixture
def project() -> Project:
    return questions.a_question_project("own")


@pytest.fixture
def lead(project: Project) -> Annotator:
    return factory.member(project, "lead")


def get(who: Annotator, name: str, **query: str) -> Any:
    answer = browser_of(who.user).get(reverse(name, args=[who.project.slug]), query)
    assert answer.status_code == 200, answer.status_code
    return answer


def table(project: Project, by: ConflictFilters = WHOLE) -> Any:
    return fetch.table(factory.reader(project), by, fetch.people(project))


# --- what is counted --------------------------------------------------------------------


def test_the_database_counts_what_the_rules_count(project: Project) -> None:
    store_answers(project, SMALL)
    assert table(project) == tabulate(
        group_of_vote(row.writer, who, row.label, label, row.category)
        for row in SMALL
        for who, label in row.answers.items()
    )


def test_only_standing_votes_of_the_present_epoch(project: Project) -> None:
    items = store_answers(project, SMALL)
    Vote.objects.filter(item=items[0], annotator__pseudonym="W3").update(
        withdrawn_at="2026-01-01T00:00Z", withdrawn_version=2, withdrawn_why="voided"
    )
    Item.objects.filter(pk=items[1].pk).update(epoch=2)
    Item.objects.filter(pk=items[2].pk).update(stage="excluded")
    found = table(project)
    assert found.total == Cell(4, 1)
    assert found.cells == {
        ("-", "W1"): (1, 1),
        ("W1", "W2"): (1, 0),
        ("W2", "W1"): (1, 0),
        ("W2", "W3"): (1, 0),
    }


def test_place_holders_are_no_persons_but_their_labels_agree(project: Project) -> None:
    store_answers(project, [Row("W1", "A", {"?1": "A", "?2": "B", "W2": "A"})])
    found = table(project)
    assert found.answerers == {"W2": (1, 0)}
    tallies = fetch.tallies(factory.reader(project), WHOLE, "item__qa__concept__category")
    assert tallies == {"food": {("A", ("A", "A", "B")): 1}}
    assert fetch.kappas(factory.reader(project), WHOLE, fetch.people(project), ["?1", "W2"]) == {}


def test_a_label_that_the_kind_does_not_know_conflicts_and_rates_nothing(project: Project) -> None:
    store_answers(project, [Row("W1", "A", {"W2": "unrelated", "W3": "A", "W4": "A"})])
    assert table(project).total == Cell(3, 1)
    assert fetch.tallies(factory.reader(project), WHOLE, "item__qa__concept__category") == {
        "food": {("A", ("A", "A")): 1}
    }


@pytest.mark.parametrize(
    ("by", "total"),
    [
        (ConflictFilters(), (7, 4)),
        (ConflictFilters(category="food"), (4, 1)),
        (ConflictFilters(category="nothing"), (0, 0)),
        (ConflictFilters(region="Bali"), (3, 2)),
        (ConflictFilters(region="-"), (2, 1)),
        (ConflictFilters(writer_region="Java"), (4, 3)),
        (ConflictFilters(writer_region="-"), (3, 1)),
        (ConflictFilters(round=1), (7, 4)),
        (ConflictFilters(round=2), (0, 0)),
    ],
)
def test_filters(project: Project, by: ConflictFilters, total: tuple[int, int]) -> None:
    store_answers(project, SMALL)
    Annotator.objects.filter(project=project, pseudonym="W1").update(region="Java")
    Annotator.objects.filter(project=project, pseudonym="W3").update(region="Bali")
    assert table(project, by).total == total


def test_spellings_of_a_region_are_one_region(project: Project) -> None:
    """People keep what they typed; a vote of either is in the same part of the same item."""
    store_answers(project, SMALL)
    for name, typed in (("W1", "Bali"), ("W2", "BALI"), ("W3", "Bali")):
        Annotator.objects.filter(project=project, pseudonym=name).update(region=typed)
    assert {region for _, region in table(project).regions} == {"Bali"}
    assert table(project, ConflictFilters(region="BALI")).total == table(project, ConflictFilters(region="Bali")).total
    alike = fetch.tallies(factory.reader(project), WHOLE, "annotator__region")
    Annotator.objects.filter(project=project, pseudonym="W2").update(region="Bali")
    assert alike == fetch.tallies(factory.reader(project), WHOLE, "annotator__region")
    assert fetch.choices(factory.reader(project))[1] == ["Bali"]


def test_pairs_of_sentences_have_conflicts_too() -> None:
    at = review.world()
    review.cast_votes(at, at.item("e"), "en")
    found = table(at.project)
    assert found.total == Cell(2, 1)
    assert found.categories == {"single": (2, 1)}
    page = get(at.lead, "conflicts").content.decode()
    assert "Sentence class" in page
    assert "single sentence" in page
    assert 'name="round"' in page  # the two did not agree, so a second was asked for


# --- the page -----------------------------------------------------------------------------


def test_the_page_shows_each_cell_and_opens_what_is_behind(project: Project, lead: Annotator) -> None:
    items = store_answers(project, SMALL)
    page = get(lead, "conflicts")
    grid = page.context["report"].people
    assert (grid.columns, [line.name for line in grid.lines]) == (["W1", "W2", "W3"], ["-", "W1", "W2"])
    opened = 0
    for line in grid.lines:
        for membership in (*line.cells, line.total, *grid.totals):
            if membership.url:
                behind = browser_of(lead.user).get(membership.url)
                shown = sum(len(row.answers) for row in behind.context["rows"])
                assert shown == membership.cell.conflicts
                opened += 1
            else:
                assert not membership.cell.conflicts
    assert opened > 4
    text = get(lead, "conflict_items", writer="W1", answerer="W3").content.decode()
    assert reverse("item", args=["own", items[0].pk]) in text
    assert "pilihan B" in text
    everything = get(lead, "conflict_items", all="1")
    assert everything.context["page"].paginator.count == 4


def test_the_darkest_cell_is_the_largest_share(project: Project, lead: Annotator) -> None:
    store_answers(project, [*SMALL, *[Row("W2", "A", {"W3": "A"})] * 8, Row("W2", "A", {"W3": "B"})])
    grid = get(lead, "conflicts").context["report"].people
    heats = {
        (line.name, column): membership.heat
        for line in grid.lines
        for column, membership in zip(grid.columns, line.cells, strict=True)
    }
    assert heats["-", "W1"] == heats["W1", "W3"] == 10
    assert heats["W1", "W2"] == 5
    assert heats["W2", "W3"] == 1
    assert heats["W2", "W1"] == heats["W2", "W2"] == 0


def test_undefined_figures_say_why(project: Project, lead: Annotator) -> None:
    store_answers(project, [Row("W1", "A", {"W2": "A", "W3": "A"})])
    text = get(lead, "conflicts").content.decode()
    assert "everybody always gave the same label" in text
    assert "nan" not in page_text(text)


@pytest.mark.parametrize(
    ("query", "words"), [({}, "There are no votes yet"), ({"category": "food"}, "No votes fit these filters")]
)
def test_an_empty_page_says_what_comes(project: Project, lead: Annotator, query: dict[str, str], words: str) -> None:
    assert words in get(lead, "conflicts", **query).content.decode()


def test_what_is_wrong_in_an_address_is_refused(project: Project, lead: Annotator) -> None:
    for name in ("conflicts", "conflict_items", "conflicts_file", "agreement_file"):
        for query in ({"round": "x"}, {"category": "x" * 300}, {"item__gold": "A"}):
            assert browser_of(lead.user).get(reverse(name, args=["own"]), query).status_code == 400


def test_a_lead_does_not_meet_what_they_wrote(project: Project) -> None:
    both = factory.member(project, "writer", "lead")
    store_answers(project, [Row(both.pseudonym, "A", {"X1": "B"}), Row("X2", "A", {"X1": "B"})])
    assert get(both, "conflict_items").context["page"].paginator.count == 1
    administrator = factory.user(administrator=True)
    answer = browser_of(administrator).get(reverse("conflict_items", args=["own"]))
    assert answer.context["page"].paginator.count == 2


def test_other_projects_do_not_count(project: Project, lead: Annotator) -> None:
    store_answers(project, SMALL)
    store_answers(questions.a_question_project("other"), [Row("W1", "A", {"W2": "B"})] * 5)
    assert get(lead, "conflicts").context["report"].found.total == Cell(7, 4)


def test_many_people_are_cut_and_the_sums_are_not(
    project: Project, lead: Annotator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetch, "MOST_PEOPLE", 2)
    store_answers(project, SMALL)
    page = get(lead, "conflicts")
    grid = page.context["report"].people
    assert (len(grid.columns), len(grid.lines), grid.hidden) == (2, 2, 2)
    assert grid.columns == ["W2", "W3"] or grid.columns == ["W1", "W3"]
    assert grid.whole.cell == Cell(7, 4)
    assert "with most answers are shown" in page.content.decode()


# --- files --------------------------------------------------------------------------------


def sheet(answer: Any) -> list[dict[str, str]]:
    assert answer["Content-Type"].startswith("text/csv")
    assert "attachment" in answer["Content-Disposition"]
    return list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"))))


def test_the_files_have_every_number(project: Project, lead: Annotator) -> None:
    store_answers(project, [*SMALL, Row("=1+1", "A", {"W2": "B"}, "@food")])
    rows = sheet(get(lead, "conflicts_file"))
    cells = {(row["table"], row["writer"], row["answerer"]): row for row in rows}
    assert cells["writer and answerer", "W1", "W3"]["conflicts"] == "2"
    assert cells["answerer", "", "W3"] == {
        "table": "answerer",
        "writer": "",
        "answerer": "W3",
        "answers": "3",
        "conflicts": "2",
        "percent": str(100 * 2 / 3),  # as computed, not cut
    }
    assert {("writer", "=1+1", ""), ("category", "@food", "")} <= cells.keys()
    copy = {(row["table"], row["writer"]) for row in sheet(get(lead, "conflicts_file", copy="spreadsheet"))}
    assert ("writer", "'=1+1") in copy
    figures = sheet(get(lead, "agreement_file"))
    assert {row["over"] for row in figures} == {"all", "all, writer included", "category", "person"}
    assert all(row["value"] or row["undefined because"] for row in figures)


def test_no_file_has_a_region_beside_a_person(project: Project, lead: Annotator) -> None:
    store_answers(project, SMALL)
    Annotator.objects.filter(project=project, pseudonym="W1").update(region="Java")
    for name in ("conflicts_file", "agreement_file"):
        for query in ({}, {"region": "Java"}, {"writer_region": "Java"}):
            for line in get(lead, name, **query).content.decode("utf-8-sig").splitlines():
                assert not ("Java" in line and "W1" in line)
                assert not (query and any(who in line for who in ("W1", "W2", "W3")))


# --- what it costs ------------------------------------------------------------------------


def cost(browser: Client, name: str, **query: str) -> int:
    with CaptureQueriesContext(connection) as caught:
        assert browser.get(reverse(name, args=["own"]), query).status_code == 200
    return len(caught)


def test_the_number_of_statements_is_fixed(project: Project, lead: Annotator) -> None:
    rows = [Row(f"W{n % 3}", "A", {"W8": "AB"[n % 2], "W9": "A"}, f"c{n % 4}") for n in range(1000)]
    pages = [
        ("conflicts", {}),
        ("conflict_items", {}),
        ("conflict_items", {"all": "1"}),
        ("conflicts_file", {}),
    ]
    store_answers(project, rows[:10])
    Annotator.objects.filter(project=project, pseudonym="W8").update(region="Java")
    browser = browser_of(lead.user)
    few = [cost(browser, name, **query) for name, query in pages]
    store_answers(project, rows[10:])
    assert [cost(browser, name, **query) for name, query in pages] == few
    # Session, user, place, people; cells, tallies by category and by region, regions as they are spelt, pairs; three
    # for the choices.
    assert few[0] == 12


# --- the published file -------------------------------------------------------------------


@needs_data
def test_the_published_figures_through_the_import(
    project: Project, lead: Annotator, tmp_path: Path, settings: Any
) -> None:
    settings.MUFAKAT_DATA_DIR, settings.REDIS_URL = tmp_path, ""
    names = [f"W{n}" for n in range(1, 7)]
    code, taken = import_items("own", DATA / "idcsqa/human_gen_ind.json")
    assert (code, taken["accepted"]) == (0, 1498)
    report = get(lead, "conflicts").context["report"]
    assert report.found.total == Cell(7490, 243)
    assert [report.found.answerers[name].conflicts for name in names] == [8, 24, 13, 33, 21, 144]
    assert [report.found.writers[name].conflicts for name in names] == [81, 49, 53, 27, 23, 10]
    assert [round(figure.value, 6) for figure in report.overall[1:]] == [
        0.929515,
        0.929506,
        0.929550,
        0.938878,
        0.938871,
    ]
    assert report.mean_kappa.pairs == 15
    assert [part.name for part in report.categories] == [
        "activity",
        "culinary",
        "culture",
        "history",
        "place",
    ]
    assert sum(part.agreement.alpha.items for part in report.categories) == 1498


@pytest.mark.parametrize(
    ("name", "by"),
    [
        ("region", ConflictFilters(region="Atlantis")),
        ("writer_region", ConflictFilters(writer_region="Atlantis")),
    ],
)
def test_a_region_that_nobody_gave_leaves_nothing_and_breaks_nothing(
    lead: Annotator, project: Project, name: str, by: ConflictFilters
) -> None:
    store_answers(project, SMALL)
    for page in ("conflicts", "conflict_items", "conflicts_file", "agreement_file"):
        get(lead, page, **{name: "Atlantis"})
    assert table(project, by).total == Cell()
