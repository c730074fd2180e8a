"""Tables of insights as pages show them: cells with their values, heat maps crossed, links to the items behind rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.dateparse import parse_date
from django.utils.formats import date_format, number_format
from django.utils.translation import gettext

from annotation.content import shapes
from annotation.core.models.project import Project
from annotation.kinds import Label
from annotation.text.rounding import half_up
from validation.insights.reports.base import (
    DAY,
    FIGURE,
    GROUP,
    HEAT,
    LABEL,
    LINE,
    NUMBER,
    PERCENT,
    SECONDS,
    TEXT,
    WORD,
    Chart,
    Column,
    Row,
    Table,
)

# What a page shows of a table; its file has every row that is kept. A curve is shown whole.
MOST_SHOWN = 50
# More bars than this nobody reads.
MOST_BARS = 30
_DIGITS = {NUMBER: 0, PERCENT: 1, SECONDS: 1, FIGURE: 3}
NOTHING = "–"


@dataclass(frozen=True)
class Cell:
    """One value: as it is shown, and as charts and files read it."""

    column: Column
    shown: str
    raw: str = ""
    label: Label | None = None
    why: str = ""
    url: str = ""
    heat: int = 0

    @property
    def numeric(self) -> bool:
        return self.column.sort in _DIGITS

    @property
    def plain(self) -> bool:
        """Whether it is a figure and nothing more: most cells are, and need no template of their own."""
        return self.numeric and not self.url and not self.why

    @property
    def is_word(self) -> bool:
        """Whether it is of the data, in the project's language."""
        return self.column.sort == WORD


@dataclass(frozen=True)
class Crossed:
    """The rows of a heat map: the names across, and each row's name with its cells; None where there is none."""

    across: list[Cell]
    lines: list[tuple[Cell, list[Cell | None]]]


@dataclass(frozen=True)
class Shown:
    """A table with the rows that a page shows, `of` that there were when it was computed."""

    table: Table
    lines: list[list[Cell]]
    kept: int
    of: int
    crossed: Crossed | None = None

    @property
    def helps(self) -> list[Column]:
        """The columns that say more of themselves."""
        return [column for column in self.table.columns if column.help]

    @property
    def drawn(self) -> str:
        """The sort of chart that a script draws; empty where there is none."""
        chart = self.table.chart
        return chart.sort if chart and chart.sort != HEAT and self.lines else ""

    @property
    def x(self) -> int:
        """The place of the column that names what is drawn."""
        return self._place(self._chart.x)

    @property
    def ys(self) -> str:
        """The places of the columns that are drawn."""
        return " ".join(str(self._place(name)) for name in self._chart.ys)

    @property
    def by(self) -> str:
        """The place of the column that tells one line, or bars of one sort, from others; empty where all are one."""
        return str(self._place(self._chart.by)) if self._chart.by else ""

    @property
    def _chart(self) -> Chart:
        assert self.table.chart is not None  # noqa: S101 - asked for where `drawn` says so
        return self.table.chart

    def _place(self, name: str) -> int:
        return [column.key for column in self.table.columns].index(name)


