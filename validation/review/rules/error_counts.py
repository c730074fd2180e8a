"""What items were returned for: counts by error type, writer and week, for the evaluation meeting (domain.md §5)."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple


class ReturnCount(NamedTuple):
    """Returns of one writer's items for one error type in the week that begins on this Monday."""

    error: str
    writer: str
    week: date
    n: int


@dataclass(frozen=True)
class Line:
    """One error type: how often, over which writers and weeks, each in the order of the table's columns."""

    code: str
    name: str
    total: int
    writers: tuple[int, ...]
    weeks: tuple[int, ...]


@dataclass(frozen=True)
class Table:
    """Every error type that something was returned for, most frequent first, with the sums of the columns."""

    lines: tuple[Line, ...]
    writers: tuple[str, ...]
    weeks: tuple[date, ...]
    by_writer: tuple[int, ...]
    by_week: tuple[int, ...]
    total: int


def table(counts: Iterable[ReturnCount], types: Mapping[str, str]) -> Table:
    """Lay counts out as a table; a type that the project has no more is called by its code.

    Equally frequent types stand in the order of the project's list, unknown ones behind them by code.
    """
    rows = list(counts)
    writers = tuple(sorted({row.writer for row in rows}))
    weeks = tuple(sorted({row.week for row in rows}))
    totals: Counter[str] = Counter()
    cells: Counter[tuple[str, str | date]] = Counter()
    sums: Counter[str | date] = Counter()
    for row in rows:
        totals[row.error] += row.n
        for column in (row.writer, row.week):
            cells[row.error, column] += row.n
            sums[column] += row.n
    places = {code: place for place, code in enumerate(types)}
    ordered = sorted(totals, key=lambda code: (-totals[code], places.get(code, len(places)), code))
    return Table(
        lines=tuple(
            Line(
                code,
                types.get(code, code),
                totals[code],
                tuple(cells[code, writer] for writer in writers),
                tuple(cells[code, week] for week in weeks),
            )
            for code in ordered
        ),
        writers=writers,
        weeks=weeks,
        by_writer=tuple(sums[writer] for writer in writers),
        by_week=tuple(sums[week] for week in weeks),
        total=totals.total(),
    )
