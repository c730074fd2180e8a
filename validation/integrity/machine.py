"""Runs of machine-written questions: every question accounted for, step by step, and every run going on or at rest."""

from collections.abc import Iterator
from typing import Any

from django.db import transaction
from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet

from annotation.content.models.item import Item
from annotation.core.models.project import Project
from annotation.generation.actions.batches import State, chain_on, run_locked
from annotation.generation.models import Candidate, GenerationBatch, GenerationRun, StepResult
from annotation.generation.rules.plans import Plan
from annotation.jobs.queue import UNFINISHED
from validation.integrity.base import Breach

INVARIANT = "G1"
_DROPPED = StepResult.Outcome.DROPPED


def check_runs(project: Project | None, repair: bool) -> Iterator[Breach]:
    """Compare every run's questions with their steps, batches and items; go on with what nobody goes on with."""
    runs = GenerationRun.objects.select_related("project").order_by("pk")
    if project is not None:
        runs = runs.filter(project=project)
    for run in list(runs):
        rows = Candidate.objects.filter(run=run)
        for what, wrong, expected in (*_states(run), *_items(run)):
            yield from _told(run, what, rows.filter(wrong), expected)
        yield from _steps(run, rows)
        yield from _chain(run, repair)


def _told(run: GenerationRun, what: str, rows: QuerySet[Candidate], expected: str) -> Iterator[Breach]:
    for key, state in rows.order_by("pk").values_list("key", "state").iterator():
        yield Breach(INVARIANT, run.project.slug, f"run {run.n}, {key}", what, state, expected)


def _states(run: GenerationRun) -> tuple[tuple[str, Any, str], ...]:
    """Where questions stand, beside where their batches do and what their steps say."""
    own = StepResult.objects.filter(candidate=OuterRef("pk"))
    said = own.filter(outcome=_DROPPED, step=OuterRef("step"), reason=OuterRef("reason"))
    other = own.filter(outcome=_DROPPED).exclude(step=OuterRef("step"))
    return (
        ("in the making behind the last step", Q(state="making", batch__done=True), "kept or dropped"),
        ("kept before the last step", Q(state="kept", batch__done=False), "in the making"),
        (
            "dropped by no step",
            Q(Q(state="dropped"), ~Exists(said)),
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


def _items(run: GenerationRun) -> tuple[tuple[str, Any, str], ...]:
    """Every kept question of a run that makes items is one, and no other."""
    unlike = ~Q(item__key=F("key")) | ~Q(item__origin=Item.Origin.MACHINE) | ~Q(item__project=F("project"))
    wanted = Q(state="kept", item=None) if run.makes_items else Q(item__isnull=False)
    return (
        ("item", wanted, "an item" if run.makes_items else "no item"),
        ("item of a question that is not kept", Q(item__isnull=False) & ~Q(state="kept"), "no item"),
        ("item of another key, origin or project", Q(item__isnull=False) & unlike, "the question's own"),
    )


def _steps(run: GenerationRun, rows: QuerySet[Candidate]) -> Iterator[Breach]:
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
            yield Breach(INVARIANT, run.project.slug, subject, "results of steps", str(n), str(expected))


def _chain(run: GenerationRun, repair: bool) -> Iterator[Breach]:
    """A run that is to be going on has a job that does so; one that is done has no batch left."""
    left = GenerationBatch.objects.filter(run=run, done=False)
    subject, slug = f"run {run.n}", run.project.slug
    if run.state == State.DONE and left.exists():
        yield Breach(INVARIANT, slug, subject, "batches left", str(left.count()), "0")
    if run.state == State.RUNNING and not _held(run):
        with transaction.atomic():
            fresh = run_locked(run.pk)
            broken = fresh.state == State.RUNNING and not _held(fresh)
            if broken and repair:
                chain_on(fresh)
        if broken:
            yield Breach(INVARIANT, slug, subject, "jobs that go on with it", "0", "at least 1", repair)


def _held(run: GenerationRun) -> bool:
    return GenerationBatch.objects.filter(run=run, job__state__in=UNFINISHED).exists()
