"""What a run pins when it begins: endpoints, models, parameters, instructions and settings as they are now."""

from collections.abc import Mapping
from typing import Any

from annotation.core.errors import Invalid
from annotation.core.models.project import Project
from annotation.generation.actions.instructions import instruction_now
from annotation.generation.llm import parameters
from annotation.generation.models import Endpoint
from annotation.generation.rules.plans import Plan, PlannedStep, steps_taken
from annotation.generation.rules.recipes import Recipe, Step
from annotation.text.language_codes import language_of


def plan_make(
    project: Project,
    recipe: Recipe,
    *,
    endpoints: Mapping[str, Endpoint],
    changes: Mapping[str, Mapping[str, Any]],
    also: Mapping[str, Any],
) -> Plan:
    """The plan of a run that begins now; Invalid names the step (`step`) that cannot be done so."""
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
            _planned(project, step, asked.get(step.slug), changes.get(step.slug, {}))
            for step in steps_taken(recipe, list(asked))
        ),
        also=dict(also),
    )


def _planned(
    project: Project, step: Step, endpoint: Endpoint | None, changes: Mapping[str, Any]
) -> PlannedStep:
    texts = {name: instruction_now(project, name) for name in step.instructions}
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
        told = parameters.full(endpoint.what, endpoint.parameters, step.parameters, changes)
    except parameters.Unlike as unlike:
        raise Invalid(
            field="parameters", code="run_parameters_wrong", step=step.slug, name=unlike.name
        ) from unlike
    return PlannedStep(step.slug, step.asked, endpoint.pk, endpoint.model, told, texts)
