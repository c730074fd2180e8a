"""Rows read as they lie in the database, handed on in drawn order: put aside on disk, sorted a piece at a time.

In drawn order each row of a large release is somewhere else on the disk, with its text, its source and each of its
votes, and every place is read again for every row; as they lie, all is read once. Drawn places are spread evenly, so
a piece of them holds few rows, and the pieces one after another hold all rows in order.
"""

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import orjson

ROWS_A_PIECE = 4000
MOST_PIECES = 192  # each is an open file; beyond a million rows it is the pieces that grow
AT_ONCE = 16  # rows of each piece that wait in memory
_BITS, _LENGTH = 63, 8  # of a drawn place (annotation.core.rules.draws); bytes of a length
_APART = "\x1d"

Row = tuple[Any, ...]


class Spool:
    """Rows as JSON has them, whose first two are their drawn place and their key (the order of equal places).

    With each goes a text in which the control character that separates groups (GS) does not occur.
    """

    def __init__(self, folder: Path, expected: int) -> None:
        pieces = min(MOST_PIECES, 1 + expected // ROWS_A_PIECE)
        with ExitStack() as stack:
            # Nameless from the start: whatever stops the build, nothing of it is left.
            self.files = [stack.enter_context(tempfile.TemporaryFile(dir=folder)) for _ in range(pieces)]
            self._opened = stack.pop_all()
        self.waiting: list[list[tuple[Row, str]]] = [[] for _ in range(pieces)]

    def add(self, row: Row, text: str) -> None:
        """Take in one row and its text."""
        piece = row[0] * len(self.files) >> _BITS
        waiting = self.waiting[piece]
        waiting.append((row, text))
        if len(waiting) >= AT_ONCE:
            self._put(piece)

    def _put(self, piece: int) -> None:
        rows, texts = zip(*self.waiting[piece], strict=True)
        for data in (orjson.dumps(rows), _APART.join(texts).encode()):
            self.files[piece].write(len(data).to_bytes(_LENGTH, "big") + data)
        self.waiting[piece].clear()

    def rows(self) -> Iterator[tuple[list[Any], str]]:
        """Every row with its text, in drawn order; as often as asked, once all are in."""
        for piece, file in enumerate(self.files):
            if self.waiting[piece]:
                self._put(piece)
            file.seek(0)
            found: list[tuple[list[Any], str]] = []
            while head := file.read(_LENGTH):
                rows = orjson.loads(file.read(int.from_bytes(head, "big")))
                texts = file.read(int.from_bytes(file.read(_LENGTH), "big")).decode().split(_APART)
                found += zip(rows, texts, strict=True)
            found.sort(key=_place)
            yield from found

    def close(self) -> None:
        """The build is over, whatever came of it."""
        self._opened.close()


def _place(row: tuple[list[Any], str]) -> list[Any]:
    return row[0][:2]
