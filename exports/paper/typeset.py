r"""Tables for print as LaTeX: each a file that stands by itself (booktabs, array, graphicx), no wider than the text.

What is longer than a page goes on in a further table. `\fitwidth` shrinks what is too wide, and is defined where a
paper does not have it.
"""

import re
from collections.abc import Iterator, Sequence

from annotation.ui.latex import escape_latex, latex_row
from exports.paper.sheets import Head, Printed, Sheet

NEEDS = "% needs \\usepackage{array,booktabs,graphicx}, \\usepackage[T1]{fontenc}"
# Lines a page holds beside a caption; letters a column of words has before it is broken, and a heading's line.
MOST_LINES, WIDE, HEADING = 30, 34, 16
FIT = (
    "\\providecommand{\\fitwidth}[1]{\\sbox0{#1}\\ifdim\\wd0>\\linewidth"
    "\\resizebox{\\linewidth}{!}{\\usebox0}\\else\\usebox0\\fi}"
)
# A word without a blank, and what may not be taken apart in one: a command with its argument, a letter.
_WORD = re.compile(r"[^\s~]+")
_ATOM = re.compile(r"\\(?:[A-Za-z]+\d*|.)\{(?:[^{}]|\{[^{}]*\})*\}|\$[^$]*\$|\\.|.")
_BREAK, _SHORT, _AT_ONCE = "\\allowbreak{}", 20, 4


def breakable(latex: str) -> str:
    """LaTeX whose long words may be broken at the end of a line: addresses, checksums, names of files."""
    return _WORD.sub(lambda word: _with_breaks(_ATOM.findall(word[0])), latex)


def _with_breaks(atoms: Sequence[str]) -> str:
    if len(atoms) < _SHORT:
        return "".join(atoms)
    pieces = ["".join(atoms[n : n + _AT_ONCE]) for n in range(0, len(atoms), _AT_ONCE)]
    return re.sub(r"\\_|/", lambda mark: mark[0] + _BREAK, _BREAK.join(pieces))


def typeset(sheet: Sheet) -> str:
    """A table, and those that it goes on in."""
    pages = list(_pages(sheet))
    tables = [_page(sheet, lines, n) for n, lines in enumerate(pages)]
    return "\n".join([NEEDS, FIT, *tables]) + "\n"


def _pages(sheet: Sheet) -> Iterator[Sequence[Sequence[Printed]]]:
    """The lines of each page: ended before a row begins where that is near."""
    rest, begun, full = list(sheet.lines), 0, 0
    for n, line in enumerate(sheet.lines):
        full += _height(sheet, line)
        if full > MOST_LINES:
            starts = [place for place in sheet.starts if begun < place <= n]
            end = max(starts, default=n) or n
            yield rest[begun:end]
            begun, full = end, sum(_height(sheet, each) for each in rest[end : n + 1])
    yield rest[begun:]


def _height(sheet: Sheet, line: Sequence[Printed]) -> int:
    return max((1 + len(cell.latex) // WIDE for cell in line[: sheet.texts]), default=1)


def _page(sheet: Sheet, lines: Sequence[Sequence[Printed]], n: int) -> str:
    label = re.sub("[^A-Za-z0-9:-]", "-", sheet.key)
    caption = breakable(escape_latex(sheet.caption)) if n == 0 else f"Table~\\ref{{tab:{label}}}, continued."
    found = [
        "\\begin{table}[!htbp]",
        "\\centering\\footnotesize",
        f"\\caption{{{caption}}}\\par\\smallskip" if n == 0 else f"{caption}\\par\\smallskip",
        *([f"\\label{{tab:{label}}}"] if n == 0 else []),
        f"\\fitwidth{{\\begin{{tabular}}{{{_spec(sheet)}}}",
        "\\toprule",
        *_heads(sheet),
        "\\midrule",
        *_rows(sheet, lines),
        "\\bottomrule",
        "\\end{tabular}}",
        "\\end{table}",
    ]
    return "\n".join(found)


def _spec(sheet: Sheet) -> str:
    """Columns: words as wide as they are, or of several lines; figures at the right."""
    texts = []
    for n in range(sheet.texts):
        longest = max((len(line[n].latex) for line in sheet.lines), default=0)
        texts.append(f">{{\\raggedright\\arraybackslash}}p{{{_width(longest)}}}" if longest > WIDE else "l")
    return "".join(texts) + "r" * (len(sheet.heads) - sheet.texts)


def _width(longest: int) -> str:
    return "5.2cm" if longest > 2 * WIDE else "4.4cm"


def _heads(sheet: Sheet) -> Iterator[str]:
    """The names of columns; above groups those of their projects."""
    if any(head.over for head in sheet.heads):
        cells, rules, n = [], [], 0
        for over, span in _spans(sheet.heads):
            name = _stacked(over, HEADING * span, "c")
            cells.append(f"\\multicolumn{{{span}}}{{c}}{{{name}}}" if over else " & " * (span - 1))
            rules += [f"\\cmidrule(lr){{{n + 1}-{n + span}}}"] if over else []
            n += span
        yield latex_row(cells)
        yield "".join(rules)
    yield latex_row(_stacked(head.text, HEADING, "l" if n < sheet.texts else "r") for n, head in enumerate(sheet.heads))


def _spans(heads: Sequence[Head]) -> Iterator[tuple[str, int]]:
    """How many columns stand under each name, in their order."""
    begun = 0
    for n in range(1, len(heads) + 1):
        if n == len(heads) or heads[n].over != heads[begun].over:
            yield heads[begun].over, n - begun
            begun = n


def _stacked(text: str, width: int, side: str) -> str:
    """A heading on as many lines as it needs."""
    lines: list[str] = []
    for word in text.split(" "):
        if lines and len(lines[-1]) + len(word) < width:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    between = " \\\\ "
    return f"\\shortstack[{side}]{{{between.join(lines)}}}" if len(lines) > 1 else text


def _rows(sheet: Sheet, lines: Sequence[Sequence[Printed]]) -> Iterator[str]:
    """The lines; a little air before each row that has several."""
    apart = len(sheet.starts) < len(sheet.lines)
    places = {id(sheet.lines[n]) for n in sheet.starts}
    for n, line in enumerate(lines):
        if apart and n and id(line) in places:
            yield "\\addlinespace[2pt]"
        yield latex_row(breakable(cell.latex) if k < sheet.texts else cell.latex for k, cell in enumerate(line))
