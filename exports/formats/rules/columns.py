"""What the columns of a table hold: learnt from JSON rows, so that forms with types can be written for every kind.

Pure. A column is text, whole numbers, numbers, yes or no, a list of one of these, or a record whose fields are always
the same (`choices`). Objects whose keys are data (`answers`, by pseudonym) are text that holds JSON, as every form can
keep it. A column that holds several sorts is text: what is no text in it is JSON.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

TEXT, JSON, INT, NUMBER, BOOL, LIST, RECORD = "text", "json", "int", "number", "bool", "list", "record"
# Objects, and lists of them, whose fields are the same in every row of a file.
RECORDS = frozenset({"choices", "continuations", "responses", "parts"})
# What a column is that nothing was seen of but nulls.
_UNSEEN: Mapping[str, str] = {
    "ambiguous": INT,
    "annotation_round": INT,
    "answer_start": INT,
    "best_share": NUMBER,
    "guideline": INT,
    "revision": INT,
    "run": INT,
    "unsure": INT,
}
_MOST, _LEAST = 2**63 - 1, -(2**63)


@dataclass(frozen=True)
class Type:
    """What a value is: its sort, for records their fields in order, for lists the one thing that they are of."""

    what: str
    fields: tuple[tuple[str, "Type | None"], ...] = ()

    @property
    def of(self) -> "Type":
        """What a list is a list of; text, where every one was empty."""
        return self.fields[0][1] or Type(TEXT)


_SCALARS: Mapping[type, Type] = {str: Type(TEXT), float: Type(NUMBER), bool: Type(BOOL)}
_INT = Type(INT)
_TEXTS = Type(LIST, (("", _SCALARS[str]),))


def type_of(value: object, *, record: bool) -> Type | None:
    """The type of one value; None for null. `record`: objects in it are records."""
    if value is None:
        return None
    if type(value) in _SCALARS:
        return _SCALARS[type(value)]
    if isinstance(value, int):
        return _INT if _LEAST <= value <= _MOST else Type(TEXT)
    if isinstance(value, list):
        return _list_of(value, record)
    if isinstance(value, dict) and record:
        return Type(RECORD, tuple((name, type_of(each, record=True)) for name, each in value.items()))
    return Type(JSON)


def _list_of(values: Sequence[object], record: bool) -> Type:
    if values and all(type(value) is str for value in values):
        return _TEXTS
    inner: Type | None = None
    for value in values:
        inner = merged(inner, type_of(value, record=record))
    plain = inner is None or record or inner.what in (TEXT, INT, NUMBER, BOOL)
    return Type(LIST, (("", inner),)) if plain else Type(JSON)


def merged(one: Type | None, other: Type | None) -> Type | None:
    """A type that holds what both hold."""
    if one is None or one == other:
        return other
    if other is None:
        return one
    if one.what == other.what and one.what in (LIST, RECORD):
        mine, theirs = dict(one.fields), dict(other.fields)
        return Type(one.what, tuple((n, merged(mine.get(n), theirs.get(n))) for n in {**mine, **theirs}))
    if {one.what, other.what} == {INT, NUMBER}:
        return Type(NUMBER)
    return Type(JSON if {one.what, other.what} == {JSON, LIST} else TEXT)


def _varies(name: str, value: object) -> bool:
    """Whether values of one sort may be of different types: lists, records, and numbers by their size."""
    return type(value) in (list, int) or (name in RECORDS and type(value) is dict)


@dataclass
class Learnt:
    """Learns columns from rows as they go by; rows of one build are known again without looking into them."""

    seen: dict[str, Type | None] = field(default_factory=dict)
    # By names and sorts of values: the columns that have to be looked into in every such row.
    _known: dict[tuple[Any, ...], tuple[str, ...]] = field(default_factory=dict)

    def take(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Take in rows."""
        for row in rows:
            build = (*row, *map(type, row.values()))
            names = self._known.get(build)
            if names is None:
                self._known[build] = tuple(name for name, value in row.items() if _varies(name, value))
                names = tuple(row)
            for name in names:
                value, before = row[name], self.seen.get(name)
                if before is _INT and type(value) is int and _LEAST <= value <= _MOST:
                    continue
                found = type_of(value, record=name in RECORDS)
                if name not in self.seen or (before is not found and before != found):
                    self.seen[name] = merged(before, found)

    @property
    def columns(self) -> dict[str, Type]:
        """The columns in the order in which they were first seen."""
        return {name: found or Type(_UNSEEN.get(name, TEXT)) for name, found in self.seen.items()}


def _as_text(value: object) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return orjson.dumps(value).decode()


def _as_json(value: object) -> str | None:
    return None if value is None else orjson.dumps(value).decode()


def reader(kind: Type) -> Callable[[Any], Any] | None:
    """What makes a value one of this type; None where it is one already."""
    if kind.what in (TEXT, JSON):
        return _as_json if kind.what == JSON else _as_text
    if kind.what == LIST:
        inner = reader(kind.of)
        return inner and (lambda values: None if values is None else [inner(value) for value in values])
    if kind.what == RECORD:
        fields = [(name, reader(each or Type(TEXT))) for name, each in kind.fields]
        return lambda value: None if value is None else {n: _read(r, value.get(n)) for n, r in fields}
    return None


def _read(how: Callable[[Any], Any] | None, value: Any) -> Any:
    return value if how is None else how(value)
