"""The tables of what was wrong with machines' work: sources, languages, projects, shares, the items behind a number."""

import csv
import io
import re
from html import unescape
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.content.models.item import Item, Revision
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from tests.factory import member, user
from tests.machine import a_run
from tests.pay import browser_of
from tests.unchecked_questions import MODEL, a_checked_project, a_machine_item, assess, check
from validation.review.queries import assessments as assessed
from validation.review.rules.assessments import TableSource

pytestmark = pytest.mark.django_db


def page(client: Client, project: Project, **query: str) -> str:
    answer = client.get(reverse("machine_errors", args=[project.slug]), query)
    assert answer.status_code == 200
    return answer.content.decode()


def behind(client: Client, text: str) -> dict[str, int]:
    """Each address of a number in the tables, with how many items its list has."""
    links = {unescape(link) for link in re.findall(r'href="([^"]*verdict=[^"]*)"', text)}
    found = {}
    for link in links:
        listed = client.get(link)
        assert listed.status_code == 200
        found[link] = listed.context["page"].paginator.count
    return found


def found(projects: list[Project], by: str) -> dict[tuple[str, str, str], int]:
    return {(each.source.wrote, each.part, each.error): each.n for each in assessed.verdict_counts(projects, by)}


@pytest.fixture
def at() -> tuple[Project, Annotator]:
    project = a_checked_project()
    lead = member(project, "lead")
    for n in range(5):
        assess(lead, a_machine_item(project), check(question="typo" if n < 2 else "none"))
    return project, lead


def test_numbers_shares_and_the_items_behind_them(at: tuple[Project, Annotator]) -> None:
    project, lead = at
    again = project.items.order_by("pk")[0]
    # A later verdict takes the place of the earlier one.
    assess(lead, again, check(question="fluency", options="context"))
    client = browser_of(lead)
    text = page(client, project)
    assert [share in text for share in ("20.00\u00a0%", "60.00\u00a0%", "80.00\u00a0%", "40.00\u00a0%")] == [True] * 4
    assert "Concept</h2>" not in text
    counts = behind(client, text)
    base = f"/p/{project.slug}/items/?verdict="
    wrote = "&wrote=recipe%3Allm-gen"
    assert counts == {
        f"{base}question-none{wrote}": 3,
        f"{base}question-typo{wrote}": 1,
        f"{base}question-fluency{wrote}": 1,
        f"{base}options-none{wrote}": 4,
        f"{base}options-context{wrote}": 1,
    }


def test_by_model_and_run(at: tuple[Project, Annotator]) -> None:
    project, lead = at
    assess(lead, a_machine_item(project, model="other model"), check(options="invalid-options"))
    run = a_run(project, 2, name="The second try")
    made = Item.objects.filter(candidate__run=run)
    assert made.exists()
    for item in made:
        assess(lead, item, check(question="context"))
    n = made.count()
    by_model, by_run = found([project], "model"), found([project], "run")
    assert by_model["model:other model", "options", "invalid-options"] == 1
    assert by_model["model:model-of-tests", "question", "context"] == n
    assert by_model[f"model:{MODEL}", "question", "typo"] == 2
    assert by_run[f"run:{run.n}", "question", "context"] == n
    client = browser_of(lead)
    assert "The second try" in page(client, project, by="run")
    for by, wrote, expected in (
        ("model", "model:other model", 1),
        ("model", "model:model-of-tests", n),
        ("model", f"model:{MODEL}", 5),
        ("run", f"run:{run.n}", n),
    ):
        listed = client.get(reverse("items", args=[project.slug]), {"wrote": wrote})
        assert (by, listed.context["page"].paginator.count) == (by, expected)
    for by in ("model", "run", "recipe"):
        counts = behind(client, page(client, project, by=by))
        numbers = [n for (_, part, _), n in found([project], by).items() if part == "question"]
        assert sorted(n for link, n in counts.items() if "verdict=question" in link) == sorted(numbers)


