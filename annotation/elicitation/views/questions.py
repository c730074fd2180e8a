"""Sessions, and what groups are asked before anybody writes, with the answers that they gave (Kalahi §3.1).

Writers see what the others of the group said, as they work together; who only judges sees nothing of it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.core import access
from annotation.core.access import Membership
from annotation.core.actions.members import lead_place
from annotation.core.errors import Conflict, Invalid, NotFound
from annotation.core.messages import problem_words
from annotation.core.models.member import Annotator
from annotation.elicitation import queries as fetch
from annotation.elicitation.actions import elicitation_add as actions_elicitation_add
from annotation.elicitation.actions import elicitation_answer as actions_elicitation_answer
from annotation.elicitation.actions import elicitation_answer_change as actions_elicitation_answer_change
from annotation.elicitation.actions import elicitation_change as actions_elicitation_change
from annotation.elicitation.actions import elicitation_retire as actions_elicitation_retire
from annotation.elicitation.actions import elicitation_seed as actions_elicitation_seed
from annotation.elicitation.actions import session_create
from annotation.elicitation.forms import SessionForm
from annotation.elicitation.models import ElicitationQuestion, Session
from annotation.elicitation.rules.sessions import ELICITATION, NAMES, REVIEW
from annotation.presets.elicitation import KINDS
from annotation.ui.navigation import link, rooms
from annotation.writing.views.slots import number

PAGE = 30


@dataclass(frozen=True)
class Typed:
    """What was refused, so that it stands in its form again: `form` is answer, own, change or add."""

    form: str = ""
    pk: int = 0
    text: str = ""
    topic: str = ""
    sort: str = ""
    problem: str = ""
    field: str = ""

    @property
    def at(self) -> str:
        return f"{self.form}-{self.pk}" if self.form else ""


NOTHING = Typed()


@login_required
@require_GET
def elicitation(request: HttpRequest, slug: str) -> HttpResponse:
    """The questions with the group's answers."""
    return _page(request, fetch.elicitation_place(request.user, slug))


@login_required
@require_GET
def elicitation_session(request: HttpRequest, slug: str, session_id: int) -> HttpResponse:
    """The same for one session: what is answered here is answered for its group."""
    membership = fetch.elicitation_place(request.user, slug)
    return _page(request, membership, session=fetch.session_of(membership, session_id))


@login_required
@require_POST
def elicitation_answer(request: HttpRequest, slug: str, question_id: int) -> HttpResponse:
    """Answer a question, for oneself or for the group of a session."""
    membership, by = _answerer(request, slug)
    session = (
        fetch.session_of(membership, number(request, "session")) if request.POST.get("session") else None
    )
    typed = _typed(request, "answer", question_id)
    return _done(
        request,
        membership,
        typed,
        lambda: (
            actions_elicitation_answer(
                annotator=by,
                question_id=question_id,
                text=typed.text,
                topic=typed.topic,
                session_id=session.pk if session else None,
            ).question_id
        ),
        session=session,
    )


@login_required
@require_POST
def elicitation_answer_change(request: HttpRequest, slug: str, answer_id: int) -> HttpResponse:
    """Change what one answered."""
    membership = fetch.elicitation_place(request.user, slug)
    by = fetch.answerer(membership)
    if by is None:
        raise NotFound
    session = (
        fetch.session_of(membership, number(request, "session")) if request.POST.get("session") else None
    )
    typed = _typed(request, "own", answer_id)
    return _done(
        request,
        membership,
        typed,
        lambda: (
            actions_elicitation_answer_change(
                annotator=by, answer_id=answer_id, text=typed.text, topic=typed.topic
            ).question_id
        ),
        session=session,
    )


@login_required
@require_POST
def elicitation_seed(request: HttpRequest, slug: str) -> HttpResponse:
    """Take over the house's questions, where a project has none."""
    membership = _overseer(request, slug)

    def seed() -> int:
        actions_elicitation_seed(project=membership.project, by=membership.user)
        return 0

    return _done(request, membership, Typed("seed"), seed)


@login_required
@require_POST
def elicitation_add(request: HttpRequest, slug: str) -> HttpResponse:
    """A lead adds a question."""
    membership = _overseer(request, slug)
    typed = _typed(request, "add", 0)
    return _done(
        request,
        membership,
        typed,
        lambda: (
            actions_elicitation_add(
                project=membership.project, by=membership.user, sort=typed.sort, text=typed.text
            ).pk
        ),
    )


@login_required
@require_POST
def elicitation_change(request: HttpRequest, slug: str, question_id: int) -> HttpResponse:
    """A lead changes a question."""
    membership = _overseer(request, slug)
    typed = _typed(request, "change", question_id)
    return _done(
        request,
        membership,
        typed,
        lambda: (
            actions_elicitation_change(
                project=membership.project,
                question_id=question_id,
                by=membership.user,
                version=number(request, "version"),
                sort=typed.sort,
                text=typed.text,
            ).pk
        ),
    )


