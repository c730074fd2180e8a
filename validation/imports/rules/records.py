"""Records of a file: JSON objects, one a line or in one list, or CSV rows under their header.

Lines are read by `\\n` and nothing else.

Texts hold U+2028, U+0085 and other marks that some readers take for line ends. A record that is broken comes with
its problem in place of its data, and the reading goes on behind it; memory is bounded whatever the file holds.

A list is cut into the bytes of its elements as they come: memory holds one of them, never the list.
"""

import io
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from annotation.text.gettext import gettext_noop
from validation.imports.rules.compression import MOST_UNPACKED, Opened, count_lines, open_bytes
from validation.imports.rules.csv_rows import read_header, read_sheet
from validation.imports.rules.problems import MOST_COLUMNS, FileRefused, Problem, check_column_count, excerpt

# So much of a list is read at once.
CHUNK = 1 << 16
LONGEST_ELEMENT = 1 << 20
_OUTSIDE_STRING = re.compile(rb'["{}\[\],]')
_INSIDE_STRING = re.compile(rb'["\\]')

Element = tuple[int, bytes | Problem]
LONGEST_LINE = 1 << 20
SAMPLED = 50
JSONL, JSON_LIST, CSV = "jsonl", "json", "csv"
_KEY_PATTERN = re.compile(rb'"\s*:')
_SUFFIXES = {".jsonl": JSONL, ".ndjson": JSONL, ".json": JSONL, ".csv": CSV, ".tsv": CSV, ".txt": None}
# Names that promise an object a line: a list there is no list of rows.
LINE_SUFFIXES = (".jsonl", ".ndjson")


class Record(NamedTuple):
    """One row: its number from 1 (the header of a CSV is row 1; in a list its place), its data or the problem."""

    n: int
    data: Mapping[str, Any] | None
    problem: Problem | None


class Source:
    """A file that can be read: its format, its size in lines, its columns, and, as often as asked, its records."""

    def __init__(self, path: Path, name: str, most: int) -> None:
        self._path, self._most, self._size = path, most, path.stat().st_size
        with self._opened() as opened:
            self.format = _format(name, opened.head)
        with self._opened() as opened:
            self.lines = count_lines(opened.stream).lines
        if self.format == JSON_LIST:
            with self._opened() as opened:
                self.lines = sum(1 for _ in elements(opened.stream))
        self.header = self._header() if self.format == CSV else []
        self.columns = self.header or self._keys()

    def records(self) -> Iterator[Record]:
        """Every record in file order; blank lines are none, but count."""
        with self._opened() as opened:
            if self.format == JSON_LIST:
                for n, element in elements(opened.stream):
                    yield _record(n, element)
                return
            lines = whole_lines(opened.stream)
            if self.format == CSV:
                for n, cells, problem in read_sheet(lines, len(self.header)):
                    yield Record(n, None if cells is None else dict(zip(self.header, cells, strict=True)), problem)
            else:
                for n, line in lines:
                    if isinstance(line, Problem) or line.strip():
                        yield _record(n, line)

    @contextmanager
    def _opened(self) -> Iterator[Opened]:
        with self._path.open("rb") as raw:
            yield open_bytes(raw, self._size, self._most)

    def _header(self) -> list[str]:
        with self._opened() as opened:
            return read_header(whole_lines(opened.stream))

    def _keys(self) -> list[str]:
        """The keys of the first objects, in the order in which they come."""
        keys: dict[str, None] = {}
        broken: Record | None = None
        for record in islice(self.records(), SAMPLED):
            keys.update(dict.fromkeys(record.data or ()))
            broken = broken or (record if record.problem is not None else None)
        if not keys and broken is not None and broken.problem is not None:
            message = gettext_noop("None of the first rows can be read. Row %(row)s: %(why)s")
            raise FileRefused("rows_unreadable", message, row=broken.n, why=broken.problem.reason)
        return check_column_count(list(keys))


def _record(n: int, raw: bytes | Problem) -> Record:
    found = raw if isinstance(raw, Problem) else read_object(raw)
    return Record(n, None, found) if isinstance(found, Problem) else Record(n, found, None)


def open_source(path: Path, name: str, most: int = MOST_UNPACKED) -> Source:
    """Look through a file once. Raises `FileRefused` for one that is not read at all."""
    try:
        return Source(path, name, most)
    except OSError as error:
        message = gettext_noop("The file cannot be read: %(why)s.")
        raise FileRefused("file_unreadable", message, why=error.strerror or type(error).__name__) from None


