"""What the pages of machine writing fetch: how far runs are, what each step made of their questions, what it cost.

Every table is a few statements that count in the database, as many at ten questions as at ten thousand.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from django.db import connection
from django.db.models import Count, Q, QuerySet, Sum
from django.db.models.expressions import RawSQL

from annotation.content.models.item import Item
from annotation.core.access import Membership
from annotation.core.errors import Forbidden, NotFound
from annotation.core.models.project import Project
from annotation.generation.models import (
    Call,
    Candidate,
    Endpoint,
    GenerationBatch,
    GenerationRun,
    MachineLimit,
    StepResult,
)
from annotation.generation.queries.outcomes import People, people_of
from annotation.generation.rules import recipes
from annotation.generation.rules.plans import ITEMS, Plan, PlannedStep
from annotation.generation.rules.recipes.base import (
    CHANGED,
    DROPPED,
    KEPT,
    Frame,
    Recipe,
    Step,
    gettext_noop,
)
from annotation.jobs.models import Job
from annotation.pay.rules import sums
from annotation.text.language_codes import language_of

# The calls that a run's questions are made of, also those that an earlier run had paid for.
_CALLS_OF_RUN = {
    "postgresql": "SELECT CAST(used.value AS bigint) FROM annotation_stepresult step "
    "CROSS JOIN LATERAL jsonb_array_elements_text(step.calls) AS used(value) WHERE step.run_id = %s",
    "sqlite": "SELECT used.value FROM annotation_stepresult step, json_each(step.calls) AS used "
    "WHERE step.run_id = %s",
}

# While a call is asked, its cost is the most that it may come to: that is held, not spent.
_ANSWERED = ~Q(state=Call.State.ASKED)


def recipe_of(project: Project) -> Recipe:
    """How the project's questions are made; NotFound where its settings name no way that there is."""
    try:
        return recipes.get(project.rules.recipe)
    except KeyError as error:
        raise NotFound from error


def steps_of(recipe: str) -> tuple[Step, ...]:
    """The steps of a recipe in their order; none where this site does not know it."""
    try:
        return recipes.get(recipe).steps
    except KeyError:
        return ()


def steps_of_run(run: GenerationRun) -> tuple[Step, ...]:
    """The steps that a run does: those of its plan, in the recipe's order."""
    planned = {str(step["slug"]) for step in run.plan.get("steps", ())}
    return tuple(step for step in steps_of(run.recipe) if not planned or step.slug in planned)


def frame_of(project: Project) -> Frame:
    """What a recipe would be told of the project now; a run has its own, pinned."""
    language = language_of(project.language)
    name = (language.name if language else "") or project.language
    return Frame(project.language, name, project.rules.place, project.seed, project.rules)


# --- what each step made of the questions ---------------------------------------------------


@dataclass(frozen=True)
class Drop:
    """How many questions a step dropped for one reason (a code of the recipes)."""

    reason: str
    n: int


@dataclass(frozen=True)
class Spent:
    """Calls, how many of them were kept from before, their tokens, and what was paid by currency."""

    calls: int = 0
    again: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    money: Mapping[str, Decimal] = field(default_factory=dict)

    @property
    def tokens(self) -> int:
        return self.tokens_in + self.tokens_out


@dataclass(frozen=True)
class StepRow:
    """One step: how many questions came to it and what became of them (mCSQA Table 5, Figure 3)."""

    step: Step
    kept: int
    changed: int
    drops: tuple[Drop, ...]
    spent: Spent

    @property
    def dropped(self) -> int:
        return sum(drop.n for drop in self.drops)

    @property
    def came(self) -> int:
        return self.kept + self.changed + self.dropped

    @property
    def left(self) -> int:
        return self.kept + self.changed

    def share(self, n: int) -> float | None:
        """A part of what came to the step; None where nothing did."""
        return n / self.came if self.came else None

    @property
    def changed_share(self) -> float | None:
        """Of what the step let through, the share that it changed (mCSQA Table 5)."""
        return self.changed / self.left if self.left else None

    @property
    def dropped_share(self) -> float | None:
        return self.share(self.dropped)


Outcomes = Mapping[str, Mapping[tuple[str, str], int]]


def outcomes(results: QuerySet[StepResult]) -> dict[int, Outcomes]:
    """What each step made of questions, by project, step, and outcome with its reason: one statement."""
    found: dict[int, dict[str, dict[tuple[str, str], int]]] = defaultdict(lambda: defaultdict(dict))
    grouped: Iterable[Any] = (
        results.order_by().values_list("run__project", "step", "outcome", "reason").annotate(n=Count("pk"))
    )
    for project, step, outcome, reason, n in grouped:
        found[project][step][outcome, reason] = n
    return dict(found)


