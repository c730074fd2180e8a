r"""Texts of items that are drawn as something else: images and sounds by address, dialogues and table rows as lists.

A dialogue is stored as a list of turns, a table row as a list of cells, each as the file had it. Where words are
marked, searched, compared or corrected, such a list is one text with a line for each: “speaker: text”. A further line
of the same text begins with a blank, and in a name `\` stands before what would end it or the line, so that the text
gives the same list again. What was stored as such lines is read as the list that they give.
"""

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from math import isfinite
from typing import Any

from annotation.text.line_breaks import plain_breaks, typed_text

MEDIA_WIDGETS = ("image", "audio")
# What each entry of a list holds: its name, and what it says.
LIST_WIDGETS: Mapping[str, tuple[str, str]] = {"dialogue": ("speaker", "text"), "table": ("column", "value")}
_LINE = re.compile(r"((?:[^\\:]|\\.|:(?!\s|\Z))*):(?:\s|\Z)(.*)", re.DOTALL)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_ENDS_NAME = re.compile(r"[\\\n\r]|:(?=\s)|\A\s")
_LETTERS = {"\n": "n", "\r": "r"}
_NUMBERS = (int, float)

Entry = Mapping[str, Any]


def list_entries(value: object, widget: str) -> list[dict[str, Any]]:
    """A dialogue or a table row as a list of its entries, however it is stored."""
    name, text = LIST_WIDGETS[widget]
    if isinstance(value, str):
        return [{name: speaker, text: line} for speaker, line in list_pairs(value)]
    return [{name: entry[name], text: entry[text]} for entry in value] if isinstance(value, list) else []


def list_text(entries: Sequence[Entry]) -> str:
    """The list as one text, a line for each entry."""
    return "\n".join(map(_line, entries))


def corrected_list(entries: Sequence[Entry], text: str) -> list[dict[str, Any]]:
    """The list that a corrected text gives; entries that nobody changed stay as they are stored.

    What was a number stays one where it is corrected to another; a text that was CRLF throughout stays so.
    """
    widget, (name, value) = next(named for named in LIST_WIDGETS.items() if named[1][0] in entries[0])
    # An entry with a lone CR is drawn as lines that may be read as several entries: the longest is looked for first.
    stored = [(list_entries(form, widget), dict(entry)) for entry in entries for form in _forms(_line(entry))]
    stored.sort(key=lambda read: len(read[0]), reverse=True)
    numbers = {entry[name] for entry in entries if type(entry[value]) in _NUMBERS}
    typed, corrected = list_entries(plain_breaks(text), widget), list[dict[str, Any]]()
    while typed:
        first = typed[0]
        if first[name] in numbers:
            first = {**first, value: _number(first[value])}
        lines, entry = next((read for read in stored if typed[: len(read[0])] == read[0]), (typed[:1], first))
        corrected.append(entry)
        typed = typed[len(lines) :]
    left = [entry for entry in entries if entry not in corrected]
    for n, entry in enumerate(corrected):
        if entry in entries or not isinstance(entry[value], str):
            continue
        # Where entries were added or removed the one that was corrected is known by its name.
        alike = (old for old in left if old[name] == entry[name])
        before = (entries[n] if len(entries) == len(corrected) else next(alike, entry))[value]
        corrected[n] = {**entry, value: typed_text(entry[value], before if isinstance(before, str) else "")}
    return corrected


def _forms(line: str) -> set[str]:
    """The line of an entry as a form shows it: a CR at its end is one break with that before the next entry."""
    return {plain_breaks(line), plain_breaks(f"{line}\n")[:-1]}


def _number(text: str) -> int | float | str:
    """A number that is written like this, else the text."""
    for read in _NUMBERS:
        with suppress(ValueError):
            if str(number := read(text)) == text and isfinite(number):
                return number
    return text


def _line(entry: Entry) -> str:
    name, text = next((entry[name], entry[text]) for name, text in LIST_WIDGETS.values() if name in entry)
    shown = _ENDS_NAME.sub(lambda found: "\\" + _LETTERS.get(found[0], found[0]), name)
    return f"{shown}: " + ("" if text is None else str(text).replace("\n", "\n "))


def list_pairs(text: str) -> list[tuple[str, str]]:
    """Names and texts of lines; one without a name belongs to the one above it."""
    found: list[tuple[str, str]] = []
    for line in text.split("\n"):
        continued = bool(found) and line.startswith((" ", "\t"))
        begun = None if continued else _LINE.fullmatch(line)
        if begun is not None:
            name = _ESCAPED.sub(lambda mark: {"n": "\n", "r": "\r"}.get(mark[1], mark[1]), begun[1])
            found.append((name, begun[2]))
        elif found:
            found[-1] = (found[-1][0], f"{found[-1][1]}\n{line[continued:]}")
        else:
            found.append(("", line))
    return found
