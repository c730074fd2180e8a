"""The job that carries one batch of questions in the making through its steps (design: a step is stored whole, or not).

What a step asks is kept call by call as it is answered, and what comes of it is stored in one transaction with the
batch's next step. So a job that dies is taken up at the step that was not stored, and asks nothing twice.
"""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import structlog
from django.db import transaction

from annotation.content.models.item import QAPair
from annotation.core.database import locked
from annotation.core.models.project import Project
from annotation.generation.actions.batches import (
    KIND,
    State,
    batches_due,
    candidates_keep,
    queue_next_batches,
    run_locked,
    run_stop,
)
from annotation.generation.llm import calls
from annotation.generation.models import Candidate, Endpoint, GenerationBatch, GenerationRun, StepResult
from annotation.generation.rules import batches as rules
from annotation.generation.rules import instructions, recipes
from annotation.generation.rules.plans import STEP_FAILED, Plan, PlannedStep
from annotation.generation.rules.recipes.base import DROPPED, Ask, AskResult, Outcome, Work
from annotation.jobs.queue import Handle, JobLost, PostponeJob, handles

PROJECT_CLOSED = "run_project_closed"
log = structlog.get_logger("generation")


@handles(KIND)
def generate(handle: Handle) -> dict[str, Any]:
    """Carry a batch as far as its run may go now: a run that was paused or is over is left alone."""
    carrier = BatchRunner(handle)
    try:
        slug = carrier.next_step()
        while slug:
            carrier.do(slug)
            slug = carrier.next_step()
            if slug and handle.should_stop():
                raise PostponeJob(0)
    except calls.AskingBlocked as stopped:
        carrier.stop(stopped.code)
    return {"batch": carrier.batch.n, "step": carrier.batch.step, "done": carrier.batch.done}


class TakenQuestions:
    """The questions that the project has, and those that this run kept without making items: read where a step asks."""

    def __init__(self, run: GenerationRun) -> None:
        self.run = run

    def __iter__(self) -> Iterator[str]:
        there = QAPair.objects.filter(project=self.run.project_id)
        yield from there.values_list("question", flat=True).iterator()
        kept = self.run.candidates.filter(state=Candidate.State.KEPT, item=None)
        for content in kept.values_list("content", flat=True).iterator():
            yield str(content.get("question", ""))


