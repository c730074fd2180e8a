"""CSV after RFC 4180, read strictly: a broken row is refused alone, and reading continues after it."""

import csv
from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

from annotation.text.formulas import unguard
from annotation.text.gettext import gettext_noop
from validation.imports.rules.problems import FileRefused, Problem, check_column_count, excerpt

# A quotation that is never closed swallows no more than this.
MOST_LINES_A_ROW = 500
MOST_CHARACTERS_A_ROW = 1 << 20
# Behind so many broken rows nobody is served by more of them.
MOST_BROKEN = 1000
_DELIMITERS = ",;\t|"
csv.field_size_limit(MOST_CHARACTERS_A_ROW)

Lines = Iterator[tuple[int, bytes | Problem]]


class Row(NamedTuple):
    """One row of a sheet by its number, the header being row 1."""

    n: int
    cells: list[str] | None
    problem: Problem | None


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
        try:
            return line.decode("utf-8")
        except UnicodeDecodeError as bad:
            message = gettext_noop("Byte %(place)s (0x%(byte)s) is not UTF-8; save the file as UTF-8.")
            params = {"place": bad.start + 1, "byte": f"{line[bad.start]:02x}"}
            raise _BrokenRow(Problem("not_utf8", "", message, params)) from None

    def peek(self) -> bytes | Problem:
        """The first line, left where it is; nothing where there is none."""
        first = next(self._lines, None)
        if first is None:
            return b""
        self._again.append(first[1])
        return first[1]

    def begin(self) -> None:
        """The next line is the first of a row."""
        self.taken, self._size = [], 0

    def put_back(self) -> None:
        """All lines of this row but its first are to be read again."""
        self._again.extendleft(reversed(self.taken[1:]))


def _unclosed_quote() -> Problem:
    message = gettext_noop("A quotation mark is opened and not closed (write a mark inside a cell twice).")
    return Problem("quote_unclosed", "", message)


def _reader(feed: _LineFeed, delimiter: str) -> "Iterator[list[str]]":
    return csv.reader(feed, delimiter=delimiter, strict=True)


def read_header(lines: Lines) -> list[str]:
    """The names in the first row. Raises `FileRefused` where they cannot be distinguished or read."""
    row = next(_rows(lines), None)
    if row is None or row.cells is None:
        why = row.problem.reason if row is not None and row.problem is not None else ""
        message = gettext_noop("The first row of a CSV names its columns; this one cannot be read. %(why)s")
        raise FileRefused("header_unreadable", message, why=why)
    names = check_column_count([name.strip() for name in row.cells])
    there: set[str] = set()
    for name in names:
        if name in there:
            message = gettext_noop("Two columns are called “%(name)s”; give each a name of its own.")
            raise FileRefused("header_twice", message, name=excerpt(name, 40))
        there.add(name)
    return names


def read_sheet(lines: Lines, width: int) -> Iterator[Row]:
    """The rows under the header, each with as many cells as the header has, or refused."""
    rows = _rows(lines)
    next(rows, None)
    for row in rows:
        if row.cells is not None and len(row.cells) != width:
            message = gettext_noop("The row has %(count)s cells and the header %(width)s.")
            yield Row(row.n, None, Problem("ragged", "", message, {"count": len(row.cells), "width": width}))
        elif row.cells is not None:
            yield Row(row.n, [unguard(cell) for cell in row.cells], None)
        else:
            yield row


def _rows(lines: Lines) -> Iterator[Row]:
    feed = _LineFeed(lines)
    delimiter = _delimiter(feed.peek())
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


def _delimiter(line: bytes | Problem) -> str:
    """What stands most often in the header: spreadsheets of many countries write semicolons."""
    text = b"" if isinstance(line, Problem) else line
    return max(_DELIMITERS, key=lambda mark: text.count(mark.encode()))


def _csv_problem(error: csv.Error, feed: _LineFeed) -> Problem:
    text = str(error)
    # A mark inside the text behind an open quotation is noticed some lines further down.
    if len(feed.taken) > 1 or "unexpected end of data" in text or "field larger" in text:
        return _unclosed_quote()
    message = gettext_noop("The row is no CSV (%(why)s).")
    return Problem("not_csv", "", message, {"why": text[:120]})
