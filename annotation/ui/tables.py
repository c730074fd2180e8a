"""Tables that are declared once: columns with a heading and a kind, drawn by partials/table.html, sent as CSV.

A view declares `Column`s and gives `table(columns, rows)` to its template. Cells that need markup of their own are
declared in the template instead, with the tags of annotation/templatetags/tables.py; both draw the same table.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.dateparse import parse_date
from django.utils.formats import date_format, number_format
from django.utils.translation import gettext

from annotation.kinds import Label
from annotation.text.rounding import half_up

# What the values of a column are. `text` is in the interface's language (marked, translated when shown), `word` is of
# the data, `label` a label, or in insights its key, `group` a category, `person` a pseudonym, `percent` from 0 to 100,
# `figure` a coefficient, `interval` its two ends, `percents` those of a percentage, `day` a date or an ISO date, `tag`
# a short state. An empty kind is finished markup.
TEXT, WORD, LABEL, GROUP, PERSON, TAG = "text", "word", "label", "group", "person", "tag"
NUMBER, PERCENT, FIGURE, INTERVAL, SECONDS, DAY = "number", "percent", "figure", "interval", "seconds", "day"
PERCENTS = "percents"
KINDS = (TEXT, WORD, LABEL, GROUP, PERSON, TAG, NUMBER, PERCENT, PERCENTS, FIGURE, INTERVAL, SECONDS, DAY)
DIGITS = {NUMBER: 0, PERCENT: 1, PERCENTS: 1, SECONDS: 1, FIGURE: 3, INTERVAL: 3}
# Those that have two ends.
TWO_VALUED_KINDS = (INTERVAL, PERCENTS)
EMPTY_CELL = "–"
PERCENT_SIGN = "\u00a0%"


@dataclass(frozen=True)
class Column:
    """A column: its key in rows and files, its name (marked for translation), and what its values are.

    `help` says in words what it is. `digits` after the point are shown where the kind's usual ones do not fit.
    `value` reads a row that is no mapping and has no attribute of that name; `url` is where the cell's link goes.
    `short_heading` is what a phone shows for the heading, where that is another. `file_only`: pages leave it out.
    """

    key: str
    name: str
    kind: str = TEXT
    help: str = ""
    digits: int | None = None
    value: Callable[[Any], object] | None = None
    url: Callable[[Any], str] | None = None
    short_heading: str = ""
    file_only: bool = False

    @property
    def heading(self) -> str:
        """Its name in the interface's language."""
        return gettext(self.name) if self.name else ""

    @property
    def numeric(self) -> bool:
        return self.kind in DIGITS

    def value_in(self, row: Any) -> Any:
        """Its value in a row."""
        if self.value:
            return self.value(row)
        return row.get(self.key) if isinstance(row, Mapping) else getattr(row, self.key)


@dataclass(frozen=True)
class Cell:
    """One value: as it is shown, and as charts read it. `is_row_heading`: it names its row. `lang` is that of a
    word.
    """

    column: Column
    display: str
    chart_value: str = ""
    label: Label | None = None
    undefined_reason: str = ""
    url: str = ""
    heat: int = 0
    lang: str = ""
    is_row_heading: bool = False
    classes: str = ""
    # The link leads to the items behind a row.
    links_to_items: bool = False

    @property
    def numeric(self) -> bool:
        return self.column.numeric

    @property
    def css(self) -> str:
        """Its classes."""
        return f"num {self.classes}".strip() if self.numeric and not self.is_row_heading else self.classes

    @property
    def is_word(self) -> bool:
        """Whether it is of the data, in the project's language."""
        return self.column.kind == WORD

    @property
    def is_plain(self) -> bool:
        """Whether it is a figure and nothing more, or finished markup: most cells are, and need no template."""
        return (self.numeric or not self.column.kind) and not self.url and not self.undefined_reason


