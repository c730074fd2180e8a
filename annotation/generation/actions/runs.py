"""Runs of machine-written questions: begun with all that decides them pinned; gone on with, paused, resumed, ended."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, islice
from typing import Any

from django.db import transaction
from django.db.models import Exists, Max, OuterRef, QuerySet

from annotation.core.errors import Conflict, Invalid
from annotation.core.models.member import Event
from annotation.core.models.project import Project
from annotation.core.models.user import User
from annotation.generation.actions.batches import (
    OVER,
    STEP_DONE,
    State,
    chain_on,
    jobs_cancel,
    run_locked,
)
from annotation.generation.actions.plans import plan_make
from annotation.generation.models import (
    Candidate,
    Endpoint,
    GenerationBatch,
    GenerationRun,
    Material,
)
from annotation.generation.rules import recipes
from annotation.generation.rules.plans import Plan
from annotation.generation.rules.recipes import Recipe
from annotation.jobs.bulk import bulk_insert
from annotation.jobs.database import locked, now
from annotation.jobs.models import Job
from annotation.text.normalise import storable

LONGEST_NAME = 120
MOST_CANDIDATES = 200_000
# What a batch of these may not mix: one call asks for several concepts of one category (id-csqa §4.3).
ONE_GROUP = ("concept",)


def run_create(
    *,
    project: Project,
    by: User | None,
    name: str,
    recipe: str = "",
    endpoints: Mapping[str, Endpoint] | None = None,
    parameters: Mapping[str, Mapping[str, Any]] | None = None,
    materials: Sequence[int] | None = None,
    count: int | None = None,
    fresh: bool = False,
    seed: str = "",
    stepwise: bool = False,
    makes_items: bool = True,
    also: Mapping[str, Any] | None = None,
) -> GenerationRun:
    """Begin a run with everything that decides it pinned: endpoints and parameters by step, instructions, settings.

    `recipe`: the project's own unless said. `materials` are the ids to start from, else the first `count` in their
    order (all without one); `fresh` leaves out those that another run makes items from. A run `stepwise` stops after
    each step. Raises Invalid or Conflict, naming the field.
    """
    with transaction.atomic():
        fresh_project = locked(Project.objects.filter(pk=project.pk)).get()
        said = _name(fresh_project, name)
        chosen = _recipe(fresh_project, recipe)
        plan = plan_make(
            fresh_project, chosen, endpoints=endpoints or {}, changes=parameters or {}, also=also or {}
        )
        rows = _materials(fresh_project, chosen, materials, count, fresh)
        run = GenerationRun.objects.create(
            project=fresh_project,
            n=(fresh_project.generation_runs.aggregate(n=Max("n"))["n"] or 0) + 1,
            name=said,
            recipe=chosen.slug,
            plan=plan.to_json(),
            seed=seed or fresh_project.seed,
            stepwise=stepwise,
            until=plan.after("") if stepwise else "",
            makes_items=makes_items,
            by=by,
        )
        _begin(run, chosen, plan, rows)
    return run


def _begin(run: GenerationRun, recipe: Recipe, plan: Plan, rows: Sequence[Material]) -> None:
    """Put the materials into batches, tell that the run was made, and set its first step going."""
    made = _candidates(run, recipe, plan, rows)
    data = {"n": run.n, "name": run.name, "candidates": made}
    Event.objects.create(project=run.project, actor=run.by, verb="run_created", data=data)
    chain_on(run)


def _name(project: Project, name: str) -> str:
    said = name.strip()
    if not said or len(said) > LONGEST_NAME or storable(said):
        raise Invalid(field="name", code="run_name_missing")
    if project.closed_at is not None:
        raise Conflict(code="run_project_closed")
    if project.generation_runs.filter(name=said).exists():
        raise Conflict(field="name", code="run_name_taken")
    return said


def _recipe(project: Project, slug: str) -> Recipe:
    try:
        if "recipe" in project.kind_spec.settings:
            return recipes.get(slug or project.rules.recipe)
    except KeyError as error:
        raise Invalid(field="recipe", code="run_recipe_unknown") from error
    raise Invalid(field="recipe", code="run_recipe_unknown")


def _materials(
    project: Project, recipe: Recipe, ids: Sequence[int] | None, count: int | None, fresh: bool
) -> list[Material]:
    rows: QuerySet[Material] = project.materials.filter(sort=recipe.sort).order_by("position", "pk")
    if ids is not None:
        rows = rows.filter(pk__in=ids)
    if fresh:
        theirs = Candidate.objects.filter(material=OuterRef("pk"), run__makes_items=True)
        rows = rows.filter(~Exists(theirs.exclude(run__state=State.CANCELLED, item=None)))
    found = list(rows if count is None else rows[: max(count, 0)])
    if not found:
        raise Invalid(field="materials", code="run_nothing")
    return found


def _candidates(run: GenerationRun, recipe: Recipe, plan: Plan, rows: Sequence[Material]) -> int:
    """Store the run's questions in the making in batches, each with the step that it does first; how many."""
    frame = plan.frame(run.seed)
    groups = list(_batches(recipe, rows, frame.settings.batch_size))
    batches = GenerationBatch.objects.bulk_create(
        [GenerationBatch(run=run, n=n, step=plan.after("")) for n in range(1, len(groups) + 1)],
        batch_size=2000,
    )

    def begun() -> Iterator[tuple[Any, ...]]:
        for batch, group in zip(batches, groups, strict=True):
            for row in group:
                for work in recipe.begin(frame, row.key, row.group, row.data):
                    yield run.project_id, run.pk, batch.pk, row.pk, work.key, dict(work.content)

    columns = ("project_id", "run_id", "batch_id", "material_id", "key", "content")
    made = bulk_insert(Candidate, columns, islice(begun(), MOST_CANDIDATES + 1))
    if not made:
        raise Invalid(field="materials", code="run_nothing")
    if made > MOST_CANDIDATES:
        raise Invalid(field="materials", code="run_too_much")
    return made