# What the runner does behind the last step of every recipe.
_MADE = Step(slug=ITEMS, name=gettext_noop("Made items"), takes=lambda frame, works, answered: {})


def step_rows(steps: Sequence[Step], counts: Outcomes, spent: Mapping[str, Spent]) -> list[StepRow]:
    """A row for each step; one more where questions could not become items in the end."""
    last = [_MADE] if counts.get(ITEMS) else []
    return [_row(step, counts.get(step.slug, {}), spent.get(step.slug, Spent())) for step in [*steps, *last]]


def _row(step: Step, counts: Mapping[tuple[str, str], int], spent: Spent) -> StepRow:
    whole = {
        outcome: sum(n for (each, _), n in counts.items() if each == outcome) for outcome in (KEPT, CHANGED)
    }
    drops = [Drop(reason, n) for (outcome, reason), n in counts.items() if outcome == DROPPED]
    drops.sort(key=lambda drop: (-drop.n, drop.reason))
    return StepRow(step, whole[KEPT], whole[CHANGED], tuple(drops), spent)


def spent_by_step(run: GenerationRun) -> dict[str, Spent]:
    """What the calls behind a run's questions took; those that an earlier run paid for are counted as used again."""
    used = RawSQL(_CALLS_OF_RUN[connection.vendor], [run.pk])  # noqa: S611 - a constant of this file
    calls = Call.objects.filter(Q(run=run) | Q(pk__in=used), project=run.project_id)
    again = Count("pk", filter=~Q(run=run) | Q(run=None))
    return _spent(calls, paid=Q(run=run), again=again).get(run.project_id, {})


def spent_by_project(projects: Iterable[int]) -> dict[int, dict[str, Spent]]:
    """What all calls of projects took, by step; each was paid once."""
    return _spent(Call.objects.filter(project__in=list(projects)), paid=Q())


def _spent(calls: QuerySet[Call], *, paid: Q, **more: Count) -> dict[int, dict[str, Spent]]:
    """Calls by project and step: one statement."""
    grouped: Iterable[Any] = (
        calls.order_by()
        .values("project", "step", "currency")
        .annotate(
            n=Count("pk"),
            ins=Sum("tokens_in"),
            outs=Sum("tokens_out"),
            money=Sum("cost", filter=paid & _ANSWERED),
            **more,
        )
    )
    rows: dict[int, dict[str, list[Mapping[str, Any]]]] = defaultdict(lambda: defaultdict(list))
    for row in grouped:
        rows[row["project"]][row["step"]].append(row)
    return {
        project: {step: _summed(found) for step, found in steps.items()} for project, steps in rows.items()
    }


def _summed(rows: Sequence[Mapping[str, Any]]) -> Spent:
    return Spent(
        sum(row["n"] for row in rows),
        sum(row.get("again") or 0 for row in rows),
        sum(row["ins"] or 0 for row in rows),
        sum(row["outs"] or 0 for row in rows),
        sums((row["currency"], row["money"]) for row in rows if row["money"]),
    )


def whole(rows: Iterable[StepRow]) -> Spent:
    """What all steps took together."""
    found = [row.spent for row in rows]
    return Spent(
        sum(each.calls for each in found),
        sum(each.again for each in found),
        sum(each.tokens_in for each in found),
        sum(each.tokens_out for each in found),
        sums(pair for each in found for pair in each.money.items()),
    )


# --- a run, a project -----------------------------------------------------------------------


@dataclass(frozen=True)
class Progress:
    """How far a run is: steps of batches that are done, of all that it will do until it stops or ends."""

    done: int
    total: int
    batches: int

    @property
    def is_whole(self) -> bool:
        return self.done == self.total


def progress(run: GenerationRun) -> Progress:
    """How far a run is, by where its batches stand."""
    slugs = [step.slug for step in steps_of_run(run)]
    until = slugs.index(run.until) + 1 if run.stepwise and run.until in slugs else len(slugs)
    done = batches = 0
    rows = run.batches.order_by().values_list("step", "done").annotate(n=Count("pk"))
    for step, over, n in rows:
        place = len(slugs) if over else slugs.index(step) if step in slugs else 0
        done += n * min(place, until)
        batches += n
    return Progress(done, batches * until, batches)


@dataclass(frozen=True)
class Told:
    """A run with all that its page tells of it."""

    rows: list[StepRow]
    spent: Spent
    people: People
    states: Mapping[str, int]
    progress: Progress

    @property
    def begun(self) -> int:
        return sum(self.states.values())


