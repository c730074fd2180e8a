"""What the columns of a table hold: learnt from JSON rows, so that forms with types can be written for every kind.

Pure. A column is text, whole numbers, numbers, yes or no, a list of one of these, or a record whose fields are always
the same (`choices`). Objects whose keys are data (`answers`, by pseudonym) are text that holds JSON, as every form can
keep it. A column that holds several sorts is text: what is no text in it is JSON.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
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
# Values whose sort is all that has to be known of them; numbers vary by their size.
_PLAIN, _WHOLE = {str, float, bool, type(None)}, {int, type(None)}


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


def turned(rows: Sequence[Mapping[str, Any]], names: Sequence[str]) -> list[Sequence[Any]] | None:
    """The values of each column; None where a row has other names, or has them in another order."""
    if any(list(row) != names for row in rows):
        return None
    return list(zip(*[row.values() for row in rows], strict=True))


@dataclass
class Learnt:
    """Learns columns from rows as they go by."""

    seen: dict[str, Type | None] = field(default_factory=dict)
    records: frozenset[str] = RECORDS

    def take(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Take in rows; where all have the same names, column by column."""
        names = list(rows[0]) if rows else []
        if (columns := turned(rows, names)) is not None:
            for name, values in zip(names, columns, strict=True):
                self._column(name, values)
            return
        for row in rows:
            for name, value in row.items():
                self._column(name, (value,))

    def _column(self, name: str, values: Sequence[object]) -> None:
        """Take in values: one of each sort, where that says all; numbers by the least and the most of them."""
        sorts, plain = set(map(type, values)), _PLAIN if name in self.records else _PLAIN | {dict}
        told: Iterable[object] = values
        if sorts <= plain:
            told = dict(zip(map(type, values), values, strict=True)).values()
        elif sorts <= _WHOLE:
            numbers = [value for value in values if isinstance(value, int)]
            told = (min(numbers), max(numbers))
        elif sorts == {list} and set(map(type, chain.from_iterable(values))) <= _PLAIN:  # type: ignore[arg-type]
            told = {tuple(map(type, value)): value for value in values}.values()  # type: ignore[call-overload]
        found = self.seen.setdefault(name, None)
        for value in told:
            sort = type_of(value, record=name in self.records)
            if found is not sort and found != sort:
                found = merged(found, sort)
        self.seen[name] = found

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