class Shower:
    """Shows the tables of one project."""

    def __init__(self, project: Project) -> None:
        kind = project.kind_spec
        self.project = project
        self.labels = {label.key: label for label in (*kind.choices, *kind.labels)}
        self.classes = dict(kind.partial_input.classes) if kind.partial_input else {}
        self.group_name = shapes.get(kind.shape).group_name
        self.items = reverse("items", args=[project.slug])

    def table(self, table: Table, rows: Sequence[Row], of: int) -> Shown:
        """One table with as many rows as a page shows."""
        chart = table.chart
        if chart and chart.sort == HEAT:
            return Shown(table, [], len(rows), of, self._crossed(table, rows))
        most = len(rows) if chart and chart.sort == LINE else MOST_SHOWN
        lines = [self.line(table, row) for row in rows[:most]]
        return Shown(table, lines, len(rows), of)

    def line(self, table: Table, row: Row) -> list[Cell]:
        """The cells of a row; the first one that is not there says why, and the first one opens the items behind."""
        url, why, cells = self.url(table, row), str(row.get("why") or ""), []
        for n, column in enumerate(table.columns):
            value = row.get(column.key)
            cells.append(self.cell(column, value, url if n == 0 else "", why if value is None else ""))
            why = "" if value is None else why
        return cells

    def url(self, table: Table, row: Row) -> str:
        """The address of the items behind a row; empty where they are not listed."""
        opened = table.opens(row) if table.opens else {}
        return f"{self.items}?{urlencode(opened)}" if opened else ""

    def cell(self, column: Column, value: Any, url: str = "", why: str = "", heat: int = 0) -> Cell:
        """One value in the interface's language."""
        raw = "" if value is None else str(value)
        label = self.labels.get(raw) if column.sort == LABEL else None
        # What is told of a text alone may be the role of an option, which is no label.
        of_class = column.sort == LABEL and label is None and raw in self.classes
        text = gettext(self.classes[raw]) if of_class else shown(column, value)
        if column.sort == GROUP:
            text = self.group_name(raw) if raw else gettext("none")
        return Cell(column, text, raw, label, gettext(why) if why else "", url, heat)

    def _crossed(self, table: Table, rows: Sequence[Row]) -> Crossed:
        chart = table.chart
        assert chart is not None  # noqa: S101 - only heat maps are crossed
        by_key = {column.key: column for column in table.columns}
        down, (across, value) = by_key[chart.x], (by_key[name] for name in chart.ys[:2])
        most = max((float(row[value.key]) for row in rows if row.get(value.key) is not None), default=0.0)
        names = list(dict.fromkeys(str(row.get(across.key)) for row in rows))
        cells: dict[str, dict[str, Cell]] = {}
        for row in rows:
            found = row.get(value.key)
            heat = max(0, round(10 * float(found) / most)) if found is not None and most > 0 else 0
            url = self.url(table, row) if found else ""
            membership = self.cell(
                value, found, url, str(row.get("why") or "") if found is None else "", heat
            )
            cells.setdefault(str(row.get(down.key)), {})[str(row.get(across.key))] = membership
        lines = [(self.cell(down, name), [line.get(each) for each in names]) for name, line in cells.items()]
        return Crossed([self.cell(across, name) for name in names], lines)


def shown(column: Column, value: Any) -> str:
    """A value as people read it in their language."""
    if value is None:
        return NOTHING
    if column.sort in _DIGITS:
        whole = column.sort == NUMBER and isinstance(value, int)
        digits = column.digits if column.digits is not None else _DIGITS[column.sort]
        # Rounded here: number_format cuts digits off.
        rounded = value if whole else half_up(value, digits or 1)
        text = number_format(rounded, 0 if whole else digits or 1, force_grouping=True)
        return f"{text}\u00a0%" if column.sort == PERCENT else text
    if column.sort == DAY:
        day = parse_date(str(value))
        return date_format(day, "SHORT_DATE_FORMAT") if day else str(value)
    text = str(value)
    return gettext(text) if column.sort == TEXT and text else text


def file_rows(table: Table, rows: Sequence[Row]) -> list[tuple[object, ...]]:
    """A table as a file has it: the names of its columns, every row that is kept, and why a figure is undefined."""
    keys = [column.key for column in table.columns]
    with_why = any(row.get("why") for row in rows)
    found: list[tuple[object, ...]] = [(*keys, *(["undefined because"] if with_why else []))]
    return found + [(*(_plain(row, key) for key in keys), *_why(row, with_why)) for row in rows]


def _plain(row: Mapping[str, Any], key: str) -> object:
    value = row.get(key)
    return "" if value is None else value


def _why(row: Row, wanted: bool) -> tuple[str, ...]:
    return (gettext(str(row["why"])) if row.get("why") else "",) if wanted else ()
