"""Machine-written questions, long work and personal answers: runs step by step, jobs that end, imports that add up."""

from collections.abc import Iterator
from typing import Any

from django.db import transaction
from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet
from django.db.models.functions import Now

from annotation.content.models.item import Item
from annotation.core.database import seconds_from_now
from annotation.core.models.project import Project
from annotation.datasheet.actions import forget_demographics
from annotation.datasheet.models import Consent, Demographics
from annotation.generation.actions.batches import State, queue_next_batches, run_locked
from annotation.generation.models import Candidate, GenerationBatch, GenerationRun, StepResult
from annotation.generation.rules.plans import Plan
from annotation.jobs.models import Import, Job
from annotation.jobs.queue import MOST_ATTEMPTS, UNFINISHED
from validation.integrity.base import Breach
from validation.integrity.items import import_recount, job_release

_DROPPED = StepResult.Outcome.DROPPED


def check_runs(project: Project | None, repair: bool) -> Iterator[Breach]:
    """Compare every run's questions with their steps, batches and items; go on with what nobody goes on with."""
    runs = GenerationRun.objects.select_related("project").order_by("pk")
    if project is not None:
        runs = runs.filter(project=project)
    for run in list(runs):
        rows = Candidate.objects.filter(run=run)
        for what, wrong, expected in (*_state_queries(run), *_item_queries(run)):
            yield from _breaches(run, what, rows.filter(wrong), expected)
        yield from _check_steps(run, rows)
        yield from _check_job(run, repair)


def _breaches(run: GenerationRun, what: str, rows: QuerySet[Candidate], expected: str) -> Iterator[Breach]:
    for key, state in rows.order_by("pk").values_list("key", "state").iterator():
        yield Breach("G1", run.project.slug, f"run {run.n}, {key}", what, state, expected)


def _state_queries(run: GenerationRun) -> tuple[tuple[str, Any, str], ...]:
    """Where questions stand, beside where their batches do and what their steps say."""
    own = StepResult.objects.filter(candidate=OuterRef("pk"))
    same = own.filter(outcome=_DROPPED, step=OuterRef("step"), reason=OuterRef("reason"))
    other = own.filter(outcome=_DROPPED).exclude(step=OuterRef("step"))
    return (
        ("in the making behind the last step", Q(state="making", batch__done=True), "kept or dropped"),
        ("kept before the last step", Q(state="kept", batch__done=False), "in the making"),
        (
            "dropped by no step",
            Q(Q(state="dropped"), ~Exists(same)),
            "a step that dropped it for this reason",
        ),
        (
            "dropped by a step, and carried on",
            Q(Exists(own.filter(outcome=_DROPPED)), ~Q(state="dropped")),
            "dropped",
        ),
        ("dropped twice", Q(Exists(other), state="dropped"), "dropped once"),
        ("of another project than its run", ~Q(project=run.project_id), "its run's project"),
    )


def _item_queries(run: GenerationRun) -> tuple[tuple[str, Any, str], ...]:
    """Every kept question of a run that makes items is one, and no other."""
    unlike = ~Q(item__key=F("key")) | ~Q(item__origin=Item.Origin.MACHINE) | ~Q(item__project=F("project"))
    wanted = Q(state="kept", item=None) if run.makes_items else Q(item__isnull=False)
    return (
        ("item", wanted, "an item" if run.makes_items else "no item"),
        ("item of a question that is not kept", Q(item__isnull=False) & ~Q(state="kept"), "no item"),
        ("item of another key, origin or project", Q(item__isnull=False) & unlike, "the question's own"),
    )


def _check_steps(run: GenerationRun, rows: QuerySet[Candidate]) -> Iterator[Breach]:
    """A question has a result for each step that it came to: those of its batch, or up to the one that dropped it."""
    slugs = [step.slug for step in Plan.from_json(run.plan).steps]
    counted = rows.annotate(n=Count("results", filter=Q(results__step__in=slugs)))
    facts = counted.values_list("key", "state", "step", "batch__step", "batch__done", "n")
    for key, state, step, batch_step, done, n in facts.order_by("pk").iterator():
        if state == Candidate.State.DROPPED:
            expected = slugs.index(step) + 1 if step in slugs else len(slugs)
        else:
            expected = len(slugs) if done else slugs.index(batch_step)
        if n != expected:
            subject = f"run {run.n}, {key}"
            yield Breach("G1", run.project.slug, subject, "results of steps", str(n), str(expected))


