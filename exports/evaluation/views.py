"""The human evaluation of a release: draw one, see how far it is, and how often people give the release's answer."""

from collections.abc import Iterable

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.validators import validate_slug
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.html import format_html
from django.utils.translation import gettext, gettext_lazy, gettext_noop
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from annotation.core import access as members
from annotation.core.access import Membership
from annotation.core.errors import Conflict, Invalid, NotFound
from annotation.ui.csv_files import csv_answer
from annotation.ui.fields import whole
from annotation.ui.pages import context, refused
from annotation.ui.tables import NUMBER, PERCENT, PERSON, TEXT, WORD, Table, columns, table
from exports.evaluation import queries as evaluations
from exports.evaluation import rules
from exports.evaluation.actions import MOST_PEOPLE, answered_kind, evaluation_create
from exports.evaluation.models import Evaluation
from exports.evaluation.rules import LEFT_OUT, RIGHT, WAITING, WRONG
from exports.releases import queries as access
from exports.releases.models import Release
from validation.studies.views.pages import accuracy_columns, page_of

# In the order in which somebody looks at them.
OUTCOMES = {
    WRONG: gettext_noop("another answer"),
    LEFT_OUT: gettext_noop("left out as ambiguous"),
    WAITING: gettext_noop("waits for answers"),
    RIGHT: gettext_noop("the release’s answer"),
}
LEVELS = {"easy": gettext_noop("easy"), "hard": gettext_noop("hard")}


MOST_ROWS = 10_000
ALL = gettext_lazy("All, where there are fewer.")


class EvaluationForm(forms.Form):
    """A new evaluation: how many items of dev and of test, how many people each, and where they answer."""

    dev = whole(gettext_lazy("Items of dev"), 0, MOST_ROWS, ALL, initial=100)
    test = whole(gettext_lazy("Items of test"), 0, MOST_ROWS, ALL, initial=100)
    people = whole(
        gettext_lazy("People for each item"),
        1,
        MOST_PEOPLE,
        gettext_lazy("What most of them say is their answer; ties are drawn."),
        initial=5,
    )
    exclude_ambiguous = forms.BooleanField(
        label=gettext_lazy("Leave out what more than half of them mark as ambiguous"), required=False
    )
    slug = forms.CharField(
        label=gettext_lazy("Short name of the project in which they are answered"),
        max_length=60,
        validators=[validate_slug],
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
        help_text=gettext_lazy("Small letters, digits and hyphens. It never changes."),
    )


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
        return _page(request, membership, release, form, status=refused(form, refusal))
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
    shown = context(membership, "releases", release=release, made=made, others=others, form=form)
    if made is not None:
        shown |= _figures(request, made)
    return render(request, "exports/evaluation/evaluation.html", shown, status=status)


def _figures(request: HttpRequest, made: Evaluation) -> dict[str, object]:
    judged = rules.judge(made.seed, evaluations.rows_of(made))
    result, ranks = rules.counts(judged), list(OUTCOMES)
    ranked = sorted(judged, key=lambda each: (ranks.index(each.outcome), each.row.key))
    page = page_of(request, ranked)
    return {
        "size": len(judged),
        "over": sum(each.row.over or each.row.excluded for each in judged),
        "outcomes": [(words, result[name]) for name, words in OUTCOMES.items()],
        "accuracies": _accuracies(rules.accuracies(judged)),
        "people": _people(rules.people(made.seed, judged)),
        "page": page,
        "items": _items(page),
    }


def _level(level: str) -> str:
    return gettext(LEVELS.get(level, level)) if level else ""


def _accuracies(counted: Iterable[rules.Accuracy]) -> Table:
    """How often people are right, by split and level."""
    rows = [
        (of.split or _("both"), _level(of.level) or _("all"), of.n, of.right, of.percent, of.percents)
        for of in counted
    ]
    names = columns(TEXT, _("Split"), _("Level"))
    return table([*names, *accuracy_columns()], rows, region=_("Accuracy by split and level"), cards=False)


def _people(counted: Iterable[rules.Person]) -> Table | None:
    rows = [
        (who, n, 100 * right / n, 100 * with_others / of_others if of_others else None)
        for who, n, right, with_others, of_others in counted
    ]
    shares = columns(PERCENT, _("As the release"), _("As most of the others"))
    all_columns = [*columns(PERSON, _("Who")), *columns(NUMBER, _("Items")), *shares]
    return table(all_columns, rows, region=_("Everybody who answered"), cards=False) if rows else None


def _items(judged: Iterable[rules.Judged]) -> Table:
    """Every item with what most people said, and whether that is the release's answer."""
    tied = format_html('{{}} <span class="tag">{}</span>', _("tied"))
    rows = [
        (
            each.row.key,
            each.row.split,
            _level(each.row.level) or None,
            each.row.answer or None,
            format_html(tied, each.majority) if each.tied else each.majority or None,
            OUTCOMES[each.outcome],
        )
        for each in judged
    ]
    names = columns(WORD, _("Item"), _("Split"), _("Level"), _("Release"), _("People"))
    outcome = columns(TEXT, _("Outcome"))
    return table([*names, *outcome], rows, region=_("Items and their outcome"), cards=False)


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
