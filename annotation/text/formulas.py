"""Cells that a spreadsheet would take for a formula: guarded when written to CSV, given back when read.

OWASP's rule (a leading apostrophe), made reversible: whatever `guard` writes, `unguard` reads as it was, and a cell
that needs no guard is never touched. Where a list separator other than the comma is set (Indonesian and German
spreadsheets: the semicolon), a cell is cut in two behind it, quoted or not: what begins there is guarded too.
"""

import csv
import io
import re
from collections.abc import Iterable

# Blanks and characters that nobody sees. No line break and no tab: those are evaluated, and cut cells.
_BLANK = "[^\\S\t\r\n]|[\ufeff\u200b]"
# What spreadsheets evaluate, also in full-width.
_SIGN = "[=+\\-@\t\r\n\0\uff1d\uff0b\uff0d\uff20]"
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


def line(cells: Iterable[object]) -> str:
    """One row of a CSV file that is safe to open in a spreadsheet: texts guarded, numbers as they are."""
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\r\n").writerow([guard(cell) if isinstance(cell, str) else cell for cell in cells])
    return text.getvalue()
