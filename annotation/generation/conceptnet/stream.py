"""A file of lines, plain or gzip, in batches that end at a line's end."""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from annotation.generation.rules.recipes.base import gettext_noop
from validation.imports.rules import FileRefused
from validation.imports.rules.packed import open_bytes

BATCH = 4 << 20
LONGEST_LINE = 1 << 20
# ConceptNet 5.7 unpacks to 10 GB; this only stops what never ends.
MOST_UNPACKED = 1 << 40


class Batch(NamedTuple):
    """Whole lines without their ends, and where the next one begins; `too_long` ones were passed over."""

    lines: list[bytes]
    offset: int
    too_long: int
    whole: bool


class Assertions:
    """An opened file. `share` is how much of its bytes were read, whether packed or not."""

    def __init__(self, raw: BinaryIO, size: int, offset: int) -> None:
        self._raw, self._size = raw, size
        stream = open_bytes(raw, size, MOST_UNPACKED).stream
        self._stream: io.BufferedReader[Any] = stream
        self._offset = offset
        _pass_over(stream, offset)

    @property
    def share(self) -> float:
        return self._raw.tell() / self._size if self._size else 1.0

    def batches(self) -> Iterator[Batch]:
        """The lines in order. A line longer than any of ConceptNet's is passed over in pieces."""
        rest, passing = b"", False
        while chunk := self._stream.read(BATCH):
            lines = (rest + chunk).split(b"\n")
            read = self._offset + len(chunk)
            rest = lines.pop()
            if passing and lines:
                lines, passing = lines[1:], False
            elif passing:
                rest = b""
            lines, too_long = _short(lines)
            if len(rest) > LONGEST_LINE:
                rest, passing, too_long = b"", True, too_long + 1
            self._offset = read
            yield Batch(lines, read - len(rest), too_long, not passing)
        if rest:
            yield Batch([rest], self._offset, 0, True)


def _short(lines: list[bytes]) -> tuple[list[bytes], int]:
    """The lines without those that are too long, and how many those are."""
    if max(map(len, lines), default=0) <= LONGEST_LINE:
        return lines, 0
    short = [line for line in lines if len(line) <= LONGEST_LINE]
    return short, len(lines) - len(short)


def _pass_over(stream: "io.BufferedReader[Any]", offset: int) -> None:
    """Go on behind what was read before; what is packed has to be unpacked again up to there."""
    while offset and (chunk := stream.read(min(offset, BATCH))):
        offset -= len(chunk)


@contextmanager
def opened(path: Path, offset: int = 0) -> Iterator[Assertions]:
    """Open a file at an offset of its unpacked bytes. Raises FileRefused, and OSError where there is none."""
    size = path.stat().st_size
    if not size:
        raise FileRefused("file_empty", gettext_noop("The file is empty."))
    with path.open("rb", buffering=BATCH) as raw:
        yield Assertions(raw, size, offset)
