r"""Declared tables as LaTeX for a paper: booktabs, a caption with the definition, everything escaped, in English.

The same columns and rows that pages and CSV files show (annotation/ui/tables.py). A paper has to use
the package booktabs. What pdflatex has no letter for (other scripts, emoji) stands as its number, `[U+1F600]`.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

from django.utils.translation import gettext, override

from annotation.text.rounding import half_up
from annotation.ui.tables import DIGITS, NUMBER, PERCENT, PERCENTS, TWO_VALUED_KINDS, Column, shown_value

_MARKS = {
    **{mark: f"\\{mark}" for mark in "&%$#_{}"},
    "\\": "\\textbackslash{}",
    "~": "\\textasciitilde{}",
    "^": "\\textasciicircum{}",
    "<": "\\textless{}",
    ">": "\\textgreater{}",
    "|": "\\textbar{}",
    '"': "\\char34{}",
    "\u00a0": "~",
    "–": "--",
    "™": "\\textsuperscript{TM}",
    "Ĳ": "IJ",
    "ĳ": "ij",
}
_SYMBOLS = {"−": "-", "≤": "\\leq", "≥": "\\geq", "≠": "\\neq", "≈": "\\approx", "∞": "\\infty", "∩": "\\cap"}
_GREEK = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi . pi rho . sigma tau upsilon phi chi"
_SYMBOLS |= {chr(0x3B1 + n): f"\\{name}" for n, name in enumerate(_GREEK.split()) if name != "."}
_MARKS |= {mark: f"${name}$" for mark, name in _SYMBOLS.items()}
# Marks above and below letters.
_ACCENTS = dict(
    zip(
        "\u0300\u0301\u0302\u0303\u0304\u0306\u0307\u0308\u030a\u030b\u030c\u0323\u0327\u0328\u0331",
        "`'^~=u.\"rHvdckb",
        strict=True,
    )
)
# What T1 and TS1 hold of Latin and of punctuation: LaTeX reads it as it is.
_IN_T1 = re.compile(
    "[\u00a1-\u00ac\u00ae-\u0125\u0128-\u0131\u0134-\u0137\u0139-\u013e\u0141-\u0148\u014a-\u0165\u0168-\u017e\u0218-\u021b"
    "\u2013\u2014\u2018-\u201a\u201c-\u201e\u2020-\u2022\u2026\u2030\u2039\u203a\u20ac]"
)
_UNSEEN = ("Cc", "Cf")
EMPTY_CELL = "--"


def escape_latex(text: str) -> str:
    """A text as LaTeX prints it, on one line."""
    pieces: list[str] = []
    numbers: list[str] = []
    for mark in unicodedata.normalize("NFC", " ".join(re.split(r"[\r\n\t\u2028\u2029]+", text))):
        printed = _printed(mark)
        if printed is None:
            numbers.append(f"U+{ord(mark):04X}")
            continue
        if numbers and printed:
            pieces.append(f"[{' '.join(numbers)}]")
            numbers.clear()
        pieces.append(printed)
    return "".join(pieces) + (f"[{' '.join(numbers)}]" if numbers else "")


@lru_cache(maxsize=4096)
def _printed(mark: str) -> str | None:
    """One character; None where pdflatex has none for it."""
    if mark in _MARKS:
        return _MARKS[mark]
    if " " <= mark <= "~" or _IN_T1.fullmatch(mark):
        return mark
    if unicodedata.category(mark) in _UNSEEN:
        return ""
    apart = unicodedata.normalize("NFD", mark)
    letter, accents = apart[0], apart[1:]
    if not accents or not letter.isascii() or not all(each in _ACCENTS for each in accents):
        return None
    for each in accents:
        letter = f"\\{_ACCENTS[each]}{{{letter}}}"
    return letter


def latex(columns: Sequence[Column], rows: Iterable[Any], *, caption: str, label: str) -> str:
    """A table environment; `label` is what `\\ref` finds it by, after `tab:`."""
    with override("en"):
        spec = "".join("r" if column.numeric and n else "l" for n, column in enumerate(columns))
        lines = [
            "% needs \\usepackage{booktabs}",
            "\\begin{table}",
            "\\centering",
            f"\\caption{{{escape_latex(caption)}}}",
            f"\\label{{tab:{re.sub('[^A-Za-z0-9:-]', '-', label)}}}",
            f"\\begin{{tabular}}{{{spec}}}",
            "\\toprule",
            latex_row(map(latex_heading, columns)),
            "\\midrule",
            *(latex_row(latex_cell(column, column.value_in(row)) for column in columns) for row in rows),
            "\\bottomrule",
            "\\end{tabular}",
            "\\end{table}",
        ]
    return "\n".join(lines) + "\n"


def latex_row(cells: Iterable[str]) -> str:
    """Cells as one row of a tabular."""
    line = " & ".join(cells)
    # What stands behind the end of a row is read as its argument.
    return ("{}" if line.startswith(("[", "*")) else "") + line + " \\\\"


def latex_heading(column: Column) -> str:
    """The name of a column, with its unit."""
    return escape_latex(column.heading) + (" (\\%)" if column.kind in (PERCENT, PERCENTS) else "")


def latex_cell(column: Column, value: Any) -> str:
    """A value: figures with their digits and no unit, the ends of an interval in brackets."""
    if value is None or value == "":
        return EMPTY_CELL
    if column.kind in TWO_VALUED_KINDS:
        return "[{}, {}]".format(*(_number(column, end) for end in value))
    if column.kind in DIGITS and not isinstance(value, str):
        return _number(column, value)
    return escape_latex(shown_value(column, gettext(value) if column.kind == "label" else value))


def _number(column: Column, value: Any) -> str:
    digits = column.digits if column.digits is not None else DIGITS[column.kind]
    if column.kind == NUMBER and isinstance(value, int):
        return f"{value:,}"
    return f"{half_up(value, digits or 1):,f}"
