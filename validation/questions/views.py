"""The questions of a project: asked by annotators, answered and published by leads."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST

from annotation.core import access
from annotation.core.access import Membership
from annotation.core.errors import Forbidden, Invalid
from annotation.core.models.project import GuidelineVersion
from annotation.ui.pages import page, show_refusal, submit
from validation.questions import actions, queries
from validation.questions.forms import AskForm, PublishForm, ReplyForm
from validation.questions.models import Question

THREADS_A_PAGE = 25
NAMES = ("assignment", "item", "role", "section")


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def questions(request: HttpRequest, slug: str) -> HttpResponse:
    """One's own threads (a lead's: all) and what was published; POST asks."""
    membership = access.membership(request.user, slug)
    sent = request.POST if request.method == "POST" else request.GET
    if request.method != "POST":
        form = AskForm(initial={name: sent.get(name, "") for name in NAMES}, sections=_sections(membership, sent))
        return _page(request, membership, form)
    if membership.annotator is None:
        raise Forbidden
    form = AskForm(request.POST, sections=_sections(membership, sent))
    if not form.is_valid():
        return _page(request, membership, form, status=422)
    try:
        about = queries.subject_of(membership.annotator, form.cleaned_data)
        asked = actions.question_ask(annotator=membership.annotator, about=about, text=form.cleaned_data["text"])
    except Invalid as refusal:
        return _page(request, membership, form, status=show_refusal(form, refusal))
    messages.success(request, gettext("Sent. You find the answer here."))
    return redirect("question", slug=slug, question_id=asked.pk)


def _sections(membership: Membership, sent: Any) -> list[str]:
    """The headings of the guidelines that the address names."""
    role = sent.get("role", "")
    if role not in GuidelineVersion.Role.values:
        return []
    return queries.sections_of(membership.project.guidelines.filter(role=role).order_by("-n").first())


def _page(request: HttpRequest, membership: Membership, form: AskForm, *, status: int = 200) -> HttpResponse:
    about: list[tuple[str, str]] = []
    sent = request.POST if request.method == "POST" else request.GET
    if membership.annotator is not None and (sent.get("assignment") or sent.get("item")):
        revision = queries.subject_of(membership.annotator, sent).revision
        about = queries.texts_of(Question(project=membership.project, revision=revision))
    rows = Paginator(queries.threads(membership), THREADS_A_PAGE).get_page(request.GET.get("page"))
    context = {
        "form": form if membership.annotator is not None else None,
        "about": about,
        "page": rows,
        "published": queries.published(membership),
    }
    return page(request, membership, "questions", "validation/questions/questions.html", status=status, **context)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def question(request: HttpRequest, slug: str, question_id: int) -> HttpResponse:
    """One thread; POST adds a message to it."""
    membership = access.membership(request.user, slug)
    shown = queries.thread(membership, question_id)
    form = ReplyForm(request.POST or None)
    status = 200
    if request.method == "POST":
        by = membership.user
        status = submit(form, lambda data: actions.question_reply(question=shown, by=by, text=data["text"]))
        if not status:
            messages.success(request, gettext("Sent."))
            return redirect("question", slug=slug, question_id=question_id)
    return _thread(request, membership, shown, reply=form, status=status)


@login_required
@require_POST
def question_publish(request: HttpRequest, slug: str, question_id: int) -> HttpResponse:
    """Publish a question and its answer in the guidelines. For leads and administrators."""
    membership = access.lead_membership(request.user, slug)
    shown, form = queries.thread(membership, question_id), PublishForm(request.POST)

    def publish(data: dict[str, Any]) -> None:
        actions.question_publish(
            question=shown,
            by=membership.user,
            asked=data["question"],
            answer=data["answer"],
            roles=data["roles"],
        )

    if status := submit(form, publish):
        return _thread(request, membership, shown, publish=form, status=status)
    messages.success(request, gettext("Published. The guidelines are marked as changed for everybody."))
    return redirect("question", slug=slug, question_id=question_id)


def _thread(
    request: HttpRequest,
    membership: Membership,
    shown: Question,
    *,
    reply: ReplyForm | None = None,
    publish: PublishForm | None = None,
    status: int = 200,
) -> HttpResponse:
    replies = list(shown.replies.order_by("pk"))
    asker = shown.by_id == (membership.annotator.pk if membership.annotator else 0)
    answers = [each.text for each in replies if not each.by_asker]
    if publish is None and membership.sees_all and not asker and answers and shown.published_at is None:
        publish = PublishForm(initial={"question": shown.text, "answer": answers[-1]})
    context = {
        "question": shown,
        "about": queries.texts_of(shown),
        "replies": replies,
        "is_asker": asker,
        "reply": reply or ReplyForm(),
        "publish": publish,
    }
    return page(request, membership, "questions", "validation/questions/question.html", status=status, **context)
