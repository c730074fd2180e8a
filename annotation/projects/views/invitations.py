"""The invitation link: a page on GET, and nothing changes but by POST."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_GET, require_http_methods

from annotation.core.errors import Conflict, Forbidden, Invalid, NotFound
from annotation.core.models.member import Annotator, Invitation
from annotation.core.models.project import Target
from annotation.core.models.user import User, canonical_email
from annotation.elicitation.actions import must_sign
from annotation.projects import queries
from annotation.projects.accounts import invitation_hold, may_sign_up_with
from annotation.projects.actions.invitations import invitation_accept, roles_of


def _not_valid_page() -> HttpResponse:
    """Unknown, used, revoked and past: the same bytes, so nothing of the request goes into it."""
    return HttpResponse(render_to_string("annotation/projects/invitation_over.html"), status=404)


def _page(request: HttpRequest, invitation: Invitation, status: int = 200, **more: Any) -> HttpResponse:
    context = {
        "invitation": invitation,
        "project": invitation.project,
        "roles": roles_of(invitation),
        "targets": Target.objects.filter(project=invitation.project_id, key__in=invitation.targets).order_by("key"),
        "asks_no_part": must_sign(invitation),
        "may_sign_up": bool(settings.MUFAKAT_OPEN_SIGNUP) or may_sign_up_with(invitation),
        **more,
    }
    return render(request, "annotation/projects/invitation.html", context, status=status)


@sensitive_variables("token")
@require_http_methods(["GET", "HEAD", "POST"])
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    """Show what one is invited to; POST accepts it, or takes it along through log-in or sign-up."""
    try:
        found = queries.invitation(token)
    except NotFound:
        return _accepted_before(request, token) or _not_valid_page()
    user = request.user
    if isinstance(user, User):
        if canonical_email(user.email) != found.email:
            return render(request, "annotation/projects/invitation_refused.html", status=403)
        if request.method != "POST":
            return _page(request, found)
        return _accept(request, found, user, token)
    if request.method != "POST":
        return _page(request, found)
    no_part = "no_part" in request.POST
    if must_sign(found) and not no_part:
        return _page(request, found, status=422, problem="no_part_missing")
    invitation_hold(request, found, no_part=no_part)
    return redirect("account_login" if "login" in request.POST else "account_signup")


def _accept(request: HttpRequest, found: Invitation, user: User, token: str) -> HttpResponse:
    try:
        place = invitation_accept(token=token, user=user, no_part="no_part" in request.POST)
    except (NotFound, Forbidden):
        return _not_valid_page()
    except Invalid as refusal:
        return _page(request, found, status=422, problem=refusal.code)
    except Conflict as refusal:
        return _page(request, found, status=409, problem=refusal.code)
    return _redirect_to_start(place)


def _redirect_to_start(place: Annotator) -> HttpResponse:
    """What somebody new reads first."""
    return redirect("guidelines", slug=place.project.slug)


def _accepted_before(request: HttpRequest, token: str) -> HttpResponse | None:
    """Whoever accepted it and opens it again is led to the project."""
    if not isinstance(request.user, User):
        return None
    place = queries.invitation_membership(request.user, token)
    return _redirect_to_start(place) if place else None


@require_GET
def invitation_refused(request: HttpRequest) -> HttpResponse:
    """After logging in with another account than the invited one: says so, and not whose it is."""
    return render(request, "annotation/projects/invitation_refused.html", status=403)