@dataclass(frozen=True)
class Line:
    """One row of a table."""

    cells: Sequence[Cell]
    id: str = ""


@dataclass(frozen=True)
class Table:
    """A table as partials/table.html draws it.

    `cards`: on a phone its rows are cards. `region` names the box in which a wide table scrolls, `labelled` is the id
    of a heading that does. `has_chart_values`: cells say their values to scripts. `foot` is markup for its end, and
    `empty` a sentence that stands there without rows.
    """

    columns: Sequence[Column]
    lines: Sequence[Line]
    id: str = ""
    caption: str = ""
    classes: str = ""
    cards: bool = True
    region: str = ""
    labelled: str = ""
    has_chart_values: bool = False
    foot: str = ""
    empty: str = ""


def columns(kind: str, *names: str) -> list[Column]:
    """Columns of one kind, of rows that are read by place."""
    return [Column("", name, kind) for name in names]


def table(columns: Sequence[Column], rows: Iterable[Any], **options: Any) -> Table:
    """Rows as a table with these columns; the first column names its row. Options are those of Table.

    The values of a tuple are read by place; what follows the last column's is for links.
    """
    return Table(
        columns,
        [Line([_cell(each, row, n) for n, each in enumerate(columns)]) for row in rows],
        **options,
    )


def _cell(column: Column, row: Any, n: int) -> Cell:
    value = row[n] if type(row) is tuple else column.value_in(row)
    label = value if column.kind == LABEL else None
    url = column.url(row) if column.url else ""
    return Cell(column, shown_value(column, value), label=label, url=url, is_row_heading=n == 0)


def shown_value(column: Column, value: Any) -> str:
    """A value as people read it in their language."""
    if value is None:
        return EMPTY_CELL
    if column.kind == INTERVAL:
        return "–".join(shown_value(Column("", "", FIGURE, digits=column.digits), end) for end in value)
    if column.kind == PERCENTS:
        low, high = (shown_value(Column("", "", PERCENT), end) for end in value)
        return f"{low.removesuffix(PERCENT_SIGN)}–{high}"
    if column.kind in DIGITS and not isinstance(value, str):
        whole = column.kind == NUMBER and isinstance(value, int)
        digits = column.digits if column.digits is not None else DIGITS[column.kind]
        # Rounded here: number_format cuts digits off.
        rounded = value if whole else half_up(value, digits or 1)
        text = number_format(rounded, 0 if whole else digits or 1, force_grouping=True)
        return text + PERCENT_SIGN if column.kind == PERCENT else text
    if column.kind == DAY:
        day = parse_date(value) if isinstance(value, str) else value
        return date_format(day, "SHORT_DATE_FORMAT") if day else str(value)
    text = str(value)
    return gettext(text) if column.kind in (TEXT, TAG) and text else text


# A p-value below this is told to be: more digits say nothing.
LEAST_P = 0.001


def shown_p(p: float | None) -> str:
    """A p-value with three digits, or how small it is."""
    column = Column("", "", FIGURE)
    return f"< {shown_value(column, LEAST_P)}" if p is not None and p < LEAST_P else shown_value(column, p)


def file_rows(columns: Sequence[Column], rows: Iterable[Any]) -> Iterator[tuple[object, ...]]:
    """The same columns for annotation.ui.csv_files: their keys, then the plain values of every row.

    An interval is two columns, KEY_low and KEY_high.
    """
    yield tuple(name for column in columns for name in _in_file(column))
    for row in rows:
        yield tuple(cell for column in columns for cell in _cells(column, column.value_in(row)))


def _in_file(column: Column) -> tuple[str, ...]:
    return (f"{column.key}_low", f"{column.key}_high") if column.kind in TWO_VALUED_KINDS else (column.key,)


def _cells(column: Column, value: Any) -> tuple[object, ...]:
    if column.kind in TWO_VALUED_KINDS:
        return ("", "") if value is None else tuple(value)
    return ("" if value is None else value,)
