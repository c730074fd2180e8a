"""Endpoints, for administrators of the site; and what a project may spend on them, for its administrators."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.core import access
from annotation.core.access import Membership
from annotation.core.errors import Conflict, Invalid
from annotation.core.messages import problem_words
from annotation.core.views.projects import differences
from annotation.generation.actions.endpoints import (
    EndpointIn,
    endpoint_end,
    endpoint_open,
    endpoint_save,
    limit_set,
)
from annotation.generation.forms.endpoints import EndpointForm, LimitForm, initial_of
from annotation.generation.models import Endpoint, MachineLimit
from annotation.generation.queries import endpoints as fetch
from annotation.ui.navigation import rooms

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
def endpoint_new(request: HttpRequest) -> HttpResponse:
    """Enter an endpoint."""
    person = access.site_administrator(request.user)
    form = EndpointForm(request.POST or None)
    if request.method != "POST":
        return _page(request, None, form)
    if not form.is_valid():
        return _page(request, None, form, status=422)
    said, key, _remove, _version = _said(form)
    try:
        made = endpoint_save(said=said, by=person, key=key)
    except Invalid as refusal:
        return _page(request, None, _refused(form, refusal), status=422)
    messages.success(request, gettext("The endpoint was entered. Try it, then give a project a budget."))
    return redirect("endpoint", endpoint_id=made.pk)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def endpoint(request: HttpRequest, endpoint_id: int) -> HttpResponse:
    """One endpoint; POST changes it, unless somebody else did meanwhile."""
    person = access.site_administrator(request.user)
    found = fetch.endpoint(endpoint_id)
    if request.method != "POST":
        return _page(request, found, EndpointForm(initial=initial_of(found), endpoint=found))
    form = EndpointForm(request.POST, endpoint=found, initial={"what": found.what})
    if not form.is_valid():
        return _page(request, found, form, status=422)
    said, key, remove, version = _said(form)
    try:
        saved = endpoint_save(
            said=said, by=person, endpoint=found, version=version, key=key, remove_key=remove
        )
    except Invalid as refusal:
        return _page(request, found, _refused(form, refusal), status=422)
    except Conflict:
        return _stale(request, endpoint_id, form)
    if found.key_sealed and not saved.key_sealed and not remove:
        messages.warning(request, problem_words("key_address_changed"))
    else:
        messages.success(request, gettext("The endpoint was changed."))
    return redirect("endpoint", endpoint_id=saved.pk)


def _said(form: EndpointForm) -> tuple[EndpointIn, str, bool, int]:
    """What a form says of an endpoint, its key, whether the key that is kept goes, and the version that was seen."""
    given = dict(form.cleaned_data)
    key, remove, version = given.pop("key"), given.pop("remove_key", False), given.pop("version")
    return EndpointIn(**given), key, remove, version


def _refused(form: Any, refusal: Invalid) -> Any:
    """The form with what the action refused beside its field."""
    words = problem_words(refusal.code)
    named = refusal.details.get("name")
    field = refusal.field if refusal.field in form.fields else None
    form.add_error(field, f"{named}: {words}" if named else words)
    return form


def _stale(request: HttpRequest, endpoint_id: int, form: EndpointForm) -> HttpResponse:
    """What was typed, beside what somebody else made of it meanwhile; the key has to be typed again."""
    stands = fetch.endpoint(endpoint_id)
    now = {**initial_of(stands), "parameters": stands.parameters}
    again = EndpointForm({**request.POST.dict(), "version": stands.version}, endpoint=stands)
    return _page(request, stands, again, status=409, differences=differences(form, form.cleaned_data, now))


def _page(
    request: HttpRequest, found: Endpoint | None, form: EndpointForm, status: int = 200, **more: Any
) -> HttpResponse:
    context = {"endpoint": found, "form": form, "events": fetch.events(found) if found else (), **more}
    return render(request, "annotation/generation/endpoint.html", context, status=status)


@login_required
@require_POST
def endpoint_try(request: HttpRequest, endpoint_id: int) -> HttpResponse:
    """Ask an endpoint something tiny, and show what came of it."""
    person = access.site_administrator(request.user)
    found = fetch.endpoint(endpoint_id)
    form = EndpointForm(initial=initial_of(found), endpoint=found)
    if not found.address or found.ended_at is not None:
        problem = "endpoint_ended" if found.ended_at else "endpoint_address_missing"
        return _page(request, found, form, status=409, problem=problem)
    from annotation.generation.llm import trying  # the client of HTTP, which no other page needs

    return _page(request, found, form, tried=trying.endpoint_try(endpoint=found, by=person))


@login_required
@require_POST
def endpoint_ending(request: HttpRequest, endpoint_id: int) -> HttpResponse:
    """End an endpoint, or take it into use again."""
    person = access.site_administrator(request.user)
    found = fetch.endpoint(endpoint_id)
    if request.POST.get("ended") == "yes":
        endpoint_end(endpoint=found, by=person)
        messages.success(request, gettext("The endpoint was ended and its key removed."))
    else:
        endpoint_open(endpoint=found, by=person)
        messages.success(request, gettext("The endpoint is in use again. Enter its key."))
    return redirect("endpoint", endpoint_id=found.pk)


# --- what a project may spend ---------------------------------------------------------------


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def machine_limit(request: HttpRequest, slug: str) -> HttpResponse:
    """The budget of a project for endpoints and its rate; POST sets them."""
    membership = access.administrator(request.user, slug)
    stands = fetch.limit(membership)
    if request.method != "POST":
        return _limit_page(request, membership, stands, LimitForm(initial=_limit_of(stands)))
    form = LimitForm(request.POST)
    if not form.is_valid():
        return _limit_page(request, membership, stands, form, status=422)
    try:
        limit_set(project=membership.project, by=membership.user, **form.cleaned_data)
    except Invalid as refusal:
        return _limit_page(request, membership, stands, _refused(form, refusal), status=422)
    except Conflict:
        stands = fetch.limit(membership)
        now = _limit_of(stands)
        again = LimitForm({**request.POST.dict(), "seen": now.pop("seen", "")})
        told = differences(form, form.cleaned_data, now)
        return _limit_page(request, membership, stands, again, status=409, differences=told)
    messages.success(request, gettext("The budget holds from now on."))
    return redirect("machine_limit", slug=slug)


def _limit_of(stands: MachineLimit | None) -> dict[str, Any]:
    if stands is None:
        return {}
    return {
        "budget": stands.budget.normalize() + 0,
        "currency": stands.currency,
        "per_minute": stands.per_minute,
        "seen": stands.at.isoformat(),
    }


def _limit_page(
    request: HttpRequest,
    membership: Membership,
    stands: MachineLimit | None,
    form: LimitForm,
    status: int = 200,
    **more: Any,
) -> HttpResponse:
    context = {
        "project": membership.project,
        "membership": membership,
        "nav": rooms(membership, "machine"),
        "limit": stands,
        "spent": fetch.spent(membership),
        "form": form,
        **more,
    }
    return render(request, "annotation/generation/machine_limit.html", context, status=status)
