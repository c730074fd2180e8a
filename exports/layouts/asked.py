"""The rows of a split whose answers are hidden, kept aside until all are there: their ids give the order."""

import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import orjson

from annotation.kinds import Kind
from exports.rules.hidden import open_row

PAGE = 2000


class Asked:
    """Rows as everybody may have them. What is kept of each in memory is its id and where it lies."""

    def __init__(self, kind: Kind, secret: str, folder: Path) -> None:
        self.kind, self.secret = kind, secret
        # Nameless from the start: whatever stops the build, nothing of it is left.
        self.spool = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 - `close` does
        self.size = 0
        self.places: list[tuple[str, int, int]] = []

    def add(self, row: Mapping[str, Any]) -> None:
        """Take in a row with all that it tells."""
        told = open_row(self.kind, row, self.secret)
        data = orjson.dumps(told)
        self.places.append((told[self.kind.id_column], self.size, len(data)))
        self.size += self.spool.write(data)

    def pages(self) -> Iterator[list[dict[str, Any]]]:
        """Every row in the order of the ids, a page at a time."""
        self.places.sort()
        for start in range(0, len(self.places), PAGE):
            page = []
            for _, at, length in self.places[start : start + PAGE]:
                self.spool.seek(at)
                page.append(orjson.loads(self.spool.read(length)))
            yield page

    def close(self) -> None:
        """The build is over, whatever came of it."""
        self.spool.close()
