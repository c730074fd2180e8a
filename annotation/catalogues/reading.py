"""Every string of the interface as the sources mark it: calls of gettext's functions, and Django's template tags."""

import ast
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_python
from django.utils.translation.template import templatize

from annotation.catalogues import ROOT

PLAIN, PLURAL, CONTEXT, BOTH = None, (1, 2), ((1, "c"), 2), ((1, "c"), 2, 3)
KEYWORDS = {
    "gettext": PLAIN,
    "gettext_lazy": PLAIN,
    "gettext_noop": PLAIN,
    "ngettext": PLURAL,
    "ngettext_lazy": PLURAL,
    "pgettext": CONTEXT,
    "pgettext_lazy": CONTEXT,
    "npgettext": BOTH,
    "npgettext_lazy": BOTH,
}
COMMENT_TAG = "Translators:"
FOLDERS = ("annotation", "config", "exports", "templates", "validation")
MARKS = ("gettext", "translate", "_(")  # a file without any of these has no marked string
EXCLUDED_FOLDERS = ("migrations", "__pycache__")


def source_files(root: Path = ROOT) -> Iterator[Path]:
    """Every file that may hold words, in a stable order."""
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (".py", ".html", ".txt") and not set(EXCLUDED_FOLDERS) & set(path.parts):
                yield path


def template_calls(text: str) -> str:
    """A template as lines of calls of gettext's functions: Django's own reading, which xgettext would get."""
    return "\n".join(line.strip() for line in templatize(text).splitlines())


def gettext_names(text: str) -> dict[str, str]:
    """What a Python file calls gettext's functions: its own name for each to the function's."""
    return {
        alias.asname or alias.name: alias.name
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.name in KEYWORDS
    }


def marked_strings(
    text: str, *, is_template: bool
) -> Iterator[tuple[int, str | tuple[str, str], str | None, list[str]]]:
    """Line, string (singular and plural where it is counted), context and comments of each marked string."""
    if is_template:
        text, called = template_calls(text), {**{name: name for name in KEYWORDS}, "_": "gettext"}
    else:
        called = gettext_names(text)
    found: Any = extract_python(io.BytesIO(text.encode()), dict.fromkeys(called), [COMMENT_TAG], {"encoding": "utf-8"})
    for line, name, given, comments in found:
        arguments = given if isinstance(given, tuple) else (given,)
        spec = KEYWORDS[called[name]]
        context = None
        if spec in (CONTEXT, BOTH):
            context, *rest = arguments
            arguments = tuple(rest)
        wanted = arguments[: 2 if spec in (PLURAL, BOTH) else 1]
        if all(isinstance(each, str) and each for each in wanted):
            yield line, (wanted if len(wanted) > 1 else wanted[0]), context, comments


def extract_strings(root: Path = ROOT) -> Catalog:
    """All strings, in the order of files and lines in which they appear."""
    catalog = Catalog()
    for path in source_files(root):
        text = path.read_text(encoding="utf-8")
        if not any(mark in text for mark in MARKS):
            continue
        place = path.relative_to(root).as_posix()
        for line, message, context, comments in marked_strings(text, is_template=path.suffix != ".py"):
            catalog.add(message, locations=[(place, line)], context=context, auto_comments=comments)
    return catalog
