"""The job that computes insights: what it stores as of when, what fails alone, to whom it gives way; and the nights."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest
from django.utils import timezone

from annotation.content.models.item import Item
from annotation.core.models.project import Project
from annotation.jobs import queue as jobs
from annotation.jobs.models import Job
from tests import questions
from tests.answers import Row, store_answers
from validation.insights import jobs as working
from validation.insights import reports as insights
from validation.insights.actions import PROJECTS_AT_ONCE, insights_ask, insights_nightly
from validation.insights.models import Insight as Stored
from validation.insights.reports import agreement, quality
from validation.insights.reports.base import Insight, TableRows
from validation.insights.reports.reading import Reading, project_state
from validation.insights.reports.vote_columns import CodedVotes, code_votes

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return made("own")


def made(slug: str) -> Project:
    project = questions.a_question_project(slug)
    store_answers(project, [Row("W1", "ABCDE"[n % 5], {"W2": "A", "W3": "ABCDE"[n % 5]}, "food") for n in range(6)])
    return project


def run(project: Project, **asked: object) -> Job:
    return jobs.run_here(insights_ask(project=project, by=None, **asked))  # type: ignore[arg-type]


def wrapped(monkeypatch: pytest.MonkeyPatch, slug: str, compute: Callable[[Reading], TableRows]) -> None:
    """One insight computes by this instead."""
    every = [replace(each, compute=compute) if each.slug == slug else each for each in insights.all_insights()]
    monkeypatch.setattr(insights, "applicable_to", lambda project: [each for each in every if each.applies_to(project)])


def test_what_changes_meanwhile_makes_all_of_them_out_of_date(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They share what was read: a later one is of the same moment as the first."""

    def meddling(reading: Reading) -> TableRows:
        found = insights.get("balance").compute(reading)
        Item.objects.filter(project=project, pk=Item.objects.filter(project=project)[0].pk).update(version=99)
        return found

    wrapped(monkeypatch, "balance", meddling)
    before = project_state(project)[0]
    assert run(project).state == Job.State.DONE
    now = project_state(project)[0]
    assert now != before
    states = set(Stored.objects.filter(project=project).values_list("state", flat=True))
    assert states == {before}
    assert len(run(project).result["computed"]) == Stored.objects.filter(project=project).count()


def broken(reading: Reading) -> TableRows:
    raise ValueError("no such thing")


def test_one_that_fails_keeps_none_of_the_others_away(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    wrapped(monkeypatch, "rounds", broken)
    job = run(project)
    assert (job.state, job.error) == (
        Job.State.FAILED,
        "Could not be computed: rounds. The others were.",
    )
    stored = set(Stored.objects.filter(project=project).values_list("slug", flat=True))
    wanted = {each.slug for each in insights.applicable_to(project) if not each.nightly}
    assert stored == wanted - {"rounds"}


def test_an_attempt_that_comes_no_farther_is_fruitless(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """Though what comes first is out of date each time, since people go on voting."""

    def dies(*_: object) -> bool:
        raise RuntimeError("killed")

    whole = working._compute_one
    calls: list[str] = []

    def some(handle: jobs.Handle, reading: Reading, insight: Insight, state: tuple[str, int, int]) -> bool:
        calls.append(insight.slug)
        if len(set(calls)) > 2:
            dies()
        Item.objects.filter(project=project).update(version=len(calls) + 1)
        return whole(handle, reading, insight, state)

    monkeypatch.setattr(working, "_compute_one", some)
    job = insights_ask(project=project, by=None)
    for _ in range(10):
        Job.objects.update(not_before=None)
        job = jobs.run_here(job)
    assert job.state == Job.State.FAILED
    assert job.attempts <= 5


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "TURN_SECONDS", -1.0)


def test_it_gives_way_to_other_work_and_goes_on_later(project: Project, impatient: None) -> None:
    other = Job.objects.create(kind="release", project=project)
    job = run(project)
    assert job.state == Job.State.QUEUED
    assert Stored.objects.filter(project=project).count() == 1
    job = jobs.run_here(job)
    assert Stored.objects.filter(project=project).count() == 2
    # What is computed at night only is not of this job.
    assert (job.done, job.total) == (2, sum(not each.nightly for each in insights.applicable_to(project)))
    Job.objects.filter(pk=other.pk).update(state=Job.State.DONE)
    assert jobs.run_here(job).state == Job.State.DONE


def test_what_reads_of_another_is_computed_behind_it(project: Project) -> None:
    run(project, nightly=True)
    job = run(project, only="classifier")
    assert job.result["computed"] == ["classifier", "writers"]
    Stored.objects.filter(project=project, slug="classifier").update(state="old")
    assert run(project, nightly=True).result["computed"] == ["classifier", "writers"]


def test_votes_are_coded_once_for_all_that_count_them(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    readings = []

    def counting(reading: Reading) -> CodedVotes:
        readings.append(reading)
        return code_votes(reading)

    for each in (agreement, quality):
        monkeypatch.setattr(each, "code_votes", counting)
    assert {"agreement", "annotators"} <= set(run(project).result["computed"])
    assert len(readings) == 1
    # Another run reads what stands then.
    run(project, only="agreement")
    assert len(set(readings)) == 2


def test_a_region_is_part_of_the_state(project: Project) -> None:
    before = project_state(project)[0]
    project.annotators.filter(pseudonym="W2").update(region="Jawa")
    assert project_state(project)[0] != before


def test_at_night_quiet_projects_keep_nobody_from_their_turn() -> None:
    quiet = [made(f"quiet{n}") for n in range(PROJECTS_AT_ONCE + 1)]
    for each in quiet:
        run(each, nightly=True)
    Job.objects.update(at=timezone.now() - timedelta(days=2))
    late = made("late")
    assert insights_nightly() == 1
    assert Job.objects.get(state=Job.State.QUEUED).project == late


def test_asking_for_one_is_no_night(project: Project) -> None:
    run(project, only="balance", nightly=True)
    assert insights_nightly() == 1
    assert insights_nightly() == 0


def test_so_many_at_a_time() -> None:
    for n in range(PROJECTS_AT_ONCE + 1):
        made(f"p{n}")
    assert insights_nightly() == PROJECTS_AT_ONCE
    assert insights_nightly() == 1
