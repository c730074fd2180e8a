"""Translations side by side as a table to be opened in a spreadsheet."""

from collections.abc import Iterable, Iterator

from annotation.kinds import Kind
from annotation.text.formulas import line
from exports.formats.paper.base import Dumped, Format, Piece
from exports.formats.paper.wide import FIXED, rows


def write(kind: Kind, items: Iterable[Dumped]) -> Iterator[Piece]:
    """A row a text; cells that a spreadsheet would take for a formula have an apostrophe before them."""
    targets, found = rows(items)
    yield Piece(_row([*FIXED, *targets]), 0)
    for row in found:
        yield Piece(
            _row([*(row[name] for name in FIXED), *(row["targets"][target] for target in targets)]), 1
        )


def _row(cells: list[str]) -> bytes:
    return line(cells).encode("utf-8", "surrogatepass")


FORMAT = Format("wide-csv", "translations side by side, CSV, a row a text", ("units",), write)
