"""Guidelines: Markdown becomes harmless HTML; differences read as words."""

import re
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.text.differences import text_parts
from annotation.text.markdown import escape, render, sections


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("# One", "<h2>One</h2>\n"),
        ("###### Six", "<h6>Six</h6>\n"),
        ("**a** ~~b~~", "<p><strong>a</strong> <s>b</s></p>\n"),
        ("[a](https://x.org)", '<p><a href="https://x.org" rel="noopener noreferrer">a</a></p>\n'),
        ("[a](mailto:a@x.org)", '<p><a href="mailto:a@x.org" rel="noopener noreferrer">a</a></p>\n'),
        ("2. b", '<ol start="2">\n<li>b</li>\n</ol>\n'),
    ],
)
def test_what_is_kept(text: str, html: str) -> None:
    assert render(text) == html


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "[x](javascript:alert(1))",
        "[x](JaVaScRiPt:alert(1))",
        "[x](data:text/html,<script>alert(1)</script>)",
        "![x](https://evil.example/pixel.gif)",
        "<a href='javascript:1' onclick='x()'>x</a>",
        "[x](//evil.example)",
        "<style>*{display:none}</style>",
        '<https://x.org/"onmouseover=alert(1)>',
        "```<svg onload=alert(1)>\n<svg onload=alert(1)>\n```",
    ],
)
def test_nothing_comes_alive(text: str) -> None:
    """A37, A38."""
    html = render(text)
    inside_tags = " ".join(re.findall(r"<[^>]*>", html))
    assert not re.search(r"script|\son\w+=|style|<img|<svg|data:|src=", inside_tags, re.I), html


@given(st.text(alphabet="<>\"'`[]()!*_#&;:/ax \n", max_size=60))
def test_any_text_gives_only_listed_elements(text: str) -> None:
    names = set(re.findall(r"</?([a-zA-Z0-9]+)", render(text)))
    assert names <= {
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "p",
        "br",
        "hr",
        "blockquote",
        "ul",
        "ol",
        "li",
        "pre",
        "code",
        "strong",
        "em",
        "del",
        "s",
        "a",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
    }


@given(st.text(max_size=80), st.text(max_size=80))
def test_differences_give_both_texts_back(old: str, new: str) -> None:
    parts = text_parts(old, new)
    assert "".join(text for op, text in parts if op != "insert") == old
    assert "".join(text for op, text in parts if op != "delete") == new


def test_differences_are_words() -> None:
    assert text_parts("the old cat\n", "the new cat\n") == [
        ("equal", "the "),
        ("delete", "old"),
        ("insert", "new"),
        ("equal", " cat\n"),
    ]
    long = "word " * 3000
    assert [op for op, _ in text_parts(long, long + "x")] == ["delete", "insert"]


def test_sections_have_the_ids_that_their_list_tells() -> None:
    text = "# Guide\n\n## One\n\na\n\n### Within\n\n## *Two* `x`\n"
    assert sections(text, "voting") == [("voting-1", "One"), ("voting-2", "Two x")]
    html = render(text, "voting")
    assert [f'<h3 id="{each.id}">' in html for each in sections(text, "voting")] == [True, True]
    assert "id=" not in render(text)


WILD = "# a\n    `x`\n- y & [a](b)\\ \n1. eins\n12) zw&ouml;lf\n> z ~~s~~\n===\n---\n| a | b |\n*_<script>_*"


def words_of(html: str) -> list[str]:
    return [" ".join(unescape(re.sub("<[^>]+>", "", line)).split()) for line in html.strip().splitlines()]


def test_a_text_is_shown_as_it_was_typed() -> None:
    assert words_of(render(escape(WILD))) == [" ".join(line.split()) for line in WILD.splitlines()]
    assert "<li>" not in render(escape(WILD)) + render(escape("12) a")) + render(escape("+ a"))


@given(st.text(alphabet="aB1 .)#*_`[]()<>&;~|\\\n-+=!", max_size=60))
def test_no_text_is_markup(text: str) -> None:
    wanted = [" ".join(line.split()) for line in text.splitlines() if line.strip()]
    assert words_of(render(escape(text))) == wanted
