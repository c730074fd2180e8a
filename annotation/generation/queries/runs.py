"""Queries of the pages of machine writing: progress of runs, results of each step, costs.

Every table is a few statements that count in the database, as many at ten questions as at ten thousand.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from typing import Any, NamedTuple

from django.db import connection
from django.db.models import Count, Q, QuerySet, Sum
from django.db.models.expressions import RawSQL

from annotation.content.models.item import Item
from annotation.core.access import Membership, Viewer, lead_membership, project_for_leads
from annotation.core.errors import Forbidden, NotFound, first_or_not_found
from annotation.core.models.project import Project
from annotation.generation.models import Call, Candidate, Endpoint, GenerationRun, MachineLimit, StepResult
from annotation.generation.queries.outcomes import PeopleOutcome, people_outcomes
from annotation.generation.rules import recipes
from annotation.generation.rules.plans import ITEMS, Plan, PlannedStep
from annotation.generation.rules.recipes.base import CHANGED, DROPPED, KEPT, Recipe, Step
from annotation.pay.rules import sum_by_currency
from annotation.text.gettext import gettext_noop

# The calls that a run's questions are made of, also those that an earlier run had paid for.
_CALLS_OF_RUN = {
    "postgresql": "SELECT CAST(used.value AS bigint) FROM annotation_stepresult step "
    "CROSS JOIN LATERAL jsonb_array_elements_text(step.calls) AS used(value) WHERE step.run_id = %s",
    "sqlite": "SELECT used.value FROM annotation_stepresult step, json_each(step.calls) AS used WHERE step.run_id = %s",
}

# While a call is asked, its cost is the most that it may come to: that is held, not spent.
_IS_ANSWERED = ~Q(state=Call.State.ASKED)


def recipe_of(project: Project) -> Recipe:
    """How the project's questions are made; NotFound where its settings name no way that there is."""
    try:
        return recipes.get(project.rules.recipe)
    except KeyError as error:
        raise NotFound from error


def steps_of(recipe: str) -> tuple[Step, ...]:
    """The steps of a recipe in their order; none where this site does not know it."""
    return next((each.steps for each in recipes.all_recipes() if each.slug == recipe), ())


def steps_of_run(run: GenerationRun) -> tuple[Step, ...]:
    """The steps that a run does: those of its plan, in the recipe's order."""
    planned = {str(step["slug"]) for step in run.plan.get("steps", ())}
    return tuple(step for step in steps_of(run.recipe) if not planned or step.slug in planned)


# --- what each step made of the questions ---------------------------------------------------


class Drop(NamedTuple):
    """How many questions a step dropped for one reason (a code of the recipes)."""

    reason: str
    n: int


@dataclass(frozen=True)
class CallCosts:
    """Calls, how many of them were kept from before, their tokens, and what was paid by currency."""

    calls: int = 0
    reused_calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    money: Mapping[str, Decimal] = field(default_factory=dict)

    @property
    def tokens(self) -> int:
        return self.tokens_in + self.tokens_out

    @classmethod
    def total_of(cls, parts: Iterable["CallCosts"]) -> "CallCosts":
        """What all of them took together."""
        rows = list(parts)
        calls, again = sum(each.calls for each in rows), sum(each.reused_calls for each in rows)
        tokens_in, tokens_out = sum(each.tokens_in for each in rows), sum(each.tokens_out for each in rows)
        return cls(
            calls,
            again,
            tokens_in,
            tokens_out,
            sum_by_currency(p for each in rows for p in each.money.items()),
        )


@dataclass(frozen=True)
class StepRow:
    """One step: how many questions came to it and with which outcomes (mCSQA Table 5, Figure 3)."""

    step: Step
    kept: int
    changed: int
    dropped_by_reason: tuple[Drop, ...]
    spent: CallCosts

    @property
    def dropped(self) -> int:
        return sum(drop.n for drop in self.dropped_by_reason)

    @property
    def came(self) -> int:
        return self.kept + self.changed + self.dropped

    @property
    def left(self) -> int:
        return self.kept + self.changed

    @property
    def changed_share(self) -> float | None:
        """Of what the step let through, the share that it changed (mCSQA Table 5)."""
        return self.changed / self.left if self.left else None

    @property
    def dropped_share(self) -> float | None:
        return self.dropped / self.came if self.came else None


Outcomes = Mapping[str, Mapping[tuple[str, str], int]]


