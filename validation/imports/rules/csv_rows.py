"""CSV after RFC 4180, read strictly: a broken row is refused alone, and reading continues after it.

What spreadsheets add is ignored and noted: a first line `sep=;`, rows of separators, empty columns without a name.
"""

import csv
import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from annotation.text.formulas import GUARDED_COLUMN, unguard
from annotation.text.gettext import gettext_noop
from validation.imports.rules.problems import FileRefused, Problem, check_column_count, excerpt

# A quotation that is never closed swallows no more than this.
MOST_LINES_A_ROW = 500
MOST_CHARACTERS_A_ROW = 1 << 20
# Behind so many broken rows nobody is served by more of them.
MOST_BROKEN = 1000
# So many rows or columns are named in a note.
MOST_NAMED = 5
# What can be said to separate cells, by name; `line`: nothing, each line is a text.
SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t", "bar": "|", "line": ""}
SEPARATOR_NAMES = {
    "comma": gettext_noop("comma"),
    "semicolon": gettext_noop("semicolon"),
    "tab": gettext_noop("tab"),
    "bar": gettext_noop("vertical bar"),
    "line": gettext_noop("none: each line is a text"),
}
_DELIMITERS = ",;\t|"
# How Excel says which separator follows; it shows no such row.
_SEPARATOR_LINE = re.compile(rb'"?sep=([^"\r\n])"?[,;\t|]*\r?\n?', re.IGNORECASE)
_QUOTED = re.compile(rb'"[^"]*(?:"|$)')
csv.field_size_limit(MOST_CHARACTERS_A_ROW)

Lines = Iterator[tuple[int, bytes | Problem]]


class Row(NamedTuple):
    """One row of a sheet by its number, the header being row 1."""

    n: int
    cells: list[str] | None
    problem: Problem | None


@dataclass(frozen=True)
class Header:
    """The row that names the columns: its number, how many cells it has, and the place of each column with a name.

    `nameless` are the places of the others; `guarded` says that cells are given back as they were before `guard`.
    """

    n: int
    width: int
    columns: dict[str, int]
    nameless: tuple[int, ...]
    guarded: bool


@dataclass
class IgnoredCells:
    """What was passed over while a sheet was read: rows without content, and cells of columns without a name."""

    blank_rows: list[int] = field(default_factory=list)
    blank_count: int = 0
    nameless_count: int = 0
    nameless_row: int = 0
    nameless_places: set[int] = field(default_factory=set)

    def add_blank(self, n: int) -> None:
        """Count a row that holds separators and blanks only."""
        self.blank_count += 1
        if len(self.blank_rows) < MOST_NAMED:
            self.blank_rows.append(n)

    def add_nameless(self, n: int, cells: list[str], places: tuple[int, ...]) -> None:
        """Count a row that holds something in a column without a name."""
        filled = [place for place in places if cells[place].strip()]
        if filled:
            self.nameless_places.update(filled)
            self.nameless_row = self.nameless_row or n
            self.nameless_count += 1

    def notes(self, header: Header) -> list[Problem]:
        """One line for each sort of what was passed over."""
        found = []
        if self.blank_count:
            rows = ", ".join(map(str, self.blank_rows)) + (", …" if self.blank_count > len(self.blank_rows) else "")
            message = gettext_noop("Empty rows ignored: %(count)s (row %(rows)s).")
            found.append(Problem("rows_blank", "", message, {"count": self.blank_count, "rows": rows}))
        if empty := len(set(header.nameless) - self.nameless_places):
            message = gettext_noop("Empty columns without a name ignored: %(count)s.")
            found.append(Problem("columns_blank", "", message, {"count": empty}))
        if self.nameless_places:
            message = gettext_noop(
                "A column without a name is not imported (column %(places)s): %(count)s rows have a value there, the "
                "first is row %(row)s. Give the column a name to import it."
            )
            places = ", ".join(str(place + 1) for place in sorted(self.nameless_places)[:MOST_NAMED])
            params = {"places": places, "count": self.nameless_count, "row": self.nameless_row}
            found.append(Problem("columns_nameless", "", message, params))
        return found


