"""Insights: where a set is weak while it is being made (screens.md 6); for leads and administrators."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from annotation.content import shapes
from annotation.core import access
from annotation.core.access import Membership
from annotation.core.errors import NotFound
from annotation.core.models.project import Project
from annotation.ui import tables
from annotation.ui.csv_files import csv_answer, latex_answer
from annotation.ui.latex import latex
from annotation.ui.navigation import frame_context
from annotation.ui.tables import Cell, Column, Line, shown_value
from validation.insights.actions import insights_ask
from validation.insights.queries import results as fetch
from validation.insights.queries.results import Headline, StoredInsight
from validation.insights.reports.base import Chart, Row, Table

# What a page shows of a table; its file has every row that is kept. A curve is shown whole.
MOST_SHOWN = 50
# More bars than this nobody reads.
MOST_BARS = 30


@dataclass(frozen=True)
class HeatMap:
    """The rows of a heat map: the names across, and each row's name with its cells; None where there is none."""

    across: list[Cell]
    lines: list[tuple[Cell, list[Cell | None]]]


@dataclass(frozen=True)
class ShownTable:
    """A table with the rows that a page shows, `of` that there were when it was computed."""

    table: Table
    lines: list[Line]
    kept: int
    of: int
    crossed: HeatMap | None = None

    @property
    def region(self) -> str:
        """The name of the box in which it scrolls."""
        return gettext("%(title)s: the table") % {"title": gettext(self.table.title)}

    @property
    def rows(self) -> tables.Table:
        """It as partials/table.html draws it."""
        of = self.table
        return tables.Table(
            of.columns, self.lines, f"table-{of.key}", cards=of.cards, region=self.region, has_chart_values=True
        )

    @property
    def helps(self) -> list[Column]:
        """The columns that say more of themselves."""
        return [column for column in self.table.columns if column.help]

    @property
    def chart(self) -> Chart | None:
        """The chart that a script draws; None where there is none."""
        chart = self.table.chart
        return chart if chart and chart.kind != "heat" and self.lines else None

    @property
    def drawn(self) -> str:
        """The kind of that chart; empty where there is none."""
        return self.chart.kind if self.chart else ""

    @property
    def x(self) -> int:
        """The place of the column that names what is drawn."""
        return self._places(self.chart.x)[0] if self.chart else 0

    @property
    def ys(self) -> str:
        """The places of the columns that are drawn."""
        return " ".join(map(str, self._places(*self.chart.ys))) if self.chart else ""

    @property
    def by(self) -> str:
        """The place of the column that tells one line, or bars of one sort, from others; empty where all are one."""
        return str(self._places(self.chart.by)[0]) if self.chart and self.chart.by else ""

    def _places(self, *names: str) -> list[int]:
        keys = [column.key for column in self.table.columns]
        return [keys.index(name) for name in names]


class TableRenderer:
    """Shows the tables of one project."""

    def __init__(self, project: Project) -> None:
        kind = project.kind_spec
        self.project = project
        self.labels = {label.key: label for label in (*kind.question.choices, *kind.question.labels)}
        self.classes = dict(kind.partial_input.classes) if kind.partial_input else {}
        self.group_name = shapes.get(kind.shape).group_name
        self.items = reverse("items", args=[project.slug])

    def table(self, table: Table, rows: Sequence[Row], of: int) -> ShownTable:
        """One table with as many rows as a page shows."""
        table, chart = table.shown, table.chart
        if chart and chart.kind == "heat":
            return ShownTable(table, [], len(rows), of, self._crossed(table, chart, rows))
        most = len(rows) if chart and chart.kind == "line" else MOST_SHOWN
        return ShownTable(table, [self.line(table, row) for row in rows[:most]], len(rows), of)

    def line(self, table: Table, row: Row) -> Line:
        """The cells of a row; the first one that is not there says why, and the first one opens the items behind."""
        url, why, cells = self.url(table, row), str(row.get("why") or ""), []
        for n, column in enumerate(table.columns):
            value = row.get(column.key)
            cells.append(self.cell(column, value, url if n == 0 else "", why if value is None else "", heads=n == 0))
            why = "" if value is None else why
        return Line(cells)

    def url(self, table: Table, row: Row) -> str:
        """The address of the items behind a row; empty where they are not listed."""
        opened = table.item_filters(row) if table.item_filters else {}
        return f"{self.items}?{urlencode(opened)}" if opened else ""

    def cell(
        self, column: Column, value: Any, url: str = "", why: str = "", heat: int = 0, *, heads: bool = False
    ) -> Cell:
        """One value in the interface's language."""
        raw = "" if value is None else str(value)
        label = self.labels.get(raw) if column.kind == "label" else None
        text = shown_value(column, value)
        if column.kind == "label" and label is None and raw in self.classes:
            text = gettext(self.classes[raw])  # with partial input it may be the role of an option, which is no label
        if column.kind == "group":
            text = self.group_name(raw) if raw else gettext("none")
        why = gettext(why) if why else ""
        return Cell(column, text, raw, label, why, url, heat, self.project.language, heads, links_to_items=bool(url))

    def _crossed(self, table: Table, chart: Chart, rows: Sequence[Row]) -> HeatMap:
        by_key = {column.key: column for column in table.columns}
        down, (across, value) = by_key[chart.x], (by_key[name] for name in chart.ys[:2])
        most = max((float(row[value.key]) for row in rows if row.get(value.key) is not None), default=0.0)
        names = list(dict.fromkeys(str(row.get(across.key)) for row in rows))
        cells: dict[str, dict[str, Cell]] = {}
        for row in rows:
            n = row.get(value.key)
            heat = max(0, round(10 * float(n) / most)) if n is not None and most > 0 else 0
            why = str(row.get("why") or "") if n is None else ""
            cell = self.cell(value, n, self.url(table, row) if n else "", why, heat)
            cells.setdefault(str(row.get(down.key)), {})[str(row.get(across.key))] = cell
        lines = [(self.cell(down, name), [line.get(each) for each in names]) for name, line in cells.items()]
        return HeatMap([self.cell(across, name) for name in names], lines)


