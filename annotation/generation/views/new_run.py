"""A new run of machine writing: what it starts from, what is asked where, and what it will cost, about."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from annotation.core import access
from annotation.core.access import Membership
from annotation.core.errors import Conflict, Forbidden, Invalid
from annotation.core.messages import problem_words
from annotation.generation.actions.runs import run_create
from annotation.generation.forms import RunForm
from annotation.generation.models import Endpoint, Material
from annotation.generation.queries import runs as machine
from annotation.generation.rules import instructions
from annotation.generation.rules.estimates import StepCost, StepEstimate, estimate, unseen
from annotation.generation.rules.recipes.base import CHAT, Frame, Recipe, Step
from annotation.generation.views.runs import render_page
from annotation.pay.rules import sums
from annotation.ui.navigation import link

# A trial of so many sources is proposed: one sees what comes of them before all are paid for.
TRIAL = 20


@dataclass(frozen=True)
class Estimate:
    """What a run will take, step by step, and in all; `unseen` where no earlier run says how long answers are."""

    steps: list[StepEstimate]
    money: Mapping[str, Decimal]
    unseen: bool


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def machine_run_new(request: HttpRequest, slug: str) -> HttpResponse:
    """Choose what a run does; POST begins it, or only looks what it would cost (`wish` is `look`)."""
    membership = access.machine_place(request.user, slug)
    if not membership.is_administrator:
        raise Forbidden
    project = membership.project
    recipe = machine.recipe_of(project)
    endpoints = list(Endpoint.objects.filter(ended_at=None).order_by("name"))
    there = project.materials.filter(sort=recipe.sort).count()
    made_of: dict[str, Any] = {"recipe": recipe, "endpoints": endpoints, "there": there}
    if request.method != "POST":
        name = gettext("Run %(n)d") % {"n": project.generation_runs.count() + 1}
        first = {"name": name, "count": min(there, TRIAL) or 1, "fresh": True}
        return _page(request, membership, RunForm(initial=first, **made_of))
    form = RunForm(request.POST, **made_of)
    valid = form.is_valid()
    if not valid or request.POST.get("wish") == "look":
        status = 200 if request.POST.get("wish") == "look" else 422
        return _page(request, membership, form, status)
    sent = form.cleaned_data
    try:
        run = run_create(
            project=project,
            by=membership.user,
            name=sent["name"],
            endpoints=form.chosen(),
            parameters=form.parameters(),
            count=sent["count"],
            fresh=sent["fresh"],
            seed=sent["seed"],
            stepwise=sent["stepwise"],
            makes_items=sent["makes"] == "items",
        )
    except (Invalid, Conflict) as refusal:
        step = f"endpoint-{refusal.details.get('step', '')}"
        field = next((name for name in (step, refusal.field) if name in form.fields), None)
        form.add_error(field, problem_words(refusal.code))
        return _page(request, membership, form, 409 if isinstance(refusal, Conflict) else 422)
    messages.success(request, gettext("The run has begun."))
    return redirect("machine_run", slug=slug, n=run.n)


def _page(request: HttpRequest, membership: Membership, form: RunForm, status: int = 200) -> HttpResponse:
    part = request.headers.get("HX-Target") == "estimate"
    return render_page(
        request,
        membership,
        "partials/machine_estimate" if part else "machine_run_new",
        status=200 if part else status,
        recipe=form.recipe,
        form=form,
        there=form.there,
        endpoints=form.endpoints,
        endpoints_url=link("endpoints"),
        materials_url=link("materials", membership.project.slug),
        estimate=_estimate(membership, form),
        budget=machine.budget(membership.project),
    )


def _estimate(membership: Membership, form: RunForm) -> Estimate | None:
    """What the run as it is filled in would cost; None where there is nothing to ask."""
    project, recipe, chosen = membership.project, form.recipe, form.chosen()
    typed = str(form["count"].value() or "")
    count = int(typed) if typed.isascii() and typed.isdigit() and len(typed) < 8 else 0
    if not chosen or not count or not form.there:
        return None
    rows = {row.step.slug: row for row in machine.of_project(project).rows}
    steps = [step for step in recipe.steps if step.slug in chosen]
    first = project.materials.filter(sort=recipe.sort).order_by("position", "pk").first()
    begun = min(count, form.there) * (_works_each(membership, recipe, first) if first else 1)
    costs = [_cost(step, rows[step.slug], chosen[step.slug]) for step in steps]
    lines = estimate(begun, costs)
    return Estimate(
        lines,
        sums((line.currency, line.amount) for line in lines),
        any(not rows[step.slug].spent.calls for step in steps),
    )


def _works_each(membership: Membership, recipe: Recipe, first: Material) -> int:
    """How many questions one source gives, by the first one."""
    project = membership.project
    frame = Frame(project.language, project.language, project.rules.place, project.seed, project.rules)
    return len(recipe.begin(frame, first.key, first.group, first.data))


def _cost(step: Step, row: machine.StepRow, endpoint: Endpoint) -> StepCost:
    """What a step takes: as earlier runs of the project say, or by the length of its instructions."""
    spent = row.spent
    if spent.calls and row.came:
        each = spent.calls / row.came
        sent, answered = spent.tokens_in / spent.calls, spent.tokens_out / spent.calls
    else:
        letters = sum(len(instructions.default_text(name)) for name in step.instructions)
        each, sent, answered = unseen(letters, len(step.instructions), chats=step.asked == CHAT)
    left, to = row.left / row.came if row.came else 1.0, endpoint
    return StepCost(step, each, sent, answered, left, to.price_in, to.price_out, to.currency)