def test_over_every_project_that_one_leads(at: tuple[Project, Annotator]) -> None:
    project, lead = at
    adapted, foreign = a_checked_project(recipe="llm-adapt", language="su"), a_checked_project()
    assert lead.user is not None
    again = member(adapted, "lead", account=lead.user)
    assess(again, a_machine_item(adapted), check(concept="translation"))
    assess(member(foreign, "lead"), a_machine_item(foreign), check(question="subjectivity"))
    client = browser_of(lead)
    alone, over = page(client, project), page(client, project, over="mine")
    assert ["Concept</h2>" in text for text in (alone, over)] == [False, True]
    assert adapted.name not in alone
    assert adapted.name in over
    assert foreign.slug not in over
    assert "100.00\u00a0% of the errors" in over
    assert f"/p/{adapted.slug}/items/?verdict=concept-translation" in over
    sources = {each.source for each in assessed.verdict_counts([project, adapted], "recipe")}
    assert sources == {
        TableSource(project.slug, "recipe:llm-gen", "id"),
        TableSource(adapted.slug, "recipe:llm-adapt", "su"),
    }
    # A writer of another project reads nothing of it there.
    everything = page(browser_of(user(administrator=True)), project, over="mine")
    assert foreign.slug in everything


def test_the_counts_as_csv(at: tuple[Project, Annotator]) -> None:
    project, lead = at
    answer = browser_of(lead).get(reverse("machine_errors_file", args=[project.slug]))
    rows = list(csv.DictReader(io.StringIO(answer.content.decode().removeprefix("\ufeff"))))
    assert len(rows) == 8 + 7
    typo = next(row for row in rows if (row["part"], row["error"]) == ("question", "typo"))
    assert (typo["items"], typo["judged"], typo["percent"], typo["percent_of_errors"]) == (
        "2",
        "5",
        "40.00",
        "100.00",
    )
    assert (typo["project"], typo["language"]) == (project.slug, "id")


@pytest.mark.parametrize(
    ("name", "query"),
    [
        ("machine_errors", {"by": "colour"}),
        ("machine_errors", {"over": "all"}),
        ("items", {"verdict": "question-nothing"}),
        ("items", {"wrote": "run:x"}),
        ("items", {"wrote": "colour:red"}),
        ("items", {"wrote": "model:"}),
    ],
)
def test_what_cannot_be_asked_for(at: tuple[Project, Annotator], name: str, query: dict[str, str]) -> None:
    project, lead = at
    assert browser_of(lead).get(reverse(name, args=[project.slug]), query).status_code == 400


def test_nothing_checked_and_who_may_look(at: tuple[Project, Annotator]) -> None:
    empty = a_checked_project()
    assert "Nothing was checked yet" in page(browser_of(member(empty, "lead")), empty)
    for role in ("writer", "validator"):
        client = browser_of(member(at[0], role))
        for name in ("machine_errors", "machine_errors_file"):
            assert client.get(reverse(name, args=[at[0].slug])).status_code == 403


def test_ten_and_a_thousand_cost_the_same(at: tuple[Project, Annotator]) -> None:
    project, lead = at
    client, counts = browser_of(lead), []
    for more in (1, 40):
        for n in range(more):
            texts = {"question": f"Apa fungsi {more + n}?"}
            assess(lead, a_machine_item(project), check(texts=texts))
        with CaptureQueriesContext(connection) as made:
            page(client, project)
        counts.append(len(made))
    assert counts[0] == counts[1]


def test_what_was_mended(at: tuple[Project, Annotator]) -> None:
    project, lead = at
    item: Any = a_machine_item(project)
    assess(lead, item, check(texts={"question": "Apa fungsi utama tikar itu?"}, answer="C"))
    text = page(browser_of(lead), project)
    assert "6 machine-written items in this project; 5 stand as they were written." in text
    assert Revision.objects.filter(item=item).count() == 2
