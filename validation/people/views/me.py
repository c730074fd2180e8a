"""My record: one's own votes, returned items, agreement, time, data, settings, and leaving (screens.md 9)."""

from typing import Any

import orjson
from allauth.core import ratelimit
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_GET, require_POST

from annotation.core import access
from annotation.core.actions.accounts import user_settings
from annotation.core.errors import Conflict, Invalid
from annotation.core.models.user import User
from annotation.datasheet.queries import own_places
from annotation.pay.queries import own_unpaid
from validation.insights.queries import text_metrics as measured
from validation.people import queries as record
from validation.people.actions import account_delete
from validation.quality.queries import own_notes

VOTES_A_PAGE = 25
YEAR = 365 * 24 * 3600


def _user(request: HttpRequest) -> User:
    assert isinstance(request.user, User)  # noqa: S101 - login_required
    return request.user


def _page(request: HttpRequest, *, status: int = 200, **more: Any) -> HttpResponse:
    user = _user(request)
    page = Paginator(record.votes_of(user), VOTES_A_PAGE).get_page(request.GET.get("page"))
    places, own = access.memberships(user), own_places(user)
    context = {
        "page": page,
        "votes": record.votes_as_seen(page),
        "returned": record.items_returned_to(user),
        "figures": record.figures(places),
        "notes": own_notes(places),
        "habits": measured.own_writing_habits(places),
        "about_memberships": own,
        "unpaid": own_unpaid(user) if any(place.project.pays for place in own) else [],
        **more,
    }
    return render(request, "validation/people/me.html", context, status=status)


@login_required
@require_GET
def my_record(request: HttpRequest) -> HttpResponse:
    """Everything about oneself, and nothing about anybody else."""
    return _page(request)


@login_required
@require_GET
def my_data(request: HttpRequest) -> HttpResponse:
    """One's own data as a JSON file."""
    body = orjson.dumps(record.personal_data_of(_user(request)), option=orjson.OPT_INDENT_2)
    headers = {"Content-Disposition": 'attachment; filename="mufakat-my-data.json"'}
    return HttpResponse(body, content_type="application/json", headers=headers)


@login_required
@require_POST
def my_settings(request: HttpRequest) -> HttpResponse:
    """Name, language, single-key shortcuts, whether a tap sends, light or dark."""
    theme = request.POST.get("theme", "")
    try:
        user_settings(
            user=_user(request),
            name=request.POST.get("name", ""),
            single_keys="single_keys" in request.POST,
            tap_sends="tap_sends" in request.POST,
            theme=theme,
            language=request.POST.get("language", ""),
        )
    except Invalid as refusal:
        return _page(request, status=422, problem=refusal.code)
    messages.success(request, gettext("Saved."))
    response = redirect("my_record")
    # The first byte of a page says which colours: a cookie, so that no page flashes the wrong ones.
    if theme:
        secure = bool(settings.SESSION_COOKIE_SECURE)
        response.set_cookie("theme", theme, max_age=YEAR, samesite="Lax", secure=secure)
    else:
        response.delete_cookie("theme", samesite="Lax")
    return response


@sensitive_post_parameters("password")
@login_required
@require_POST
def my_deletion(request: HttpRequest) -> HttpResponse:
    """Delete the account; asks for the password again."""
    user = _user(request)
    if not ratelimit.consume(request, action="reauthenticate", user=user):
        return ratelimit.respond_429(request)
    try:
        comments = "comments" in request.POST
        password, pay = request.POST.get("password", ""), request.POST.get("pay", "")
        account_delete(user=user, password=password, comments=comments, pay=pay)
    except Invalid as refusal:
        return _page(request, status=422, delete_problem=refusal.code)
    except Conflict as refusal:
        return _page(request, status=409, delete_problem=refusal.code)
    logout(request)
    messages.success(request, gettext("Your account was deleted."))
    response = redirect("account_login")
    response.delete_cookie("theme", samesite="Lax")
    return response