def of_run(run: GenerationRun) -> Told:
    """What a run made of its questions so far: five statements."""
    counts = outcomes(StepResult.objects.filter(run=run)).get(run.project_id, {})
    rows = step_rows(steps_of_run(run), counts, spent_by_step(run))
    judged = people_of(Item.objects.filter(candidate__run=run), {run.project_id: is_reviewed(run.recipe)})
    found = states(run.candidates.all()).get(run.project_id, NOTHING)
    return Told(rows, whole(rows), judged[run.project_id], found, progress(run))


def of_project(project: Project) -> Told:
    """What all runs of a project made, those only for comparison left out: the table of its language's steps."""
    return of_projects([project])[project.pk]


def of_projects(projects: Sequence[Project]) -> dict[int, Told]:
    """The same for many projects at once: four statements, whatever their number."""
    keys = {each.pk: each.rules.recipe for each in projects}
    ours = {"run__project__in": keys, "run__makes_items": True}
    counts = outcomes(StepResult.objects.filter(run__recipe__in=set(keys.values()), **ours))
    spent = spent_by_project(keys)
    made = Item.objects.filter(project__in=keys, candidate__isnull=False)
    judged = people_of(made, {pk: is_reviewed(recipe) for pk, recipe in keys.items()})
    begun = states(Candidate.objects.filter(**ours))
    found = {}
    for pk, recipe in keys.items():
        rows = step_rows(steps_of(recipe), counts.get(pk, {}), spent.get(pk, {}))
        found[pk] = Told(rows, whole(rows), judged[pk], begun.get(pk, NOTHING), Progress(0, 0, 0))
    return found


def is_reviewed(recipe: str) -> bool:
    """Whether people check every item of a recipe, not only what the model could not answer."""
    try:
        return recipes.get(recipe).reviewed
    except KeyError:
        return False


NOTHING: Mapping[str, int] = dict.fromkeys(Candidate.State.values, 0)


def states(candidates: QuerySet[Candidate]) -> dict[int, dict[str, int]]:
    """Questions in the making by project and state; every state is there."""
    found: dict[int, dict[str, int]] = defaultdict(lambda: dict(NOTHING))
    grouped: Iterable[Any] = candidates.order_by().values_list("project", "state").annotate(n=Count("pk"))
    for project, state, n in grouped:
        found[project][state] = n
    return dict(found)


@dataclass(frozen=True)
class Budget:
    """What a project may spend on endpoints, what it spent, and what is held for answers that are still awaited.

    Other currencies stand beside it, never added.
    """

    limit: MachineLimit | None
    spent: Decimal
    held: Decimal
    others: Mapping[str, Decimal]

    @property
    def left(self) -> Decimal | None:
        return max(self.limit.budget - self.spent - self.held, Decimal(0)) if self.limit else None


def budget(project: Project) -> Budget:
    """A project's limit and what its calls cost so far."""
    limit = MachineLimit.objects.filter(project=project).first()
    figures = {"paid": Sum("cost", filter=_ANSWERED), "held": Sum("cost", filter=~_ANSWERED)}
    rows: Iterable[Any] = (
        Call.objects.filter(project=project).order_by().values("currency").annotate(**figures)
    )
    found = {row["currency"]: (row["paid"] or Decimal(0), row["held"] or Decimal(0)) for row in rows}
    own = found.pop(limit.currency, (Decimal(0), Decimal(0))) if limit else (Decimal(0), Decimal(0))
    return Budget(limit, *own, {currency: paid for currency, (paid, _) in found.items() if paid})


def runs(membership: Membership) -> QuerySet[GenerationRun]:
    """Every run of the project, newest first, with how many questions it began and kept."""
    if not membership.sees_all:
        raise Forbidden
    counted = {
        "begun": Count("candidates"),
        "left": Count("candidates", filter=~Q(candidates__state=DROPPED)),
    }
    return (
        GenerationRun.objects.filter(project=membership.project)
        .select_related("by")
        .annotate(**counted)
        .order_by("-n")
    )


def pinned(run: GenerationRun) -> list[tuple[Step, PlannedStep, str]]:
    """What a run has pinned for each step that asks: endpoint's name, model, parameters, instructions."""
    try:
        planned = {each.slug: each for each in Plan.from_json(run.plan).steps}
    except (KeyError, TypeError):
        return []
    names = dict(
        Endpoint.objects.filter(pk__in=[each.endpoint for each in planned.values()]).values_list("pk", "name")
    )
    return [
        (step, planned[step.slug], names.get(planned[step.slug].endpoint or 0, ""))
        for step in steps_of_run(run)
        if step.asked and step.slug in planned
    ]


def batches_failed(run: GenerationRun) -> int:
    """How many batches stand still because their job failed."""
    return GenerationBatch.objects.filter(run=run, done=False, job__state=Job.State.FAILED).count()
