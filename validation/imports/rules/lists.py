"""One JSON list in a file, cut into the bytes of its elements as they come: memory holds one of them, never the list.

An element that is broken is refused alone by whoever reads it; a list that is torn ends in a problem.
"""

import io
import re
from collections.abc import Iterator
from typing import Any

from validation.imports.rules.problems import Problem, gettext_noop

CHUNK = 1 << 16
LONGEST_ELEMENT = 1 << 20
_OUTSIDE = re.compile(rb'["{}\[\],]')
_INSIDE = re.compile(rb'["\\]')

Element = tuple[int, bytes | Problem]


class _Cutter:
    """Follows brackets and quotation marks through chunk after chunk; `cut` gives the elements that ended."""

    def __init__(self) -> None:
        self.n, self.over = 0, False
        self.rest = b""
        self._depth, self._quoted, self._escaped = 0, False, False
        self._held, self._long = bytearray(), False

    def cut(self, chunk: bytes) -> Iterator[Element]:
        """The elements that end in this chunk, numbered from 1; `rest` is what stands behind the list."""
        place, kept = int(self._escaped), 0
        self._escaped = False
        while found := (_INSIDE if self._quoted else _OUTSIDE).search(chunk, place):
            place, mark = found.end(), found.group()
            if self._quoted:
                self._quoted = mark == b"\\"
                # What stands behind a backslash means nothing to us, even in the next chunk.
                self._escaped = self._quoted and place == len(chunk)
                place += self._quoted
            elif mark == b'"':
                self._quoted = True
            elif mark in b"{[":
                self._depth += 1
                kept = place if self._depth == 1 else kept
            elif mark in b"}]":
                self._depth -= 1
                if self._depth == 0:
                    self._hold(chunk[kept : found.start()])
                    self.over, self.rest = True, chunk[place:]
                    if self.n or self._held.strip() or self._long:
                        yield self._element()
                    return
            elif self._depth == 1:
                self._hold(chunk[kept : found.start()])
                yield self._element()
                kept = place
        self._hold(chunk[kept:])

    def _hold(self, data: bytes) -> None:
        if len(self._held) + len(data) > LONGEST_ELEMENT:
            self._long = True
            self._held.clear()
        elif not self._long:
            self._held += data

    def _element(self) -> Element:
        self.n += 1
        held, was_long = bytes(self._held), self._long
        self._held.clear()
        self._long = False
        if not was_long:
            return self.n, held
        message = gettext_noop(
            "The entry is longer than %(most)s bytes; is a bracket or quotation mark missing?"
        )
        return self.n, Problem("line_too_long", "", message, {"most": LONGEST_ELEMENT})


def elements(stream: "io.BufferedReader[Any]") -> Iterator[Element]:
    """The elements of the list that the stream holds, numbered from 1, each to be read by itself."""
    cutter = _Cutter()
    while not cutter.over and (chunk := stream.read(CHUNK)):
        yield from cutter.cut(chunk)
    if not cutter.over:
        message = gettext_noop("The JSON list does not end; is the file torn?")
        yield cutter.n + 1, Problem("list_torn", "", message)
    elif cutter.rest.strip() or stream.read(CHUNK).strip():
        message = gettext_noop("Something stands behind the end of the JSON list.")
        yield cutter.n + 1, Problem("list_behind", "", message)
