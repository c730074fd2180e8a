"""The human evaluation of a release: draw one, see how far it is, and how often people give the release's answer."""

from dataclasses import dataclass

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _
from django.views.decorators.http import require_http_methods, require_safe

from annotation.core import access as members
from annotation.core.access import Membership
from annotation.core.errors import Conflict, Invalid, NotFound
from annotation.core.messages import problem_words
from annotation.ui.csv_files import csv_answer
from annotation.ui.navigation import rooms
from exports.evaluation import queries as evaluations
from exports.evaluation import rules
from exports.evaluation.actions import answered_kind, evaluation_create
from exports.evaluation.forms import EvaluationForm
from exports.evaluation.models import Evaluation
from exports.evaluation.rules import LEFT_OUT, RIGHT, WAITING, WRONG, Accuracy, Judged, Person
from exports.releases import queries as access
from exports.releases.models import Release

ROWS_A_PAGE = 50
OUTCOMES = {
    WRONG: _("another answer"),
    LEFT_OUT: _("left out as ambiguous"),
    WAITING: _("waits for answers"),
    RIGHT: _("the release’s answer"),
}
# What somebody looks at first.
FIRST = tuple(OUTCOMES)
LEVELS = {"easy": _("easy"), "hard": _("hard")}


@dataclass(frozen=True)
class Line:
    """How often people are right: of which split and level, in percent."""

    of: Accuracy
    split: str
    level: str
    percent: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class PersonLine:
    """One who answers, in percent."""

    who: Person
    right: float
    with_others: float | None


@dataclass(frozen=True)
class RowLine:
    """One item with what it came to, in words."""

    judged: Judged
    level: str
    outcome: str


def _place(request: HttpRequest, slug: str, n: int) -> tuple[Membership, Release]:
    """Leads and administrators, at a release whose items can be answered; else there is no such page."""
    membership = members.overseer(request.user, slug)
    release = access.release(membership, n)
    if answered_kind(membership.project) is None or release.state != Release.State.READY:
        raise NotFound
    return membership, release


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def evaluation(request: HttpRequest, slug: str, n: int) -> HttpResponse:
    """The newest evaluation of a release, or the one that is named; administrators draw another."""
    membership, release = _place(request, slug, n)
    if request.method != "POST":
        return _page(request, membership, release, EvaluationForm() if membership.is_administrator else None)
    members.administrator(request.user, slug)
    form = EvaluationForm(request.POST)
    if not form.is_valid():
        return _page(request, membership, release, form, status=422)
    try:
        evaluation_create(release=release, by=membership.user, **form.cleaned_data)
    except (Invalid, Conflict) as refusal:
        form.add_error(refusal.field if refusal.field in form.fields else None, problem_words(refusal.code))
        return _page(request, membership, release, form, status=409 if isinstance(refusal, Conflict) else 422)
    messages.success(
        request, gettext("The items are drawn. Next: invite people who answer them, to their project.")
    )
    return redirect("evaluation", slug=slug, n=n)


def _page(
    request: HttpRequest,
    membership: Membership,
    release: Release,
    form: EvaluationForm | None,
    *,
    status: int = 200,
) -> HttpResponse:
    made = evaluations.evaluation_of(membership, release, request.GET.get("of", ""))
    others = [each for each in evaluations.evaluations_of(membership, release) if each != made]
    context = {
        "project": membership.project,
        "membership": membership,
        "nav": rooms(membership, "releases"),
        "release": release,
        "made": made,
        "others": others,
        "form": form,
    }
    if made is not None:
        context |= _figures(request, made)
    return render(request, "exports/evaluation/evaluation.html", context, status=status)


def _figures(request: HttpRequest, made: Evaluation) -> dict[str, object]:
    judged = rules.judge(made.seed, evaluations.rows_of(made))
    found, over = rules.counts(judged), sum(each.row.over or each.row.excluded for each in judged)
    ranked = sorted(judged, key=lambda each: (FIRST.index(each.outcome), each.row.key))
    page = Paginator(ranked, ROWS_A_PAGE).get_page(request.GET.get("page"))
    return {
        "size": len(judged),
        "over": over,
        "outcomes": [(OUTCOMES[name], found[name]) for name in FIRST],
        "accuracies": [_line(each) for each in rules.accuracies(judged)],
        "people": [_person(each) for each in rules.people(made.seed, judged)],
        "page": page,
        "lines": [
            RowLine(each, LEVELS.get(each.row.level, each.row.level), OUTCOMES[each.outcome]) for each in page
        ],
    }


def _line(of: Accuracy) -> Line:
    between = of.interval
    return Line(
        of,
        of.split or gettext("both"),
        LEVELS.get(of.level, of.level) or _("all"),
        None if of.share is None else 100 * of.share,
        None if between is None else 100 * between.low,
        None if between is None else 100 * between.high,
    )


def _person(who: Person) -> PersonLine:
    of_others = 100 * who.with_others / who.of_others if who.of_others else None
    return PersonLine(who, 100 * who.right / who.n, of_others)


@login_required
@require_safe
def evaluation_file(request: HttpRequest, slug: str, n: int) -> HttpResponse:
    """Every item as CSV: its id in the release, the release's answer, what most people said, and what each did."""
    membership, release = _place(request, slug, n)
    made = evaluations.evaluation_of(membership, release, request.GET.get("of", ""))
    if made is None:
        raise NotFound
    judged = rules.judge(made.seed, evaluations.rows_of(made))
    head = ("id", "split", "level", "answer", "majority", "tied", "outcome", "answers")
    rows = [
        (
            each.row.key,
            each.row.split,
            each.row.level,
            each.row.answer,
            each.majority,
            int(each.tied),
            each.outcome,
            " ".join(f"{who}:{label}" for who, label in each.row.said),
        )
        for each in judged
    ]
    return csv_answer([head, *rows], f"{slug}-{n}-evaluation.csv")
