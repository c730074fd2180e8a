"""Records of a file: JSON objects, one a line or in one list, CSV rows under their header, or lines of text.

Lines are read by `\\n` and nothing else.

Texts hold U+2028, U+0085 and other marks that some readers take for line ends. A record that is broken comes with
its problem in place of its data, and the reading goes on behind it; memory is bounded whatever the file holds.

A list is cut into the bytes of its elements as they come: memory holds one of them, never the list.
"""

import io
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from annotation.core.rules.os_errors import os_reason
from annotation.text.gettext import gettext_noop
from annotation.text.normalise import MOJIBAKE_LEAD, shorten_number
from validation.imports.rules.compression import MOST_UNPACKED, Opened, count_lines, open_bytes
from validation.imports.rules.csv_rows import (
    SEPARATORS,
    Header,
    IgnoredCells,
    decoded,
    read_header,
    read_sheet,
    says_separator,
)
from validation.imports.rules.garbled import GarbledTexts
from validation.imports.rules.json_values import read_object, to_json
from validation.imports.rules.problems import FileRefused, Problem, check_column_count, excerpt
from validation.imports.rules.repeated import MASK, RepeatedRows

# So much of a list is read at once.
CHUNK = 1 << 16
LONGEST_ELEMENT = 1 << 20
_OUTSIDE_STRING = re.compile(rb'["{}\[\],]')
_INSIDE_STRING = re.compile(rb'["\\]')

Element = tuple[int, bytes | Problem]
LONGEST_LINE = 1 << 20
SAMPLED = 50
JSONL, JSON_LIST, CSV, LINES = "jsonl", "json", "csv", "txt"
_SUFFIXES = {".jsonl": JSONL, ".ndjson": JSONL, ".json": JSONL, ".csv": CSV, ".tsv": CSV, ".txt": LINES}
# Names that promise an object a line: a list there is no list of rows.
LINE_SUFFIXES = (".jsonl", ".ndjson")
# The column of a file that holds a text a line.
TEXT_COLUMN = "text"
_OBJECT_FIRST = re.compile(rb"\s*(\[\s*)?\{")
# Cells of a header, where a .txt is a sheet: names of columns, and no sentence.
_HEADER_LINE = re.compile(rb"[a-z][a-z0-9_]*(?:[,;|][a-z][a-z0-9_]*)*\r?\n?")


_SHORTENED = gettext_noop(
    "Every value of %(columns)s is a whole number with .0, as pandas writes it: they are read without it (1 for 1.0)."
)
KnowsColumn = Callable[[str], bool]
"""Whether a name is one of the columns that are read."""


class Record(NamedTuple):
    """One row: its number from 1 (the header of a CSV is row 1; in a list its place), its data or the problem."""

    n: int
    data: Mapping[str, Any] | None
    problem: Problem | None


