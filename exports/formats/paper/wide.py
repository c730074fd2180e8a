"""Translations side by side: a row a text, with the source and a column for each target."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from annotation.kinds import Kind
from annotation.text.formulas import guarded_lines, line
from exports.formats.paper.base import DumpedItem, Format, Piece, json_lines

FIXED_COLUMNS = ("id", "task", "field", "source")


@dataclass
class TranslatedUnit:
    """A source unit with what each target says; the source's texts are the newest that a target was made from."""

    task: str
    revision: int = 0
    source: Mapping[str, str] = field(default_factory=dict)
    targets: dict[str, Mapping[str, str]] = field(default_factory=dict)


def rows(items: Iterable[DumpedItem]) -> tuple[list[str], Iterator[dict[str, Any]]]:
    """The targets by key, and a row for each text of each unit; a target that has not translated it says nothing."""
    units: dict[str, TranslatedUnit] = {}
    for item in items:
        content = item.content
        unit = units.setdefault(item.source, TranslatedUnit(str(content["task"])))
        unit.targets[item.target] = _texts(content["fields"])
        if content["unit_revision"] >= unit.revision:
            unit.revision, unit.source = content["unit_revision"], _texts(content["source"])
    targets = sorted({target for unit in units.values() for target in unit.targets})
    return targets, _spread(units, targets)


def _spread(units: Mapping[str, TranslatedUnit], targets: list[str]) -> Iterator[dict[str, Any]]:
    for key, unit in units.items():
        for name, text in unit.source.items():
            translated = {target: unit.targets.get(target, {}).get(name, "") for target in targets}
            yield dict(zip(FIXED_COLUMNS, (key, unit.task, name, text), strict=True)) | {"targets": translated}


def _texts(fields: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    return {str(each["key"]): str(each["text"]) for each in fields}


def write(kind: Kind, items: Iterable[DumpedItem]) -> Iterator[Piece]:
    """A line a text."""
    _, result = rows(items)
    return json_lines(result)


def sheet(kind: Kind, items: Iterable[DumpedItem]) -> Iterator[Piece]:
    """A row a text."""
    return _pieces(map(line, _cells(items)))


def spreadsheet(kind: Kind, items: Iterable[DumpedItem]) -> Iterator[Piece]:
    """The same for spreadsheets: cells that one would take for a formula have an apostrophe before them."""
    return _pieces(guarded_lines(_cells(items)))


def _cells(items: Iterable[DumpedItem]) -> Iterator[list[str]]:
    """The header, then a row a text."""
    targets, result = rows(items)
    yield [*FIXED_COLUMNS, *targets]
    for row in result:
        yield [*(row[name] for name in FIXED_COLUMNS), *(row["targets"][target] for target in targets)]


def _pieces(lines: Iterable[str]) -> Iterator[Piece]:
    for n, text in enumerate(lines):
        yield Piece(text.encode("utf-8", "surrogatepass"), min(n, 1))


FORMATS = (
    Format("wide", "translations side by side, JSON Lines, a row a text", ("translations",), write),
    Format("wide-csv", "translations side by side, CSV, a row a text", ("translations",), sheet),
    Format("wide-spreadsheet", "the copy of wide-csv for spreadsheets", ("translations",), spreadsheet),
)
