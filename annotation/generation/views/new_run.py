"""A new run of machine writing: its sources, the endpoint of each step, and the estimated cost."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from annotation.core.access import Membership
from annotation.core.errors import Conflict, Forbidden, Invalid
from annotation.core.messages import problem_words
from annotation.generation.actions.runs import run_create
from annotation.generation.forms import RunForm
from annotation.generation.models import Endpoint
from annotation.generation.queries import runs as machine
from annotation.generation.queries.estimates import Estimate, estimate
from annotation.generation.views.runs import render_page
from annotation.ui.navigation import page_url
from annotation.ui.pages import typed_number

# A trial of so many sources is proposed: one sees what comes of them before all are paid for.
TRIAL_COUNT = 20


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def machine_run_new(request: HttpRequest, slug: str) -> HttpResponse:
    """Choose what a run does; POST begins it, or only looks what it would cost (`wish` is `look`)."""
    membership = machine.machine_membership(request.user, slug)
    if not membership.is_administrator:
        raise Forbidden
    project = membership.project
    recipe = machine.recipe_of(project)
    endpoints = list(Endpoint.objects.filter(ended_at=None).order_by("name"))
    there = project.materials.filter(sort=recipe.sort).count()
    made_of: dict[str, Any] = {"recipe": recipe, "endpoints": endpoints, "there": there}
    if request.method != "POST":
        name = gettext("Run %(n)d") % {"n": project.generation_runs.count() + 1}
        first = {"name": name, "count": min(there, TRIAL_COUNT) or 1, "fresh": True}
        return _page(request, membership, RunForm(initial=first, **made_of))
    form = RunForm(request.POST, **made_of)
    looks = request.POST.get("wish") == "look"
    if not form.is_valid() or looks:
        return _page(request, membership, form, 200 if looks else 422)
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
        return _page(request, membership, form, refusal.page_status)
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
        endpoints_url=page_url("endpoints"),
        materials_url=page_url("materials", membership.project.slug),
        estimate=_estimate(membership, form),
        budget=machine.budget(membership.project),
    )


def _estimate(membership: Membership, form: RunForm) -> Estimate | None:
    """What the run as it is filled in would cost; None where there is nothing to ask."""
    count, chosen = typed_number(str(form["count"].value() or "")), form.chosen()
    if not chosen or count < 1 or not form.there:
        return None
    return estimate(membership.project, form.recipe, chosen, min(count, form.there))
