r"""Declared tables as LaTeX for a paper: booktabs, a caption with the definition, everything escaped, in English.

The same columns and rows that pages and CSV files show (annotation/ui/tables.py). A paper has to use
the package booktabs.
"""

import re
from collections.abc import Iterable, Sequence
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
    '"': "\\textquotedbl{}",
    "\u00a0": "~",
    "–": "--",
}
_MARK = re.compile("|".join(map(re.escape, _MARKS)))
EMPTY_CELL = "--"


def escape_latex(text: str) -> str:
    """A text as LaTeX prints it, on one line."""
    return _MARK.sub(lambda found: _MARKS[found[0]], re.sub(r"[\r\n\t]+", " ", text))


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
            _row(map(_heading, columns)),
            "\\midrule",
            *(_row(_cell(column, column.value_in(row)) for column in columns) for row in rows),
            "\\bottomrule",
            "\\end{tabular}",
            "\\end{table}",
        ]
    return "\n".join(lines) + "\n"


def _row(cells: Iterable[str]) -> str:
    line = " & ".join(cells)
    # What stands behind the end of a row is read as its argument.
    return ("{}" if line.startswith(("[", "*")) else "") + line + " \\\\"


def _heading(column: Column) -> str:
    return escape_latex(column.heading) + (" (\\%)" if column.kind in (PERCENT, PERCENTS) else "")


def _cell(column: Column, value: Any) -> str:
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