def step_outcomes(results: QuerySet[StepResult]) -> dict[int, Outcomes]:
    """What each step made of questions, by project, step, and outcome with its reason: one statement."""
    counts: dict[int, dict[str, dict[tuple[str, str], int]]] = defaultdict(lambda: defaultdict(dict))
    grouped = results.order_by().values_list("run__project", "step", "outcome", "reason")
    for project, step, outcome, reason, n in grouped.annotate(n=Count("pk")):
        counts[project][step][outcome, reason] = n
    return dict(counts)


# What the runner does behind the last step of every recipe.
_ITEMS_STEP = Step(slug=ITEMS, name=gettext_noop("Made items"), apply_answers=lambda frame, works, answered: {})


def step_rows(steps: Sequence[Step], counts: Outcomes, spent: Mapping[str, CallCosts]) -> list[StepRow]:
    """A row for each step; one more where questions could not become items in the end."""
    rows = []
    for step in [*steps, *([_ITEMS_STEP] if counts.get(ITEMS) else [])]:
        own = counts.get(step.slug, {})
        kept, changed = (sum(n for (each, _), n in own.items() if each == outcome) for outcome in (KEPT, CHANGED))
        drops = [Drop(reason, n) for (outcome, reason), n in own.items() if outcome == DROPPED]
        drops.sort(key=lambda drop: (-drop.n, drop.reason))
        rows.append(StepRow(step, kept, changed, tuple(drops), spent.get(step.slug, CallCosts())))
    return rows


def _call_costs(calls: QuerySet[Call], *, paid: Q, **more: Count) -> dict[int, dict[str, CallCosts]]:
    """Calls by project and step: one statement."""
    figures = {"n": Count("pk"), "ins": Sum("tokens_in"), "outs": Sum("tokens_out"), **more}
    figures["money"] = Sum("cost", filter=paid & _IS_ANSWERED)
    grouped: Iterable[Any] = calls.order_by().values("project", "step", "currency").annotate(**figures)
    parts: dict[int, dict[str, list[CallCosts]]] = defaultdict(lambda: defaultdict(list))
    for row in grouped:
        money = {row["currency"]: row["money"]} if row["money"] else {}
        each = CallCosts(row["n"], row.get("again") or 0, row["ins"] or 0, row["outs"] or 0, money)
        parts[row["project"]][row["step"]].append(each)
    return {pk: {step: CallCosts.total_of(each) for step, each in steps.items()} for pk, steps in parts.items()}


# --- a run, a project -----------------------------------------------------------------------


@dataclass(frozen=True)
class Progress:
    """How far a run is: steps of batches that are done, of all that it will do until it stops or ends."""

    done: int = 0
    total: int = 0

    @property
    def is_complete(self) -> bool:
        return self.done == self.total


def progress(run: GenerationRun) -> Progress:
    """How far a run is, by where its batches stand."""
    slugs = [step.slug for step in steps_of_run(run)]
    until = slugs.index(run.until) + 1 if run.stepwise and run.until in slugs else len(slugs)
    done = batches = 0
    for step, over, n in run.batches.order_by().values_list("step", "done").annotate(n=Count("pk")):
        place = len(slugs) if over else slugs.index(step) if step in slugs else 0
        done += n * min(place, until)
        batches += n
    return Progress(done, batches * until)


@dataclass(frozen=True)
class Report:
    """What a run, or all runs of a project, made of their questions, and what that took."""

    rows: list[StepRow]
    people: PeopleOutcome
    states: Mapping[str, int]
    progress: Progress = Progress()

    @property
    def begun(self) -> int:
        return sum(self.states.values())

    @cached_property
    def spent(self) -> CallCosts:
        return CallCosts.total_of(row.spent for row in self.rows)


def report_of_run(run: GenerationRun) -> Report:
    """What a run made of its questions so far: five statements."""
    counts = step_outcomes(StepResult.objects.filter(run=run)).get(run.project_id, {})
    # Calls that an earlier run paid for are counted as used again.
    used = RawSQL(_CALLS_OF_RUN[connection.vendor], [run.pk])  # noqa: S611 - a constant of this file
    calls = Call.objects.filter(Q(run=run) | Q(pk__in=used), project=run.project_id)
    spent = _call_costs(calls, paid=Q(run=run), again=Count("pk", filter=~Q(run=run) | Q(run=None)))
    rows = step_rows(steps_of_run(run), counts, spent.get(run.project_id, {}))
    judged = people_outcomes(Item.objects.filter(candidate__run=run), {run.project_id: is_reviewed(run.recipe)})
    begun = count_states(run.candidates.all()).get(run.project_id, NO_CANDIDATES)
    return Report(rows, judged[run.project_id], begun, progress(run))


