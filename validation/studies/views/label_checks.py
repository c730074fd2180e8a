"""Label checks of translations: draw one, and read which labels survived (kept apart from the source's gold)."""

from operator import itemgetter
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext, gettext_noop
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods

from annotation import kinds
from annotation.core import access
from annotation.core.access import Membership
from annotation.core.errors import Conflict, Invalid
from annotation.core.models.project import Target
from annotation.translation.models import SourceSet
from annotation.ui.csv_files import csv_answer
from annotation.ui.navigation import link
from annotation.ui.pages import context, refused
from annotation.ui.tables import NUMBER, TEXT, WORD, Column, columns, table
from validation.studies.actions.label_checks import label_check_create
from validation.studies.forms import LabelCheckForm
from validation.studies.projects import overseer_with
from validation.studies.queries import label_checks as fetch
from validation.studies.rules.label_checks import CHANGED, KEPT, NO_GOLD, WAITING, report
from validation.studies.views.pages import page_of

# In the order in which a lead looks at them.
OUTCOMES = {
    CHANGED: gettext_noop("has another label"),
    NO_GOLD: gettext_noop("no majority"),
    WAITING: gettext_noop("waits for votes"),
    KEPT: gettext_noop("kept its label"),
}


def _overseer(request: HttpRequest, slug: str) -> Membership:
    """Leads and administrators of a project with targets; for others there is no such page."""
    return overseer_with(request.user, slug, access.has_targets)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def label_checks(request: HttpRequest, slug: str) -> HttpResponse:
    """The project's label checks; administrators draw a new one."""
    membership = _overseer(request, slug)
    targets = {each.key: each for each in Target.objects.filter(project=membership.project).order_by("key")}
    there = SourceSet.objects.filter(project=membership.project).order_by("key")
    sets = {each.key: each for each in there if kinds.judging(each.shape)}
    chosen: dict[str, Any] = {"targets": targets.values(), "sets": sets.values()}
    if request.method != "POST":
        can_draw = membership.is_administrator and targets and sets
        return _list(request, membership, LabelCheckForm(**chosen) if can_draw else None)
    access.administrator(request.user, slug)
    form = LabelCheckForm(request.POST, **chosen)
    if not form.is_valid():
        return _list(request, membership, form, status=422)
    sent = form.cleaned_data
    sent |= {"target": targets[sent["target"]], "source_set": sets[sent["source_set"]]}
    try:
        made = label_check_create(by=membership.user, **sent)
    except (Invalid, Conflict) as refusal:
        return _list(request, membership, form, status=refused(form, refusal))
    messages.success(
        request, gettext("The rows are drawn. Next: invite people who judge them, to their project.")
    )
    return redirect("label_check", slug=slug, check_id=made.pk)


def _list(
    request: HttpRequest, membership: Membership, form: LabelCheckForm | None, *, status: int = 200
) -> HttpResponse:
    rows = []
    for made in fetch.checks_of(membership):
        judged = [row.judged for row in fetch.rows_of(made)]
        told = report(judged)
        rows.append((made, len(judged), told.settled, told.counts[KEPT]))
    shown = context(membership, "label_checks", checks=rows, form=form)
    return render(request, "validation/studies/label_checks.html", shown, status=status)


@login_required
@require_GET
def label_check(request: HttpRequest, slug: str, check_id: int) -> HttpResponse:
    """Which labels survived: counts, the table of labels, and the rows, changed ones first."""
    membership = _overseer(request, slug)
    made = fetch.check_of(membership, check_id)
    kind = kinds.judging(made.source_set.shape)
    assert kind is not None  # noqa: S101 - label_check_create asked for it
    rows = fetch.rows_of(made)
    told = report([row.judged for row in rows])
    names = {label.key: gettext(label.name) for label in kind.labels}
    crossed = [(names[source], *(told.pairs[source, gold] for gold in (*names, ""))) for source in names]
    ranks = list(OUTCOMES)
    rows.sort(key=lambda row: (ranks.index(row.judged.outcome), row.judged.key))
    page = page_of(request, rows)
    changed = gettext("the translation was changed since")
    lines = [
        (
            row.judged.key,
            names.get(row.judged.source),
            names.get(row.judged.gold),
            gettext(OUTCOMES[row.judged.outcome]) + (f" · {changed}" if row.changed_since else ""),
            link("item", slug, row.translation.pk),
        )
        for row in page
    ]
    labels = [*columns(TEXT, _("Source")), *columns(NUMBER, *names.values(), _("No majority"))]
    columns_of = [
        Column("", _("Row"), WORD, url=itemgetter(-1)),
        *columns(TEXT, _("Source"), _("Target"), _("Outcome")),
    ]
    shown = context(
        membership,
        "label_checks",
        made=made,
        report=told,
        percent=None if told.survived is None else 100 * told.survived,
        outcomes=[(name, told.counts[outcome]) for outcome, name in OUTCOMES.items()],
        crossed=table(labels, crossed, region=_("Labels of source and target"), cards=False),
        page=page,
        rows=table(columns_of, lines, region=_("Rows"), cards=False),
    )
    return render(request, "validation/studies/label_check.html", shown)


@login_required
@require_GET
def label_check_file(request: HttpRequest, slug: str, check_id: int) -> HttpResponse:
    """Every row as CSV: its id in the release, the source's label, the votes' label, its outcome."""
    made = fetch.check_of(_overseer(request, slug), check_id)
    head = ("id", "target", "source_label", "target_label", "outcome", "translation_changed_since")
    rows = [
        (of.key, made.target.key, of.source, of.gold, of.outcome, int(changed_since))
        for of, _item, _translation, changed_since in fetch.rows_of(made)
    ]
    return csv_answer([head, *rows], f"{slug}-{made.target.key}-labels.csv")
