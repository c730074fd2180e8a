"""The schema of a table: one for all forms of a release, learnt from its JSON rows, so that it fits every kind.

A column is text, whole numbers, numbers, yes or no, a list of one of these, or a record whose fields are always the
same (`choices`). Objects whose keys are data (`answers`, by pseudonym) are text that holds JSON, as every form can
keep it. A column that holds several types is text: what is no text in it is JSON. Pure; imported where forms are
written, as pyarrow is large.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

import orjson
import pyarrow as pa
from pyarrow import types

# Objects, and lists of them, whose fields are the same in every row of a file.
RECORDS = frozenset({"choices", "continuations", "responses", "parts"})
TEXT, INT, NUMBER, BOOL, UNKNOWN = pa.string(), pa.int64(), pa.float64(), pa.bool_(), pa.null()
TEXTS = pa.list_(TEXT)
# What a column is of which only nulls were seen; any other is text.
DECLARED: Mapping[str, pa.DataType] = {
    **dict.fromkeys(("ambiguous", "annotation_round", "answer_start", "guideline", "n_labels", "revision", "run"), INT),
    "best_share": NUMBER,
    "q": NUMBER,
    "unsure": INT,
}
# A vote as every file of votes has it, for one without any.
VOTE: Mapping[str, Any] = {
    **{"n": 1, "annotator": "", "label": "", "counted": True, "not_counted_because": "", "unsure": True},
    **{"ambiguous": True, "epoch": 1, "round": 1, "revision": 1, "guideline": 1, "answers": {}, "split": ""},
    "left_out": "",
}
_MOST, _LEAST = 2**63 - 1, -(2**63)
_SCALARS: Mapping[type, pa.DataType] = {str: TEXT, float: NUMBER, bool: BOOL, type(None): UNKNOWN}


def type_of(value: object, *, record: bool) -> pa.DataType:
    """The type of one value, `UNKNOWN` for null. `record`: objects in it are records."""
    if type(value) in _SCALARS:
        return _SCALARS[type(value)]
    if isinstance(value, int):
        return INT if _LEAST <= value <= _MOST else TEXT
    if isinstance(value, list):
        kinds = set(map(type, value)) - {type(None)}
        if kinds and kinds <= {list, dict} and not record:
            return TEXT
        inner = TEXT if kinds == {str} else UNKNOWN
        for each in value if inner is UNKNOWN else ():
            inner = merge_types(inner, type_of(each, record=record))
        return pa.list_(inner)
    if isinstance(value, dict) and record:
        return pa.struct([(name, type_of(each, record=True)) for name, each in value.items()])
    return TEXT


def merge_types(one: pa.DataType, other: pa.DataType) -> pa.DataType:
    """A type that holds what both hold."""
    if one == other or other == UNKNOWN:
        return one
    if one == UNKNOWN:
        return other
    if types.is_list(one) and types.is_list(other):
        return pa.list_(merge_types(one.value_type, other.value_type))
    if types.is_struct(one) and types.is_struct(other):
        fields = [{field.name: field.type for field in struct} for struct in (one, other)]
        names = {**fields[0], **fields[1]}
        return pa.struct([(name, merge_types(*(of.get(name, UNKNOWN) for of in fields))) for name in names])
    return NUMBER if {one, other} == {INT, NUMBER} else TEXT


def values_by_column(rows: Sequence[Mapping[str, Any]], names: Sequence[str]) -> list[Sequence[Any]] | None:
    """The values of each column; None where a row has other names, or has them in another order."""
    if any(list(row) != names for row in rows):
        return None
    return list(zip(*[row.values() for row in rows], strict=True))


def schema_of(pages: Iterable[Sequence[Mapping[str, Any]]], records: Collection[str] = RECORDS) -> pa.Schema:
    """The schema of these rows, its columns in the order in which they come; `records` are columns of records."""
    seen: dict[str, pa.DataType] = {}
    for rows in pages:
        names = list(rows[0]) if rows else []
        columns: Iterable[tuple[str, Sequence[Any]]]
        if (values := values_by_column(rows, names)) is not None:
            columns = zip(names, values, strict=True)
        else:
            columns = ((name, (value,)) for row in rows for name, value in row.items())
        for name, of_column in columns:
            result = seen.get(name, UNKNOWN)
            for value in _examples(of_column, name in records):
                result = merge_types(result, type_of(value, record=name in records))
            seen[name] = result
    return pa.schema([(name, _with_default_type(result, DECLARED.get(name, TEXT))) for name, result in seen.items()])


def _examples(values: Sequence[Any], record: bool) -> Iterable[Any]:
    """Values that say all about a column: one of each form, of plain numbers the least and the most."""
    if set(map(type, values)) <= (_SCALARS.keys() | ({int} if record else {int, dict})):
        numbers = [value for value in values if type(value) is int]
        bounds = [min(numbers), max(numbers)] if numbers else []
        return [*dict(zip(map(type, values), values, strict=True)).values(), *bounds]
    if set(map(type, values)) == {list} and set(map(type, chain.from_iterable(values))) <= _SCALARS.keys():
        return {tuple(map(type, value)): value for value in values}.values()
    if record and set(map(type, values)) == {dict} and _is_flat(values):
        return {(*value, *map(type, value.values())): value for value in values}.values()
    return {_kind_of_value(value, record): value for value in values}.values()


def _is_flat(records: Sequence[Mapping[str, Any]]) -> bool:
    """Whether records hold single values only, and no whole number that is too large for a column of them."""
    inner = [value for each in records for value in each.values()]
    numbers = [value for value in inner if type(value) is int]
    fits = not numbers or (min(numbers) >= _LEAST and max(numbers) <= _MOST)
    return fits and set(map(type, inner)) <= _SCALARS.keys() | {int}


def _kind_of_value(value: object, record: bool) -> object:
    """What the type of a value goes by."""
    if isinstance(value, list):
        return list, *(_kind_of_value(each, record) for each in value)
    if isinstance(value, dict):
        return dict, *(((name, _kind_of_value(each, record)) for name, each in value.items()) if record else ())
    return _LEAST <= value <= _MOST if type(value) is int else type(value)


def _with_default_type(kind: pa.DataType, otherwise: pa.DataType = TEXT) -> pa.DataType:
    """The same where nothing is left unknown."""
    if types.is_list(kind):
        return pa.list_(_with_default_type(kind.value_type))
    if types.is_struct(kind):
        return pa.struct([(field.name, _with_default_type(field.type)) for field in kind])
    return otherwise if kind == UNKNOWN else kind


def _as_text(value: object) -> str | None:
    return value if value is None or isinstance(value, str) else orjson.dumps(value).decode()


def converter_to(kind: pa.DataType) -> Callable[[Any], Any] | None:
    """What makes a value one of this type; None where it is one already."""
    if kind == TEXT:
        return _as_text
    if types.is_list(kind):
        inner = converter_to(kind.value_type)
        return inner and (lambda values: None if values is None else [inner(value) for value in values])
    if types.is_struct(kind):
        fields = [(field.name, converter_to(field.type) or (lambda value: value)) for field in kind]
        return lambda value: None if value is None else {n: read(value.get(n)) for n, read in fields}
    return None
