"""What an insight is: named tables with their charts, and the function that computes their rows for a project.

Tables and columns are described here once and translated where they are shown; what is stored is rows of plain
values, so that a page reads one row of the database whatever the size of the project.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from annotation.core.models.project import Project

if TYPE_CHECKING:
    from validation.insights.reports.reading import Reading

# The rows of each table, by its key: plain JSON values by the keys of its columns; None where there is nothing.
Row = Mapping[str, Any]
Found = Mapping[str, Sequence[Row]]
# No table keeps more rows: what is beyond is not shown to anybody, and is said to be there.
MOST_ROWS = 1000

TEXT, WORD, LABEL, GROUP, PERSON, NUMBER, PERCENT, FIGURE, SECONDS, DAY = (
    "text",
    "word",
    "label",
    "group",
    "person",
    "number",
    "percent",
    "figure",
    "seconds",
    "day",
)
SORTS = (TEXT, WORD, LABEL, GROUP, PERSON, NUMBER, PERCENT, FIGURE, SECONDS, DAY)
BAR, STACKED, LINE, HEAT = "bar", "stacked", "line", "heat"
CHARTS = (BAR, STACKED, LINE, HEAT)


def gettext_noop(text: str) -> str:
    """Mark for translation; templates translate."""
    return text


@dataclass(frozen=True)
class Column:
    """A column: its key in the rows, its name, and what its values are.

    `text` is in the interface's language (marked, translated when shown), `word` is of the data, `label` the key of a
    label of the kind, `group` a category (or sentence class) as items have it, `person` a pseudonym, `percent` from 0
    to 100, `figure` a coefficient, `day` an ISO date.
    `help` says in words what it is. `digits` after the point are shown, where the sort's usual ones do not fit.
    """

    key: str
    name: str
    sort: str = TEXT
    help: str = ""
    digits: int | None = None


@dataclass(frozen=True)
class Chart:
    """How a table is drawn: `x` is the column of the names, `ys` those of the values.

    A `heat` crosses `x` with `ys[0]`, and its values are `ys[1]`. With one of `ys`, `by` may be the column whose words
    tell one line, or the bars of one sort, from others.
    """

    sort: str
    x: str
    ys: tuple[str, ...]
    by: str = ""


@dataclass(frozen=True)
class Table:
    """One table of an insight. `opens` gives the filters of the list of items behind a row; none where it is empty.

    A figure that is not defined is None, and the row's `why` (a text, marked for translation) says why.
    """

    key: str
    title: str
    columns: tuple[Column, ...]
    note: str = ""
    chart: Chart | None = None
    opens: Callable[[Row], Mapping[str, str]] | None = None


def _always(project: Project) -> bool:
    return True


@dataclass(frozen=True)
class Insight:
    """One page of insights. `compute` reads a project in bounded memory and gives the rows of every table.

    `headline` names a table and column whose first row stands on the overview. `order` is where it is listed.
    `nightly`: it takes long, and only the nightly job computes it, or who asks for it by name. `reads` are the insights
    before it whose results it reads: whenever one of them was computed, so is it.
    """

    slug: str
    title: str
    lead: str
    tables: tuple[Table, ...]
    compute: Callable[["Reading"], Found]
    order: int = 50
    fits: Callable[[Project], bool] = _always
    nightly: bool = False
    reads: tuple[str, ...] = ()
    headline: tuple[str, str] | None = None

    def table(self, key: str) -> Table:
        """The table of that key; KeyError where there is none."""
        return next((table for table in self.tables if table.key == key), None) or _missing(key)


def _missing(key: str) -> Table:
    raise KeyError(key)