def _format(name: str, head: bytes) -> str:
    """By the name's ending, and where that says nothing by the first character."""
    suffixes = [suffix.lower() for suffix in Path(name).suffixes if suffix.lower() != ".gz"]
    first = head.lstrip()[:1]
    suffix = suffixes[-1] if suffixes else ""
    if first == b"[" and suffix not in LINE_SUFFIXES and _SUFFIXES.get(suffix) != CSV:
        return JSON_LIST
    return _SUFFIXES.get(suffix) or (JSONL if first == b"{" else CSV)


def whole_lines(stream: "io.BufferedReader[Any]") -> Iterator[tuple[int, bytes | Problem]]:
    """Lines with their `\\n`, numbered from 1; one that is too long is passed over in pieces."""
    n, read = 0, stream.readline
    while line := read(LONGEST_LINE + 1):
        n += 1
        if len(line) <= LONGEST_LINE:
            yield n, line
            continue
        while not line.endswith(b"\n") and (line := read(LONGEST_LINE)):
            pass
        message = gettext_noop("The line is longer than %(most)s bytes; is a line end missing?")
        yield n, Problem("line_too_long", "", message, {"most": LONGEST_LINE})


def read_object(line: bytes) -> dict[str, Any] | Problem:
    """One JSON object, or what is wrong with the line."""
    try:
        found = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        return _line_problem(line, str(error))
    if type(found) is not dict:
        return Problem("not_object", "", gettext_noop("The line is JSON, but no object in braces."))
    if len(found) > MOST_COLUMNS:
        message = gettext_noop("The row has %(count)s fields; at most %(most)s can be read.")
        return Problem("fields_too_many", "", message, {"count": len(found), "most": MOST_COLUMNS})
    # As many colons as keys, or behind quotes as keys at any depth: none stands twice. Otherwise a slower reader looks.
    if line.count(b":") == len(found) or len(_KEY_PATTERN.findall(line)) == _count_keys(found):
        return found
    return strict_object(line, found)


class _DuplicateKey(Exception):
    pass


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        times = Counter(key for key, _ in pairs)
        raise _DuplicateKey(next(key for key, _ in pairs if times[key] > 1))
    return found


def strict_object(line: bytes, found: dict[str, Any]) -> dict[str, Any] | Problem:
    """Give back what the fast reader found, unless a key stands twice in one object."""
    try:
        json.loads(line, object_pairs_hook=_unique_keys)
    except _DuplicateKey as twice:
        message = gettext_noop("The key “%(key)s” is used twice; keep one.")
        return Problem("key_twice", "", message, {"key": excerpt(str(twice), 40)})
    except (ValueError, RecursionError):
        return Problem("not_json", "", gettext_noop("The JSON is nested too deeply, or a number is too long."))
    return found


def _count_keys(value: Any) -> int:
    """How many keys an object holds, at any depth."""
    keys, inner = 0, [value]
    while inner:
        value = inner.pop()
        values = value
        if type(value) is dict:
            keys, values = keys + len(value), value.values()
        inner += [each for each in values if type(each) in (dict, list)]
    return keys


def _line_problem(line: bytes, error: str) -> Problem:
    try:
        line.decode("utf-8")
    except UnicodeDecodeError as bad:
        message = gettext_noop("Byte %(place)s (0x%(byte)s) is not UTF-8; save the file as UTF-8.")
        return Problem("not_utf8", "", message, {"place": bad.start + 1, "byte": f"{line[bad.start]:02x}"})
    message = gettext_noop("This is no whole JSON value (%(why)s); is the file torn?")
    return Problem("not_json", "", message, {"why": error.replace("line 1 ", "")[:150]})


# --- one JSON list, cut into its elements -------------------------------------------------------


class _ElementCutter:
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
        while found := (_INSIDE_STRING if self._quoted else _OUTSIDE_STRING).search(chunk, place):
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
        message = gettext_noop("The entry is longer than %(most)s bytes; is a bracket or quotation mark missing?")
        return self.n, Problem("line_too_long", "", message, {"most": LONGEST_ELEMENT})


def elements(stream: "io.BufferedReader[Any]") -> Iterator[Element]:
    """The elements of the list that the stream holds, numbered from 1, each to be read by itself."""
    cutter = _ElementCutter()
    while not cutter.over and (chunk := stream.read(CHUNK)):
        yield from cutter.cut(chunk)
    if not cutter.over:
        message = gettext_noop("The JSON list does not end; is the file torn?")
        yield cutter.n + 1, Problem("list_torn", "", message)
    elif cutter.rest.strip() or stream.read(CHUNK).strip():
        message = gettext_noop("There is something after the end of the JSON list.")
        yield cutter.n + 1, Problem("list_behind", "", message)
