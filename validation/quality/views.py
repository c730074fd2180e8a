"""People's work, for leads: figures of each person, their pauses, their votes set aside; gold questions."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext, gettext_noop, ngettext
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.content.models.item import Item
from annotation.core.access import Membership
from annotation.core.errors import Conflict, NotFound, first_or_not_found
from annotation.core.models.project import Project
from annotation.jobs import queue as jobs
from annotation.jobs.models import Job
from annotation.ui.pages import page, submit
from validation.quality import queries
from validation.quality.actions import gold
from validation.quality.actions.set_aside import set_aside_begin, set_aside_undo
from validation.quality.forms import DecisionForm, GoldForm, PauseForm, ReasonForm, UnanimousForm, item_choice
from validation.quality.models import GoldQuestion
from validation.quality.rules import reopening

PEOPLE_A_PAGE = 50
QUIET_SECONDS = 60
OUTCOMES = {
    reopening.REOPENS: gettext_noop("asked again: settled now, and not without these votes"),
    reopening.OTHER_GOLD: gettext_noop("settled otherwise"),
    reopening.STAYS: gettext_noop("stay as they are"),
    reopening.WAITS: gettext_noop("still voted on; others are asked in this person's place"),
    reopening.BY_LEAD: gettext_noop("decided by a lead, and stay so"),
}
NONE_FOUND = gettext_noop(
    "None was found: three people must agree on an item, of a source that no published release has and that has other "
    "items waiting for votes."
)
RETIRED = {
    GoldQuestion.Why.TEAM: gettext_noop("asked often enough"),
    GoldQuestion.Why.MISSED: gettext_noop("missed too often: look at its answer"),
    GoldQuestion.Why.CHANGED: gettext_noop("changed, or voted on again"),
    GoldQuestion.Why.PUBLIC: gettext_noop("its source stands in a published release"),
    GoldQuestion.Why.LEAD: gettext_noop("taken out by a lead"),
}


@login_required
@require_GET
def quality(request: HttpRequest, slug: str) -> HttpResponse:
    """Every voter: votes, speed, straight-lining, gold questions."""
    membership = queries.overseer(request.user, slug)
    rows = Paginator(queries.voters(membership.project), PEOPLE_A_PAGE).get_page(request.GET.get("page"))
    shown = queries.figures(membership.project, rows)
    more: dict[str, Any] = {
        "page": rows,
        "figures": shown,
        "asks_gold": membership.project.kind_spec.can_ask_gold,
        "share": _gold_share(membership.project),
    }
    return page(request, membership, "quality", "validation/quality/quality.html", **more)


@login_required
@require_GET
def person(request: HttpRequest, slug: str, annotator_id: int) -> HttpResponse:
    """One voter."""
    return _person(request, queries.overseer(request.user, slug), annotator_id)


def _person(
    request: HttpRequest, membership: Membership, annotator_id: int, *, status: int = 200, **forms: Any
) -> HttpResponse:
    annotator = queries.voter(membership, annotator_id)
    context = {
        "person": queries.figures(membership.project, [annotator])[0],
        "pauses": list(queries.pauses(annotator)),
        "acts": list(queries.acts(annotator)),
        "pause_form": PauseForm(),
        "decision_form": DecisionForm(),
        **forms,
    }
    return page(request, membership, "quality", "validation/quality/person.html", status=status, **context)


@login_required
@require_POST
def person_pause(request: HttpRequest, slug: str, annotator_id: int) -> HttpResponse:
    """Pause somebody; with a decision instead of a reason, end or keep a pause."""
    membership = queries.overseer(request.user, slug)
    annotator, by = queries.voter(membership, annotator_id), membership.user
    if "decision" in request.POST:
        decision = DecisionForm(request.POST)
        status = submit(decision, lambda data: gold.pause_decide(annotator=annotator, by=by, **data))
        if status:
            return _person(request, membership, annotator_id, status=status, decision_form=decision)
        messages.success(request, gettext("Decided."))
    else:
        form = PauseForm(request.POST)
        status = submit(form, lambda data: gold.pause_begin(annotator_id=annotator.pk, by=by, **data))
        if status:
            return _person(request, membership, annotator_id, status=status, pause_form=form)
        messages.success(request, gettext("They are given nothing new until a lead decides."))
    return redirect("quality_person", slug=slug, annotator_id=annotator_id)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def set_aside(request: HttpRequest, slug: str, annotator_id: int) -> HttpResponse:
    """Say what setting all votes of a person aside would do; POST does it."""
    membership = queries.overseer(request.user, slug)
    annotator = queries.voter(membership, annotator_id)
    form, status = ReasonForm(request.POST or None), 200
    if request.method == "POST":
        made: list[int] = []

        def act(data: dict[str, Any]) -> None:
            made.append(set_aside_begin(annotator=annotator, by=membership.user, **data).pk)

        status = submit(form, act)
        if not status:
            return redirect("quality_act", slug=slug, act_id=made[0])
    found = queries.preview(annotator, membership.user)
    outcomes = [(gettext(OUTCOMES[each]), n) for each, n in found.outcomes]
    more = {"annotator": annotator, "found": found, "outcomes": outcomes, "form": form}
    return page(request, membership, "quality", "validation/quality/set_aside.html", status=status, **more)


@login_required
@require_GET
def act(request: HttpRequest, slug: str, act_id: int) -> HttpResponse:
    """How far an act is, and what it did."""
    return _act(request, queries.overseer(request.user, slug), act_id)


def _act(
    request: HttpRequest, membership: Membership, act_id: int, *, status: int = 200, problem: str = ""
) -> HttpResponse:
    found = queries.act(membership, act_id)
    job = found.job
    unfinished = job is not None and job.state in (Job.State.QUEUED, Job.State.RUNNING)
    more = {
        "act": found,
        "unfinished": unfinished,
        "nobody": unfinished and jobs.worker_is_quiet(QUIET_SECONDS),
        "votes": found.votes.count(),
        "restored": found.votes.exclude(restored=None).count(),
        "problem": problem,
    }
    return page(request, membership, "quality", "validation/quality/act.html", status=status, **more)


@login_required
@require_POST
def act_undo(request: HttpRequest, slug: str, act_id: int) -> HttpResponse:
    """Let the votes of an act count again."""
    membership = queries.overseer(request.user, slug)
    found = queries.act(membership, act_id)
    try:
        set_aside_undo(act=found, by=membership.user)
    except Conflict as refusal:
        return _act(request, membership, act_id, status=409, problem=refusal.code)
    return redirect("quality_act", slug=slug, act_id=act_id)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def gold_questions(request: HttpRequest, slug: str) -> HttpResponse:
    """The gold questions; POST adds one item (`key`), or draws some that people agree on (`count`)."""
    membership = queries.overseer(request.user, slug)
    project = membership.project
    if not project.kind_spec.can_ask_gold:
        raise NotFound
    drawn, status, form = UnanimousForm(), 200, None
    single, chosen = item_choice(project, request.POST.get("key") or request.GET.get("item", ""))
    if chosen is not None:
        known = gold.answerable_item(chosen)
        form = GoldForm(request.POST or None, known=known, initial={"key": chosen.key})
    if request.method == "POST" and "key" in request.POST:
        status = _add_one(membership, chosen, form) if form else 409
        if not status:
            messages.success(request, gettext("It is asked as a gold question from now on."))
            return redirect("quality_gold", slug=slug)
    elif request.method == "POST":
        drawn = UnanimousForm(request.POST)
        made: list[int] = []
        status = submit(
            drawn,
            lambda data: made.append(gold.gold_add_unanimous(project=project, by=membership.user, **data)),
        )
        if not status:
            n = made[0]
            words = ngettext("%(n)s gold question added.", "%(n)s gold questions added.", n) % {"n": n}
            messages.success(request, words) if n else messages.warning(request, gettext(NONE_FOUND))
            return redirect("quality_gold", slug=slug)
    rows = queries.gold_questions(project)
    for row in rows:
        why = row["retired_why"]
        row["why"] = gettext(RETIRED[why]) if why else ""
    more = {
        "rows": rows,
        "single": single,
        "form": form,
        "texts": queries.texts_shown(chosen, form.known.content) if chosen and form else [],
        "language": chosen.target.language if chosen else "",
        "drawn": drawn,
        "asks": project.rules.gold_questions,
        "share": _gold_share(project),
    }
    return page(request, membership, "quality", "validation/quality/gold.html", status=status, **more)


def _gold_share(project: Project) -> dict[str, int] | None:
    """What is left of gold questions, where they are asked."""
    asks = project.kind_spec.can_ask_gold and project.rules.gold_questions
    return queries.gold_share(project) if asks else None


def _add_one(membership: Membership, item: Item | None, form: GoldForm) -> int:
    assert item is not None  # noqa: S101 - the form is of an item

    def add(data: dict[str, Any]) -> None:
        gold.gold_add(project=membership.project, item_id=item.pk, by=membership.user, **form.accepted())

    return submit(form, add)


@login_required
@require_POST
def gold_retire(request: HttpRequest, slug: str, question_id: int) -> HttpResponse:
    """Take a gold question out."""
    membership = queries.overseer(request.user, slug)
    found = first_or_not_found(GoldQuestion.objects.filter(project=membership.project, pk=question_id))
    gold.gold_retire(question=found, by=membership.user)
    messages.success(request, gettext("It is asked of nobody any more."))
    return redirect("quality_gold", slug=slug)
