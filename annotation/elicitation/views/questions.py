"""Sessions, and the questions that groups answer before anybody writes (Kalahi §3.1).

Writers see what the others of the group said, as they work together; who only judges sees nothing of it.
"""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.core import access
from annotation.core.access import Membership
from annotation.core.actions.members import ensure_lead_place
from annotation.core.errors import Conflict, Invalid, NotFound
from annotation.elicitation import actions
from annotation.elicitation import queries as fetch
from annotation.elicitation.forms import SessionForm
from annotation.elicitation.models import ElicitationAnswer, ElicitationQuestion, Session
from annotation.elicitation.rules.sessions import ELICITATION, PURPOSE_NAMES, REVIEW
from annotation.presets.elicitation import KINDS
from annotation.ui.navigation import page_url
from annotation.ui.pages import page, posted_number, submit

QUESTIONS_A_PAGE = 30
# The page of one session, by its purpose; a page that this site does not have is left out.
SESSION_PAGES = {ELICITATION: "elicitation_session", REVIEW: "group"}
MOST_SESSIONS = 200
TypedInput = dict[str, Any]


@login_required
@require_GET
def elicitation(request: HttpRequest, slug: str) -> HttpResponse:
    """The questions with the group's answers."""
    return _page(request, fetch.elicitation_membership(request.user, slug))


@login_required
@require_GET
def elicitation_session(request: HttpRequest, slug: str, session_id: int) -> HttpResponse:
    """The same for one session: what is answered here is answered for its group."""
    membership = fetch.elicitation_membership(request.user, slug)
    return _page(request, membership, session=fetch.session_of(membership, session_id))


@login_required
@require_POST
def elicitation_answer(request: HttpRequest, slug: str, question_id: int) -> HttpResponse:
    """Answer a question, for oneself or for the group of a session; an administrator answers as a lead does."""
    membership = fetch.elicitation_membership(request.user, slug)
    by = fetch.answering_member(membership)
    if by is None:
        membership, by = ensure_lead_place(request.user, slug)
    session, typed = _sent_session(request, membership), _typed_input(request, "answer", question_id)
    given = {"annotator": by, "question_id": question_id, "text": typed["text"], "topic": typed["topic"]}
    given["session_id"] = session.pk if session else None
    return _act_and_return(request, membership, typed, actions.elicitation_answer, given, session)


@login_required
@require_POST
def elicitation_answer_change(request: HttpRequest, slug: str, answer_id: int) -> HttpResponse:
    """Change what one answered."""
    membership = fetch.elicitation_membership(request.user, slug)
    by = fetch.answering_member(membership)
    if by is None:
        raise NotFound
    session, typed = _sent_session(request, membership), _typed_input(request, "own", answer_id)
    given = {"annotator": by, "answer_id": answer_id, "text": typed["text"], "topic": typed["topic"]}
    return _act_and_return(request, membership, typed, actions.elicitation_answer_change, given, session)


@login_required
@require_POST
def elicitation_seed(request: HttpRequest, slug: str) -> HttpResponse:
    """Take over the questions that come with the platform, where a project has none."""
    membership = _lead_membership(request, slug)
    given = {"project": membership.project, "by": membership.user}
    return _act_and_return(request, membership, {"form": "seed"}, actions.elicitation_seed, given)


@login_required
@require_POST
def elicitation_add(request: HttpRequest, slug: str) -> HttpResponse:
    """A lead adds a question."""
    membership, typed = _lead_membership(request, slug), _typed_input(request, "add", 0)
    given = {"project": membership.project, "by": membership.user}
    given |= {"sort": typed["sort"], "text": typed["text"]}
    return _act_and_return(request, membership, typed, actions.elicitation_add, given)


@login_required
@require_POST
def elicitation_change(request: HttpRequest, slug: str, question_id: int) -> HttpResponse:
    """A lead changes a question."""
    membership, typed = _lead_membership(request, slug), _typed_input(request, "change", question_id)
    given = {"project": membership.project, "by": membership.user, "question_id": question_id}
    given |= {"version": posted_number(request, "version"), "sort": typed["sort"], "text": typed["text"]}
    return _act_and_return(request, membership, typed, actions.elicitation_change, given)


@login_required
@require_POST
def elicitation_retire(request: HttpRequest, slug: str, question_id: int) -> HttpResponse:
    """A lead takes a question out, or asks it again."""
    membership, typed = _lead_membership(request, slug), {"form": "retire", "pk": question_id}
    given = {"project": membership.project, "by": membership.user, "question_id": question_id}
    given |= {"version": posted_number(request, "version"), "retired": "again" not in request.POST}
    return _act_and_return(request, membership, typed, actions.elicitation_retire, given)


def _lead_membership(request: HttpRequest, slug: str) -> Membership:
    fetch.elicitation_membership(request.user, slug)
    return access.lead_membership(request.user, slug)