@login_required
@require_POST
def elicitation_retire(request: HttpRequest, slug: str, question_id: int) -> HttpResponse:
    """A lead takes a question out, or asks it again."""
    membership = _overseer(request, slug)
    return _done(
        request,
        membership,
        Typed("retire", question_id),
        lambda: (
            actions_elicitation_retire(
                project=membership.project,
                question_id=question_id,
                by=membership.user,
                version=number(request, "version"),
                retired="again" not in request.POST,
            ).pk
        ),
    )


def _answerer(request: HttpRequest, slug: str) -> tuple[Membership, Annotator]:
    """The place under which somebody answers; an administrator answers as a lead does."""
    membership = fetch.elicitation_place(request.user, slug)
    by = fetch.answerer(membership)
    return (membership, by) if by is not None else lead_place(request.user, slug)


def _overseer(request: HttpRequest, slug: str) -> Membership:
    fetch.elicitation_place(request.user, slug)
    return access.overseer(request.user, slug)


def _typed(request: HttpRequest, form: str, pk: int) -> Typed:
    given = {name: request.POST.get(name, "") for name in ("text", "topic", "sort")}
    return Typed(form, pk, **given)


def _done(
    request: HttpRequest,
    membership: Membership,
    typed: Typed,
    act: Callable[[], int],
    *,
    session: Session | None = None,
) -> HttpResponse:
    """Do it, and go back to the question; a refusal stands on the page with what was typed."""
    try:
        question_id = act()
    except (Conflict, Invalid) as refusal:
        status = 409 if isinstance(refusal, Conflict) else 422
        field = refusal.field if isinstance(refusal, Invalid) else ""
        kept = Typed(
            typed.form, typed.pk, typed.text, typed.topic, typed.sort, problem=refusal.code, field=field
        )
        return _page(request, membership, session=session, typed=kept, status=status)
    return redirect(_address(membership, session, question_id))


def _address(membership: Membership, session: Session | None, question_id: int = 0) -> str:
    """The page that a question is on."""
    slug = membership.project.slug
    url = link("elicitation_session", slug, session.pk) if session else link("elicitation", slug)
    if not question_id:
        return url
    ids = list(fetch.questions_of(membership).values_list("pk", flat=True))
    place = ids.index(question_id) // PAGE + 1 if question_id in ids else 1
    query = "?" + urlencode({"page": place}) if place > 1 else ""
    return f"{url}{query}#question-{question_id}"


def _page(
    request: HttpRequest,
    membership: Membership,
    *,
    session: Session | None = None,
    typed: Typed = NOTHING,
    status: int = 200,
) -> HttpResponse:
    page = Paginator(fetch.questions_of(membership), PAGE).get_page(_page_number(request, membership, typed))
    is_open = membership.project.closed_at is None
    context = {
        "project": membership.project,
        "nav": rooms(membership, "elicitation"),
        "page": page,
        "rows": fetch.asked(list(page)),
        "session": session,
        "sessions": list(fetch.elicitation_sessions(membership.project)[:PAGE]),
        "topics": fetch.topic_names(membership.project),
        "me": fetch.answerer(membership),
        "may_answer": is_open,
        "may_change": is_open and membership.sees_all,
        "sorts": list(KINDS.items()),
        "typed": typed,
    }
    return render(request, "annotation/elicitation/elicitation.html", context, status=status)


def _page_number(request: HttpRequest, membership: Membership, typed: Typed) -> int | str | None:
    """The page asked for; where something was refused, the one that its question is on."""
    if typed.form not in ("answer", "change", "retire", "own"):
        return request.GET.get("page")
    questions = fetch.questions_of(membership)
    if typed.form == "own":
        wanted = ElicitationQuestion.objects.filter(answers=typed.pk).values_list("pk", flat=True).first()
    else:
        wanted = typed.pk
    ids = list(questions.values_list("pk", flat=True))
    return ids.index(wanted) // PAGE + 1 if wanted in ids else 1


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
        return _sessions_page(request, membership, _form(membership))
    membership, lead = lead_place(request.user, slug)
    form = SessionForm(request.POST, purposes=fetch.open_to(membership))
    if not form.is_valid():
        return _sessions_page(request, membership, form, status=422)
    try:
        session_create(lead=lead, **form.cleaned_data)
    except Invalid as refusal:
        form.add_error(refusal.field or None, problem_words(refusal.code))
        return _sessions_page(request, membership, form, status=422)
    except Conflict as refusal:
        form.add_error(None, problem_words(refusal.code))
        return _sessions_page(request, membership, form, status=409)
    messages.success(request, gettext("The session is in the list."))
    return redirect("sessions", slug=slug)


def _form(membership: Membership) -> SessionForm | None:
    if not membership.sees_all or membership.project.closed_at is not None:
        return None
    return SessionForm(purposes=fetch.open_to(membership), initial={"purpose": REVIEW})


def _sessions_page(
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