class _BrokenRow(Exception):
    """Raised into the csv module from below; carries the problem of the row."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        super().__init__(problem.code)


class _LineFeed(Iterator[str]):
    """Gives lines to the csv module, remembers those of the row at hand, and takes them back."""

    def __init__(self, lines: Lines) -> None:
        self._lines, self._again = lines, deque[bytes | Problem]()
        self.taken: list[bytes | Problem] = []
        self._size = 0

    def __next__(self) -> str:
        line = self._again.popleft() if self._again else next(self._lines)[1]
        self.taken.append(line)
        if isinstance(line, Problem):
            raise _BrokenRow(line)
        self._size += len(line)
        if len(self.taken) > MOST_LINES_A_ROW or self._size > MOST_CHARACTERS_A_ROW:
            raise _BrokenRow(_unclosed_quote())
        text = decoded(line)
        if isinstance(text, Problem):
            raise _BrokenRow(text)
        return text

    def delimiter(self, said: str) -> str:
        """The separator that is said, that the first line says, or that stands most often in the header."""
        first = self._peek()
        if named := _SEPARATOR_LINE.fullmatch(first):
            self._again.popleft()
            return said or named[1].decode("latin-1")
        # Spreadsheets of many countries write semicolons; within quotation marks nothing is separated.
        bare = _QUOTED.sub(b"", first)
        return said or max(_DELIMITERS, key=lambda mark: bare.count(mark.encode()))

    def _peek(self) -> bytes:
        """The first line, left where it is; nothing where there is none that can be read."""
        first = next(self._lines, None)
        if first is None:
            return b""
        self._again.append(first[1])
        return b"" if isinstance(first[1], Problem) else first[1]

    def begin(self) -> None:
        """The next line is the first of a row."""
        self.taken, self._size = [], 0

    def put_back(self) -> None:
        """All lines of this row but its first are to be read again."""
        self._again.extendleft(reversed(self.taken[1:]))


def decoded(line: bytes) -> str | Problem:
    """The text of a line, or which byte of it is no UTF-8."""
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as bad:
        message = gettext_noop("Byte %(place)s (0x%(byte)s) is not UTF-8; save the file as UTF-8.")
        return Problem("not_utf8", "", message, {"place": bad.start + 1, "byte": f"{line[bad.start]:02x}"})


def says_separator(line: bytes) -> bool:
    """Whether a line says which separator follows, as Excel writes it."""
    return _SEPARATOR_LINE.fullmatch(line) is not None


def _unclosed_quote() -> Problem:
    message = gettext_noop("A quotation mark is opened and not closed (write a mark inside a cell twice).")
    return Problem("quote_unclosed", "", message)


def _reader(feed: _LineFeed, delimiter: str) -> "Iterator[list[str]]":
    return csv.reader(feed, delimiter=delimiter, strict=True)


def read_header(lines: Lines, separator: str = "") -> Header:
    """The first row that holds something. Raises `FileRefused` where its names cannot be distinguished or read."""
    row = next((row for row in _rows(lines, separator) if row.cells is None or not _is_blank(row.cells)), None)
    if row is None or row.cells is None:
        why = row.problem.reason if row is not None and row.problem is not None else ""
        message = gettext_noop("The first row of a CSV names its columns; this one cannot be read. %(why)s")
        raise FileRefused("header_unreadable", message, why=why)
    names = [name.strip() for name in row.cells]
    guarded = GUARDED_COLUMN in names
    if guarded:
        names = [unguard(name) for name in names]
    columns: dict[str, int] = {}
    for place, name in enumerate(names):
        if name in columns:
            message = gettext_noop("Two columns are called “%(name)s”; give each a name of its own.")
            raise FileRefused("header_twice", message, name=excerpt(name, 40))
        if name and name != GUARDED_COLUMN:
            columns[name] = place
    check_column_count(list(columns))
    nameless = tuple(place for place, name in enumerate(names) if not name)
    return Header(row.n, len(names), columns, nameless, guarded)


def read_sheet(lines: Lines, header: Header, ignored: IgnoredCells, separator: str = "") -> Iterator[Row]:
    """The rows under the header, each with a cell for each column that has a name, or refused."""
    width, places = header.width, list(header.columns.values())
    every, least = places == list(range(width)), max(places, default=-1) + 1
    for row in _rows(lines, separator):
        n, cells, _ = row
        if n <= header.n:
            continue
        if cells is None:
            yield row
            continue
        if _is_blank(cells):
            ignored.add_blank(n)
            continue
        while len(cells) > width and not cells[-1].strip():
            cells.pop()
        if least <= len(cells) < width:
            cells += [""] * (width - len(cells))
        if len(cells) != width:
            message = gettext_noop("The row has %(count)s cells and the header %(width)s.")
            yield Row(n, None, Problem("ragged", "", message, {"count": len(cells), "width": width}))
            continue
        if header.nameless:
            ignored.add_nameless(n, cells, header.nameless)
        if not every:
            cells = [cells[place] for place in places]
        yield Row(n, [unguard(cell) for cell in cells] if header.guarded else cells, None)


def _is_blank(cells: list[str]) -> bool:
    return not any(map(str.strip, cells))


def _rows(lines: Lines, separator: str) -> Iterator[Row]:
    feed = _LineFeed(lines)
    delimiter = feed.delimiter(separator)
    reader, n, broken = _reader(feed, delimiter), 0, 0
    while True:
        feed.begin()
        n += 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except (csv.Error, _BrokenRow) as error:
            broken += 1
            yield Row(n, None, error.problem if isinstance(error, _BrokenRow) else _csv_problem(error, feed))
            if broken >= MOST_BROKEN:
                message = gettext_noop("%(count)s rows are broken; the rest of the file was not read.")
                yield Row(n + 1, None, Problem("too_broken", "", message, {"count": broken}))
                return
            feed.put_back()
            reader = _reader(feed, delimiter)
            continue
        if cells:
            yield Row(n, cells, None)


def _csv_problem(error: csv.Error, feed: _LineFeed) -> Problem:
    text = str(error)
    # A mark inside the text behind an open quotation is noticed some lines further down.
    if len(feed.taken) > 1 or "unexpected end of data" in text or "field larger" in text:
        return _unclosed_quote()
    message = gettext_noop("The row is no CSV (%(why)s).")
    return Problem("not_csv", "", message, {"why": text[:120]})
