"""The quiz and the training round for voters, and their set-up and results for leads."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_http_methods, require_POST

from annotation.answers import Posted
from annotation.content.models.item import Item
from annotation.core import access
from annotation.core.access import Membership
from annotation.core.errors import Conflict, Invalid, NotFound, one
from annotation.core.models.member import Annotator
from annotation.ui.pages import page, submit, whole_number
from validation.qualification import actions, queries
from validation.qualification.forms import DrawForm, QuizForm
from validation.qualification.models import MOST_ATTEMPTS, QuizAttempt, QuizItem
from validation.quality.actions.gold import asks_gold, known_of
from validation.quality.forms import ReasonForm, choosing
from validation.quality.queries import overseer, texts_shown, voter
from validation.voting.rules.card_questions import posted_in


def _voter(request: HttpRequest, slug: str) -> tuple[Membership, Annotator]:
    membership, annotator = access.member(request.user, slug, "validator")
    if not membership.project.rules.quiz_questions:
        raise NotFound
    return membership, annotator


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def quiz(request: HttpRequest, slug: str) -> HttpResponse:
    """What the quiz is and its outcome; POST begins an attempt or hands it in."""
    membership, annotator = _voter(request, slug)
    open_ = QuizAttempt.objects.filter(annotator=annotator, training=False, done_at=None).first()
    if request.method == "POST" and open_ is None:
        try:
            open_ = actions.attempt_begin(annotator=annotator)
        except Conflict as refusal:
            return _quiz(request, membership, annotator, None, status=409, problem=refusal.code)
        return redirect("quiz", slug=slug)
    if request.method == "POST" and open_ is not None:
        posted = posted_in(request.POST.lists())
        open_.annotator = annotator
        try:
            actions.attempt_hand_in(attempt=open_, answers=queries.answers_in(open_, posted))
        except Invalid as refusal:
            more: dict[str, Any] = {"problem": refusal.code, "at": refusal.field, "posted": posted}
            return _quiz(request, membership, annotator, open_, status=422, **more)
        return redirect("quiz", slug=slug)
    return _quiz(request, membership, annotator, open_)


def _quiz(
    request: HttpRequest,
    membership: Membership,
    annotator: Annotator,
    open_: QuizAttempt | None,
    *,
    status: int = 200,
    problem: str = "",
    at: str = "",
    posted: Posted | None = None,
) -> HttpResponse:
    done = list(
        QuizAttempt.objects.filter(annotator=annotator, training=False)
        .exclude(done_at=None)
        .select_related("annotator__project")
        .order_by("-n")
    )
    if open_ is not None:
        open_.annotator = annotator
    context: dict[str, Any] = {
        "rules": membership.project.rules,
        "attempt": open_,
        "asked": queries.asked(open_, posted=posted, problem=at) if open_ else [],
        "done": [(each, queries.asked(each, told=each.items)) for each in done],
        "left": MOST_ATTEMPTS - len(done),
        "qualified": annotator.qualified_at is not None,
        "trains": actions.bank(membership.project, training=True).exists(),
        "problem": problem,
    }
    return page(request, membership, "vote", "validation/qualification/quiz.html", status=status, **context)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def training(request: HttpRequest, slug: str) -> HttpResponse:
    """The training round, one item at a time; POST answers it, and the answer says whether that is right and why."""
    membership, annotator = _voter(request, slug)
    if not actions.bank(membership.project, training=True).exists():
        raise NotFound
    begun = QuizAttempt.objects.select_related("annotator__project").filter(
        annotator=annotator, training=True
    )
    attempt = begun.first()
    if request.method == "POST" and "item" not in request.POST:
        actions.attempt_begin(annotator=annotator, training=True)
        return redirect("training", slug=slug)
    if attempt is None:
        return page(request, membership, "vote", "validation/qualification/training.html", attempt=None)
    told: list[queries.Asked] = []
    problem, status = "", 200
    if request.method == "POST":
        item, posted = whole_number(request.POST.get("item")), posted_in(request.POST.lists())
        try:
            answer = queries.answers_in(attempt, posted).get(item)
            actions.training_answer(attempt=attempt, item=item, answer=answer)
            attempt.refresh_from_db(fields=["answers", "right", "done_at"])
            told = queries.asked(attempt, told=[item], only=[item])
        except Invalid as refusal:
            problem, status = refusal.code, 422
    following = next((pk for pk in attempt.items if str(pk) not in attempt.answers), None)
    asked = queries.asked(attempt, only=[following]) if following and not told else []
    context = {"attempt": attempt, "told": told, "asked": asked, "problem": problem}
    return page(
        request, membership, "vote", "validation/qualification/training.html", status=status, **context
    )


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def qualification(request: HttpRequest, slug: str) -> HttpResponse:
    """The items of quiz and training round, and the results; POST adds an item (`key`) or draws some (`count`)."""
    membership = overseer(request.user, slug)
    project, by = membership.project, membership.user
    if not asks_gold(project):
        raise NotFound
    drawn, status, form = DrawForm(), 200, None
    single, chosen = choosing(project, request.POST.get("key") or request.GET.get("item", ""))
    if chosen is not None:
        form = QuizForm(request.POST or None, known=known_of(chosen), initial={"key": chosen.key})
    if request.method == "POST" and "key" in request.POST:
        status = _add_one(membership, chosen, form) if form else 409
    elif request.method == "POST":
        drawn = DrawForm(request.POST)
        made: list[int] = []

        def take(data: dict[str, Any]) -> None:
            training = data["use"] == "training"
            made.append(
                actions.quiz_items_draw(project=project, count=data["count"], training=training, by=by)
            )

        status = submit(drawn, take)
        if not status:
            words = ngettext("%(n)s item added.", "%(n)s items added.", made[0]) % {"n": made[0]}
            messages.success(request, words) if made[0] else messages.warning(
                request, gettext("None was found.")
            )
    if request.method == "POST" and not status:
        return redirect("qualification", slug=slug)
    context = {
        "rules": project.rules,
        "rows": queries.quiz_items(project),
        "needed": MOST_ATTEMPTS * project.rules.quiz_questions,
        "ready": actions.bank(project).count(),
        "results": queries.results(project),
        "single": single,
        "form": form,
        "texts": texts_shown(chosen, form.known.content) if chosen and form else [],
        "language": chosen.target.language if chosen else "",
        "drawn": drawn,
    }
    return page(
        request,
        membership,
        "quality",
        "validation/qualification/qualification.html",
        status=status or 200,
        **context,
    )


def _add_one(membership: Membership, item: Item | None, form: QuizForm) -> int:
    assert item is not None  # noqa: S101 - the form is of an item

    def add(data: dict[str, Any]) -> None:
        project = membership.project
        actions.quiz_item_add(project=project, item_id=item.pk, by=membership.user, **form.accepted())

    return submit(form, add)


@login_required
@require_POST
def item_retire(request: HttpRequest, slug: str, row_id: int) -> HttpResponse:
    """Take an item out of the quiz or the training round."""
    membership = overseer(request.user, slug)
    row = one(QuizItem.objects.filter(project=membership.project, pk=row_id))
    actions.quiz_item_retire(row=row, by=membership.user)
    messages.success(request, gettext("It is asked in no further attempt."))
    return redirect("qualification", slug=slug)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def waive(request: HttpRequest, slug: str, annotator_id: int) -> HttpResponse:
    """Let somebody vote without the quiz, with a reason."""
    membership = overseer(request.user, slug)
    annotator = voter(membership, annotator_id)
    form, status = ReasonForm(request.POST or None), 200
    if request.method == "POST":
        status = submit(
            form, lambda data: actions.qualification_waive(annotator=annotator, by=membership.user, **data)
        )
        if not status:
            messages.success(request, gettext("They may vote now."))
            return redirect("qualification", slug=slug)
    context = {"annotator": annotator, "form": form}
    return page(
        request, membership, "quality", "validation/qualification/waive.html", status=status, **context
    )
