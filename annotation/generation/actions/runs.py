"""Runs of machine-written questions: started with all settings fixed; continued, paused, resumed, ended."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, islice
from typing import Any

from django.db import transaction
from django.db.models import Exists, Max, OuterRef, QuerySet

from annotation.core.errors import Conflict, Invalid, clean_typed
from annotation.core.models.member import Event
from annotation.core.models.project import Project
from annotation.core.models.user import User
from annotation.generation.actions.batches import (
    FINAL_STATES,
    STEP_DONE,
    State,
    cancel_batch_jobs,
    queue_next_batches,
    run_locked,
    state_save,
)
from annotation.generation.actions.instructions import current_instruction
from annotation.generation.llm import parameters as allowed
from annotation.generation.models import Candidate, Endpoint, GenerationBatch, GenerationRun, Material
from annotation.generation.rules import recipes
from annotation.generation.rules.plans import Plan, PlannedStep, steps_taken
from annotation.generation.rules.recipes.base import Recipe, Step
from annotation.jobs.bulk import bulk_insert
from annotation.jobs.models import Job
from annotation.text.language_codes import language_of

LONGEST_NAME = 120
MOST_CANDIDATES = 200_000
# What a batch of these may not mix: one call asks for several concepts of one category (id-csqa §4.3).
SORTS_OF_ONE_GROUP = ("concept",)


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
        here = Project.lock(project.pk, closed="run_project_closed")
        name = clean_typed(name, "name", LONGEST_NAME, missing="run_name_missing", wrong="run_name_missing")
        if here.generation_runs.filter(name=name).exists():
            raise Conflict(field="name", code="run_name_taken")
        chosen = _recipe(here, recipe)
        plan = _plan(here, chosen, endpoints or {}, parameters or {}, also or {})
        rows = _choose_materials(here, chosen, materials, count, fresh)
        run = GenerationRun.objects.create(
            project=here,
            n=(here.generation_runs.aggregate(n=Max("n"))["n"] or 0) + 1,
            name=name,
            recipe=chosen.slug,
            plan=plan.to_json(),
            seed=seed or here.seed,
            stepwise=stepwise,
            until=plan.next_step("") if stepwise else "",
            makes_items=makes_items,
            by=by,
        )
        made = _store_candidates(run, chosen, plan, rows)
        Event.record(here, by, "run_created", n=run.n, name=run.name, candidates=made)
        queue_next_batches(run)
    return run


def _recipe(project: Project, slug: str) -> Recipe:
    try:
        if "recipe" in project.kind_spec.settings:
            return recipes.get(slug or project.rules.recipe)
    except KeyError as error:
        raise Invalid(field="recipe", code="run_recipe_unknown") from error
    raise Invalid(field="recipe", code="run_recipe_unknown")


def _plan(
    project: Project,
    recipe: Recipe,
    endpoints: Mapping[str, Endpoint],
    changes: Mapping[str, Mapping[str, Any]],
    also: Mapping[str, Any],
) -> Plan:
    """What the run pins: endpoints, models, parameters, instructions and settings as they are now.

    Invalid names the step (`step`) that cannot be done so.
    """
    language = language_of(project.language)
    # As they are now, whatever they were when a page was made.
    now = Endpoint.objects.in_bulk([endpoint.pk for endpoint in endpoints.values()])
    asked = {slug: now[endpoint.pk] for slug, endpoint in endpoints.items()}
    return Plan(
        language=project.language,
        language_name=(language.name if language else "") or project.language,
        place=project.rules.place,
        settings=project.rules.to_dict(),
        steps=tuple(
            _plan_step(project, step, asked.get(step.slug), changes.get(step.slug, {}))
            for step in steps_taken(recipe, list(asked))
        ),
        also=dict(also),
    )


def _plan_step(project: Project, step: Step, endpoint: Endpoint | None, changes: Mapping[str, Any]) -> PlannedStep:
    texts = {name: current_instruction(project, name) for name in step.instructions}
    if not step.asked:
        return PlannedStep(step.slug, instructions=texts)
    if endpoint is None:
        raise Invalid(field="endpoints", code="run_endpoint_missing", step=step.slug)
    if endpoint.what != step.asked:
        raise Invalid(field="endpoints", code="run_endpoint_unlike", step=step.slug)
    if endpoint.ended_at is not None:
        raise Invalid(field="endpoints", code="run_endpoint_ended", step=step.slug)
    try:
        # What the paper says of a step comes before what is usual at an endpoint, and a person's word before both.
        merged = allowed.merge_parameters(endpoint.what, endpoint.parameters, step.parameters, changes)
    except allowed.ParameterRefused as unlike:
        details = {"step": step.slug, "name": unlike.name}
        raise Invalid(field="parameters", code="run_parameters_wrong", **details) from unlike
    return PlannedStep(step.slug, step.asked, endpoint.pk, endpoint.model, merged, texts)


def _choose_materials(
    project: Project, recipe: Recipe, ids: Sequence[int] | None, count: int | None, fresh: bool
) -> list[Material]:
    rows: QuerySet[Material] = project.materials.filter(sort=recipe.sort).order_by("position", "pk")
    if ids is not None:
        rows = rows.filter(pk__in=ids)
    if fresh:
        theirs = Candidate.objects.filter(material=OuterRef("pk"), run__makes_items=True)
        rows = rows.filter(~Exists(theirs.exclude(run__state=State.CANCELLED, item=None)))
    chosen = list(rows if count is None else rows[: max(count, 0)])
    if not chosen:
        raise Invalid(field="materials", code="run_nothing")
    return chosen


def _store_candidates(run: GenerationRun, recipe: Recipe, plan: Plan, rows: Sequence[Material]) -> int:
    """Store the run's questions in the making in batches, each with the step that it does first; how many."""
    frame = plan.frame(run.seed)
    groups = list(_split_into_batches(recipe, rows, frame.settings.batch_size))
    batches = GenerationBatch.objects.bulk_create(
        [GenerationBatch(run=run, n=n, step=plan.next_step("")) for n in range(1, len(groups) + 1)],
        batch_size=2000,
    )

    def begun() -> Iterator[tuple[Any, ...]]:
        for batch, group in zip(batches, groups, strict=True):
            for row in group:
                for work in recipe.build_works(frame, row.key, row.group, row.data):
                    yield run.project_id, run.pk, batch.pk, row.pk, work.key, dict(work.content)

    columns = ("project_id", "run_id", "batch_id", "material_id", "key", "content")
    made = bulk_insert(Candidate, columns, islice(begun(), MOST_CANDIDATES + 1))
    if not made:
        raise Invalid(field="materials", code="run_nothing")
    if made > MOST_CANDIDATES:
        raise Invalid(field="materials", code="run_too_much")
    return made


