"""Declared tables as LaTeX: every mark escaped, figures with their digits, in English whatever people read."""

import pytest
from django.utils.translation import override

from annotation.ui.latex import escape_latex, latex
from annotation.ui.tables import FIGURE, INTERVAL, NUMBER, PERCENT, PERCENTS, TEXT, WORD, Column

COLUMNS = [
    Column("word", "Word", WORD),
    Column("what", "Measure", TEXT),
    Column("n", "n(word, label)", NUMBER),
    Column("share", "Share", PERCENT),
    Column("ends", "95 % interval", PERCENTS),
    Column("pmi", "PMI", FIGURE, digits=2),
    Column("wide", "95 % interval", INTERVAL),
]
ROWS = [
    {
        "word": "50 % & a_b",
        "what": "Accuracy",
        "n": 1234567,
        "share": 34.747,
        "ends": [1.25, 99.95],
        "pmi": 0.125,
    },
    {"word": "x\ny", "what": "Accuracy", "wide": (-0.5, 0.25)},
]


def test_a_table_of_a_paper() -> None:
    with override("id"):
        drawn = latex(COLUMNS, ROWS, caption="Shares (95 %): a_b.", label="a_b c")
    assert drawn.splitlines() == [
        "% needs \\usepackage{booktabs}",
        "\\begin{table}",
        "\\centering",
        "\\caption{Shares (95 \\%): a\\_b.}",
        "\\label{tab:a-b-c}",
        "\\begin{tabular}{llrrrrr}",
        "\\toprule",
        "Word & Measure & n(word, label) & Share (\\%) & 95 \\% interval (\\%) & PMI & 95 \\% interval \\\\",
        "\\midrule",
        "50 \\% \\& a\\_b & Accuracy & 1,234,567 & 34.7 & [1.3, 100.0] & 0.13 & -- \\\\",
        "x y & Accuracy & -- & -- & -- & -- & [-0.500, 0.250] \\\\",
        "\\bottomrule",
        "\\end{tabular}",
        "\\end{table}",
    ]


def test_no_row_is_an_argument_of_the_end_of_the_row_before() -> None:
    drawn = latex(COLUMNS[:2], [{"word": "[1]"}, {"word": "*"}], caption="", label="a").splitlines()
    assert drawn[-6:-3] == ["\\midrule", "{}[1] & -- \\\\", "{}* & -- \\\\"]


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("a\\b{c}", "a\\textbackslash{}b\\{c\\}"),
        ("#1 $x^2$ ~", "\\#1 \\$x\\textasciicircum{}2\\$ \\textasciitilde{}"),
        ("1–2\u00a0%", "1--2~\\%"),
        ("garuda “puspa”", "garuda “puspa”"),
        ("kué, e\u0301", "kué, é"),
        ("ạ ṇ", "\\d{a} \\d{n}"),
        ("κ ≥ −1", "$\\kappa$ $\\geq$ $-$1"),
        ("a 😀 ꦗꦮ b", "a [U+1F600] [U+A997 U+A9AE] b"),
        ('kata\u200b "dua"\x00', "kata \\char34{}dua\\char34{}"),
    ],
)
def test_every_mark_is_escaped(text: str, printed: str) -> None:
    assert escape_latex(text) == printed
