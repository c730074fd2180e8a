"""The files of a report: paper.tex, a file for each table and figure, cards, references.bib, numbers.csv."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from django.conf import settings
from django.utils.translation import override

from annotation.core.errors import Conflict
from annotation.text.formulas import line
from annotation.ui.latex import escape_latex
from exports.paper import methods
from exports.paper.cards import card_latex
from exports.paper.drawings import Figure, figure_of
from exports.paper.sheets import Number, Sheet, sheet_of
from exports.paper.sources import ProjectSources, SourceTable, by_key
from exports.paper.typeset import breakable, typeset
from exports.public.rules import bibtex

NUMBERS, REFERENCES, PAPER = "numbers.csv", "references.bib", "paper.tex"
FOLDERS = ("tables", "figures", "cards")
# LaTeX holds so many tables and figures that wait for their page.
AT_ONCE = 6
_KEY = re.compile(r"\A@misc\{([^,]*),")
_EPOCH = (1980, 1, 1, 0, 0, 0)
PREAMBLE = r"""% Compile with: latexmk -pdf paper.tex  (or pdflatex, bibtex, pdflatex, pdflatex)
\documentclass[11pt,a4paper]{article}
\usepackage[utf8]{inputenc}
\usepackage[T1]{fontenc}
\IfFileExists{lmodern.sty}{\usepackage{lmodern}}{}
\usepackage[margin=2.5cm]{geometry}
\usepackage{array,booktabs,graphicx,tikz}
\setlength{\emergencystretch}{6em}
\hfuzz=1pt
\raggedbottom
\makeatletter\setlength{\@fptop}{0pt}\setlength{\@fpsep}{16pt}\makeatother
\providecommand{\fitwidth}[1]{\sbox0{#1}\ifdim\wd0>\linewidth\resizebox{\linewidth}{!}{\usebox0}\else\usebox0\fi}
"""


@dataclass(frozen=True)
class _Section:
    """Tables of one sort, with their figures."""

    title: str
    sheets: Sequence[Sheet]
    figures: Sequence[Figure]


def report_files(told: Sequence[ProjectSources]) -> dict[str, bytes]:
    """Every file by its name. Raises Conflict where nothing was computed yet of any project."""
    if all(each.is_empty for each in told):
        raise Conflict(code="report_empty")
    with override("en"):
        sections = [
            _section("The released data", [each.statistics for each in told]),
            _section("Agreement and quality", [each.insights for each in told]),
        ]
        sections = [each for each in sections if each.sheets]
        keys, references = _references(told)
        files = {f"tables/{sheet.key}.tex": typeset(sheet) for each in sections for sheet in each.sheets}
        files |= {f"figures/{drawn.key}.tex": drawn.latex for each in sections for drawn in each.figures}
        files |= {
            f"cards/{each.project.slug}.tex": card_latex(each.card, each.project.name) for each in told if each.card
        }
        paragraphs = [
            methods.paragraph(each, settings.MUFAKAT_RELEASE, keys.get(each.project.slug, "")) for each in told
        ]
        files["methods.tex"] = "\n".join(paragraphs)
        files[REFERENCES] = references
        files[NUMBERS] = "".join(map(line, [Number._fields, *_numbers(told, sections)]))
        files[PAPER] = _paper(told, sections, cites="\\cite{" in files["methods.tex"])
    return {name: text.encode() for name, text in sorted(files.items())}


def _section(title: str, tables: Sequence[Sequence[SourceTable]]) -> _Section:
    """The tables of several projects, each with those of the others that are the same."""
    several, sheets, figures = len(tables) > 1, list[Sheet](), list[Figure]()
    for together in by_key([table for each in tables for table in each]).values():
        sheets += sheet_of(together, named=several)
        drawn = figure_of(together, named=several)
        figures += [drawn] if drawn else []
    return _Section(title, sheets, figures)


def _numbers(told: Sequence[ProjectSources], sections: Sequence[_Section]) -> list[Number]:
    of_tables = [number for section in sections for sheet in section.sheets for number in sheet.numbers]
    of_figures = [number for section in sections for drawn in section.figures for number in drawn.numbers]
    return [*(number for each in told for number in methods.numbers(each)), *of_tables, *of_figures]


def _references(told: Sequence[ProjectSources]) -> tuple[dict[str, str], str]:
    """What each project's release is cited by, and the entries: those of releases with a page, and of coefficients."""
    keys: dict[str, str] = {}
    entries = []
    for each in told:
        if each.citation is None:
            continue
        entry = bibtex(each.citation)
        named = _KEY.match(entry)
        key = f"{named[1] if named else 'dataset'}-{each.project.slug}"
        keys[each.project.slug] = key
        entries.append(_printable(entry.replace(named[0], f"@misc{{{key},", 1) if named else entry))
    return keys, "\n".join([*entries, methods.REFERENCES])


def _printable(entry: str) -> str:
    """An entry whose other scripts and emoji stand as pdflatex prints them; its marks are escaped already."""
    return "".join(mark if mark.isascii() else escape_latex(mark) for mark in entry)


def _paper(told: Sequence[ProjectSources], sections: Sequence[_Section], *, cites: bool) -> str:
    names = ", ".join(breakable(escape_latex(each.project.name)) for each in told)
    lines = [
        PREAMBLE,
        f"\\title{{{names}: tables and figures}}",
        "\\author{}",
        "\\date{}",
        "\\begin{document}",
        "\\maketitle",
        "\\section{Methods}",
        "\\input{methods}",
    ]
    for section in sections:
        lines += [f"\\section{{{section.title}}}", *_floats([f"tables/{each.key}" for each in section.sheets])]
        lines += _floats([f"figures/{each.key}" for each in section.figures])
    cards = [each for each in told if each.card]
    lines += ["\\appendix", *(f"\\input{{cards/{each.project.slug}}}" for each in cards)] if cards else []
    lines += ["\\bibliographystyle{plain}", "\\bibliography{references}"] if cites else []
    return "\n".join([*lines, "\\end{document}"]) + "\n"


def _floats(names: Sequence[str]) -> list[str]:
    lines = []
    for n, name in enumerate(names, start=1):
        lines.append(f"\\input{{{name}}}")
        if n % AT_ONCE == 0 or n == len(names):
            lines.append("\\clearpage")
    return lines


def archive(files: Mapping[str, bytes]) -> bytes:
    """The files as one archive; the same files give the same bytes."""
    packed = BytesIO()
    with ZipFile(packed, "w", ZIP_DEFLATED) as folder:
        for name, data in files.items():
            folder.writestr(ZipInfo(name, _EPOCH), data, compress_type=ZIP_DEFLATED)
    return packed.getvalue()
