"""Endpoints, for administrators of the site; and a project's budget for them, for its administrators."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.core import access
from annotation.core.errors import Conflict, Invalid
from annotation.core.messages import problem_words
from annotation.generation.actions.endpoints import endpoint_end, endpoint_save, limit_set
from annotation.generation.forms import EndpointForm, LimitForm, initial_of
from annotation.generation.models import Endpoint, MachineLimit
from annotation.generation.queries import endpoints as fetch
from annotation.generation.views.runs import render_page
from annotation.ui.pages import differences

ENDPOINTS_A_PAGE = 50


@login_required
@require_GET
def endpoints(request: HttpRequest) -> HttpResponse:
    """Every endpoint that the site's projects may ask."""
    access.site_administrator(request.user)
    page = Paginator(fetch.endpoints(), ENDPOINTS_A_PAGE).get_page(request.GET.get("page"))
    return render(request, "annotation/generation/endpoints.html", {"page": page})


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def endpoint(request: HttpRequest, endpoint_id: int | None = None) -> HttpResponse:
    """One endpoint, or a new one; POST enters or changes it, unless somebody else changed it meanwhile."""
    person = access.site_administrator(request.user)
    stands = fetch.endpoint(endpoint_id) if endpoint_id is not None else None
    initial = initial_of(stands) if stands else {}
    if request.method != "POST":
        return _page(request, stands, EndpointForm(initial=initial, endpoint=stands))
    form = EndpointForm(request.POST, endpoint=stands, initial={"what": initial.get("what")})
    if not form.is_valid():
        return _page(request, stands, form, status=422)
    values = dict(form.cleaned_data)
    about = {name: values.pop(name) for name in ("key", "remove_key", "version") if name in values}
    try:
        saved = endpoint_save(given=Endpoint(**values), by=person, endpoint=stands, **about)
    except Invalid as refusal:
        return _page(request, stands, _with_refusal(form, refusal), status=422)
    except Conflict:
        # What was typed, beside what somebody else made of it meanwhile; the key has to be typed again.
        stands = fetch.endpoint(endpoint_id or 0)
        now = {**initial_of(stands), "parameters": stands.parameters}
        again = EndpointForm({**request.POST.dict(), "version": stands.version}, endpoint=stands)
        differ = differences(form, form.cleaned_data, now)
        return _page(request, stands, again, status=409, differences=differ)
    if stands is None:
        messages.success(request, gettext("The endpoint was entered. Try it, then give a project a budget."))
    elif stands.key_sealed and not saved.key_sealed and not about.get("remove_key"):
        messages.warning(request, problem_words("key_address_changed"))
    else:
        messages.success(request, gettext("The endpoint was changed."))
    return redirect("endpoint", endpoint_id=saved.pk)


def _with_refusal(form: Any, refusal: Invalid) -> Any:
    """The form with what the action refused beside its field."""
    words = problem_words(refusal.code)
    named = refusal.details.get("name")
    field = refusal.field if refusal.field in form.fields else None
    form.add_error(field, f"{named}: {words}" if named else words)
    return form


def _page(
    request: HttpRequest, stands: Endpoint | None, form: EndpointForm, status: int = 200, **more: Any
) -> HttpResponse:
    context = {"endpoint": stands, "form": form, "events": fetch.events(stands) if stands else (), **more}
    return render(request, "annotation/generation/endpoint.html", context, status=status)


@login_required
@require_POST
def endpoint_trial(request: HttpRequest, endpoint_id: int) -> HttpResponse:
    """Ask an endpoint something tiny, and show its outcome."""
    person = access.site_administrator(request.user)
    stands = fetch.endpoint(endpoint_id)
    form = EndpointForm(initial=initial_of(stands), endpoint=stands)
    if not stands.address or stands.ended_at is not None:
        problem = "endpoint_ended" if stands.ended_at else "endpoint_address_missing"
        return _page(request, stands, form, status=409, problem=problem)
    from annotation.generation.actions.trial import (
        endpoint_try,  # with the client of HTTP, which no other page needs
    )

    return _page(request, stands, form, tried=endpoint_try(endpoint=stands, by=person))


@login_required
@require_POST
def endpoint_ending(request: HttpRequest, endpoint_id: int) -> HttpResponse:
    """End an endpoint, or take it into use again."""
    person = access.site_administrator(request.user)
    stands = fetch.endpoint(endpoint_id)
    ended = request.POST.get("ended") == "yes"
    endpoint_end(endpoint=stands, ended=ended, by=person)
    done = gettext("The endpoint was ended and its key removed.")
    messages.success(request, done if ended else gettext("The endpoint is in use again. Enter its key."))
    return redirect("endpoint", endpoint_id=stands.pk)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def machine_limit(request: HttpRequest, slug: str) -> HttpResponse:
    """The budget of a project for endpoints and its rate; POST sets them."""
    membership = access.administrator_membership(request.user, slug)
    stands = fetch.project_limit(membership)

    def page(form: LimitForm, status: int = 200, **more: Any) -> HttpResponse:
        context = {"limit": stands, "spent": fetch.spent_by_currency(membership), "form": form, **more}
        return render_page(request, membership, "machine_limit", status=status, **context)

    if request.method != "POST":
        return page(LimitForm(initial=_limit_of(stands)))
    form = LimitForm(request.POST)
    if not form.is_valid():
        return page(form, 422)
    try:
        limit_set(project=membership.project, by=membership.user, **form.cleaned_data)
    except Invalid as refusal:
        return page(_with_refusal(form, refusal), 422)
    except Conflict:
        stands = fetch.project_limit(membership)
        now = _limit_of(stands)
        again = LimitForm({**request.POST.dict(), "seen": now.pop("seen", "")})
        return page(again, 409, differences=differences(form, form.cleaned_data, now))
    messages.success(request, gettext("The budget holds from now on."))
    return redirect("machine_limit", slug=slug)


def _limit_of(stands: MachineLimit | None) -> dict[str, Any]:
    if stands is None:
        return {}
    budget, seen = stands.budget.normalize() + 0, stands.at.isoformat()
    return {"budget": budget, "currency": stands.currency, "per_minute": stands.per_minute, "seen": seen}
