"""Names and values as files have them: names of tasks and targets in files, templates and Markdown; tables; YAML."""

import re
import unicodedata
from collections.abc import Iterable, Sequence

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|!&])")


def plain(text: str) -> str:
    """A name as Markdown text on one line: nothing in it formats, links or breaks out."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def table(heads: Sequence[str], rows: Sequence[Sequence[object]]) -> list[str]:
    """A Markdown table; the first column is text, the others are figures."""
    lines = ["| " + " | ".join(heads) + " |", "|---|" + "---:|" * (len(heads) - 1)]
    return lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]


_UNSAFE = re.compile(r"[^A-Za-z0-9_-]+")
LONGEST = 60
# What begins or ends anything in the harness's templates, or could be read as an escape.
_MARKS = re.compile(r"[{}%\\]")
# Control characters, halves of characters, and what ends a line or paragraph.
_UNSEEN = {"Cc", "Cs", "Zl", "Zp"}
# Windows keeps these for devices, with any ending.
_DEVICES = {"con", "prn", "aux", "nul", *(f"{name}{n}" for name in ("com", "lpt") for n in range(1, 10))}


def file_names(names: Iterable[str]) -> list[str]:
    """Give each its name in files, in order: letters, digits, `-` and `_`, no two alike in either case."""
    taken: set[str] = set()
    found = []
    for name in names:
        plain = safe = _safe(name)
        number = 1
        while plain.casefold() in taken:
            number += 1
            plain = f"{safe}-{number}"
        taken.add(plain.casefold())
        found.append(plain)
    return found


def _safe(name: str) -> str:
    plain = _UNSAFE.sub("-", name).strip("-")[:LONGEST] or "x"
    return f"x-{plain}" if plain.casefold() in _DEVICES else plain


def template_text(name: str) -> str:
    """Give a name as it may stand in a template, which is a program where it is run: on one line, and no marks."""
    seen = "".join(c for c in " ".join(name.split()) if unicodedata.category(c) not in _UNSEEN)
    return " ".join(_MARKS.sub("", seen).split())


# What YAML takes for the end of a line, or for no character at all, unless it is written as its number.
_ODD = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")


def as_yaml(text: str) -> str:
    """Give a value that is JSON as YAML reads it; odd characters stand in texts alone, where a number is the same."""
    return _ODD.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