class Source:
    """A file that can be read: its format, its size in lines, its columns, and, as often as asked, its records.

    `separator` says what separates cells, by its name in `SEPARATORS`, where that is not to be found out. Where one
    name stands alone in the first line of a .txt, it is a text unless `knows` says that it names a column.
    """

    def __init__(self, path: Path, name: str, most: int, separator: str = "", knows: KnowsColumn | None = None) -> None:
        self._path, self._most, self._size = path, most, path.stat().st_size
        with self._opened() as opened:
            self.format = _said_format(separator, _format(name, opened.head))
            self.assumes_header = self.format == CSV and not separator and _is_assumed_header(name, opened.head)
        with self._opened() as opened:
            self.lines = count_lines(opened.stream).lines
        if self.format == JSON_LIST:
            with self._opened() as opened:
                self.lines = sum(1 for _ in elements(opened.stream))
        self.separator, self._separator = separator, SEPARATORS.get(separator, "")
        self._ignored, self._garbled, self._repeated = IgnoredCells(), GarbledTexts(), RepeatedRows(self.lines)
        self._shortened: tuple[str, ...] = ()
        self._header = self._read_header() if self.format == CSV else None
        if knows and self.assumes_header and self._header and not any(map(knows, self._header.columns)):
            self._take_for_text()
        self.columns = self._columns()

    def records(self) -> Iterator[Record]:
        """Every record in file order; blank lines are none, but count."""
        self._ignored, self._garbled, self._repeated = IgnoredCells(), GarbledTexts(), RepeatedRows(self.lines)
        with self._opened() as opened:
            if self.format == JSON_LIST:
                for n, element in elements(opened.stream):
                    yield self._record(n, element)
                return
            lines = whole_lines(opened.stream)
            if self._header is not None:
                yield from self._sheet(lines, self._header)
                return
            read = self._text_line if self.format == LINES else self._record
            for n, line in lines:
                if isinstance(line, Problem) or line.strip():
                    yield read(n, line)

    def notes(self) -> list[Problem]:
        """What was passed over or looks wrong, as far as the records were last read: a line for each sort."""
        found = self._ignored.notes(self._header) if self._header is not None else []
        if self._shortened:
            columns = excerpt(", ".join(self._shortened))
            found.append(Problem("numbers_shortened", "", _SHORTENED, {"columns": columns}))
        return found + self._garbled.notes() + self._repeated.notes()

    def shorten_numbers(self, columns: Collection[str]) -> None:
        """Read columns of a sheet as whole numbers where each of their values is one with a point, as pandas writes.

        The file is read as far as a column may be one.
        """
        self._shortened = ()
        left = [column for column in self.columns if column in columns] if self._header is not None else []
        some = set[str]()
        for record in self.records() if left else ():
            cells = {column: (record.data or {}).get(column, "").strip() for column in left}
            some.update(column for column, cell in cells.items() if cell)
            left = [column for column, cell in cells.items() if not cell or shorten_number(cell) != cell]
            if not left:
                break
        self._shortened = tuple(column for column in left if column in some)

    def _take_for_text(self) -> None:
        """Read a list of words as texts: its first one names no column."""
        if self._header is not None and len(self._header.columns) == 1:
            self.format, self.separator, self.assumes_header, self._header = LINES, "line", False, None

    @property
    def is_sheet(self) -> bool:
        """Whether all records have the same columns."""
        return self.format in (CSV, LINES)

    def _sheet(self, lines: Iterator[tuple[int, bytes | Problem]], header: Header) -> Iterator[Record]:
        names = list(header.columns)
        for n, cells, problem in read_sheet(lines, header, self._ignored, self._separator):
            data = None if cells is None else dict(zip(names, cells, strict=True))
            if cells is not None:
                self._repeated.digests[n] = hash(tuple(cells)) & MASK
            # Most rows hold nothing that could have been decoded wrongly.
            if cells is not None and data is not None and MOJIBAKE_LEAD.search("".join(cells)):
                self._garbled.look(n, data)
            if data is not None and self._shortened:
                data |= {column: shorten_number(data[column].strip()) for column in self._shortened}
            yield Record(n, data, problem)

    def _record(self, n: int, raw: bytes | Problem) -> Record:
        found = raw if isinstance(raw, Problem) else read_object(raw)
        if isinstance(found, Problem):
            return Record(n, None, found)
        if isinstance(raw, bytes):
            self._repeated.digests[n] = hash(raw.strip()) & MASK
        if isinstance(raw, bytes) and not (raw.isascii() and b"\\u" not in raw):
            written = to_json(found) if b"\\u" in raw else raw
            if MOJIBAKE_LEAD.search(written.decode()):
                self._garbled.look(n, found)
        return Record(n, found, None)

    def _text_line(self, n: int, raw: bytes | Problem) -> Record:
        """A line as a text, without the line end."""
        text = raw if isinstance(raw, Problem) else decoded(raw)
        if isinstance(text, Problem):
            return Record(n, None, text)
        data = {TEXT_COLUMN: text.removesuffix("\n").removesuffix("\r")}
        self._repeated.digests[n] = hash(data[TEXT_COLUMN]) & MASK
        if MOJIBAKE_LEAD.search(text):
            self._garbled.look(n, data)
        return Record(n, data, None)

    @contextmanager
    def _opened(self) -> Iterator[Opened]:
        with self._path.open("rb") as raw:
            yield open_bytes(raw, self._size, self._most)

    def _read_header(self) -> Header:
        with self._opened() as opened:
            return read_header(whole_lines(opened.stream), self._separator)

    def _columns(self) -> list[str]:
        if self._header is not None:
            return list(self._header.columns)
        return [TEXT_COLUMN] if self.format == LINES else self._keys()

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


def open_source(
    path: Path, name: str, most: int = MOST_UNPACKED, *, separator: str = "", knows: KnowsColumn | None = None
) -> Source:
    """Look through a file once. Raises `FileRefused` for one that is not read at all."""
    try:
        return Source(path, name, most, separator, knows)
    except OSError as error:
        message = gettext_noop("The file cannot be read: %(why)s.")
        raise FileRefused("file_unreadable", message, why=os_reason(error)) from None


def _format(name: str, head: bytes) -> str:
    """By the name's ending, and where that says nothing by the first character."""
    suffixes = [suffix.lower() for suffix in Path(name).suffixes if suffix.lower() != ".gz"]
    first = head.lstrip()[:1]
    suffix = suffixes[-1] if suffixes else ""
    ending = _SUFFIXES.get(suffix, "")
    if first == b"[" and suffix not in LINE_SUFFIXES and ending not in (CSV, LINES):
        return JSON_LIST
    if ending == LINES:
        return _format_of_text(head)
    return ending or (JSONL if first == b"{" else CSV)


def _format_of_text(head: bytes) -> str:
    """A .txt is a text a line; JSON Lines where it begins with an object, a sheet where it begins with a header."""
    line, ends, _ = head.lstrip().partition(b"\n")
    if begins := _OBJECT_FIRST.match(head):
        # An object begins with a name or ends at once; of a long line only the beginning is known.
        torn = begins[1] is None and ends and isinstance(read_object(line), Problem)
        if not torn and head[begins.end() :].lstrip()[:1] in (b'"', b"}", b""):
            return JSON_LIST if begins[1] else JSONL
    return CSV if b"\t" in line or says_separator(line) or _HEADER_LINE.fullmatch(line) else LINES


def _is_assumed_header(name: str, head: bytes) -> bool:
    """Whether the first line of a .txt is taken for names of columns by its look alone."""
    plain = name.lower().removesuffix(".gz")
    return plain.endswith(".txt") and _HEADER_LINE.fullmatch(head.partition(b"\n")[0]) is not None


def _said_format(separator: str, found: str) -> str:
    """The format of a file whose separator is said. Raises `FileRefused` where it has none."""
    if not separator:
        return found
    if separator not in SEPARATORS:
        message = gettext_noop("“%(separator)s” is not a separator. Use one of %(names)s.")
        raise FileRefused("separator_unknown", message, separator=separator[:20], names=", ".join(SEPARATORS))
    if found in (JSONL, JSON_LIST) and SEPARATORS[separator]:
        message = gettext_noop("The file is JSON, which has no separator. Leave the separator out.")
        raise FileRefused("separator_unlike", message)
    return CSV if SEPARATORS[separator] else LINES


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