def _split_into_batches(recipe: Recipe, rows: Sequence[Material], size: int) -> Iterator[Sequence[Material]]:
    """The materials in batches, in their order; where one call asks for several, each batch is of one group."""
    size = max(size, 1)
    parts = [list(rows)]
    if recipe.sort in SORTS_OF_ONE_GROUP:
        # Sorting keeps the drawn order within a group.
        by_group = sorted(rows, key=lambda row: row.group)
        parts = [list(part) for _, part in groupby(by_group, key=lambda row: row.group)]
    for part in parts:
        for start in range(0, len(part), size):
            yield part[start : start + size]


# --- while it runs --------------------------------------------------------------------------------


def run_go_on(*, run: GenerationRun, by: User | None, step: str) -> GenerationRun:
    """Let a run step by step do its next step, which the sender names: sent twice it goes on once."""
    with transaction.atomic():
        fresh = _lock_unfinished(run)
        if fresh.until == step:
            return fresh
        waits = fresh.state == State.PAUSED and fresh.reason == STEP_DONE
        if not waits or step != Plan.from_json(fresh.plan).next_step(fresh.until):
            raise Conflict(code="run_stale")
        fresh.until = step
        return _set_state(fresh, State.RUNNING, by, "run_went_on", step=step)


def run_pause(*, run: GenerationRun, by: User | None) -> GenerationRun:
    """Have a run stop before its next call; what was answered so far is kept."""
    with transaction.atomic():
        fresh = _lock_unfinished(run)
        return _set_state(fresh, State.PAUSED, by, "run_paused") if fresh.state == State.RUNNING else fresh


def run_resume(*, run: GenerationRun, by: User | None) -> GenerationRun:
    """Go on with a paused run where it stopped; batches that failed are tried again."""
    with transaction.atomic():
        fresh = _lock_unfinished(run)
        if fresh.state == State.RUNNING:
            return fresh
        if fresh.reason == STEP_DONE:
            raise Conflict(code=STEP_DONE)
        if fresh.project.closed_at is not None:
            raise Conflict(code="run_project_closed")
        fresh.batches.filter(done=False, job__state=Job.State.FAILED).update(job=None)
        return _set_state(fresh, State.RUNNING, by, "run_resumed")


def run_cancel(*, run: GenerationRun, by: User | None) -> GenerationRun:
    """End a run before its next call; what it made so far stays, what was in the making is not carried on."""
    with transaction.atomic():
        fresh = _lock_unfinished(run, allowed=State.CANCELLED)
        if fresh.state == State.CANCELLED:
            return fresh
        return _set_state(fresh, State.CANCELLED, by, "run_cancelled")


def _lock_unfinished(run: GenerationRun, allowed: str = "") -> GenerationRun:
    """The run, locked; Conflict where it is over."""
    fresh = run_locked(run.pk)
    if fresh.state in FINAL_STATES and fresh.state != allowed:
        raise Conflict(code="run_over")
    return fresh


def _set_state(run: GenerationRun, state: State, by: User | None, verb: str, **data: str) -> GenerationRun:
    """Save the state and let the run go on, or take its batches out of the workers' hands; an event says who did it."""
    if state != State.RUNNING:
        cancel_batch_jobs(run)
    state_save(run, state)
    queue_next_batches(run)
    Event.record(run.project_id, by, verb, n=run.n, **data)
    return run
