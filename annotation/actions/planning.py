"""What a run pins when it begins: endpoints, models, parameters, instructions and settings as they are now."""

from collections.abc import Mapping
from typing import Any

from annotation.actions.instructions import instruction_now
from annotation.errors import Invalid
from annotation.models import Endpoint, Project
from annotation.rules.language_codes import language_of
from annotation.rules.normalise import storable
from annotation.rules.plans import Plan, PlannedStep, steps_taken
from annotation.rules.recipes import Recipe, Step

LONGEST_PARAMETER = 200
# What a call is made of beside its parameters; these are not for a form to change.
RESERVED = frozenset({"messages", "model", "stream", "input", "n"})


def plan_make(
    project: Project,
    recipe: Recipe,
    *,
    endpoints: Mapping[str, Endpoint],
    parameters: Mapping[str, Mapping[str, Any]],
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
            _planned(project, step, asked.get(step.slug), parameters.get(step.slug, {}))
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
    for name, value in changes.items():
        _check(step, name, value)
    # What the paper says of a step comes before what is usual at an endpoint, and a person's word before both.
    told = {**endpoint.parameters, **step.parameters, **changes}
    return PlannedStep(step.slug, step.asked, endpoint.pk, endpoint.model, told, texts)


def _check(step: Step, name: str, value: Any) -> None:
    plain = isinstance(value, (int, float, str)) and not (isinstance(value, str) and storable(value))
    if not plain or not name.isidentifier() or name in RESERVED or len(str(value)) > LONGEST_PARAMETER:
        raise Invalid(field="parameters", code="run_parameters_wrong", step=step.slug, name=name)
