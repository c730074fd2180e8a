"""What items were returned for, by writer and week: the agenda of the evaluation meeting, and notes from it."""

from collections.abc import Iterable
from datetime import date
from types import SimpleNamespace

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.translation import gettext, gettext_noop, ngettext
from django.views.decorators.http import require_GET, require_POST

from annotation.core import access
from annotation.core.access import Membership
from annotation.core.errors import Invalid
from annotation.core.models.project import Project
from annotation.projects.actions.projects import guideline_note
from annotation.ui import tables
from annotation.ui.csv_files import csv_answer
from annotation.ui.navigation import frame_context
from annotation.ui.tables import Cell, Column, shown_value
from validation.review.queries import desk as fetch
from validation.review.rules import error_counts as rules
from validation.review.rules.error_counts import Line, Table
from validation.review.rules.filters import Filters

WORDS_EACH = 5
WEEKS_SHOWN = 12


_COUNT = Column("n", "", tables.NUMBER)


@login_required
@require_GET
def errors(request: HttpRequest, slug: str) -> HttpResponse:
    """Error types by writer and by week, and the agenda, most frequent first."""
    return _page(request, access.lead_membership(request.user, slug))


@login_required
@require_GET
def errors_file(request: HttpRequest, slug: str) -> HttpResponse:
    """Every count as CSV: a row an error type, writer and week."""
    membership = access.lead_membership(request.user, slug)
    names = _names(membership.project)
    rows = [
        (row.error, names.get(row.error, row.error), row.writer, row.week.isoformat(), row.n)
        for row in fetch.return_counts(membership)
    ]
    return csv_answer(request, [("error_type", "words", "writer", "week", "returns"), *rows], f"{slug}-errors.csv")


@login_required
@require_POST
def errors_note(request: HttpRequest, slug: str) -> HttpResponse:
    """Note an error type in the writing guidelines: a new version, of which everybody is notified."""
    membership = access.lead_membership(request.user, slug)
    code, words = request.POST.get("error", ""), request.POST.get("words", "")
    names = _names(membership.project)
    if code not in names:
        raise Invalid(field="error", code="error_unknown")
    try:
        made = guideline_note(
            project=membership.project, error=code, heading=names[code], words=words, by=membership.user
        )
    except Invalid as refusal:
        return _page(request, membership, status=422, problem=refusal.code, code=code, typed=words)
    message = gettext("Noted. The writing guidelines are now version %(n)d; writers are notified that they changed.")
    messages.success(request, message % {"n": made.n})
    return redirect("errors", slug=slug)


def _names(project: Project) -> dict[str, str]:
    """The project's error types in the reader's language; the kind's own stay known where the list was changed."""
    known = dict(project.error_types) | dict(project.kind_spec.authoring.error_types)
    return {code: gettext(dict(project.error_types).get(code, words)) for code, words in known.items()}


def _page(
    request: HttpRequest,
    membership: Membership,
    *,
    status: int = 200,
    problem: str = "",
    code: str = "",
    typed: str = "",
) -> HttpResponse:
    table = rules.table(fetch.return_counts(membership), _names(membership.project))
    context = {
        **frame_context(membership, "desk"),
        "table": table,
        "by_writer": _by_writer(membership, table),
        "by_week": _by_week(membership, table),
        "weeks": table.weeks[-WEEKS_SHOWN:],
        "points": _agenda_points(membership, table, code, typed),
        "problem": problem,
        "code": code,
    }
    return render(request, "validation/review/errors.html", context, status=status)


def _cell(membership: Membership, n: int, **filters: str) -> Cell:
    query = Filters(**filters).query.removesuffix("&")  # type: ignore[arg-type]
    url = f"{reverse('items', args=[membership.project.slug])}?{query}" if n and query else ""
    return Cell(_COUNT, shown_value(_COUNT, n), url=url)


def _error_table(heading: str, names: Iterable[str], rows: Iterable[tuple[str, list[Cell]]]) -> tables.Table:
    """Error types against columns with these names and their sum; `heading` is the id of the heading above."""
    first = Column("error", gettext_noop("Error type"), tables.WORD)
    columns = [first, *(Column("", name, tables.NUMBER) for name in (*names, gettext_noop("Sum")))]
    lines = [tables.Line([Cell(first, name, is_row_heading=True), *cells]) for name, cells in rows]
    return tables.Table(columns, lines, cards=False, labelled=heading)


def _by_writer(membership: Membership, table: Table) -> tables.Table:
    """Error types against writers; the last row sums."""
    rows = []
    for line in table.lines:
        counts = zip(table.writers, line.writers, strict=True)
        cells = [_cell(membership, n, error=line.code, writer=writer) for writer, n in counts]
        rows.append((line.name, [*cells, _cell(membership, line.total, error=line.code)]))
    sums = [_cell(membership, n) for n in (*table.by_writer, table.total)]
    names = [writer or tables.EMPTY_CELL for writer in table.writers]
    return _error_table("writers-title", names, [*rows, (gettext("Sum"), sums)])


def _by_week(membership: Membership, table: Table) -> tables.Table:
    """Error types against the last weeks; the last row sums."""
    weeks, rows = table.weeks[-WEEKS_SHOWN:], []
    for line in table.lines:
        counts = list(_latest(weeks, line.weeks))
        cells = [_cell(membership, n, error=line.code, week=week.isoformat()) for week, n in counts]
        rows.append((line.name, [*cells, _cell(membership, sum(n for _, n in counts))]))
    counts = list(_latest(weeks, table.by_week))
    sums = [_cell(membership, n, week=week.isoformat()) for week, n in counts]
    names = [date_format(week, "SHORT_DATE_FORMAT") for week in weeks]
    total = _cell(membership, sum(n for _, n in counts))
    return _error_table("weeks-title", names, [*rows, (gettext("Sum"), [*sums, total])])


def _latest(weeks: tuple[date, ...], counts: tuple[int, ...]) -> Iterable[tuple[date, int]]:
    return zip(weeks, counts[-len(weeks) :], strict=True)


def _agenda_points(membership: Membership, table: Table, code: str, typed: str) -> list[SimpleNamespace]:
    """The agenda: each error type, how often, what leads wrote, and the note that one click makes.

    What somebody typed for a note that could not be made stands there again.
    """
    words, noted = fetch.return_words(membership, WORDS_EACH), fetch.notes_of(membership)
    return [
        SimpleNamespace(
            line=line,
            items=_cell(membership, line.total, error=line.code),
            words=words.get(line.code, []),
            noted=noted.get(line.code),
            note=typed if line.code == code else _default(line),
            open=line.code == code,
        )
        for line in table.lines
    ]


def _default(line: Line) -> str:
    """The note that is made where nobody writes another."""
    message = ngettext(
        "One item was returned for this. Look at yours once more before you submit.",
        "Items were returned for this %(n)d times. Look at yours once more before you submit.",
        line.total,
    )
    return message % {"n": line.total}
