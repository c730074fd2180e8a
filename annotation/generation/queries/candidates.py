"""Queries of the pages of candidates: a run's questions, the result of each step for one, and its calls."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.db.models import QuerySet

from annotation.core.errors import first_or_not_found
from annotation.generation.models import Call, Candidate, GenerationRun, StepResult
from annotation.generation.queries.runs import steps_of_run
from annotation.generation.rules import recipes
from annotation.generation.rules.plans import Plan
from annotation.generation.rules.recipes.base import CHANGED, DROPPED, KEPT


def initial_content(one: Candidate) -> Mapping[str, Any]:
    """A question as it was begun, before the first step: its material may be a whole question already."""
    run, material = one.run, one.material
    try:
        frame = Plan.from_json(run.plan).frame(run.seed)
        works = recipes.get(run.recipe).build_works(frame, material.key, material.group, material.data)
    except (KeyError, TypeError, ValueError):
        # A recipe or a form of data that this site does not have any more.
        return {}
    return next((work.content for work in works if work.key == one.key), {})


def candidates(run: GenerationRun, *, state: str = "", step: str = "", reason: str = "") -> QuerySet[Candidate]:
    """A run's questions in their order; `step` with a state of a step result asks what that step did to them."""
    rows = run.candidates.select_related("material", "item").order_by("pk")
    given = {name: value for name, value in (("step", step), ("reason", reason)) if value}
    if step and state in StepResult.Outcome.values:
        results = StepResult.objects.filter(run=run, outcome=state, **given)
        return rows.filter(pk__in=results.values("candidate"))
    if state in Candidate.State.values:
        given["state"] = state
    return rows.filter(**given)


def candidate(run: GenerationRun, candidate_id: int) -> Candidate:
    """One question of a run."""
    return first_or_not_found(run.candidates.select_related("material", "item", "batch").filter(pk=candidate_id))


def results(one: Candidate) -> list[StepResult]:
    """What each step made of a question, in the order of the steps."""
    places = {step.slug: place for place, step in enumerate(steps_of_run(one.run))}
    rows = StepResult.objects.filter(candidate=one).order_by("pk")
    return sorted(rows, key=lambda each: places.get(each.step, len(places)))


def sample_candidates(run: GenerationRun, step: str, most: int) -> list[tuple[StepResult, Mapping[str, Any]]]:
    """Some questions of a step with their content before it: two that it changed, then what it dropped or kept."""
    asked = StepResult.objects.filter(run=run, step=step).select_related("candidate__material", "candidate__run")
    results: list[StepResult] = []
    for outcome, part in ((CHANGED, most - 1), (DROPPED, most), (KEPT, most), (CHANGED, most)):
        room = min(part, most - len(results))
        if room > 0:
            rest = asked.filter(outcome=outcome).exclude(pk__in=[each.pk for each in results])
            results += rest.order_by("-pk")[:room]
    slugs = [each.slug for each in steps_of_run(run)]
    before = slugs[slugs.index(step) - 1] if slugs.index(step) else ""
    earlier = StepResult.objects.filter(candidate__in=[each.candidate_id for each in results], step=before)
    contents = dict(earlier.values_list("candidate", "content"))
    return [(each, contents.get(each.candidate_id) or initial_content(each.candidate)) for each in results]


def calls(results: Iterable[StepResult]) -> dict[int, Call]:
    """The calls that some steps took, by number: one statement."""
    numbers = {int(number) for each in results for number in each.calls}
    return {call.pk: call for call in Call.objects.filter(pk__in=numbers).select_related("endpoint")}


def reasons(run: GenerationRun) -> list[str]:
    """The reasons for which questions of a run were dropped."""
    dropped = run.candidates.exclude(reason="").order_by("reason")
    return list(dropped.values_list("reason", flat=True).distinct())


def neighbour(one: Candidate, *, forward: bool) -> Candidate | None:
    """The question of the run behind this one, or before it."""
    if forward:
        return one.run.candidates.filter(pk__gt=one.pk).order_by("pk").first()
    return one.run.candidates.filter(pk__lt=one.pk).order_by("-pk").first()
