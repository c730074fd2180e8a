"""The quiz and the training round for people who take them, and their set-up and results for leads."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_http_methods, require_POST

from annotation.answers import Posted
from annotation.content.models.item import Item
from annotation.core import access
from annotation.core.access import Membership
from annotation.core.errors import Conflict, Invalid, NotFound, first_or_not_found
from annotation.core.models.member import Annotator
from annotation.ui.pages import page, submit, whole_number
from validation.qualification import actions, queries
from validation.qualification.forms import DrawForm, QuizForm, action_arguments
from validation.qualification.models import QuizAttempt, QuizItem, Role
from validation.qualification.rules import items_needed
from validation.quality.actions.gold import answerable_item
from validation.quality.forms import PauseForm, item_choice
from validation.quality.queries import overseer, texts_shown
from validation.voting.rules.card_questions import posted_answers


@dataclass(frozen=True)
class _RolePages:
    """Whose quiz it is: the room of its pages, and the addresses of the quiz, its training round and the work."""

    room: str
    quiz: str
    training: str
    work: str


PAGES_BY_ROLE = {
    Role.VALIDATOR: _RolePages("vote", "quiz", "training", "vote"),
    Role.WRITER: _RolePages("write", "writers_quiz", "writers_training", "write"),
}


def _person_asked(request: HttpRequest, slug: str, role: str) -> tuple[Membership, Annotator]:
    membership, annotator = access.require_role(request.user, slug, role)
    if not membership.project.rules.quiz(role).questions:
        raise NotFound
    return membership, annotator


def _page(
    request: HttpRequest, membership: Membership, role: str, template: str, *, status: int = 200, **more: Any
) -> HttpResponse:
    """A page of the quiz of a role."""
    place, slug = PAGES_BY_ROLE[Role(role)], membership.project.slug
    addresses = {name: reverse(getattr(place, name), args=[slug]) for name in ("quiz", "training", "work")}
    more |= {"role": role, "addresses": addresses, "quiz": membership.project.rules.quiz(role)}
    name = f"validation/qualification/{template}.html"
    return page(request, membership, place.room, name, status=status, **more)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def quiz(request: HttpRequest, slug: str, role: str) -> HttpResponse:
    """What the quiz is and its outcome; POST begins an attempt or hands it in."""
    membership, annotator = _person_asked(request, slug, role)
    mine = QuizAttempt.objects.filter(annotator=annotator, role=role, training=False)
    open_ = mine.filter(done_at=None).first()
    here = PAGES_BY_ROLE[Role(role)].quiz
    if request.method == "POST" and open_ is None:
        try:
            open_ = actions.attempt_begin(annotator=annotator, role=role)
        except Conflict as refusal:
            return _quiz(request, membership, annotator, role, None, status=409, problem=refusal.code)
        return redirect(here, slug=slug)
    if request.method == "POST" and open_ is not None:
        posted = posted_answers(request.POST.lists())
        open_.annotator = annotator
        try:
            actions.attempt_hand_in(attempt=open_, answers=queries.answers_from_page(open_, posted))
        except Invalid as refusal:
            more: dict[str, Any] = {"problem": refusal.code, "at": refusal.field, "posted": posted}
            return _quiz(request, membership, annotator, role, open_, status=422, **more)
        return redirect(here, slug=slug)
    return _quiz(request, membership, annotator, role, open_)


def _quiz(
    request: HttpRequest,
    membership: Membership,
    annotator: Annotator,
    role: str,
    open_: QuizAttempt | None,
    *,
    status: int = 200,
    problem: str = "",
    at: str = "",
    posted: Posted | None = None,
) -> HttpResponse:
    done = list(
        QuizAttempt.objects.filter(annotator=annotator, role=role, training=False)
        .exclude(done_at=None)
        .select_related("annotator__project")
        .order_by("-n")
    )
    if open_ is not None:
        open_.annotator = annotator
    context: dict[str, Any] = {
        "attempt": open_,
        "asked": queries.items_asked(open_, posted=posted, problem=at) if open_ else [],
        "done": [(each, queries.items_asked(each, told=each.items)) for each in done],
        "left": membership.project.rules.quiz(role).attempts - len(done),
        "qualified": not annotator.owes_quiz(role),
        "trains": actions.quiz_bank(membership.project, role=role, training=True).exists(),
        "problem": problem,
    }
    return _page(request, membership, role, "quiz", status=status, **context)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def training(request: HttpRequest, slug: str, role: str) -> HttpResponse:
    """The training round, one item at a time; POST answers it, and the answer says whether that is right and why."""
    membership, annotator = _person_asked(request, slug, role)
    if not actions.quiz_bank(membership.project, role=role, training=True).exists():
        raise NotFound
    begun = QuizAttempt.objects.select_related("annotator__project")
    attempt = begun.filter(annotator=annotator, role=role, training=True).first()
    if request.method == "POST" and "item" not in request.POST:
        try:
            actions.attempt_begin(annotator=annotator, role=role, training=True)
        except Conflict as refusal:
            return _page(request, membership, role, "training", status=409, attempt=None, problem=refusal.code)
        return redirect(PAGES_BY_ROLE[Role(role)].training, slug=slug)
    if attempt is None:
        return _page(request, membership, role, "training", attempt=None)
    told: list[queries.AskedItem] = []
    problem, status = "", 200
    if request.method == "POST":
        item, posted = whole_number(request.POST.get("item")), posted_answers(request.POST.lists())
        try:
            answer = queries.answers_from_page(attempt, posted).get(item)
            actions.training_answer(attempt=attempt, item=item, answer=answer)
            attempt.refresh_from_db(fields=["answers", "right", "done_at"])
            told = queries.items_asked(attempt, told=[item], only=[item])
        except Invalid as refusal:
            problem, status = refusal.code, 422
    following = next((pk for pk in attempt.items if str(pk) not in attempt.answers), None)
    asked = queries.items_asked(attempt, only=[following]) if following and not told else []
    context = {"attempt": attempt, "told": told, "asked": asked, "problem": problem}
    return _page(request, membership, role, "training", status=status, **context)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def qualification(request: HttpRequest, slug: str) -> HttpResponse:
    """The items of quiz and training round of a role (`?role=`), and the results; POST adds an item (`key`) or draws
    some (`count`)."""
    membership = overseer(request.user, slug)
    project, by = membership.project, membership.user
    if not project.kind_spec.can_ask_gold:
        raise NotFound
    role = _role(request)
    roles = [each for each in Role if each != Role.WRITER or project.kind_spec.has_writers]
    drawn, status, form = DrawForm(roles=roles, initial={"role": role}), 200, None
    single, chosen = item_choice(project, request.POST.get("key") or request.GET.get("item", ""))
    if chosen is not None:
        begun = {"key": chosen.key, "role": role}
        form = QuizForm(request.POST or None, known=answerable_item(chosen), roles=roles, initial=begun)
    if request.method == "POST" and "key" in request.POST:
        status = _add_one(membership, chosen, form) if form else 409
    elif request.method == "POST":
        drawn = DrawForm(request.POST, roles=roles)
        made: list[int] = []

        def take(data: dict[str, Any]) -> None:
            made.append(actions.quiz_items_draw(project=project, by=by, **action_arguments(data)))

        status = submit(drawn, take)
        if not status:
            words = ngettext("%(n)s item added.", "%(n)s items added.", made[0]) % {"n": made[0]}
            messages.success(request, words) if made[0] else messages.warning(request, gettext("None was found."))
    if request.method == "POST" and not status:
        return _back_to_setup(slug, role)
    quiz = project.rules.quiz(role)
    context = {
        "role": role,
        "roles": [(each.value, each.label) for each in roles],
        "quiz": quiz,
        "rows": queries.quiz_items(project, role),
        "needed": items_needed(quiz),
        "ready": actions.quiz_bank(project, role=role).count(),
        "results": queries.results(project, role=role),
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


def _role(request: HttpRequest) -> str:
    """Whose quiz is meant: what the form says, else the address; that of voters where neither does."""
    asked = request.POST.get("role") or request.GET.get("role", "")
    return asked if asked in Role.values else Role.VALIDATOR.value


def _back_to_setup(slug: str, role: str) -> HttpResponse:
    return redirect(f"{reverse('qualification', args=[slug])}?{urlencode({'role': role})}")


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
    row = first_or_not_found(QuizItem.objects.filter(project=membership.project, pk=row_id))
    actions.quiz_item_retire(row=row, by=membership.user)
    messages.success(request, gettext("It is asked in no further attempt."))
    return _back_to_setup(slug, row.role)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def waive(request: HttpRequest, slug: str, annotator_id: int) -> HttpResponse:
    """Let somebody vote, or write (`role`), without the quiz, with a reason."""
    membership, role = overseer(request.user, slug), _role(request)
    annotator = queries.person_of(membership, annotator_id, role)
    form, status = PauseForm(request.POST or None), 200
    if request.method == "POST":
        given: dict[str, Any] = {"annotator": annotator, "by": membership.user, "role": role}
        status = submit(form, lambda data: actions.qualification_waive(**given, **data))
        if not status:
            words = gettext("They may write now.") if role == Role.WRITER else gettext("They may vote now.")
            messages.success(request, words)
            return _back_to_setup(slug, role)
    context = {"annotator": annotator, "form": form, "role": role}
    return page(request, membership, "quality", "validation/qualification/waive.html", status=status, **context)
