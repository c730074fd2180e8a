"""Insights: where a set is weak while it is being made (screens.md 6); for leads and administrators."""

from dataclasses import dataclass

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from annotation.core import access
from annotation.core.access import Membership
from annotation.core.errors import NotFound
from annotation.core.models.project import Project
from annotation.ui.navigation import rooms
from validation.insights.actions.requests import insights_ask
from validation.insights.queries import results as fetch
from validation.insights.queries.results import Headline, Kept
from validation.insights.reports.base import FIGURE
from validation.insights.views.csv_files import csv_answer
from validation.insights.views.tables import MOST_BARS, Cell, Shower, Shown, file_rows, shown


@dataclass(frozen=True)
class Figure:
    """The one figure of an insight as the overview and the project page show it."""

    kept: Kept
    cell: Cell
    named: Cell
    interval: str = ""

    @property
    def words(self) -> str:
        """What it is: the name of its row, and of its column where the row alone does not say it."""
        column = gettext(self.cell.column.name)
        if self.named.numeric:
            return column
        return self.named.shown if self.cell.column.sort == FIGURE else f"{self.named.shown} · {column}"


@dataclass(frozen=True)
class Entry:
    """One insight in the list, with its figure where it has one."""

    kept: Kept
    figure: Figure | None


def figure_of(shower: Shower, found: Headline | None) -> Figure | None:
    """A headline in the interface's language; None where there is none, or it is not defined and says nothing."""
    if found is None:
        return None
    why = str(found.row.get("why") or "")
    value = found.row.get(found.column.key)
    return Figure(
        found.kept,
        shower.cell(found.column, value, why=why if value is None else ""),
        shower.cell(found.named, found.row.get(found.named.key)),
        _interval(found),
    )


def _interval(found: Headline) -> str:
    """The ends of the figure's 95 % interval in words; empty where it has none."""
    low, high = found.row.get("low"), found.row.get("high")
    if low is None or high is None:
        return ""
    ends = {"low": shown(found.column, low), "high": shown(found.column, high)}
    return gettext("95 %% interval %(low)s to %(high)s") % ends


def figure_on(project: Project, slug: str) -> Figure | None:
    """The figure of one insight for another page; None where nothing was computed."""
    return figure_of(Shower(project), fetch.headline_of(project, slug))


@login_required
@require_safe
def insights(request: HttpRequest, slug: str) -> HttpResponse:
    """Every insight of the project, with its figure, its time and what came since."""
    membership = access.overseer(request.user, slug)
    shower, found = Shower(membership.project), fetch.kept(membership.project)
    entries = [Entry(one, figure_of(shower, fetch.headline(one))) for one in found]
    context = {
        **_context(membership),
        "entries": entries,
        "figures": [entry.figure for entry in entries if entry.figure],
        "stale": any(not one.up_to_date and not one.insight.nightly for one in found),
        "items": found[0].items if found else 0,
        "run": fetch.run_of(membership.project),
    }
    part = request.headers.get("HX-Target") == "insights"
    return render(request, f"validation/insights/{'partials/' if part else ''}insights.html", context)


@login_required
@require_safe
def insight(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """One insight: its tables with their charts."""
    membership = access.overseer(request.user, slug)
    kept, shower = _kept(membership, name), Shower(membership.project)
    context = {
        **_context(membership),
        "kept": kept,
        "tables": _tables(shower, kept),
        "run": fetch.run_of(membership.project, name),
        "most_bars": MOST_BARS,
    }
    part = request.headers.get("HX-Target") == "insight"
    return render(request, f"validation/insights/{'partials/' if part else ''}insight.html", context)


@login_required
@require_safe
def insight_file(request: HttpRequest, slug: str, name: str, table: str) -> HttpResponse:
    """One table as CSV, safe to open in a spreadsheet: every row that is kept."""
    membership = access.overseer(request.user, slug)
    kept = _kept(membership, name)
    try:
        described = kept.insight.table(table)
    except KeyError:
        raise NotFound from None
    rows = kept.rows(table)[0]
    return csv_answer(file_rows(described, rows), f"{slug}-{name}-{table}.csv")


@login_required
@require_POST
def insights_compute(request: HttpRequest, slug: str) -> HttpResponse:
    """Have everything computed where something changed, or one insight whatever changed."""
    membership = access.overseer(request.user, slug)
    only = request.POST.get("only", "")
    if only:
        _kept(membership, only)
    insights_ask(project=membership.project, by=membership.user, only=only)
    return redirect("insight", slug, only) if only else redirect("insights", slug)


def _kept(membership: Membership, name: str) -> Kept:
    found = fetch.kept_one(membership.project, name)
    if found is None:
        raise NotFound
    return found


def _tables(shower: Shower, kept: Kept) -> list[Shown]:
    """The tables that have rows; all of them where none has."""
    found = [shower.table(table, *kept.rows(table.key)) for table in kept.insight.tables]
    return [each for each in found if each.kept] or found


def _context(membership: Membership) -> dict[str, object]:
    return {"project": membership.project, "membership": membership, "nav": rooms(membership, "insights")}