def file_rows(table: Table, rows: Sequence[Row]) -> list[tuple[object, ...]]:
    """A table as a file has it: the names of its columns, every row that is kept, and why a figure is undefined."""
    heading, *lines = tables.file_rows(table.columns, rows)
    if not any(row.get("why") for row in rows):
        return [heading, *lines]
    whys = [gettext(str(row["why"])) if row.get("why") else "" for row in rows]
    return [(*heading, "undefined because"), *((*line, why) for line, why in zip(lines, whys, strict=True))]


@dataclass(frozen=True)
class Figure:
    """The one figure of an insight as the overview and the project page show it; `over` are the votes behind it."""

    kept: StoredInsight
    cell: Cell
    named: Cell
    interval: str = ""
    over: str = ""

    @property
    def words(self) -> str:
        """What it is: the name of its row, and of its column where the row alone does not say it."""
        column = self.cell.column.heading
        if self.named.numeric:
            return column
        return self.named.display if self.cell.column.kind == "figure" else f"{self.named.display} · {column}"


def figure_of(shower: TableRenderer, found: Headline | None) -> Figure | None:
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
        gettext(str(found.row["over"])) if found.row.get("over") else "",
    )


def _interval(found: Headline) -> str:
    """The ends of the figure's 95 % interval in words; empty where it has none."""
    low, high = found.row.get("low"), found.row.get("high")
    if low is None or high is None:
        return ""
    ends = {"low": shown_value(found.column, low), "high": shown_value(found.column, high)}
    return gettext("95 %% interval %(low)s to %(high)s") % ends


def figure_of_insight(project: Project, slug: str) -> Figure | None:
    """The figure of one insight for another page; None where nothing was computed."""
    return figure_of(TableRenderer(project), fetch.headline_of(project, slug))


@login_required
@require_safe
def insights(request: HttpRequest, slug: str) -> HttpResponse:
    """Every insight of the project, with its figure, its time and what came since."""
    membership = access.lead_membership(request.user, slug)
    shower, found = TableRenderer(membership.project), fetch.stored_insights(membership.project)
    figures = [figure_of(shower, fetch.headline(one)) for one in found]
    context = {
        **_context(membership),
        "entries": found,
        "figures": [figure for figure in figures if figure],
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
    membership = access.lead_membership(request.user, slug)
    kept, shower = _stored_insight(membership, name), TableRenderer(membership.project)
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
    """One table as CSV: every row that is kept."""
    described, rows = _table_and_rows(access.lead_membership(request.user, slug), name, table)
    return csv_answer(request, file_rows(described, rows), f"{slug}-{name}-{table}.csv")


@login_required
@require_safe
def insight_latex(request: HttpRequest, slug: str, name: str, table: str) -> HttpResponse:
    """One table for a paper: every row that is kept."""
    described, rows = _table_and_rows(access.lead_membership(request.user, slug), name, table)
    caption = f"{described.title}. {described.note}".strip()
    return latex_answer(
        latex(described.shown.columns, rows, caption=caption, label=f"{name}-{table}"), f"{slug}-{name}-{table}.tex"
    )


def _table_and_rows(membership: Membership, name: str, table: str) -> tuple[Table, Sequence[Row]]:
    """A table and its rows. Raises NotFound."""
    kept = _stored_insight(membership, name)
    try:
        return kept.insight.table(table), kept.rows(table)[0]
    except KeyError:
        raise NotFound from None


@login_required
@require_POST
def insights_compute(request: HttpRequest, slug: str) -> HttpResponse:
    """Have everything computed where something changed, or one insight whatever changed."""
    membership = access.lead_membership(request.user, slug)
    only = request.POST.get("only", "")
    if only:
        _stored_insight(membership, only)
    insights_ask(project=membership.project, by=membership.user, only=only)
    return redirect("insight", slug, only) if only else redirect("insights", slug)


def _stored_insight(membership: Membership, name: str) -> StoredInsight:
    found = fetch.stored_insight(membership.project, name)
    if found is None:
        raise NotFound
    return found


def _tables(shower: TableRenderer, kept: StoredInsight) -> list[ShownTable]:
    """The tables that have rows; all of them where none has."""
    found = [shower.table(table, *kept.rows(table.key)) for table in kept.insight.tables]
    return [each for each in found if each.kept] or found


def _context(membership: Membership) -> dict[str, object]:
    return frame_context(membership, "insights")
