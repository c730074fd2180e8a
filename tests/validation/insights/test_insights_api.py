"""Insights over the API: what pages and their files have, for leads and administrators, computed on demand."""

import csv
import io
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.core.models.member import Annotator
from annotation.jobs import queue as jobs
from annotation.jobs.models import Job
from tests import factory, questions
from tests.answers import Row, browser_of, store_answers
from tests.api import assert_refused, script
from validation.insights import reports as insights
from validation.insights.models import Insight as Stored

pytestmark = pytest.mark.django_db
HERE = "projects/own/insights"


@pytest.fixture(autouse=True)
def _no_limits_of_others() -> None:
    cache.clear()


@pytest.fixture
def lead() -> Annotator:
    project = questions.a_question_project("own")
    store_answers(project, [Row("W1", "A", {"W2": "A", "W3": "B"}, "food"), Row("W1", "B", {"W2": "C"}, "place")])
    return factory.member(project, "lead")


def file_of(lead: Annotator, name: str, table: str) -> list[list[str]]:
    answer: Any = browser_of(lead.user).get(reverse("insight_file", args=["own", name, table]))
    return list(csv.reader(io.StringIO(answer.content.decode())))


def in_file(value: object) -> str:
    return "" if value is None else str(value)


def test_asked_for_it_is_computed_and_read_as_its_files_have_it(lead: Annotator) -> None:
    asking = script(lead.user)
    answer = asking.post(f"{HERE}:compute")
    assert (answer.status_code, answer.json()["state"]) == (202, "queued")
    assert asking.post(f"{HERE}:compute").json()["id"] == answer.json()["id"]
    assert jobs.run_here(Job.objects.get()).state == "done"
    listed, tables, rows = asking.pages(HERE, limit=2), 0, 0
    assert [row["name"] for row in listed] == [each.slug for each in insights.applicable_to(lead.project)]
    for row in listed:
        whole = asking.get(f"{HERE}/{row['name']}").json()
        assert {name: whole[name] for name in row} == row
        assert (row["at"] is None) == (row["items"] is None) == row["nightly"], row["name"]
        for table in whole["tables"]:
            heading, *lines = file_of(lead, row["name"], table["key"])
            keys = [column["key"] for column in table["columns"]]
            assert heading[: len(keys)] == keys
            read = [[in_file(line[key]) for key in keys] for line in table["rows"]]
            assert read == [line[: len(keys)] for line in lines], (row["name"], table["key"])
            whys = [line.get("why", "") for line in table["rows"]]
            assert whys == [line[len(keys)] if len(line) > len(keys) else "" for line in lines]
            tables, rows = tables + 1, rows + len(lines)
    assert tables > 10
    assert rows > 10


def test_nothing_computed_is_null_and_stays_so_until_its_name_is_given(lead: Annotator) -> None:
    asking = script(lead.user)
    nightly = next(each.slug for each in insights.applicable_to(lead.project) if each.nightly)
    row = asking.get(f"{HERE}/{nightly}").json()
    assert (row["at"], row["items"], row["votes"], row["seconds"], row["up_to_date"]) == (None,) * 4 + (False,)
    assert all(table["rows"] == [] for table in row["tables"])
    job = asking.post(f"{HERE}:compute", {"only": nightly}).json()
    assert Job.objects.get(pk=job["id"]).args["only"] == nightly
    assert jobs.run_here(Job.objects.get()).state == "done"
    names = {row["name"] for row in asking.pages(HERE) if row["at"]}
    assert names == {nightly, *(each.slug for each in insights.all_insights() if nightly in each.depends_on)}


def test_who_may_and_what_there_is_not(lead: Annotator) -> None:
    asking = script(lead.user)
    assert_refused(asking.get(f"{HERE}/nothing"), 404, "not_found")
    assert_refused(asking.post(f"{HERE}:compute", {"only": "nothing"}), 404, "not_found")
    assert_refused(script(lead.user, "read").post(f"{HERE}:compute"), 403, "scope_missing")
    assert not Job.objects.exists()
    validator = script(factory.member(lead.project, "validator").user)
    for path in (HERE, f"{HERE}/balance"):
        assert_refused(validator.get(path), 403, "forbidden")
    assert_refused(validator.post(f"{HERE}:compute"), 403, "forbidden")


def test_one_costs_the_same_whatever_is_kept_of_it(lead: Annotator) -> None:
    asking, costs = script(lead.user), []
    stored = Stored.objects.create(project=lead.project, slug="balance", tables={}, items=1, votes=1)
    for n in (1, 1000):
        kept = {"labels": {"rows": [{"label": "A", "n": 1}] * n, "of": n}}
        Stored.objects.filter(pk=stored.pk).update(tables=kept)
        asking.get(f"{HERE}/balance")
        with CaptureQueriesContext(connection) as asked:
            assert len(asking.get(f"{HERE}/balance").json()["tables"][0]["rows"]) == n
        costs.append(len(asked))
    assert costs[0] == costs[1]
