"""Guidelines in Markdown to HTML that cannot harm: no raw HTML in, and only a short list of elements out."""

from functools import cache

import nh3
from markdown_it import MarkdownIt

ELEMENTS = {
    *("h2", "h3", "h4", "h5", "h6", "p", "br", "hr", "blockquote", "ul", "ol", "li", "pre", "code"),
    *("strong", "em", "del", "s", "a", "table", "thead", "tbody", "tr", "th", "td"),
}
# Links lead out by these and nothing else; a link of another scheme becomes its words.
SCHEMES = {"http", "https", "mailto"}


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"]).disable("image")


def render(text: str) -> str:
    """HTML of a Markdown text: headings one level down (the page has its own first one), images as their words."""
    parser = _parser()
    tokens = parser.parse(text)
    for token in tokens:
        if token.tag in ("h1", "h2", "h3", "h4", "h5"):
            token.tag = f"h{int(token.tag[1]) + 1}"
        if token.type == "table_open":
            # It scrolls by itself on a phone, so the keyboard must be able to reach it.
            token.attrSet("tabindex", "0")
    html = parser.renderer.render(tokens, parser.options, {})
    return nh3.clean(
        html,
        tags=ELEMENTS,
        attributes={"a": {"href"}, "ol": {"start"}, "table": {"tabindex"}},
        url_schemes=SCHEMES,
        link_rel="noopener noreferrer",
    )
