"""A card as a document of its own: markup that does nothing and asks for nothing, with the styles that it uses.

Pure. What stays is listed; everything else that a page has (scripts, forms, addresses, names that scripts read) goes.
"""

import re
from collections.abc import Iterator
from html import escape
from html.parser import HTMLParser

# What stays of a card, and what stands in place of what does something.
_ELEMENTS = frozenset(
    (
        *(
            "section",
            "div",
            "h2",
            "p",
            "fieldset",
            "legend",
            "label",
            "input",
            "span",
            "strong",
            "bdi",
            "b",
            "em",
            "kbd",
        ),
        *("small", "details", "summary", "textarea", "select", "option", "ul", "ol", "li", "dl", "dt", "dd", "figure"),
        *("svg", "path", "circle", "rect", "table", "thead", "tbody", "tr", "th", "td", "button", "br"),
    )
)
_INSTEAD = {"form": "div", "a": "span"}
_VOID = frozenset(["input", "path", "circle", "rect", "br"])
_ATTRIBUTES = frozenset(
    (
        *("class", "id", "for", "type", "name", "checked", "lang", "dir", "rows", "hidden", "role", "aria-hidden"),
        *(
            "aria-label",
            "viewbox",
            "width",
            "height",
            "d",
            "fill-rule",
            "cx",
            "cy",
            "r",
            "x",
            "y",
            "min",
            "max",
            "step",
        ),
        *("open", "selected"),
    )
)
_MEDIA = {"img": "image", "audio": "sound"}
_CASED = {"viewbox": "viewBox"}
_CLASS = re.compile(r"\.([A-Za-z_][\w-]*)")
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
# Nobody presses anything in a picture: what only appears where somebody points or where scripts run.
_UNSEEN = re.compile(r"url\(|@font-face|@import|:hover|:active|:focus|^@keyframes|^@media print")
_FLOATING = re.compile(r"position: ?(?:sticky|fixed)")
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


class _Cleaner(HTMLParser):
    """Writes what stays of markup, and gathers the classes in it."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self.classes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if tag in _MEDIA:
            self.parts.append(
                f"<span>[{_MEDIA[tag]}: {escape(values.get('alt') or values.get('aria-label', ''))}]</span>"
            )
        element = _INSTEAD.get(tag, tag)
        if element not in _ELEMENTS or values.get("type") == "hidden":
            return
        self.classes.update(values.get("class", "").split())
        kept = [f' {_CASED.get(name, name)}="{escape(text)}"' for name, text in values.items() if name in _ATTRIBUTES]
        self.parts.append(f"<{element}{''.join(kept)}>")

    def handle_endtag(self, tag: str) -> None:
        element = _INSTEAD.get(tag, tag)
        if element in _ELEMENTS and element not in _VOID:
            self.parts.append(f"</{element}>")

    def handle_data(self, data: str) -> None:
        self.parts.append(escape(data, quote=False))


def _rules(css: str) -> Iterator[tuple[str, str]]:
    """The rules at the top of a style sheet: what stands before the braces, and between them."""
    start = depth = opened = 0
    for place, sign in enumerate(css):
        if sign == "{":
            opened = place if not depth else opened
            depth += 1
        elif sign == "}":
            depth -= 1
            if not depth:
                yield " ".join(css[start:opened].split()), css[opened + 1 : place].strip()
                start = place + 1


def _used(css: str, classes: set[str]) -> Iterator[str]:
    """The rules of a sheet that mean something for elements of these classes."""
    for head, body in _rules(css):
        if _UNSEEN.search(head) or "url(" in body:
            continue
        if head.startswith("@"):
            inner = "\n".join(_used(body, classes))
            if inner and not head.startswith("@page"):
                yield f"{head} {{\n{inner}\n}}"
        else:
            kept = [one.strip() for one in head.split(",") if set(_CLASS.findall(one)) <= classes]
            if kept:
                # Nothing moves along where nothing is scrolled through.
                yield f"{', '.join(kept)} {{ {_FLOATING.sub('position: static', ' '.join(body.split()))} }}"


def picture_document(markup: str, sheets: str, *, title: str, language: str) -> str:
    """The whole document: no script, no address, nothing that is sent."""
    cleaner = _Cleaner()
    cleaner.feed(markup)
    cleaner.close()
    body = "\n".join(line.strip() for line in "".join(cleaner.parts).splitlines() if line.strip())
    style = "\n".join(_used(_COMMENT.sub("", sheets), cleaner.classes | {"page", "page--vote"}))
    return (
        f'<!DOCTYPE html>\n<html lang="{escape(language)}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>\n{style}\n</style>\n</head>\n<body>\n"
        f'<main class="page page--vote">\n{body}\n</main>\n</body>\n</html>\n'
    )
