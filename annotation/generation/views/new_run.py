"""A new run of machine writing: what it starts from, what is asked where, and what it will cost, about."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from annotation.core import access
from annotation.core.access import Membership
from annotation.core.errors import Conflict, Forbidden, Invalid
from annotation.core.messages import problem_words
from annotation.generation.actions.runs import run_create
from annotation.generation.forms.runs import RunForm
from annotation.generation.models import Endpoint
from annotation.generation.queries import runs as machine
from annotation.generation.rules import instructions
from annotation.generation.rules.estimates import StepCost, StepEstimate, estimate, unseen
from annotation.generation.rules.recipes.base import CHAT, Recipe, Step
from annotation.pay.rules import sums
from annotation.ui.navigation import link, rooms

# A trial of so many sources is proposed: one sees what comes of them before all are paid for.
TRIAL = 20


@dataclass(frozen=True)
class Estimate:
    """What a run will take, step by step, and in all; `unseen` where no earlier run says how long answers are."""

    steps: list[tuple[Step, StepEstimate]]
    money: Mapping[str, Decimal]
    unseen: bool


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def machine_run_new(request: HttpRequest, slug: str) -> HttpResponse:
    """Choose what a run does; POST begins it, or only looks what it would cost (`wish` is `look`)."""
    membership = access.machine_place(request.user, slug)
    if not membership.is_administrator:
        raise Forbidden
    recipe = machine.recipe_of(membership.project)
    endpoints = list(Endpoint.objects.filter(ended_at=None).order_by("name"))
    there = membership.project.materials.filter(sort=recipe.sort).count()
    made_of: dict[str, Any] = {"recipe": recipe, "endpoints": endpoints, "there": there}
    if request.method != "POST":
        first = {"name": _name(membership), "count": min(there, TRIAL) or 1, "fresh": True}
        return _page(request, membership, RunForm(initial=first, **made_of), endpoints, there)
    form = RunForm(request.POST, **made_of)
    if request.POST.get("wish") == "look":
        form.is_valid()
        return _page(request, membership, form, endpoints, there)
    if not form.is_valid():
        return _page(request, membership, form, endpoints, there, status=422)
    return _begin(request, membership, form, endpoints, there)


def _name(membership: Membership) -> str:
    return gettext("Run %(n)d") % {"n": membership.project.generation_runs.count() + 1}


def _begin(
    request: HttpRequest, membership: Membership, form: RunForm, endpoints: Sequence[Endpoint], there: int
) -> HttpResponse:
    sent = form.cleaned_data
    try:
        run = run_create(
            project=membership.project,
            by=membership.user,
            name=sent["name"],
            endpoints=form.chosen(endpoints),
            parameters=form.parameters(),
            count=sent["count"],
            fresh=sent["fresh"],
            seed=sent["seed"],
            stepwise=sent["stepwise"],
            makes_items=sent["makes"] == "items",
        )
    except (Invalid, Conflict) as refusal:
        step = f"endpoint-{refusal.details.get('step', '')}"
        field = step if step in form.fields else refusal.field if refusal.field in form.fields else None
        form.add_error(field, problem_words(refusal.code))
        status = 409 if isinstance(refusal, Conflict) else 422
        return _page(request, membership, form, endpoints, there, status=status)
    messages.success(request, gettext("The run has begun."))
    return redirect("machine_run", slug=membership.project.slug, n=run.n)


def _page(
    request: HttpRequest,
    membership: Membership,
    form: RunForm,
    endpoints: Sequence[Endpoint],
    there: int,
    status: int = 200,
) -> HttpResponse:
    context = {
        "project": membership.project,
        "membership": membership,
        "nav": rooms(membership, "machine"),
        "recipe": form.recipe,
        "form": form,
        "there": there,
        "endpoints": endpoints,
        "endpoints_url": link("endpoints"),
        "materials_url": link("materials", membership.project.slug),
        "estimate": _estimate(membership, form, endpoints, there),
        "budget": machine.budget(membership.project),
    }
    part = request.headers.get("HX-Target") == "estimate"
    template = (
        "annotation/generation/partials/machine_estimate.html"
        if part
        else "annotation/generation/machine_run_new.html"
    )
    return render(request, template, context, status=200 if part else status)


def _estimate(
    membership: Membership, form: RunForm, endpoints: Sequence[Endpoint], there: int
) -> Estimate | None:
    """What the run as it is filled in would cost; None where there is nothing to ask."""
    chosen = form.chosen(endpoints)
    count = _number(form["count"].value())
    if not chosen or not count or not there:
        return None
    recipe = form.recipe
    told = {row.step.slug: row for row in machine.of_project(membership.project).rows}
    steps = [
        (step, _cost(step, told[step.slug], chosen[step.slug]))
        for step in recipe.steps
        if step.slug in chosen
    ]
    begun = min(count, there) * _works_each(membership, recipe)
    found = estimate(begun, [cost for _step, cost in steps])
    return Estimate(
        [(step, line) for (step, _cost), line in zip(steps, found, strict=True)],
        sums((line.currency, line.amount) for line in found),
        any(not told[step.slug].spent.calls for step, _cost in steps),
    )


def _number(raw: object) -> int:
    text = str(raw or "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 8 else 0


def _works_each(membership: Membership, recipe: Recipe) -> float:
    """How many questions one source gives, by what earlier runs began; by the first source where there was none."""
    frame = machine.frame_of(membership.project)
    first = membership.project.materials.filter(sort=recipe.sort).order_by("position", "pk").first()
    if first is None:
        return 1.0
    return float(len(recipe.begin(frame, first.key, first.group, first.data)))


def _cost(step: Step, told: machine.StepRow, endpoint: Endpoint) -> StepCost:
    """What a step takes: as earlier runs of the project say, or by the length of its instructions."""
    spent = told.spent
    if spent.calls and told.came:
        each = spent.calls / told.came
        sent, answered = spent.tokens_in / spent.calls, spent.tokens_out / spent.calls
    else:
        letters = sum(len(instructions.of_the_house(name)) for name in step.instructions)
        each, sent, answered = unseen(letters, len(step.instructions), chats=step.asked == CHAT)
    return StepCost(
        step.slug,
        each,
        sent,
        answered,
        told.left / told.came if told.came else 1.0,
        endpoint.price_in,
        endpoint.price_out,
        endpoint.currency,
    )
