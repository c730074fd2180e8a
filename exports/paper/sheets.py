"""Tables for print: those of several projects side by side, a column each, or under one another where rows differ.

Each cell that is a figure has its number with it: as printed, unrounded, and where it comes from.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from annotation.ui.latex import EMPTY_CELL, escape_latex, latex_cell, latex_heading
from annotation.ui.tables import (
    INTERVAL,
    NUMBER,
    PERCENT,
    PERCENTS,
    SECONDS,
    TEXT,
    TWO_VALUED_KINDS,
    WORD,
    Column,
)
from exports.paper.sources import SourceTable

# A table of one project with more columns is turned: a row for each figure.
MOST_COLUMNS, MOST_BESIDE, MOST_INTERVALS, MOST_ROWS = 10, 6, 4, 60
LOW, HIGH, HEAT, PAIR = "low", "high", "heat", 2
PROJECT = Column("", "Project", WORD)
MEASURE = Column("", "Figure", TEXT)


class Number(NamedTuple):
    """A printed number and where it comes from: `row` and `column` of the print, then those of the source."""

    table: str
    row: str
    column: str
    printed: str
    value: object
    project: str
    source: str
    source_row: int | str
    source_column: str
    file: str
    function: str


class Printed(NamedTuple):
    """A cell as LaTeX, with its numbers."""

    latex: str = EMPTY_CELL
    numbers: tuple[Number, ...] = ()


class Measure(NamedTuple):
    """A column of figures; of an interval that two columns hold both of their keys."""

    column: Column
    keys: tuple[str, ...]
    label: str

    def value_in(self, row: Any) -> Any:
        """Its value in a row, None where there is none."""
        values = [row.get(key) for key in self.keys]
        return values[0] if len(values) == 1 else None if None in values else values

    @property
    def titled(self) -> str:
        """Its name as LaTeX, with its unit."""
        return latex_heading(replace(self.column, name=self.label))


class Head(NamedTuple):
    """The name of a column, as LaTeX, and of what it is one (a project with several groups)."""

    text: str
    over: str = ""


@dataclass(frozen=True)
class Sheet:
    """One table for print: `texts` columns of words before those of figures; `starts` are lines that begin a row."""

    key: str
    caption: str
    texts: int
    heads: Sequence[Head]
    lines: Sequence[Sequence[Printed]]
    starts: frozenset[int] = field(default_factory=frozenset)

    @property
    def numbers(self) -> Iterator[Number]:
        """All that it prints."""
        return (number for line in self.lines for cell in line for number in cell.numbers)


def measures(columns: Sequence[Column], keys: Sequence[Column]) -> list[Measure]:
    """The figures of a table; `low` and `high` are one interval, so are `items_low` and `items_high`."""
    named = {each.key for each in keys}
    numeric = {each.key: each for each in columns if each.numeric and each.key not in named}
    found: list[tuple[Column, tuple[str, ...]]] = []
    for key, column in numeric.items():
        over, _, end = key.rpartition("_")
        low, high = (f"{over}_{each}" if over else each for each in (LOW, HIGH))
        if end not in (LOW, HIGH) or not {low, high} <= numeric.keys():
            found.append((column, (key,)))
        elif end == LOW:
            kind = PERCENTS if column.kind == PERCENT else INTERVAL
            name = f"95 % interval over {over}" if over else "95 % interval"
            found.append((Column(low, name, kind, digits=column.digits), (low, high)))
    often, before, told = Counter(column.heading for column, _keys in found), "", list[Measure]()
    for column, of in found:
        # What is called alike belongs to the figure before it: its deviation, its interval.
        alike = often[column.heading] > 1
        told.append(Measure(column, of, f"{before}: {column.heading}" if alike and before else column.heading))
        before = before if alike else column.heading
    return told


def sheet_of(tables: Sequence[SourceTable], *, named: bool = False) -> list[Sheet]:
    """The same table of one project or several, as tables for print; none where it says nothing.

    `named`: what is of one project alone says of which.
    """
    keys = list({column.key: column for each in tables for column in each.keys}.values())
    cells = [each for each in (_Cells(table, keys) for table in tables) if each.rows and each.measures]
    if not cells:
        return []
    first = cells[0].table
    if all(each.is_square for each in cells):
        return [_crossed(each, several=len(cells) > 1, named=named) for each in cells]
    wide = len(cells) + len(keys) + len(_figures(cells)) > MOST_COLUMNS
    alone, sparse = len(cells) == 1, any(each.repeats for each in cells) or _rows_differ(cells)
    if sparse and wide and not alone:
        apart = [(each.project, sheet) for each in tables for sheet in sheet_of([each], named=named)]
        return [replace(sheet, key=f"{sheet.key}-{project}") for project, sheet in apart]
    if any(each.repeats for each in cells) or (not wide and (sparse or (alone and not first.group))):
        sheets = [_stacked(cells)]
    else:
        sheets = list(_beside(cells))
    return [replace(each, caption=f"{first.name}. {each.caption}") for each in sheets] if alone and named else sheets


def _figures(cells: Sequence["_Cells"]) -> list[Measure]:
    """The figures of several sources, each once."""
    return list({each.keys: each for one in cells for each in one.measures}.values())


class _Cells:
    """The rows of one source by group and by what names them."""

    def __init__(self, table: SourceTable, keys: Sequence[Column]) -> None:
        self.table, self.keys = table, keys
        self.measures = measures(table.columns, [*keys, *_group_column(table)])
        self.rows: dict[tuple[str, tuple[str, ...]], int] = {}
        self.repeats, self.places = False, list[int]()
        for n, row in enumerate(table.rows):
            if self._is_empty(row):
                continue
            place = (self._group(row), self.name(row))
            self.repeats |= place in self.rows
            self.rows.setdefault(place, n)
            self.places.append(n)
        kept = [table.rows[n] for n in self.places]
        self.measures = [each for each in self.measures if any(each.value_in(row) is not None for row in kept)]

    def _is_empty(self, row: Any) -> bool:
        """Whether nothing was counted: some figures are not defined, and the others are zero."""
        values = [each.value_in(row) for each in self.measures]
        return None in values and not any(values)

    def _group(self, row: Any) -> str:
        return next((self.table.words(column, row.get(column.key)) for column in _group_column(self.table)), "")

    def name(self, row: Any) -> tuple[str, ...]:
        """What names a row, in words."""
        return tuple(self.table.words(column, row.get(column.key)) for column in self.keys)

    @property
    def filled(self) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
        """The places that have a figure: the row's name and the figure's keys, once for each group."""
        for (_group, name), n in self.rows.items():
            for each in self.measures:
                if each.value_in(self.table.rows[n]) is not None:
                    yield name, each.keys

    @property
    def groups(self) -> list[str]:
        """The groups that have columns of their own, in their order."""
        return list(dict.fromkeys(group for group, _name in self.rows))

    @property
    def is_square(self) -> bool:
        """Whether it is one figure for each pair of two things, few enough to stand across each other."""
        heat = self.table.chart is not None and self.table.chart.kind == HEAT
        across = {name[1:] for _group, name in self.rows}
        return heat and len(self.keys) == PAIR and len(self.measures) == 1 and len(across) <= MOST_COLUMNS

    def titled(self, group: str) -> str:
        """The name of a column of the print."""
        return ", ".join(filter(None, (self.table.name, group)))

    def cell(self, sheet: str, n: int | None, measure: Measure, row: str, column: str) -> Printed:
        """The figure of a row of the source, with its number; `row` and `column` are the print's."""
        table = self.table
        value = None if n is None else measure.value_in(table.rows[n])
        if n is None or value is None or value == "":
            return Printed()
        ends = list(value) if measure.column.kind in TWO_VALUED_KINDS else [value]
        keys = measure.keys if len(measure.keys) == len(ends) else [f"{measure.keys[0]}_{end}" for end in (LOW, HIGH)]
        one = (
            replace(measure.column, kind={INTERVAL: "figure", PERCENTS: PERCENT}.get(measure.column.kind, ""))
            if (len(ends) > 1)
            else measure.column
        )
        numbers = tuple(
            Number(
                sheet, row, column, latex_cell(one, end), end, table.project, table.address, n, key, table.file,
                table.function,
            )
            for key, end in zip(keys, ends, strict=True)
        )  # fmt: skip
        return Printed(latex_cell(measure.column, value), numbers)


