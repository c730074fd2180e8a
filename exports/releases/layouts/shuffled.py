"""Lines kept aside until all are there: with hidden answers their ids give the order, which says nothing then."""

import tempfile
from array import array
from collections.abc import Iterator
from pathlib import Path

PAGE = 2000
_DIGITS = 16


class Shuffled:
    """Lines of JSON by the id that they are told under. What is kept of each in memory is its place and its id's."""

    def __init__(self, folder: Path) -> None:
        # Nameless from the start: whatever stops the build, nothing of it is left.
        self.spool = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 - `close` does
        self.size = 0
        self.order, self.places, self.lengths = array("Q"), array("Q"), array("Q")

    def add(self, told: str, lines: bytes) -> None:
        """Take in what is told of one item: its id (hexadecimal), and its lines, each with its end."""
        self.order.append(int(told[:_DIGITS], 16))
        self.places.append(self.size)
        self.lengths.append(len(lines))
        self.size += self.spool.write(lines)

    def pages(self) -> Iterator[tuple[bytes, int]]:
        """Everything in the order of the ids, a page at a time: its bytes, and how many lines they are."""
        turns = sorted(range(len(self.order)), key=self.order.__getitem__)
        for start in range(0, len(turns), PAGE):
            page = b"".join([self._at(n) for n in turns[start : start + PAGE]])
            # A line of JSON holds no line break of its own.
            yield page, page.count(b"\n")

    def _at(self, n: int) -> bytes:
        self.spool.seek(self.places[n])
        return self.spool.read(self.lengths[n])

    def close(self) -> None:
        """The build is over, whatever came of it."""
        self.spool.close()
