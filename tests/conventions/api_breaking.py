"""What a later OpenAPI document takes away from scripts that were written for an earlier one: plain values."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

Shape = Mapping[str, Any]
METHODS = ("get", "post", "put", "patch", "delete")


def breaking_changes(old: Shape, new: Shape) -> list[str]:
    """What breaks scripts, a line each, in order.

    A path, method, scope, parameter, form or field that is gone (where the earlier document does not call it
    deprecated); a parameter or field of a body that is required from now on; a field of an answer that can be of a
    type that it was not, or one of a body that can no longer be what it could.
    """
    return sorted(set(_path_breaks(old, new)))


def _path_breaks(old: Shape, new: Shape) -> Iterator[str]:
    for path, methods in old["paths"].items():
        for method in methods.keys() & set(METHODS):
            before, after = methods[method], new["paths"].get(path, {}).get(method)
            if before.get("deprecated"):
                continue
            name = f"{method.upper()} {path}"
            if after is None:
                yield f"{name} is gone"
                continue
            found = (
                *_parameter_breaks(before, after),
                *_request_breaks(old, new, before, after),
                *_answer_breaks(old, new, before, after),
            )
            yield from (f"{name}: {what}" for what in found)


def _parameter_breaks(before: Shape, after: Shape) -> Iterator[str]:
    for scope in set(before.get("x-scopes", ())) - set(after.get("x-scopes", ())):
        yield f"the scope {scope} is not enough"
    old, new = ({(each["in"], each["name"]): each for each in one.get("parameters", ())} for one in (before, after))
    for key, parameter in old.items():
        if key not in new and not parameter.get("deprecated"):
            yield f"the parameter {key[1]} is gone"
    for key, parameter in new.items():
        if parameter.get("required") and not old.get(key, {}).get("required"):
            yield f"the parameter {key[1]} is required"


def _request_breaks(old: Shape, new: Shape, before: Shape, after: Shape) -> Iterator[str]:
    was, now = before.get("requestBody", {}), after.get("requestBody", {})
    if now.get("required") and not was.get("required"):
        yield "a body is required"
    for media, shape in was.get("content", {}).items():
        if media not in now.get("content", {}):
            yield f"{media} is not taken"
            continue
        had = fields(old, shape.get("schema", {}))
        has = fields(new, now["content"][media].get("schema", {}))
        yield from _missing_fields(had, has, "body")
        for way, field in has.items():
            if way in had:
                if field.required and not had[way].required:
                    yield f"body{way} is required"
                if not (_covers(had[way].types, field.types) and _covers(had[way].enum, field.enum)):
                    yield f"body{way} takes less"
            elif field.required and (field.of in had or not field.of):
                yield f"body{way} is required"


def _answer_breaks(old: Shape, new: Shape, before: Shape, after: Shape) -> Iterator[str]:
    for status, answer in before["responses"].items():
        if status not in after["responses"]:
            yield f"the answer {status} is gone"
            continue
        there = after["responses"][status].get("content", {})
        for media, shape in answer.get("content", {}).items():
            if media not in there:
                yield f"{status} is not {media}"
                continue
            had, has = fields(old, shape.get("schema", {})), fields(new, there[media].get("schema", {}))
            yield from _missing_fields(had, has, status)
            for way in had.keys() & has.keys():
                if not _covers(has[way].types, had[way].types):
                    yield f"{status}{way} is of another type"
                if had[way].required and not has[way].required:
                    yield f"{status}{way} may be missing"


def _covers(some: frozenset[str], wanted: frozenset[str]) -> bool:
    """Whether all that the first names is in the second; an empty one names everything."""
    return not wanted or (bool(some) and some <= wanted)


def _missing_fields(had: "dict[str, Field]", has: "dict[str, Field]", where: str) -> Iterator[str]:
    for way, field in had.items():
        if way not in has and not field.deprecated:
            yield f"{where}{way} is gone"


@dataclass(frozen=True)
class Field:
    """A field: its JSON types (none: any), what it may be where that is listed, and the way of the object it is of."""

    types: frozenset[str]
    enum: frozenset[str]
    required: bool
    deprecated: bool
    of: str


def fields(told: Shape, shape: Shape, where: str = "", within: tuple[str, ...] = ()) -> dict[str, Field]:
    """Every field of a schema by its way (`.results[].key`); references are followed, each once on a way."""
    ref = shape.get("$ref", "")
    if ref in within:
        return {}
    if ref:
        return fields(told, _named(told, ref), where, (*within, ref))
    found: dict[str, Field] = {}
    for part in _parts(shape):
        found |= fields(told, part, where, within)
    if "items" in shape:
        found |= fields(told, shape["items"], f"{where}[]", within)
    if isinstance(shape.get("additionalProperties"), dict):
        found |= fields(told, shape["additionalProperties"], f"{where}{{}}", within)
    for name, inner in shape.get("properties", {}).items():
        way = f"{where}.{name}"
        required, old = name in shape.get("required", ()), bool(inner.get("deprecated"))
        of = re.sub(r"(\[\]|\{\})+$", "", where)
        found[way] = Field(_types(told, inner), _enum(told, inner), required, old, of)
        found |= fields(told, inner, way, within)
    return found


def _named(told: Shape, ref: str) -> Shape:
    found = told
    for part in ref.removeprefix("#/").split("/"):
        found = found[part]
    return found


def _parts(shape: Shape) -> list[Shape]:
    return [part for way in ("oneOf", "anyOf", "allOf") for part in shape.get(way, ())]


def _types(told: Shape, shape: Shape) -> frozenset[str]:
    if "$ref" in shape:
        return _types(told, _named(told, shape["$ref"]))
    own = shape.get("type", ())
    found = {own} if isinstance(own, str) else set(own)
    return frozenset(found.union(*(_types(told, part) for part in _parts(shape))))


def _enum(told: Shape, shape: Shape) -> frozenset[str]:
    if "$ref" in shape:
        return _enum(told, _named(told, shape["$ref"]))
    return frozenset(map(repr, shape.get("enum", ()))).union(*(_enum(told, part) for part in _parts(shape)))