def _batches(recipe: Recipe, rows: Sequence[Material], size: int) -> Iterator[Sequence[Material]]:
    """The materials in batches, in their order; where one call asks for several, each batch is of one group."""
    size = max(size, 1)
    parts = [list(rows)]
    if recipe.sort in ONE_GROUP:
        # Sorting keeps the drawn order within a group.
        by_group = sorted(rows, key=lambda row: row.group)
        parts = [list(part) for _, part in groupby(by_group, key=lambda row: row.group)]
    for part in parts:
        for start in range(0, len(part), size):
            yield part[start : start + size]


# --- while it runs ----------------------------------------------------------------------


def run_go_on(*, run: GenerationRun, by: User | None, step: str) -> GenerationRun:
    """Let a run step by step do its next step, which the sender names: sent twice it goes on once."""
    with transaction.atomic():
        fresh = run_locked(run.pk)
        _refuse_over(fresh)
        if fresh.until == step:
            return fresh
        waits = fresh.state == State.PAUSED and fresh.reason == STEP_DONE
        if not waits or step != Plan.from_json(fresh.plan).after(fresh.until):
            raise Conflict(code="run_stale")
        fresh.until = step
        _runs_again(fresh)
        data = {"n": fresh.n, "step": step}
        Event.objects.create(project=fresh.project, actor=by, verb="run_went_on", data=data)
    return fresh


def run_pause(*, run: GenerationRun, by: User | None) -> GenerationRun:
    """Have a run stop before its next call; what was answered so far is kept."""
    with transaction.atomic():
        fresh = run_locked(run.pk)
        _refuse_over(fresh)
        if fresh.state == State.RUNNING:
            _stop(fresh, State.PAUSED)
            Event.objects.create(project=fresh.project, actor=by, verb="run_paused", data={"n": fresh.n})
    return fresh


def run_resume(*, run: GenerationRun, by: User | None) -> GenerationRun:
    """Go on with a paused run where it stopped; batches that failed are tried again."""
    with transaction.atomic():
        fresh = run_locked(run.pk)
        _refuse_over(fresh)
        if fresh.state == State.RUNNING:
            return fresh
        if fresh.reason == STEP_DONE:
            raise Conflict(code=STEP_DONE)
        if fresh.project.closed_at is not None:
            raise Conflict(code="run_project_closed")
        fresh.batches.filter(done=False, job__state=Job.State.FAILED).update(job=None)
        _runs_again(fresh)
        Event.objects.create(project=fresh.project, actor=by, verb="run_resumed", data={"n": fresh.n})
    return fresh


def run_cancel(*, run: GenerationRun, by: User | None) -> GenerationRun:
    """End a run before its next call; what it made so far stays, what was in the making is not carried on."""
    with transaction.atomic():
        fresh = run_locked(run.pk)
        if fresh.state == State.CANCELLED:
            return fresh
        _refuse_over(fresh)
        _stop(fresh, State.CANCELLED)
        Event.objects.create(project=fresh.project, actor=by, verb="run_cancelled", data={"n": fresh.n})
    return fresh


def _refuse_over(run: GenerationRun) -> None:
    if run.state in OVER:
        raise Conflict(code="run_over")


def _stop(run: GenerationRun, state: State) -> None:
    jobs_cancel(run)
    run.state, run.reason = state, ""
    run.ended_at = now() if state in OVER else None
    run.save(update_fields=["state", "reason", "ended_at"])


def _runs_again(run: GenerationRun) -> None:
    run.state, run.reason = State.RUNNING, ""
    run.save(update_fields=["state", "reason", "until"])
    chain_on(run)
