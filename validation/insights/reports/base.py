"""What an insight is: named tables with their charts, and the function that computes their rows for a project.

Tables and columns are described here once and translated where they are shown; what is stored is rows of plain
values, so that a page reads one row of the database whatever the size of the project.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from annotation.core.models.project import Project
from annotation.ui import tables
from annotation.ui.tables import Column as Column

if TYPE_CHECKING:
    from validation.insights.reports.reading import Reading

# The rows of each table, by its key: plain JSON values by the keys of its columns; None where there is nothing.
Row = Mapping[str, Any]
TableRows = Mapping[str, Sequence[Row]]
# No table keeps more rows: what is beyond is not shown to anybody, and is said to be there.
MOST_ROWS = 1000
# What columns are called that hold labels of items' writers, or figures on them.
AUTHOR_COLUMNS = ("author", "author_share", "author_n")

COLUMN_KINDS, CHART_KINDS = tables.KINDS, ("bar", "stacked", "line", "heat")


@dataclass(frozen=True)
class Chart:
    """How a table is drawn: `x` is the column of the names, `ys` those of the values.

    A `heat` crosses `x` with `ys[0]`, and its values are `ys[1]`. With one of `ys`, `by` may be the column whose words
    tell one line, or the bars of one sort, from others.
    """

    kind: str
    x: str
    ys: tuple[str, ...]
    by: str = ""


@dataclass(frozen=True)
class Table:
    """One table of an insight. `item_filters` gives the filters of the list of items behind a row; none where it is
    empty.

    A figure that is not defined is None, and the row's `why` (a text, marked for translation) says why. With `cards`
    a phone shows each row as a card.
    """

    key: str
    title: str
    columns: tuple[Column, ...]
    note: str = ""
    chart: Chart | None = None
    item_filters: Callable[[Row], Mapping[str, str]] | None = None
    cards: bool = False

    @property
    def shown(self) -> "Table":
        """It without the columns that only files have."""
        return replace(self, columns=tuple(column for column in self.columns if not column.file_only))


def filters_from_columns(**columns: str) -> Callable[[Row], dict[str, str]]:
    """Table.opens where each filter is the value of a column; a filter without a value is left out."""
    return lambda row: {name: str(row[column]) for name, column in columns.items() if row[column]}


def _without_author(table: Table) -> Table:
    columns = tuple(column for column in table.columns if column.key not in AUTHOR_COLUMNS)
    chart = table.chart and replace(table.chart, ys=tuple(y for y in table.chart.ys if y not in AUTHOR_COLUMNS))
    return replace(table, columns=columns, chart=chart)


@dataclass(frozen=True)
class Insight:
    """One page of insights. `compute` reads a project in bounded memory and gives the rows of every table.

    `headline` names a table and column whose first row stands on the overview. `order` is where it is listed.
    `nightly`: it takes long, and only the nightly job computes it, or who asks for it by name. `depends_on` are the
    insights before it whose results it reads: whenever one of them was computed, so is it.
    """

    slug: str
    title: str
    introduction: str
    tables: tuple[Table, ...]
    compute: Callable[["Reading"], TableRows]
    order: int = 50
    applies_to: Callable[[Project], bool] = lambda project: True
    nightly: bool = False
    depends_on: tuple[str, ...] = ()
    headline: tuple[str, str] | None = None

    def without_author(self) -> "Insight":
        """It where no item has a label of its writer: no such column, and no table that is ordered by one."""
        tables = [each for each in self.tables if each.columns[0].key not in AUTHOR_COLUMNS]
        return replace(self, tables=tuple(map(_without_author, tables)))

    def table(self, key: str) -> Table:
        """The table of that key; KeyError where there is none."""
        return {table.key: table for table in self.tables}[key]
