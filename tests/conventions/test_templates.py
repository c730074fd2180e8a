"""What every template and stylesheet keeps to: content policy, contrast, and the comment of what it takes."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path

import pytest
from django.template.loader import get_template, render_to_string
from django.test import RequestFactory

ROOT = Path(__file__).parents[2]
TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))
STYLES = sorted((ROOT / "static" / "css").glob("*.css"))
ERRORS = (400, 403, 404, 409, 413, 429, 500, 503)
FORBIDDEN = {
    "a style written in": re.compile(r"<style|\sstyle="),
    "a script written in": re.compile(r"<script(?![^>]*\bsrc=)(?![^>]*type=\"application/json\")"),
    "a handler written in": re.compile(r"\s(?:on[a-z]+|hx-on[:\w-]*)="),
}
PAIRS = re.compile(r"--([\w-]+): var\(--light, (#\w{6})\) var\(--dark, (#\w{6})\)")


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("what", FORBIDDEN)
def test_nothing_that_the_content_policy_refuses(what: str) -> None:
    found = {name(path): FORBIDDEN[what].search(path.read_text(encoding="utf-8")) for path in TEMPLATES}
    assert len(found) > 100
    assert {where: match.group() for where, match in found.items() if match} == {}


def test_a_partial_opens_with_what_it_takes() -> None:
    partials = [path for path in TEMPLATES if path.parent.name == "partials"]
    assert len(partials) > 50
    assert [name(path) for path in partials if not path.read_text(encoding="utf-8").startswith("{#")] == []


@pytest.mark.parametrize("code", ERRORS)
def test_an_error_page_is_the_same_for_everybody(code: int) -> None:
    page = get_template(f"{code}.html")
    drawn = page.render()
    somebody = dict.fromkeys(("number", "title", "text", "link", "user", "exception", "request_path"), "canary")
    assert page.render(somebody, RequestFactory().get("/canary/")) == drawn
    assert f">{code}<" in drawn
    for link in re.findall(r'href="/static/([^"]+)"', drawn):
        assert (ROOT / "static" / link).is_file(), link


# --- directions ----------------------------------------------------------------------------

WORDS = re.compile(r"\{%\s*(?:translate|blocktranslate|firstof)\b.*?%\}", re.S)
TAGS = re.compile(r"\{%.*?%\}|\{#.*?#\}", re.S)
VOID = {"br", "hr", "img", "input", "link", "meta", "source"}


@dataclass
class Element:
    """An open element: whether it takes its direction from its text, and whether texts stand in it, or apart."""

    tag: str
    auto: bool
    apart: bool
    own: bool = False
    inner: bool = False


class Directions(HTMLParser):
    """Finds elements that take their direction from their text, and have none: what a `bdi` holds does not count."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[Element] = []
        self.without: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if tag not in VOID:
            auto = values.get("dir") == "auto" and tag != "textarea"
            apart = tag == "bdi" or "dir" in values
            self.open.append(Element(tag, auto, apart))

    def handle_data(self, data: str) -> None:
        if data.strip() and self.open:
            self.open[-1].own = True

    def handle_endtag(self, tag: str) -> None:
        while self.open and tag not in VOID:
            closed = self.open.pop()
            if closed.auto and closed.inner and not closed.own:
                self.without.append(f"{self.getpos()[0]}: {closed.tag}")
            if self.open:
                around = self.open[-1]
                around.inner |= closed.inner or (closed.apart and closed.own)
                around.own |= closed.own and not closed.apart
            if closed.tag == tag:
                break


def without_direction(template: str) -> Iterator[str]:
    reader = Directions()
    reader.feed(TAGS.sub("", WORDS.sub("words", template)))
    yield from reader.without


def test_what_takes_its_direction_from_its_text_has_a_text() -> None:
    """An Arabic text in a `bdi` in a paragraph with `dir="auto"` would be laid out from left to right."""
    assert list(without_direction('<p dir="auto"><b><bdi>{{ text }}</bdi></b></p>')) == ["1: p"]
    assert list(without_direction('<p dir="auto"><bdi>{{ name }}</bdi> {{ text }}<br></p>')) == []
    found = [f"{name(path)}:{each}" for path in TEMPLATES for each in without_direction(path.read_text())]
    assert found == []


# --- titles --------------------------------------------------------------------------------

TITLE = re.compile(r"\{% block (?:head_)?title %\}(.*?)\{% endblock", re.S)
# Templates of which one page takes the one or the other, or two steps of one thing.
ALIKE = (
    {"annotation/projects/project_new.html", "annotation/projects/project_presets.html"},
    # Called what the room is called: "Translate" and "Review" where those are what people do in it.
    {
        "annotation/writing/write.html",
        "annotation/writing/write_none.html",
        "validation/voting/card_page.html",
    },
    {"exports/sources/source_set_new.html", "exports/sources/source_set_up.html"},
    {"validation/overview/project.html", "validation/overview/project_own.html"},
    {"validation/tasks/task_new.html", "validation/tasks/templates.html"},
)
FRAMES = {"base.html", "allauth/layouts/base.html"}
KEY = re.compile(r"\{\{ *[\w.]*\b(?:key|slug|pk|id|token|n) *\}\}")


