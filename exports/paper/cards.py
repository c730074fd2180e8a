"""A card in Markdown as LaTeX: headings, lists, tables, code and quotes; links as their words with the address.

Code is typewriter text with every mark escaped, never verbatim: nothing in a card can end it.
"""

import re
from collections.abc import Sequence

from markdown_it.token import Token

from annotation.text import markdown
from annotation.ui.latex import escape_latex, latex_row
from exports.paper.typeset import breakable

_FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
_HYPHENS = re.compile("(?<=-)(?=-)")
_HEADINGS = {"h1": "section", "h2": "subsection", "h3": "subsubsection"}
_AROUND = {
    "bullet_list_open": "\\begin{itemize}\n",
    "bullet_list_close": "\\end{itemize}\n",
    "ordered_list_open": "\\begin{enumerate}\n",
    "ordered_list_close": "\\end{enumerate}\n",
    "list_item_open": "\\item ",
    "blockquote_open": "\\begin{quote}\n",
    "blockquote_close": "\\end{quote}\n",
    "paragraph_close": "\n\n",
    "strong_open": "\\textbf{",
    "strong_close": "}",
    "em_open": "\\emph{",
    "em_close": "}",
    "softbreak": " ",
    "hardbreak": "\\newline ",
    "hr": "\\medskip\n\n",
}
# A table of more lines is one that no page of a paper holds.
MOST_LINES = 40


def card_latex(text: str, title: str = "") -> str:
    """The card; its own first heading is replaced by `title` where one is given."""
    pieces, tokens = list[str](), markdown.tokens(_FRONT_MATTER.sub("", text))
    n = 0
    while n < len(tokens):
        token = tokens[n]
        if token.type == "heading_open":
            words = _inline(tokens[n + 1])
            if title and token.tag == "h1":
                words, title = breakable(escape_latex(title)), ""
            pieces.append(f"\\{_HEADINGS.get(token.tag, 'paragraph')}*{{{words}}}\n")
            n += 3
        elif token.type == "table_open":
            end = next(k for k in range(n, len(tokens)) if tokens[k].type == "table_close")
            pieces.append(_table(tokens[n:end]))
            n = end + 1
        else:
            pieces.append(_piece(token))
            n += 1
    return "".join(pieces)


def _piece(token: Token) -> str:
    if token.type in ("fence", "code_block"):
        lines = [_code_line(line) for line in token.content.splitlines()]
        return "\\begin{quote}\\footnotesize\\raggedright\n" + "\\\\\n".join(lines) + "\n\\end{quote}\n"
    if token.type == "inline":
        return _inline(token)
    return _AROUND.get(token.type, "")


def _code_line(line: str) -> str:
    shown = _code(line.lstrip())
    return f"\\mbox{{}}{'~' * (len(line) - len(line.lstrip()))}\\texttt{{{shown}}}"


def _code(text: str) -> str:
    """Code as it is typed: two hyphens in typewriter text would be printed as a dash."""
    return breakable("{}".join(map(escape_latex, _HYPHENS.split(text))))


def _inline(token: Token) -> str:
    pieces, addresses = list[str](), list[str]()
    for child in token.children or ():
        if child.type == "link_open":
            addresses.append(str(child.attrs.get("href", "")))
        elif child.type == "link_close":
            address, words = addresses.pop(), pieces[-1] if pieces else ""
            shown = _code(address)
            pieces.append("" if shown == words else f" (\\texttt{{{shown}}})")
        elif child.type == "code_inline":
            pieces.append(f"\\texttt{{{_code(child.content)}}}")
        elif child.type == "text":
            pieces.append(breakable(escape_latex(child.content)))
        else:
            pieces.append(_AROUND.get(child.type, ""))
    return "".join(pieces)


def _table(tokens: Sequence[Token]) -> str:
    """A table, broken into several where no page would hold it."""
    rows: list[list[str]] = []
    for token in tokens:
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline":
            rows[-1].append(_inline(token))
    head, lines = rows[0], rows[1:]
    longest = max((len(re.sub(r"\\allowbreak\{\}", "", row[0])) for row in rows), default=0)
    first = ">{\\raggedright\\arraybackslash}p{6cm}" if longest > MOST_LINES else "l"
    spec = first + "r" * (len(head) - 1)
    found = []
    for n in range(0, max(len(lines), 1), MOST_LINES):
        found += [
            "\\par\\smallskip\\noindent{\\footnotesize\\fitwidth{\\begin{tabular}{" + spec + "}",
            "\\toprule",
            latex_row(head),
            "\\midrule",
            *map(latex_row, lines[n : n + MOST_LINES]),
            "\\bottomrule",
            "\\end{tabular}}}\\par\\smallskip",
        ]
    return "\n".join(found) + "\n\n"
