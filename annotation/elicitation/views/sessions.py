"""Sessions of a project: the list, and a new one (Kalahi §3, Appendix B)."""

from dataclasses import dataclass

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from annotation.core.access import Membership
from annotation.core.actions.leading import lead_place
from annotation.core.errors import Conflict, Invalid
from annotation.core.messages import problem_words
from annotation.elicitation.actions.sessions import session_create
from annotation.elicitation.forms import SessionForm
from annotation.elicitation.models.session import Session
from annotation.elicitation.queries import sessions as fetch
from annotation.elicitation.rules.sessions import ELICITATION, NAMES, REVIEW
from annotation.ui.navigation import link, rooms

# The page of one session, by its purpose; a page that this site does not have is left out.
PAGES = {ELICITATION: "elicitation_session", REVIEW: "group"}
MOST = 200


@dataclass(frozen=True)
class Row:
    """One session, its page, and the page for a room with a projector."""

    session: Session
    url: str
    show: str


@dataclass(frozen=True)
class Purpose:
    """The sessions that are held for one thing."""

    key: str
    name: str
    rows: list[Row]


@login_required
@require_http_methods(["GET", "POST"])
def sessions(request: HttpRequest, slug: str) -> HttpResponse:
    """Every session that the viewer may see; leads make new ones."""
    membership = fetch.sessions_place(request.user, slug)
    if request.method == "GET":
        return _page(request, membership, _form(membership))
    membership, lead = lead_place(request.user, slug)
    form = SessionForm(request.POST, purposes=fetch.open_to(membership))
    if not form.is_valid():
        return _page(request, membership, form, status=422)
    try:
        session_create(lead=lead, **form.cleaned_data)
    except Invalid as refusal:
        form.add_error(refusal.field or None, problem_words(refusal.code))
        return _page(request, membership, form, status=422)
    except Conflict as refusal:
        form.add_error(None, problem_words(refusal.code))
        return _page(request, membership, form, status=409)
    messages.success(request, gettext("The session is in the list."))
    return redirect("sessions", slug=slug)


def _form(membership: Membership) -> SessionForm | None:
    if not membership.sees_all or membership.project.closed_at is not None:
        return None
    return SessionForm(purposes=fetch.open_to(membership), initial={"purpose": REVIEW})


def _page(
    request: HttpRequest, membership: Membership, form: SessionForm | None, *, status: int = 200
) -> HttpResponse:
    slug = membership.project.slug
    found = [
        Purpose(
            purpose,
            gettext(NAMES[purpose]),
            [
                Row(
                    each,
                    link(PAGES[purpose], slug, each.pk),
                    link("show", slug, each.pk) if purpose == REVIEW else "",
                )
                for each in fetch.sessions_of(membership, purpose)[:MOST]
            ],
        )
        for purpose in fetch.open_to(membership)
    ]
    context = {
        "project": membership.project,
        "membership": membership,
        "nav": rooms(membership, "sessions"),
        "purposes": found,
        "form": form,
    }
    return render(request, "annotation/elicitation/sessions.html", context, status=status)
