"""What is new for oneself, marked as read; the daily e-mail, on and off, also from a link in it."""

from urllib.parse import unquote

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.core.accounts import is_mail_delivered
from annotation.core.errors import Invalid
from annotation.core.language import ZONE_COOKIE
from annotation.core.models.user import User
from validation.notices import actions, queries


def _user(request: HttpRequest) -> User:
    assert isinstance(request.user, User)  # noqa: S101 - login_required
    return request.user


def unread_keep(request: HttpRequest, new: int) -> None:
    """Keep how many notices are new for the head of the pages that follow; it is counted here and on *My work*."""
    if request.session.get("unread", 0) != new:
        request.session["unread"] = new


@login_required
@require_GET
def notices(request: HttpRequest) -> HttpResponse:
    """The notices of the last weeks, what is new marked."""
    user = _user(request)
    found, new = queries.recent_notices(user)
    unread_keep(request, new)
    context = {
        "notices": found,
        "new": new,
        "until": found[0][0].at.isoformat() if found else "",
        "mails": queries.notice_state_of(user).mails,
        "mail_leaves": is_mail_delivered(),
    }
    return render(request, "validation/notices/notices.html", context)


@login_required
@require_POST
def notices_seen(request: HttpRequest) -> HttpResponse:
    """Mark as read what the page showed, and nothing that came since."""
    try:
        until = parse_datetime(request.POST.get("until", ""))
    except ValueError:
        until = None
    if until is None or until.tzinfo is None:
        raise Invalid(field="until", code="moment_wrong")
    actions.mark_notices_seen(user=_user(request), until=until)
    return redirect("notices")


@login_required
@require_POST
def notices_mails(request: HttpRequest) -> HttpResponse:
    """Switch the daily e-mail on or off."""
    user = _user(request)
    actions.switch_mails(user=user, mails="mails" in request.POST)
    actions.zone_keep(user=user, zone=unquote(request.COOKIES.get(ZONE_COOKIE, "")))
    messages.success(request, gettext("Saved."))
    return redirect("notices")


@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def notices_off(request: HttpRequest, token: str) -> HttpResponse:
    """The link in an e-mail: GET asks, POST switches e-mails off, also sent by a mail program (RFC 8058)."""
    user = actions.user_of_token(token)
    if request.method == "POST":
        actions.switch_mails(user=user, mails=False)
    return render(request, "validation/notices/off.html", {"off": request.method == "POST"})