def report_of_project(project: Project) -> Report:
    """What all runs of a project made, those only for comparison left out: the table of its language's steps."""
    return reports_of_projects([project])[project.pk]


def reports_of_projects(projects: Sequence[Project]) -> dict[int, Report]:
    """The same for many projects at once: four statements, whatever their number."""
    keys = {each.pk: each.rules.recipe for each in projects}
    ours = {"run__project__in": keys, "run__makes_items": True}
    counts = step_outcomes(StepResult.objects.filter(run__recipe__in=set(keys.values()), **ours))
    spent = _call_costs(Call.objects.filter(project__in=keys), paid=Q())
    made = Item.objects.filter(project__in=keys, candidate__isnull=False)
    judged = people_outcomes(made, {pk: is_reviewed(recipe) for pk, recipe in keys.items()})
    begun = count_states(Candidate.objects.filter(**ours))
    rows = {pk: step_rows(steps_of(key), counts.get(pk, {}), spent.get(pk, {})) for pk, key in keys.items()}
    return {pk: Report(rows[pk], judged[pk], begun.get(pk, NO_CANDIDATES)) for pk in keys}


def is_reviewed(recipe: str) -> bool:
    """Whether people check every item of a recipe, not only what the model could not answer."""
    return any(each.slug == recipe and each.is_reviewed for each in recipes.all_recipes())


NO_CANDIDATES: Mapping[str, int] = dict.fromkeys(Candidate.State.values, 0)


def count_states(candidates: QuerySet[Candidate]) -> dict[int, dict[str, int]]:
    """Questions in the making by project and state; every state is there."""
    counts: dict[int, dict[str, int]] = defaultdict(lambda: dict(NO_CANDIDATES))
    grouped = candidates.order_by().values_list("project", "state")
    for project, state, n in grouped.annotate(n=Count("pk")):
        counts[project][state] = n
    return dict(counts)


@dataclass(frozen=True)
class Budget:
    """What a project may spend on endpoints, what it spent, and what is held for answers that are still awaited.

    Other currencies stand beside it, never added.
    """

    limit: MachineLimit | None
    spent: Decimal
    held: Decimal
    other_currencies: Mapping[str, Decimal]


def budget(project: Project) -> Budget:
    """A project's limit and what its calls cost so far."""
    limit = MachineLimit.objects.filter(project=project).first()
    paid, held = Sum("cost", filter=_IS_ANSWERED), Sum("cost", filter=~_IS_ANSWERED)
    rows = Call.objects.filter(project=project).order_by().values("currency").annotate(paid=paid, held=held)
    by_currency = {row["currency"]: (row["paid"] or Decimal(0), row["held"] or Decimal(0)) for row in rows}
    nothing = (Decimal(0), Decimal(0))
    own = by_currency.pop(limit.currency, nothing) if limit else nothing
    return Budget(limit, *own, {currency: paid for currency, (paid, _) in by_currency.items() if paid})


def runs(membership: Membership) -> QuerySet[GenerationRun]:
    """Every run of the project, newest first, with how many questions it began and kept."""
    if not membership.sees_all:
        raise Forbidden
    left = Count("candidates", filter=~Q(candidates__state=DROPPED))
    rows = membership.project.generation_runs.select_related("by").order_by("-n")
    return rows.annotate(begun=Count("candidates"), left=left)


def pinned_steps(run: GenerationRun) -> list[tuple[Step, PlannedStep, str]]:
    """What a run has pinned for each step that asks: endpoint's name, model, parameters, instructions."""
    try:
        planned = {each.slug: each for each in Plan.from_json(run.plan).steps}
    except (KeyError, TypeError):
        return []
    endpoints = Endpoint.objects.filter(pk__in=[each.endpoint for each in planned.values()])
    names = dict(endpoints.values_list("pk", "name"))
    return [
        (step, planned[step.slug], names.get(planned[step.slug].endpoint or 0, ""))
        for step in steps_of_run(run)
        if step.asked and step.slug in planned
    ]


def machine_membership(user: Viewer, slug: str) -> Membership:
    """The viewer as lead or administrator; NotFound where the project has no recipe: people write all of it."""
    found = lead_membership(user, slug)
    if not found.project.rules.recipe:
        raise NotFound
    return found


def generation_run(membership: Membership, n: int) -> GenerationRun:
    """One run of the project's machine writing, by its number; for leads and administrators."""
    return first_or_not_found(
        GenerationRun.objects.select_related("project", "by").filter(project=project_for_leads(membership), n=n)
    )
