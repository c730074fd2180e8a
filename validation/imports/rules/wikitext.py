"""Wikipedia-like dumps: reading pages from the XML as a stream, and plain text from their wikitext.

The XML is read with expat, piece by piece: no document type and no entity is taken, nesting and tags are bounded, and
of a page no more text is kept than a document may have (reliability.md §1). Wikitext is read by mwparserfromhell.
"""

import re
import xml.parsers.expat as expat
from collections.abc import Iterator
from typing import Any, BinaryIO

from annotation.text.gettext import gettext_noop
from annotation.text.normalise import storage_problem
from validation.imports.rules.problems import FileRefused, Problem

CHUNK = 1 << 16
MOST_DEPTH = 20
LONGEST_TAG = 1 << 20
# Stands where a template, a table or a formula was: a snippet that holds it is not whole.
HOLE = "\ufffc"
_TEXTS = ("title", "ns", "id", "text")
_FILE_NAMESPACES = ("file", "image", "berkas", "gambar", "category", "kategori", "kategóri", "media")
_HIDDEN_TAGS = frozenset(
    {"ref", "gallery", "math", "table", "timeline", "syntaxhighlight", "source", "pre", "score", "chem"}
)
_BREAK_TAGS = frozenset({"li", "dd", "dt", "hr"})
_REDIRECT = re.compile(r"#(redirect|alih)\b", re.IGNORECASE)
_DISAMBIGUATION = re.compile(r"\{\{\s*(disambig\w*|disambiguasi|dab|hndis|disambiguasi orang)\s*[|}]", re.IGNORECASE)
_BEHAVIOUR_SWITCHES = re.compile(r"__[A-Z]+__")


class Page:
    """A page of a dump. `long` says that its text was cut, `redirect` that it only leads to another one."""

    def __init__(self) -> None:
        self.title = self.ns = self.id = self.text = ""
        self.long = self.redirect = False

    @property
    def is_article(self) -> bool:
        """Whether it is a page of the encyclopedia itself: no talk, template or user page."""
        return self.ns in ("", "0")

    @property
    def leads_on(self) -> bool:
        """Whether it only leads to another page, or lists what a title can mean."""
        return self.redirect or bool(_REDIRECT.match(self.text.lstrip()) or _DISAMBIGUATION.search(self.text))


class _PageParser:
    """Follows the elements of a dump; `done` are pages that ended."""

    def __init__(self, longest: int) -> None:
        self.done: list[Page] = []
        self._longest, self._path, self._page = longest, list[str](), Page()
        self._kept = 0

    def start(self, name: str, attributes: Any) -> None:
        """An element begins."""
        self._path.append(name)
        if len(self._path) > MOST_DEPTH:
            raise FileRefused("xml_deep", gettext_noop("The XML is nested too deeply to be a dump of pages."))
        if name == "page":
            self._page, self._kept = Page(), 0
        elif name == "redirect":
            self._page.redirect = True
        elif name == "text":
            self._page.text, self._kept = "", 0

    def end(self, name: str) -> None:
        """An element ends."""
        self._path.pop()
        if name == "page":
            self.done.append(self._page)

    def data(self, text: str) -> None:
        """Characters; those of a revision's own id are not the page's."""
        name = self._path[-1] if self._path else ""
        if name not in _TEXTS or "page" not in self._path or (name == "id" and self._path[-2:-1] != ["page"]):
            return
        self._kept += len(text)
        if self._kept > self._longest:
            self._page.long = True
        else:
            setattr(self._page, name, getattr(self._page, name) + text)


def _refuse(*_: Any) -> Any:
    message = gettext_noop(
        "The XML declares a document type or entities. Such files can unpack without end and are not read: "
        "export the pages without."
    )
    raise FileRefused("xml_entities", message)


def pages(stream: BinaryIO, longest: int) -> Iterator[Page | Problem]:
    """The pages of a dump in their order; a torn dump ends in a Problem. Raises FileRefused for what is no dump."""
    found, parser = _PageParser(longest), expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler = found.start, found.end
    parser.CharacterDataHandler = found.data
    parser.StartDoctypeDeclHandler, parser.EntityDeclHandler = _refuse, _refuse
    parser.ExternalEntityRefHandler = _refuse
    fed = 0
    while True:
        chunk = stream.read(CHUNK)
        fed += len(chunk)
        try:
            parser.Parse(chunk, not chunk)
        except expat.ExpatError as error:
            yield from _finished_pages(found)
            message = gettext_noop("The XML cannot be read on from line %(line)s: %(why)s.")
            yield Problem("xml_torn", "", message, {"line": error.lineno, "why": expat.ErrorString(error.code)})
            return
        if fed - max(parser.CurrentByteIndex, 0) > LONGEST_TAG + CHUNK:
            raise FileRefused("xml_tag", gettext_noop("A tag of the XML is longer than any dump has them."))
        yield from _finished_pages(found)
        if not chunk:
            return


def _finished_pages(found: _PageParser) -> Iterator[Page]:
    done, found.done = found.done, []
    yield from done


def plain_text(wikitext: str) -> str:
    """The text of an article in paragraphs, with a HOLE where something stood that is no text."""
    import mwparserfromhell

    flat = _flatten(mwparserfromhell.parse(wikitext))
    lines = [
        line for line in _BEHAVIOUR_SWITCHES.sub("", flat).split("\n") if line.strip(f"{HOLE} \t") or not line.strip()
    ]
    return "\n".join(lines)


def _flatten(code: Any) -> str:
    return "".join(_node(node) for node in code.nodes)


def _node(node: Any) -> str:
    name = type(node).__name__
    if name == "Text":
        return str(node.value)
    if name == "Wikilink":
        return _link(node)
    if name == "ExternalLink":
        return _flatten(node.title) if node.title else HOLE
    if name == "Tag":
        return _tag(node)
    if name == "HTMLEntity":
        # "&#xD800;" is half a character: no text that can be kept.
        return HOLE if storage_problem(mark := str(node.normalize())) else mark
    if name == "Heading":
        return "\n\n"
    return "" if name == "Comment" else HOLE


def _link(node: Any) -> str:
    target = str(node.title).strip()
    space, colon, _ = target.partition(":")
    if colon and space.strip().casefold() in _FILE_NAMESPACES:
        return ""
    return _flatten(node.text) if node.text is not None else target.lstrip(":")


def _tag(node: Any) -> str:
    tag = str(node.tag).strip().casefold()
    if tag == "ref":
        return ""
    if tag in _HIDDEN_TAGS:
        return HOLE
    if tag == "br":
        return "\n"
    if tag in _BREAK_TAGS:
        return "\n\n"
    return _flatten(node.contents) if node.contents is not None else ""
