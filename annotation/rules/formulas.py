"""Cells that a spreadsheet would take for a formula: guarded when written to CSV, given back when read.

OWASP's rule (a leading apostrophe), made reversible: whatever `guard` writes, `unguard` reads as it was, and a cell
that needs no guard is never touched.
"""

import re

# What spreadsheets evaluate, also in full-width, and behind blanks or characters that nobody sees.
_RISKY = re.compile("'*[\\s\ufeff\u200b]*[=+\\-@\t\r\n\0\uff1d\uff0b\uff0d\uff20]")


def guard(cell: str) -> str:
    """Put an apostrophe before a cell that would be evaluated, or that looks guarded already."""
    return "'" + cell if _RISKY.match(cell) else cell


def unguard(cell: str) -> str:
    """Take the apostrophe of `guard` off again."""
    return cell[1:] if cell[:1] == "'" and _RISKY.match(cell, 1) else cell
