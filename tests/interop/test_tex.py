"""Reports in TeX: each preset's, several projects side by side, and hostile words, compiled without a warning."""

import re
import shutil
from pathlib import Path

import pytest

from annotation.ui.latex import escape_latex
from exports.demo import story
from exports.paper.cards import card_latex
from exports.paper.compiling import NotCompiledError, compile_paper
from exports.paper.drawings import figure_of
from exports.paper.report import PREAMBLE
from exports.paper.sheets import sheet_of
from exports.paper.typeset import breakable, typeset
from tests import binaries
from tests.exports.paper.test_report import HOSTILE, a_table
from tests.interop.conftest import DEMO, manage
from validation.insights.reports.base import Chart

pytestmark = pytest.mark.interop
# What TeX says where something stands beyond its place, or is not there.
COMPLAINTS = re.compile(
    r"^.*(?:Overfull|undefined|multiply defined|Missing character|too large|LaTeX Warning).*$", re.M
)
# Marks of many scripts; all that LaTeX could take for its own; what no font holds.
WORDS = (
    HOSTILE,
    "".join(map(chr, range(0x20, 0x7F))),
    "".join(map(chr, range(0xA1, 0x180))),
    "ạḅçḏẽ “’„‚‹›” … – — • † ‰ € ™ ≤ ≥ ≠ ≈ ∞ ∩ − αβγδεζηθικλμνξπρστυφχ",
    "ꦲꦤꦕꦫꦏ ᮃᮊᮞᮛ العربية 中文 עברית हिन्दी 👩‍👩‍👧 🏳️‍🌈 \u202eabc\u202c \ufeff\u200b\x07 \U0001f1ee\U0001f1e9",
    "x" * 300,
    "\\end{document}\\end{tabular}\\write18{touch here}\\csname x\\endcsname ^^5c ??` --- '' ``",
    "[a] * [b]",
)


@pytest.fixture(scope="session", autouse=True)
def _tex() -> None:
    binaries.pdflatex()


def log_of(folder: Path) -> str:
    assert compile_paper(folder).stat().st_size > 1000
    return (folder / "paper.log").read_text(encoding="utf-8", errors="replace")


@pytest.mark.parametrize("name", DEMO)
def test_the_report_of_each_preset_compiles(name: str, demo: dict[str, str], tmp_path: Path) -> None:
    manage(["paper", DEMO[name], "--out", str(tmp_path)], demo)
    assert (tmp_path / "paper.pdf").read_bytes().startswith(b"%PDF")
    assert COMPLAINTS.findall((tmp_path / "paper.log").read_text(encoding="utf-8", errors="replace")) == []


def test_several_projects_side_by_side_compile(demo: dict[str, str], tmp_path: Path) -> None:
    manage(["paper", *DEMO.values(), "--out", str(tmp_path)], demo)
    assert COMPLAINTS.findall((tmp_path / "paper.log").read_text(encoding="utf-8", errors="replace")) == []


def test_hostile_words_compile_and_run_nothing(tmp_path: Path) -> None:
    rows = [{"split": word, "target": word, "n": n} for n, word in enumerate(WORDS, start=1)]
    tables = [a_table(HOSTILE, rows[:4], chart=Chart("bar", "split", ("n",)))]
    plain = [{"split": word, "n": n} for n, word in enumerate(WORDS, start=1)]
    sheets = [*sheet_of(tables), *sheet_of([a_table("plain", plain, key="plain")])]
    drawn = figure_of([a_table(HOSTILE, plain, chart=Chart("bar", "split", ("n",)))])
    assert drawn is not None
    parts = "# {0}\n\n{0}\n\n    {0}\n\n| {1} | 1 |\n|---|---|\n| a | 2 |\n"
    card = "\n\n".join(parts.format(word, word.replace("|", "")) for word in WORDS)
    body = [
        *map(typeset, sheets),
        drawn.latex,
        card_latex(card),
        *(f"{breakable(escape_latex(word))}\n" for word in WORDS),
    ]
    (tmp_path / "paper.tex").write_text("\n".join([PREAMBLE, "\\begin{document}", *body, "\\end{document}"]))
    log = log_of(tmp_path)
    assert not (tmp_path / "here").exists()
    # Words of 300 letters without a blank are as wide as they are where nothing may break them.
    assert COMPLAINTS.findall(log) == []


def test_a_paper_that_is_wrong_says_why(tmp_path: Path) -> None:
    (tmp_path / "paper.tex").write_text("\\documentclass{article}\\begin{document}\\nosuchcommand\\end{document}")
    with pytest.raises(NotCompiledError, match="nosuchcommand"):
        compile_paper(tmp_path)


def test_a_table_stands_by_itself_in_another_paper(demo: dict[str, str], tmp_path: Path) -> None:
    """With the packages that its first line names, and nothing else of ours."""
    manage(["paper", story.SLUG, "--out", str(tmp_path / "from"), "--no-pdf"], demo)
    shutil.copy(tmp_path / "from" / "tables" / "agreement-overall.tex", tmp_path / "t.tex")
    needs = "\\usepackage{array,booktabs,graphicx}\\usepackage[T1]{fontenc}"
    paper = f"\\documentclass{{article}}{needs}\\begin{{document}}\\input{{t}}\\end{{document}}"
    (tmp_path / "paper.tex").write_text(paper)
    assert COMPLAINTS.findall(log_of(tmp_path)) == []
