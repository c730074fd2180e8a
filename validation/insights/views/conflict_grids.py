"""Tables of conflicts as a page shows them: cells and how dark they are, sums at both ends, links to the items."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from validation.insights.rules.conflicts import NOBODY, Cell, Crossed, heat


@dataclass(frozen=True)
class Spot:
    """One cell of a table: what is in it, how dark it is (0 to 10), and where its conflicts are listed."""

    cell: Cell
    heat: int = 0
    url: str = ""


@dataclass(frozen=True)
class Line:
    """One row of a table: its name, its cells, its sum."""

    name: str
    memberships: list[Spot]
    total: Spot


@dataclass(frozen=True)
class Grid:
    """A table of conflicts with sums at both ends; `hidden` counts the people that it has no room for."""

    columns: list[str]
    lines: list[Line]
    totals: list[Spot]
    whole: Spot
    hidden: int = 0


Link = Callable[..., str]


def grid(
    cells: Crossed, rows: Sequence[str], columns: Sequence[str], fields: tuple[str, str], link: Link
) -> Grid:
    """The rows and columns wanted of a crossed table; sums are over all that it has.

    `fields` name rows and columns in an address; `link` makes the address of a cell's items from them.
    """
    down, across = fields
    most = max((cell.share or Fraction(0) for cell in cells.values()), default=Fraction(0))

    def at(row: str, column: str) -> Spot:
        cell = cells.get((row, column), Cell())
        named = {down: row or NOBODY, across: column or NOBODY}
        return Spot(cell, heat(cell, most), link(**named) if cell.conflicts else "")

    def total(place: int, name: str) -> Spot:
        cell = summed(cell for pair, cell in cells.items() if pair[place] == name)
        return Spot(cell, 0, link(**{fields[place]: name or NOBODY}) if cell.conflicts else "")

    lines = [Line(row, [at(row, column) for column in columns], total(0, row)) for row in rows]
    hidden = len({row for row, _ in cells} - set(rows)) + len({column for _, column in cells} - set(columns))
    whole = Spot(summed(cells.values()))
    return Grid(list(columns), lines, [total(1, column) for column in columns], whole, hidden)


def summed(cells: Iterable[Cell]) -> Cell:
    """The sum of cells."""
    found = list(cells)
    return Cell(sum(cell.answers for cell in found), sum(cell.conflicts for cell in found))