def titles() -> dict[str, str]:
    """The title of each template that has one, as it is written."""
    found = {
        path.relative_to(ROOT / "templates").as_posix(): TITLE.search(path.read_text(encoding="utf-8"))
        for path in TEMPLATES
    }
    return {where: match[1].strip() for where, match in found.items() if match and where not in FRAMES}


def test_each_page_has_a_title_of_its_own() -> None:
    pages = [path for path in TEMPLATES if re.search(r'extends "(?:base|allauth/[\w/]+)\.html"', path.read_text())]
    named = titles()
    names = [path.relative_to(ROOT / "templates").as_posix() for path in pages]
    assert [where for where in names if where not in named and where not in FRAMES] == []
    assert len(named) > 100
    by_title: dict[str, set[str]] = {}
    for where, title in named.items():
        by_title.setdefault(title, set()).add(where)
    assert [pages for pages in by_title.values() if len(pages) > 1 and pages not in ALIKE] == []


def test_no_title_is_a_key_alone() -> None:
    """A key says nothing to whoever looks for a page among others in the browser."""
    assert [where for where, title in titles().items() if not KEY.sub("", title).strip()] == []


# --- colours ---------------------------------------------------------------------------


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """The ratio of WCAG 2.2, from 1 to 21."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def tokens(scheme: int) -> dict[str, str]:
    text = (ROOT / "static" / "css" / "tokens.css").read_text(encoding="utf-8")
    return {match[1]: match[2 + scheme] for match in PAIRS.finditer(text)}


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_words_hold_their_contrast(scheme: int) -> None:
    colours = tokens(scheme)
    softs = {key.removesuffix("-soft") for key in colours if key.endswith("-soft")}
    assert len(softs) == 13  # nine shapes, three states, the accent
    grounds = ["paper", "sheet", "sunk", *(f"{soft}-soft" for soft in softs)]
    pairs = [(ink, ground) for ink in ("ink", "ink-quiet") for ground in grounds]
    pairs += [(soft, ground) for soft in softs for ground in ("paper", "sheet", f"{soft}-soft")]
    pairs += [("accent-ink", "accent"), ("accent-ink", "accent-strong")]
    weak = {pair: contrast(colours[pair[0]], colours[pair[1]]) for pair in pairs}
    assert {pair: ratio for pair, ratio in weak.items() if ratio < 4.5} == {}
    assert min(contrast(colours["line-strong"], colours[ground]) for ground in ("paper", "sheet")) >= 3


def test_every_colour_and_size_that_is_used_is_defined() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in STYLES)
    defined = set(re.findall(r"(--[\w-]+):", text))
    assert set(re.findall(r"var\((--[\w-]+)", text)) - defined == set()


# --- partials --------------------------------------------------------------------------


def test_a_judged_text_carries_its_language_and_is_isolated() -> None:
    shown = render_to_string("partials/text.html", {"text": "<b>teks</b>", "lang": "id", "size": "big"})
    assert 'lang="id"' in shown
    assert 'dir="auto"' in shown
    assert ">&lt;b&gt;teks&lt;/b&gt;</p>" in shown


def test_a_difference_keeps_every_character_in_order() -> None:
    parts = [("equal", "a "), ("delete", "b"), ("insert", "<c>"), ("equal", " d")]
    shown = render_to_string("partials/diff.html", {"parts": parts})
    assert ">a <del>b</del><ins>&lt;c&gt;</ins> d</p>" in shown


def test_a_bar_of_the_funnel_is_a_share_of_the_total() -> None:
    stages = [
        {"name": "Written", "count": 4489, "url": "/x"},
        {"name": "Gold", "count": 3392, "url": None},
    ]
    shown = render_to_string("partials/funnel.html", {"stages": stages, "total": 4489})
    assert 'width="76"' in shown
    assert "3,392" in shown
    assert shown.count("<a ") == 1
    assert 'width="0"' in render_to_string(
        "partials/funnel.html", {"stages": [{"name": "Written", "count": 0}], "total": 0}
    )


@pytest.mark.parametrize("label", [True, False], ids=["a label", "a choice without one"])
def test_a_choice_shows_its_letter_its_key_and_its_shape_but_no_colour(label: bool) -> None:
    given = {"label": {"shape": "circle", "letter": "E"}} if label else {"letter": "E"}
    shown = render_to_string(
        "partials/choice.html", {"id": "c1", "name": "label", "value": "e", "keys": ("1",), "words": "x", **given}
    )
    assert '<span aria-hidden="true">E</span>' in shown
    assert 'data-key="1"' in shown
    assert ("<svg" in shown) is label
    assert "hue-" not in shown
