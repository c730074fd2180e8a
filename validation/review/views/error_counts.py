"""What items were returned for, by writer and week: the agenda of the evaluation meeting, and notes from it."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_GET, require_POST

from annotation.core import access
from annotation.core.access import Membership
from annotation.core.actions.projects import guideline_note
from annotation.core.errors import Invalid
from annotation.core.models.member import Event
from annotation.core.models.project import Project
from annotation.ui.navigation import rooms
from validation.insights.views.csv_files import csv_answer
from validation.review.models.review import Review
from validation.review.queries import desk as fetch
from validation.review.rules import error_counts as rules
from validation.review.rules.error_counts import Line, Table
from validation.review.rules.filters import Filters

WORDS_EACH = 5
WEEKS_SHOWN = 12


@dataclass(frozen=True)
class Cell:
    """A number of the table, and the address of the items behind it (empty for none)."""

    n: int
    url: str


@dataclass(frozen=True)
class Row:
    """One line of a table: what it counts, its numbers, their sum."""

    name: str
    cells: list[Cell]
    total: Cell


@dataclass(frozen=True)
class Point:
    """One point of the agenda: an error type, how often, what leads wrote, and the note that one click makes."""

    line: Line
    items: Cell
    words: list[Review]
    noted: Event | None
    note: str
    open: bool


@login_required
@require_GET
def errors(request: HttpRequest, slug: str) -> HttpResponse:
    """Error types by writer and by week, and the agenda, most frequent first."""
    return _page(request, access.overseer(request.user, slug))


@login_required
@require_GET
def errors_file(request: HttpRequest, slug: str) -> HttpResponse:
    """Every count as CSV: a row an error type, writer and week."""
    membership = access.overseer(request.user, slug)
    names = _names(membership.project)
    rows = [
        (row.error, names.get(row.error, row.error), row.writer, row.week.isoformat(), row.n)
        for row in fetch.return_counts(membership)
    ]
    return csv_answer([("error_type", "words", "writer", "week", "returns"), *rows], f"{slug}-errors.csv")


@login_required
@require_POST
def errors_note(request: HttpRequest, slug: str) -> HttpResponse:
    """Note an error type in the writing guidelines: a new version, which everybody is told of."""
    membership = access.overseer(request.user, slug)
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
    told = gettext("Noted. The writing guidelines are now version %(n)d; writers are told that they changed.")
    messages.success(request, told % {"n": made.n})
    return redirect("errors", slug=slug)


def _names(project: Project) -> dict[str, str]:
    """The project's error types in the reader's language; the kind's own stay known where the list was changed."""
    known = dict(project.error_types) | dict(project.kind_spec.error_types)
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
        "project": membership.project,
        "membership": membership,
        "nav": rooms(membership, "desk"),
        "table": table,
        "by_writer": _by_writer(membership, table),
        "by_week": _by_week(membership, table),
        "weeks": table.weeks[-WEEKS_SHOWN:],
        "points": _points(membership, table, code, typed),
        "problem": problem,
        "code": code,
    }
    return render(request, "validation/review/errors.html", context, status=status)


def _cell(membership: Membership, n: int, **filters: str) -> Cell:
    query = Filters(**filters).query.removesuffix("&")  # type: ignore[arg-type]
    return Cell(n, f"{reverse('items', args=[membership.project.slug])}?{query}" if n and query else "")


def _by_writer(membership: Membership, table: Table) -> list[Row]:
    """Error types against writers; the last row sums."""
    rows = [
        Row(
            line.name,
            [
                _cell(membership, n, error=line.code, writer=writer)
                for writer, n in zip(table.writers, line.writers, strict=True)
            ],
            _cell(membership, line.total, error=line.code),
        )
        for line in table.lines
    ]
    sums = [Cell(n, "") for n in table.by_writer]
    return [*rows, Row(gettext("Sum"), sums, Cell(table.total, ""))]


def _by_week(membership: Membership, table: Table) -> list[Row]:
    """Error types against the last weeks; the last row sums."""
    weeks = table.weeks[-WEEKS_SHOWN:]
    rows = [
        Row(
            line.name,
            [
                _cell(membership, n, error=line.code, week=week.isoformat())
                for week, n in _latest(weeks, line.weeks)
            ],
            Cell(sum(n for _, n in _latest(weeks, line.weeks)), ""),
        )
        for line in table.lines
    ]
    sums = [_cell(membership, n, week=week.isoformat()) for week, n in _latest(weeks, table.by_week)]
    return [*rows, Row(gettext("Sum"), sums, Cell(sum(cell.n for cell in sums), ""))]


def _latest(weeks: tuple[date, ...], counts: tuple[int, ...]) -> Iterable[tuple[date, int]]:
    return zip(weeks, counts[-len(weeks) :], strict=True)


def _points(membership: Membership, table: Table, code: str, typed: str) -> list[Point]:
    """The agenda; what somebody typed for a note that could not be made stands there again."""
    words, noted = fetch.return_words(membership, WORDS_EACH), fetch.notes_of(membership)
    return [
        Point(
            line,
            _cell(membership, line.total, error=line.code),
            words.get(line.code, []),
            noted.get(line.code),
            typed if line.code == code else _default(line),
            line.code == code,
        )
        for line in table.lines
    ]


def _default(line: Line) -> str:
    """The note that is made where nobody writes another."""
    told = ngettext(
        "One item was returned for this. Look at yours once more before you submit.",
        "Items were returned for this %(n)d times. Look at yours once more before you submit.",
        line.total,
    )
    return told % {"n": line.total}
