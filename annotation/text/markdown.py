"""Guidelines in Markdown to HTML that cannot harm: no raw HTML in, and only a short list of elements out."""

import re
from functools import cache
from itertools import count, pairwise
from typing import NamedTuple

import nh3
from markdown_it import MarkdownIt
from markdown_it.token import Token

ELEMENTS = {
    *("h2", "h3", "h4", "h5", "h6", "p", "br", "hr", "blockquote", "ul", "ol", "li", "pre", "code"),
    *("strong", "em", "del", "s", "a", "table", "thead", "tbody", "tr", "th", "td"),
}
# Links lead out by these and nothing else; a link of another scheme becomes its words.
SCHEMES = {"http", "https", "mailto"}
HEADINGS = ("h1", "h2", "h3", "h4", "h5")
# The headings of a text's sections, as they are written: the first is the text's own, further ones are within these.
SECTION = "h2"


class Section(NamedTuple):
    """A section of a text: the id of its heading where `render` was given the same name, and its words."""

    id: str
    words: str


_MARKS = re.compile(r"[\\`*_\[\]<>&~|]|^[#+=-]")
_NUMBER = re.compile(r"^(\d+)([.)])")


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"]).disable("image")


def tokens(text: str) -> list[Token]:
    """What a Markdown text consists of, for those who write it in another form than HTML."""
    return _parser().parse(text)


def sections(text: str, name: str) -> list[Section]:
    """The sections of a text, for a list of its contents."""
    tokens = _parser().parse(text)
    named = [inside for each, inside in pairwise(tokens) if each.type == "heading_open" and each.tag == SECTION]
    return [Section(f"{name}-{n}", _words(inside)) for n, inside in enumerate(named, start=1)]


def _words(inline: Token) -> str:
    return "".join(child.content for child in inline.children or () if child.type in ("text", "code_inline"))


def render(text: str, name: str = "") -> str:
    """HTML of a Markdown text: headings one level down (the page has its own first one), images as their words.

    With a `name` the headings of sections get the ids that `sections` tells.
    """
    parser, numbers = _parser(), count(1)
    tokens = parser.parse(text)
    for token in tokens:
        if name and token.type == "heading_open" and token.tag == SECTION:
            token.attrSet("id", f"{name}-{next(numbers)}")
        if token.tag in HEADINGS:
            token.tag = f"h{int(token.tag[1]) + 1}"
        if token.type == "table_open":
            # It scrolls by itself on a phone, so the keyboard must be able to reach it.
            token.attrSet("tabindex", "0")
    html = parser.renderer.render(tokens, parser.options, {})
    return nh3.clean(
        html,
        tags=ELEMENTS,
        attributes={"a": {"href"}, "h3": {"id"}, "ol": {"start"}, "table": {"tabindex"}},
        url_schemes=SCHEMES,
        link_rel="noopener noreferrer",
    )


def escape(text: str) -> str:
    """A text as Markdown that renders to it, whatever it holds: marks escaped, each line a line of its own."""
    lines = (_NUMBER.sub(r"\1\\\2", _MARKS.sub(r"\\\g<0>", line.strip())) for line in text.splitlines())
    return "\\\n".join(line for line in lines if line)
