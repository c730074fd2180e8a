"""What somebody typed so far, valid or not: read from a form or from plain values, and given back as plain values.

A draft has the texts as they were typed: mappings of fields, lists of rows. Names of a form are paths with dots, as
`task.questions.0.labels.2.name.en`; the rows stand in the order of their numbers, whatever these are.
"""

import contextlib
from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import Any

from pydantic import BaseModel

from annotation.core.rules.model_fields import ModelField, fields_of
from annotation.text.line_breaks import plain_breaks, typed_text
from annotation.ui.typed_numbers import number_text, read_number

# The field of a text that is one for all languages.
ALL_LANGUAGES = "_"
Draft = dict[str, Any]


class FieldNotShown(ValueError):
    """Plain values with something that the form has no field for: its path."""


# --- from a form ----------------------------------------------------------------------------


def draft_from_form(model: type[BaseModel], fields: Iterable[tuple[str, Sequence[str]]], prefix: str) -> Draft:
    """The draft that a form sent: its fields by name, each with all its values."""
    tree: dict[str, Any] = {}
    for name, values in fields:
        first, *path = name.split(".")
        if first != prefix or not path or len(path) > 20:
            continue
        place = tree
        for step in path[:-1]:
            inner = place.setdefault(step, {})
            place = inner if isinstance(inner, dict) else {}
        place[path[-1]] = list(values)
    return _read(model, tree)


def _read(model: type[BaseModel], tree: Mapping[str, Any]) -> Draft:
    return {field.name: _value(field, tree.get(field.name)) for field in fields_of(model)}


def _value(field: ModelField, sent: Any) -> Any:
    if field.form == "part" and field.model:
        return _read(field.model, sent if isinstance(sent, dict) else {})
    if field.form == "rows" and field.model:
        rows = sent if isinstance(sent, dict) else {}
        numbers = sorted((each for each in rows if each.isdecimal() and each.isascii()), key=lambda n: int(n[:9]))
        return [_read(field.model, rows[n]) for n in numbers if isinstance(rows[n], dict)]
    if field.form == "told":
        texts = sent if isinstance(sent, dict) else {}
        return {code: _last(values) for code, values in texts.items()}
    values = sent if isinstance(sent, list) else []
    if field.form == "ticks":
        return [each for each in values if each]
    return bool(values) if field.form == "tick" else _last(values)


def _last(values: Any) -> str:
    return plain_breaks(str(values[-1])) if isinstance(values, list) and values else ""


def with_stored_breaks(draft: Any, stored: Any) -> Any:
    """The draft, where texts that nobody changed are those of another one byte for byte."""
    if isinstance(draft, dict) and isinstance(stored, dict):
        return {name: with_stored_breaks(value, stored.get(name)) for name, value in draft.items()}
    if isinstance(draft, list) and isinstance(stored, list):
        return [with_stored_breaks(value, before) for value, before in zip_longest(draft, stored[: len(draft)])]
    return typed_text(draft, stored) if isinstance(draft, str) and isinstance(stored, str) else draft


# --- from plain values ----------------------------------------------------------------------


def draft_from_plain(model: type[BaseModel], plain: Any, path: str = "") -> Draft:
    """The draft of plain values, right or wrong. Raises NotShown for what the form has no field for."""
    if not isinstance(plain, Mapping):
        raise FieldNotShown(path)
    known = {field.name: field for field in fields_of(model)}
    for name in plain:
        if name not in known:
            raise FieldNotShown(f"{path}.{name}" if path else str(name))
    return {
        name: typed_value(field, plain.get(name, field.default), f"{path}.{name}" if path else name)
        for name, field in known.items()
    }


def typed_value(field: ModelField, value: Any, path: str = "") -> Any:
    """A plain value as it is typed. Raises NotShown."""
    if field.form == "part" and field.model:
        return draft_from_plain(field.model, {} if value is None else value, path)
    if field.form == "rows" and field.model:
        rows = _rows_of_list([] if value is None else value, path)
        return [draft_from_plain(field.model, each, f"{path}.{n}") for n, each in enumerate(rows)]
    if field.form == "told":
        texts = value if isinstance(value, Mapping) else {} if value is None else {ALL_LANGUAGES: value}
        return {str(code): _text(text, f"{path}.{code}") for code, text in texts.items()}
    if field.form == "ticks":
        return [_text(each, path) for each in _rows_of_list(value or [], path)]
    if field.form == "list":
        return ", ".join(_text(each, path) for each in _rows_of_list(value or [], path))
    if field.form == "tick":
        if not isinstance(value, bool):
            raise FieldNotShown(path)
        return value
    return _text(value, path)