class BatchRunner:
    """A batch in this job's hands, with all that its run has pinned."""

    def __init__(self, handle: Handle) -> None:
        self.handle = handle
        rows = GenerationBatch.objects.select_related("run__project")
        self.batch = rows.get(pk=handle.job.args["batch"])
        self.run = self.batch.run
        self.recipe = recipes.get(self.run.recipe)
        self.plan = Plan.from_json(self.run.plan)
        self.frame = self.plan.frame(self.run.seed)

    def next_step(self) -> str:
        """The slug of the step that the batch may do now; empty where there is none."""
        run = GenerationRun.objects.select_related("project").get(pk=self.run.pk)
        if run.state != State.RUNNING:
            return ""
        if run.project.closed_at is not None:
            self.stop(PROJECT_CLOSED)
            return ""
        due = batches_due(run).filter(pk=self.batch.pk).first()
        return due.step if due is not None else ""

    def do(self, slug: str) -> None:
        """One step: ask what it asks, and store its outcome."""
        making = self.batch.candidates.filter(state=Candidate.State.MAKING).select_related("material")
        candidates = list(making.order_by("pk"))
        self._progress(slug)
        outcomes, calls = self._outcomes(slug, self._works(candidates)) if candidates else ({}, {})
        self._store(slug, candidates, outcomes, calls)

    def stop(self, code: str) -> None:
        """Pause the run: it cannot go on before a person has done something."""
        with transaction.atomic():
            run = run_locked(self.run.pk)
            self.handle.lock_claim()
            if run.state == State.RUNNING:
                run_stop(run, code)

    # --- asking ---------------------------------------------------------------------------

    def _works(self, candidates: Sequence[Candidate]) -> list[Work]:
        """The questions as steps read them: what their material began, with what was made of it so far."""
        begun: dict[int, dict[str, Work]] = {}
        for row in candidates:
            if row.material_id not in begun:
                material = row.material
                works = self.recipe.build_works(self.frame, material.key, material.group, material.data)
                begun[row.material_id] = {work.key: work for work in works}
        return [replace(begun[row.material_id][row.key], content=row.content) for row in candidates]

    def _outcomes(self, slug: str, works: Sequence[Work]) -> tuple[dict[str, Outcome], Mapping[str, list[int]]]:
        """The outcome of each question, and the calls that were about it."""
        step = self.recipe.step(slug)
        frame = replace(self.frame, extra={**self.frame.extra, "taken": TakenQuestions(self.run)})
        asks, sound, broken = rules.asks_of(step, frame, works)
        given = self._ask(self.plan.step(slug), asks)
        calls: dict[str, list[int]] = defaultdict(list)
        answered = []
        for ask, each in zip(asks, given, strict=True):
            answered.append(AskResult(ask, each.answer, each.fault))
            for key in ask.work_keys:
                calls[key] += each.calls
        outcomes = {**broken, **rules.outcomes_of(step, frame, sound, answered)}
        for outcome in outcomes.values():
            if outcome.reason == STEP_FAILED:
                log.warning("step_failed", run=self.run.pk, step=slug, error=outcome.params["error"])
        return outcomes, calls

    def _ask(self, planned: PlannedStep, asks: Sequence[Ask]) -> list[calls.CallResult]:
        if not asks:
            return []
        assert planned.endpoint is not None  # noqa: S101 - a plan names one for every step that asks
        endpoint = Endpoint.objects.get(pk=planned.endpoint)
        # What the run began with, whatever the endpoint is set to by now: all parameters are the plan's.
        endpoint.model, endpoint.parameters = planned.model, {}
        return calls.answers(
            run=self.run,
            step=planned.slug,
            endpoint=endpoint,
            parameters=planned.parameters,
            prompts=[calls.Prompt(messages_of(planned, ask), ask.answer) for ask in asks],
            handle=self.handle,
        )

    # --- storing --------------------------------------------------------------------------

    def _store(
        self,
        slug: str,
        candidates: Sequence[Candidate],
        outcomes: Mapping[str, Outcome],
        calls: Mapping[str, list[int]],
    ) -> None:
        """What the step made of every question, and that the batch did it: all or nothing, once."""
        with transaction.atomic():
            run = run_locked(self.run.pk)
            self.handle.lock_claim()
            batch = locked(GenerationBatch.objects.filter(pk=self.batch.pk)).get()
            if run.state != State.RUNNING or batch.done or batch.step != slug:
                raise JobLost
            following = self.plan.next_step(slug)
            # The project is locked, so that none is closed while it gets its items.
            if not following and Project.lock(run.project_id).closed_at is not None:
                run_stop(run, PROJECT_CLOSED)
                return
            _results_store(run, slug, candidates, outcomes, calls)
            batch.step, batch.done = following, not following
            batch.save(update_fields=["step", "done"])
            if batch.done:
                candidates_keep(run=run, batch=batch)
            if not batches_due(run).filter(pk=batch.pk).exists():
                queue_next_batches(run)
            self.batch = batch
            self._progress(batch.step)

    def _progress(self, step: str) -> None:
        """Save how far the batch came, in steps; raises JobLost where the run was paused or cancelled."""
        slugs = [each.slug for each in self.plan.steps]
        done = slugs.index(step) if step else len(slugs)
        self.handle.progress(done, len(slugs))


def _results_store(
    run: GenerationRun,
    slug: str,
    candidates: Sequence[Candidate],
    outcomes: Mapping[str, Outcome],
    calls: Mapping[str, list[int]],
) -> None:
    results = []
    for row in candidates:
        outcome = outcomes[row.key]
        params, content = dict(outcome.params), dict(outcome.content)
        row.step, row.content = slug, content
        if outcome.state == DROPPED:
            row.state, row.reason, row.params = Candidate.State.DROPPED, outcome.reason, params
        made = {"outcome": outcome.state, "reason": outcome.reason, "params": params, "content": content}
        results.append(StepResult(run=run, candidate=row, step=slug, calls=list(calls.get(row.key, ())), **made))
    StepResult.objects.bulk_create(results, batch_size=1000)
    Candidate.objects.bulk_update(candidates, ["content", "state", "step", "reason", "params"], batch_size=500)


def messages_of(planned: PlannedStep, ask: Ask) -> list[dict[str, str]]:
    """What is sent: the instruction that the run pinned, filled; without one the values themselves."""
    if ask.instruction:
        return instructions.messages(planned.instructions[ask.instruction].text, ask.values)
    return [{"role": "user", "content": json.dumps(dict(ask.values), ensure_ascii=False, sort_keys=True)}]