def _sent_session(request: HttpRequest, membership: Membership) -> Session | None:
    """The session whose page was sent, if it was one's."""
    return fetch.session_of(membership, posted_number(request, "session")) if request.POST.get("session") else None


def _typed_input(request: HttpRequest, form: str, pk: int) -> TypedInput:
    """What was sent, so that it stands in its form again where it is refused: answer, own, change or add."""
    given = {name: request.POST.get(name, "") for name in ("text", "topic", "sort")}
    return {"form": form, "pk": pk, **given}


def _act_and_return(
    request: HttpRequest,
    membership: Membership,
    typed: TypedInput,
    act: Callable[..., ElicitationQuestion | ElicitationAnswer | int],
    given: TypedInput,
    session: Session | None = None,
) -> HttpResponse:
    """Do it, and go back to the question; a refusal stands on the page with what was typed."""
    try:
        made = act(**given)
    except (Conflict, Invalid) as refusal:
        kept = {**typed, "problem": refusal.code, "field": refusal.field}
        return _page(request, membership, session=session, typed=kept, status=refusal.page_status)
    slug = membership.project.slug
    url = page_url("elicitation_session", slug, session.pk) if session else page_url("elicitation", slug)
    if isinstance(made, int):
        return redirect(url)
    question = made.question_id if isinstance(made, ElicitationAnswer) else made.pk
    place = _page_of(membership, question)
    return redirect(f"{url}{f'?page={place}' if place > 1 else ''}#question-{question}")


def _page_of(membership: Membership, question: int | None) -> int:
    """The number of the page that a question is on."""
    ids = list(fetch.questions_of(membership).values_list("pk", flat=True))
    return ids.index(question) // QUESTIONS_A_PAGE + 1 if question in ids else 1


def _page(
    request: HttpRequest,
    membership: Membership,
    *,
    session: Session | None = None,
    typed: TypedInput | None = None,
    status: int = 200,
) -> HttpResponse:
    """The page asked for; where something was refused, the one that its question is on."""
    form, wanted = (typed["form"], typed.get("pk")) if typed else ("", None)
    if form == "own":
        wanted = ElicitationQuestion.objects.filter(answers=wanted).values_list("pk", flat=True).first()
    of_question = form in ("answer", "change", "retire", "own")
    place = _page_of(membership, wanted) if of_question else request.GET.get("page")
    questions = Paginator(fetch.questions_of(membership), QUESTIONS_A_PAGE).get_page(place)
    is_open = membership.project.closed_at is None
    context = {
        "page": questions,
        "rows": fetch.with_answers(list(questions)),
        "session": session,
        "sessions": list(fetch.elicitation_sessions(membership.project)[:QUESTIONS_A_PAGE]),
        "topics": fetch.topic_names(membership.project),
        "me": fetch.answering_member(membership),
        "may_answer": is_open,
        "may_change": is_open and membership.sees_all,
        "sorts": list(KINDS.items()),
        "typed": typed or {},
    }
    template = "annotation/elicitation/elicitation.html"
    return page(request, membership, "elicitation", template, status=status, **context)


@login_required
@require_http_methods(["GET", "POST"])
def sessions(request: HttpRequest, slug: str) -> HttpResponse:
    """Every session that the viewer may see; leads make new ones (Kalahi §3, Appendix B)."""
    membership, form, status = fetch.sessions_membership(request.user, slug), None, 200
    if request.method == "POST":
        membership, lead = ensure_lead_place(request.user, slug)
        form = SessionForm(request.POST, purposes=fetch.open_to(membership))
        status = submit(form, lambda sent: actions.session_create(lead=lead, **sent))
        if not status:
            messages.success(request, gettext("The session is in the list."))
            return redirect("sessions", slug=slug)
    elif membership.sees_all and membership.project.closed_at is None:
        form = SessionForm(purposes=fetch.open_to(membership), initial={"purpose": REVIEW})
    purposes = [
        {"key": each, "name": gettext(PURPOSE_NAMES[each]), "rows": _session_rows(membership, each)}
        for each in fetch.open_to(membership)
    ]
    template = "annotation/elicitation/sessions.html"
    return page(request, membership, "sessions", template, status=status, form=form, purposes=purposes)


def _session_rows(membership: Membership, purpose: str) -> list[dict[str, Any]]:
    """The sessions of a purpose, each with its page and the page for a room with a projector."""
    slug, held = membership.project.slug, fetch.sessions_of(membership, purpose)[:MOST_SESSIONS]
    shows = purpose == REVIEW
    return [
        {
            "session": each,
            "url": page_url(SESSION_PAGES[purpose], slug, each.pk),
            "show": page_url("show", slug, each.pk) if shows else "",
        }
        for each in held
    ]