def _check_job(run: GenerationRun, repair: bool) -> Iterator[Breach]:
    """A run that is to be going on has a job that does so; one that is done has no batch left."""
    left = GenerationBatch.objects.filter(run=run, done=False)
    subject, slug = f"run {run.n}", run.project.slug
    if run.state == State.DONE and left.exists():
        yield Breach("G1", slug, subject, "batches left", str(left.count()), "0")
    if run.state == State.RUNNING and not _has_live_job(run):
        with transaction.atomic():
            fresh = run_locked(run.pk)
            broken = fresh.state == State.RUNNING and not _has_live_job(fresh)
            if broken and repair:
                queue_next_batches(fresh)
        if broken:
            yield Breach("G1", slug, subject, "jobs that go on with it", "0", "at least 1", repair)


def _has_live_job(run: GenerationRun) -> bool:
    return GenerationBatch.objects.filter(run=run, job__state__in=UNFINISHED).exists()


# A lease renews itself every minute; the sweep takes up what lost it within a quarter of one.
ABANDONED_SECONDS = 900


def _of_project(rows: QuerySet[Job], project: Project | None) -> QuerySet[Job]:
    return rows.filter(project=project) if project is not None else rows


def check_jobs(project: Project | None, repair: bool) -> Iterator[Breach]:
    """A job is waiting, held by a lease that can run out, or over; one that nobody will take up is broken."""
    running, over = Job.State.RUNNING, ~Q(state__in=UNFINISHED)
    faults: tuple[tuple[str, Q, str], ...] = (
        ("running without a lease", Q(state=running) & (Q(lease="") | Q(lease_until=None)), "a lease"),
        (
            "lease over long ago",
            Q(state=running, lease_until__lt=seconds_from_now(-ABANDONED_SECONDS)),
            "taken up again",
        ),
        ("over without an end", over & Q(finished_at=None), "the time of its end"),
        ("over and still held", over & ~Q(lease=""), "no lease"),
        (
            "tried too often",
            Q(state=Job.State.QUEUED, fruitless__gt=MOST_ATTEMPTS),
            f"at most {MOST_ATTEMPTS}",
        ),
        ("waiting, but over before", Q(state__in=UNFINISHED, finished_at__lt=Now()), "no end"),
    )
    for what, wrong, expected in faults:
        for job in _of_project(Job.objects.select_related("project").filter(wrong), project).order_by("pk").iterator():
            yield Breach(
                invariant="I6",
                project=job.project.slug if job.project else "",
                subject=f"job {job.pk} ({job.kind})",
                what=what,
                found=str(job.state),
                expected=expected,
                repaired=repair and job_release(job_id=job.pk),
            )


def check_imports(project: Project | None, repair: bool) -> Iterator[Breach]:
    """An import counts what its job counted, and its report has a line for every refused row."""
    taken = Import.objects.select_related("project", "job").annotate(refused_rows=Count("rows"))
    if project is not None:
        taken = taken.filter(project=project)
    for one in taken.filter(job__state=Job.State.DONE).order_by("pk").iterator():
        counts = {"accepted": one.accepted, "unchanged": one.unchanged, "refused": one.refused}
        result = one.job.result if one.job else {}
        reported = {name: int(result.get(name, count)) for name, count in counts.items()}
        subject = f"import {one.pk} ({one.name})"
        if counts != reported:
            repaired = repair and import_recount(import_id=one.pk, counts=reported)
            slug = one.project.slug
            yield Breach("I9", slug, subject, "rows counted", _words(counts), _words(reported), repaired)
        if reported["refused"] != one.refused_rows:
            found, expected = str(one.refused_rows), str(reported["refused"])
            yield Breach("I9", one.project.slug, subject, "lines of the report", found, expected)


def _words(counts: dict[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in counts.items())


def check_consents(project: Project | None, repair: bool) -> Iterator[Breach]:
    """Answers without an agreement that its giver has not ended; repaired by deleting them."""
    agreed = Consent.objects.filter(annotator=OuterRef("annotator"), ended_at=None)
    left = Demographics.objects.filter(~Exists(agreed) | Q(annotator__user__deleted_at__isnull=False))
    if project is not None:
        left = left.filter(annotator__project=project)
    for consent in left.select_related("annotator__project").order_by("pk").iterator(chunk_size=100):
        place = consent.annotator
        if repair:
            with transaction.atomic():
                forget_demographics([place])
        yield Breach("C1", place.project.slug, place.pseudonym, "personal answers", "kept", "deleted", repair)
