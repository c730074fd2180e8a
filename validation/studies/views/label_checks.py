"""Label checks of translations: draw one, and read which labels survived (kept apart from the source's gold)."""

from dataclasses import dataclass

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _
from django.views.decorators.http import require_GET, require_http_methods

from annotation import kinds
from annotation.core import access
from annotation.core.access import Membership
from annotation.core.errors import Conflict, Invalid, NotFound
from annotation.core.messages import problem_words
from annotation.core.models.project import Target
from annotation.kinds import Label
from annotation.translation.models import LabelCheck, SourceSet
from annotation.ui.csv_files import csv_answer
from annotation.ui.navigation import rooms
from validation.studies.actions.label_checks import label_check_create
from validation.studies.forms import LabelCheckForm
from validation.studies.queries import label_checks as fetch
from validation.studies.rules.label_checks import CHANGED, KEPT, NO_GOLD, WAITING, Report, report

ROWS_A_PAGE = 50
OUTCOMES = {
    KEPT: _("kept its label"),
    CHANGED: _("has another label"),
    NO_GOLD: _("no majority"),
    WAITING: _("waits for votes"),
}
# What a lead looks at first.
FIRST = (CHANGED, NO_GOLD, WAITING, KEPT)


@dataclass(frozen=True)
class Summary:
    """One label check in the list."""

    made: LabelCheck
    report: Report
    size: int


@dataclass(frozen=True)
class Line:
    """One row of the report, in words."""

    row: fetch.Row
    source: Label | None
    gold: Label | None
    outcome: str


@dataclass(frozen=True)
class Crossing:
    """How the rows of one source label were judged, label by label, the last without a majority."""

    label: Label
    counts: list[int]


def _place(request: HttpRequest, slug: str) -> Membership:
    """Leads and administrators of a project with targets; for others there is no such page."""
    membership = access.membership(request.user, slug)
    if not access.has_targets(membership.project):
        raise NotFound
    return access.overseer(request.user, slug)


def _choices(membership: Membership) -> tuple[list[Target], list[SourceSet]]:
    targets = sorted(Target.objects.filter(project=membership.project), key=lambda target: target.key)
    sets = [
        each for each in SourceSet.objects.filter(project=membership.project) if kinds.judging(each.shape)
    ]
    return targets, sorted(sets, key=lambda each: each.key)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def label_checks(request: HttpRequest, slug: str) -> HttpResponse:
    """The project's label checks; administrators draw a new one."""
    membership = _place(request, slug)
    targets, sets = _choices(membership)
    if request.method != "POST":
        form = (
            LabelCheckForm(targets=targets, sets=sets)
            if membership.is_administrator and targets and sets
            else None
        )
        return _list(request, membership, form)
    access.administrator(request.user, slug)
    form = LabelCheckForm(request.POST, targets=targets, sets=sets)
    if not form.is_valid():
        return _list(request, membership, form, status=422)
    sent = form.cleaned_data
    try:
        made = label_check_create(
            target=next(target for target in targets if target.key == sent["target"]),
            source_set=next(each for each in sets if each.key == sent["source_set"]),
            slug=sent["slug"],
            size=sent["size"],
            people=sent["people"],
            by=membership.user,
        )
    except (Invalid, Conflict) as refusal:
        form.add_error(refusal.field if refusal.field in form.fields else None, problem_words(refusal.code))
        return _list(request, membership, form, status=409 if isinstance(refusal, Conflict) else 422)
    messages.success(
        request, gettext("The rows are drawn. Next: invite people who judge them, to their project.")
    )
    return redirect("label_check", slug=slug, check_id=made.pk)


def _list(
    request: HttpRequest, membership: Membership, form: LabelCheckForm | None, *, status: int = 200
) -> HttpResponse:
    found = []
    for made in fetch.checks_of(membership):
        rows = fetch.rows_of(made)
        found.append(Summary(made, report([row.judged for row in rows]), len(rows)))
    context = {
        "project": membership.project,
        "nav": rooms(membership, "label_checks"),
        "membership": membership,
        "checks": found,
        "form": form,
    }
    return render(request, "validation/studies/label_checks.html", context, status=status)


@login_required
@require_GET
def label_check(request: HttpRequest, slug: str, check_id: int) -> HttpResponse:
    """Which labels survived: counts, the table of labels, and the rows, changed ones first."""
    membership = _place(request, slug)
    made = fetch.check_of(membership, check_id)
    rows = fetch.rows_of(made)
    told = report([row.judged for row in rows])
    ranked = sorted(rows, key=lambda row: (FIRST.index(row.judged.outcome), row.judged.key))
    page = Paginator(ranked, ROWS_A_PAGE).get_page(request.GET.get("page"))
    labels = kinds.judging(made.source_set.shape).labels  # type: ignore[union-attr]
    context = {
        "project": membership.project,
        "nav": rooms(membership, "label_checks"),
        "membership": membership,
        "made": made,
        "judged_open": membership.is_administrator,
        "report": told,
        "percent": None if told.survived is None else 100 * told.survived,
        "outcomes": [(name, OUTCOMES[name], told.counts[name]) for name in FIRST],
        "labels": labels,
        "crossings": [
            Crossing(label, [told.pairs[label.key, key] for key in (*(each.key for each in labels), "")])
            for label in labels
        ],
        "page": page,
        "lines": [_line(made, row) for row in page],
    }
    return render(request, "validation/studies/label_check.html", context)


def _line(made: LabelCheck, row: fetch.Row) -> Line:
    kind = kinds.judging(made.source_set.shape)
    assert kind is not None  # noqa: S101 - label_check_create asked for it
    judged = row.judged
    return Line(row, kind.label(judged.source), kind.label(judged.gold), OUTCOMES[judged.outcome])


@login_required
@require_GET
def label_check_file(request: HttpRequest, slug: str, check_id: int) -> HttpResponse:
    """Every row as CSV: its id in the release, the source's label, the votes' label, what became of it."""
    membership = _place(request, slug)
    made = fetch.check_of(membership, check_id)
    head = ("id", "target", "source_label", "target_label", "outcome", "translation_changed_since")
    rows = [
        (
            row.judged.key,
            made.target.key,
            row.judged.source,
            row.judged.gold,
            row.judged.outcome,
            int(row.changed_since),
        )
        for row in fetch.rows_of(made)
    ]
    return csv_answer([head, *rows], f"{membership.project.slug}-{made.target.key}-labels.csv")