def _group_column(table: SourceTable) -> list[Column]:
    return [column for column in table.columns if table.group and column.key == table.group]


def _rows_differ(cells: Sequence[_Cells]) -> bool:
    """Whether most places of a table with a column for each would be empty."""
    filled = [place for each in cells for place in each.filled]
    return 2 * len(filled) <= len(set(filled)) * sum(len(each.groups) for each in cells)


def _caption(table: SourceTable, kept: int, of: int, more: str = "") -> str:
    cut = f"The first {kept:,} of {of:,} rows." if kept < of else ""
    return " ".join(filter(None, (f"{table.title}.", more, table.note, cut)))


def _stacked(cells: Sequence[_Cells]) -> Sheet:
    """Row under row, the project's name before them where there are several."""
    several, first = len(cells) > 1, cells[0].table
    figures = _figures(cells)
    group = [column for one in cells for column in _group_column(one.table)][:1]
    texts = [*([PROJECT] if several else []), *group, *cells[0].keys]
    lines: list[list[Printed]] = []
    for one in cells:
        for n in one.places[: MOST_ROWS // len(cells)]:
            row = one.table.rows[n]
            grouped = (one.table.words(each, row.get(each.key)) for each in group)
            words = [*([one.table.name] if several else []), *grouped, *one.name(row)]
            label = ", ".join(filter(None, words))
            line = [one.cell(first.key, n, each, label, each.label) for each in figures]
            lines.append([*(Printed(escape_latex(word) or EMPTY_CELL) for word in words), *line])
    heads = [Head(latex_heading(each)) for each in (*texts, *(each.column for each in figures))]
    caption = _caption(first, len(lines), sum(len(one.places) for one in cells))
    return Sheet(first.key, caption, len(texts), heads, lines, frozenset(range(len(lines))))


def _crossed(one: _Cells, *, several: bool, named: bool) -> Sheet:
    """Two things across each other: a row for each of the first, a column for each of the second."""
    table, figure = one.table, one.measures[0]
    key = f"{table.key}-{table.project}" if several else table.key
    down = list(dict.fromkeys(name[0] for _group, name in one.rows))
    across = list(dict.fromkeys(name[1] for _group, name in one.rows))
    lines = [
        [
            Printed(escape_latex(row) or EMPTY_CELL),
            *(one.cell(key, one.rows.get(("", (row, column))), figure, row, column) for column in across),
        ]
        for row in down
    ]
    over = latex_heading(one.keys[1])
    heads = [Head(latex_heading(one.keys[0])), *(Head(escape_latex(each) or EMPTY_CELL, over) for each in across)]
    caption = _caption(table, len(down), len(down), f"{latex_plain(figure)}.")
    whose = f"{table.name}. " if named else ""
    return Sheet(key, f"{whose}{caption}", 1, heads, lines, frozenset(range(len(lines))))


def _beside(cells: Sequence[_Cells]) -> Iterator[Sheet]:
    """A column for each project and group, so many beside each other that a page holds them."""
    places = [(one, group) for one in cells for group in one.groups]
    most = MOST_INTERVALS if any(each.column.kind in TWO_VALUED_KINDS for each in _figures(cells)) else MOST_BESIDE
    blocks = [places[n : n + most] for n in range(0, len(places), most)]
    for n, block in enumerate(blocks, start=1):
        sheet = _block(cells, block, f"{cells[0].table.key}{f'-{n}' if len(blocks) > 1 else ''}")
        if sheet.lines:
            yield sheet


def _block(cells: Sequence[_Cells], block: Sequence[tuple[_Cells, str]], key: str) -> Sheet:
    """One such table: a line for each row and figure that anything is known of."""
    table = cells[0].table
    figures = _figures(cells)
    names = list(dict.fromkeys(name for one in cells for _group, name in one.rows))
    single, named = len(figures) == 1, any(map(any, names))
    lines, starts = list[list[Printed]](), set[int]()
    for name in names[:MOST_ROWS]:
        begun = len(lines)
        for each in figures:
            label = ", ".join((*filter(None, name), *([] if single else [each.label])))
            line = [one.cell(key, one.rows.get((group, name)), each, label, one.titled(group)) for one, group in block]
            if any(cell.numbers for cell in line):
                words = [", ".join(filter(None, name)) if len(lines) == begun else ""] if named else []
                figure = [] if single else [Printed(each.titled)]
                lines.append([*(Printed(escape_latex(word)) for word in words), *figure, *line])
        starts |= {begun} if len(lines) > begun else set()
    of_rows = [Head(", ".join(latex_heading(each) for each in cells[0].keys))] if named else []
    texts = [*of_rows, *([] if single else [Head(latex_heading(MEASURE))])]
    projects = [escape_latex(one.table.name) for one, _group in block]
    heads = [
        Head(escape_latex(group) if group else name, name if group else "")
        for name, (_one, group) in zip(projects, block, strict=True)
    ]
    caption = _caption(table, len(names[:MOST_ROWS]), len(names), f"{latex_plain(figures[0])}." if single else "")
    return Sheet(key, caption, len(texts), [*texts, *heads], lines, frozenset(starts))


def latex_plain(measure: Measure) -> str:
    """What a table's only figure is, in words."""
    unit = {PERCENT: " (%)", PERCENTS: " (%)", SECONDS: " (s)", NUMBER: ""}.get(measure.column.kind, "")
    return f"Shown: {measure.column.heading}{unit}"
