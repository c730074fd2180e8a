"""CSV in two forms: the data as they are, and a copy for spreadsheets, which evaluate no cell of it.

The copy follows OWASP's rule (a leading apostrophe), made reversible: whatever `guard` writes, `unguard` reads as it
was, and a cell that needs no guard is never touched. Where a list separator other than the comma is set (Indonesian
and German spreadsheets: the semicolon), a cell is cut in two behind it, quoted or not: what begins there is guarded
too. A copy says so itself, by `GUARDED_COLUMN`; in every other file an apostrophe is a letter of the text.
"""

import csv
import io
import re
from collections.abc import Iterable, Iterator

# The last column of the header of a guarded file; nothing stands in it. Imports give back the cells of such files only.
GUARDED_COLUMN = "mufakat_guarded"
# By this mark spreadsheets recognise UTF-8.
MARK = "\ufeff"

# Blanks and characters that nobody sees. No line break and no tab: what stands behind those is a cell of its own.
_BLANK = "[^\\S\t\r\n]|[\ufeff\u200b]"
# What spreadsheets evaluate, also in full-width.
_SIGN = "[=+\\-@\0\uff1d\uff0b\uff0d\uff20]"
_START = f"'*(?:{_BLANK})*{_SIGN}"
# Behind a cut the quotation marks of the file stand in the cell.
_PART = f"'*(?:{_BLANK}|\")*{_SIGN}"
_CUT = "(?<=[;\t\r\n])"
_RISKY = re.compile(f"^(?={_START})|{_CUT}(?={_PART})")
_GUARDED = re.compile(f"^'(?={_START})|{_CUT}'(?={_PART})")


def guard(cell: str) -> str:
    """Put an apostrophe before each part of a cell that would be evaluated, or that looks guarded already."""
    return _RISKY.sub("'", cell)


def unguard(cell: str) -> str:
    """Take the apostrophes of `guard` off again."""
    return _GUARDED.sub("", cell) if "'" in cell else cell


def spreadsheet_name(name: str) -> str:
    """What the copy for spreadsheets of a CSV file is called: `rows.csv` is `rows.spreadsheet.csv`."""
    return f"{name.removesuffix('.csv')}.spreadsheet.csv"


def line(cells: Iterable[object]) -> str:
    """One row of a CSV file, its texts as they are."""
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\r\n").writerow(cells)
    return text.getvalue()


def guarded_lines(rows: Iterable[Iterable[object]]) -> Iterator[str]:
    """The copy for spreadsheets of these rows, the header first: texts guarded, numbers as they are."""
    last, mark = GUARDED_COLUMN, MARK
    for row in rows:
        yield mark + line([*(guard(cell) if isinstance(cell, str) else cell for cell in row), last])
        last = mark = ""
