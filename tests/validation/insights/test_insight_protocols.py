"""The cost of protocols over a project's own votes: what the job stores, of which items."""

from typing import Any

import pytest

from annotation.core.models.project import Project
from annotation.jobs import queue as jobs
from annotation.jobs.models import Job
from tests import review
from tests.prompts import a_prompt_project
from validation.insights import reports as insights
from validation.insights.actions import insights_ask
from validation.insights.models import Insight
from validation.insights.reports.protocols import cases_of
from validation.insights.reports.reading import Reading

pytestmark = pytest.mark.django_db


def computed(project: Project) -> dict[str, list[dict[str, Any]]]:
    job = jobs.run_here(insights_ask(project=project, by=None, only="protocols"))
    assert job.state == Job.State.DONE, job.error
    tables = Insight.objects.get(project=project, slug="protocols").tables
    return {key: table["rows"] for key, table in tables.items()}


def test_each_protocol_is_priced_on_the_votes_that_were_given():
    at = review.world(1)
    items = {item.slot: item for item in at.items}
    review.cast_votes(at, items["e1"], "ee")
    review.cast_votes(at, items["e2"], "nnn")
    review.cast_votes(at, items["n1"], "ecce")
    review.cast_votes(at, items["c1"], "e")  # still being asked
    found = computed(at.project)
    rows = {row["protocol"].partition(":")[0]: row for row in found["protocols"]}
    assert found["protocols"][0]["place"] == "This project's"
    own, five = rows["author + 2, +1, +1; three equal"], rows["fixed-5"]
    assert (own["told"], own["votes"], own["gold"], own["other"], own["lost"]) == (3, 2 + 3 + 4, 2, 0, 0)
    assert own["saved"] == pytest.approx(100 * (15 - 12) / 15)
    assert (five["votes"], five["saved"], five["gold"], five["unknown"]) == (12, 0, 2, 0)
    assert (rows["best-of-3"]["gold"], rows["best-of-3"]["lost"]) == (1, 1)
    assert "why" in rows["answers-5"] or rows["answers-5"]["told"] < 3
    curve = found["curve"]
    assert {row["items"] for row in curve} == {2}
    assert [row["each"] for row in curve] == sorted(row["each"] for row in curve)
    assert next(row for row in curve if row["way"] == "Until three agree")["same"] == 100.0


def test_votes_that_were_taken_back_or_of_another_epoch_are_of_no_case():
    at = review.world(1)
    item = review.cast_votes(at, next(item for item in at.items if item.slot == "e1"), "en")
    assert [case.votes for case in cases_of(Reading(at.project))] == [(("e", 0, False), ("n", 1, False))]
    item.epoch += 1
    item.save(update_fields=["epoch"])
    assert list(cases_of(Reading(at.project))) == []


def test_nothing_was_asked_yet():
    at = review.world(1)
    assert computed(at.project) == {"protocols": [], "curve": []}


def test_ratings_have_no_single_gold_to_compare():
    rated = a_prompt_project(protocol="rating-3")
    assert "protocols" not in {insight.slug for insight in insights.applicable_to(rated)}