def _rows_of_list(value: Any, path: str) -> Sequence[Any]:
    if not isinstance(value, list | tuple):
        raise FieldNotShown(path)
    return value


def _text(value: Any, path: str) -> str:
    if value is None:
        return ""
    if not isinstance(value, str | int | float) or isinstance(value, bool):
        raise FieldNotShown(path)
    return number_text(value) if isinstance(value, float) else str(value)


# --- to plain values ------------------------------------------------------------------------


def plain_from_draft(model: type[BaseModel], draft: Mapping[str, Any], language: str = "en") -> dict[str, Any]:
    """What was typed as the model reads it: without blanks, defaults, and what its type does not have.

    A text for all languages beside others becomes that of `language`, or of the first one that is missing.
    """
    made = {}
    for field in fields_of(model):
        if field.is_asked_for(str(draft.get("type", ""))):
            value = _plain(field, draft.get(field.name), language)
            if value is not None and (field.required or value != field.default):
                made[field.name] = value
    return made


def _plain(field: ModelField, value: Any, language: str) -> Any:
    if field.form == "part" and field.model:
        # What may be left out is, while nothing is typed into it.
        return plain_from_draft(field.model, value or {}, language) or (None if field.optional else {})
    if field.form == "rows" and field.model:
        return [plain_from_draft(field.model, row, language) for row in value or []]
    if field.form == "told":
        return _texts_by_language(value or {}, language)
    if field.form == "constant":
        return field.choices[0] if field.default is None else None
    if field.form == "ticks":
        return [each for each in field.choices if each in (value or ())]
    if field.form == "tick":
        return bool(value)
    text = str(value or "")
    if field.form == "list" and text.strip():
        parts = [part.strip() for part in text.replace("\n", ",").split(",") if part.strip()]
        return [_number(field, part) for part in parts] if field.is_integer else parts
    if field.form in ("line", "number", "choice"):
        text = text.strip()
    if not text.strip():
        return None
    return _number(field, text) if field.form == "number" else text


def _texts_by_language(texts: Mapping[str, str], language: str) -> Any:
    there = {code: text for code, text in texts.items() if text.strip()}
    every = there.pop(ALL_LANGUAGES, None)
    if every is None or not there:
        return every if every is not None else (there or None)
    free = next((code for code in (language, "en", "id", ALL_LANGUAGES) if code not in there), ALL_LANGUAGES)
    return {**there, free: every}


def _number(field: ModelField, text: str) -> Any:
    """A number where it is one; what is none is given as it stands, so that it is refused by name."""
    with contextlib.suppress(ValueError):
        number = read_number(text)
        if number == number.to_integral_value():
            return int(number)
        if field.form == "number" and not field.is_integer:
            return float(number)
    return text


# --- rows: added, moved, taken out ----------------------------------------------------------


def apply_button(model: type[BaseModel], draft: Draft, action: str) -> str:
    """Do with the rows what a button asks for (`add:`, `remove:`, `up:`, `down:` and a path); where to go on typing."""
    what, _, path = action.partition(":")
    steps = path.split(".")
    field, rows, number = _rows(model, draft, steps)
    if field is None or field.model is None:
        return ""
    if what == "add":
        rows.append(draft_from_plain(field.model, {}))
        return f"{path}.{len(rows) - 1}"
    if not 0 <= number < len(rows):
        return ""
    above = ".".join(steps[:-1])
    if what == "remove":
        rows.pop(number)
        return f"{above}.{min(number, len(rows) - 1)}" if rows else above
    other = number + {"up": -1, "down": 1}.get(what, 0)
    if not 0 <= other < len(rows):
        return path
    rows[number], rows[other] = rows[other], rows[number]
    return f"{above}.{other}"


def _rows(model: type[BaseModel], draft: Draft, steps: Sequence[str]) -> tuple[ModelField | None, list[Any], int]:
    """The rows that a path leads to, with the number of one of them where it ends in one, else -1."""
    nothing: tuple[None, list[Any], int] = (None, [], -1)
    field = next((each for each in fields_of(model) if each.name == steps[0]), None)
    if field is None or field.model is None:
        return nothing
    inner = draft[field.name]
    if field.form == "part":
        return _rows(field.model, inner, steps[1:]) if len(steps) > 1 else nothing
    if len(steps) == 1:
        return field, inner, -1
    number = int(steps[1][:9]) if steps[1].isdecimal() and steps[1].isascii() else -1
    if len(steps) == 2 or not 0 <= number < len(inner):
        return field, inner, number
    return _rows(field.model, inner[number], steps[2:])
