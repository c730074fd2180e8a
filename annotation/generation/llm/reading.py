"""What an endpoint answered, read as the form that a step expects; nothing of it is trusted (reliability A46)."""

import json
from collections.abc import Iterator
from typing import Any, NoReturn, TypeVar

from pydantic import BaseModel, ValidationError

from annotation.text.normalise import storage_problem

Form = TypeVar("Form", bound=BaseModel)
LONGEST = 400_000
DEEPEST = 30
MOST_PLACES = 20


class UnusableAnswer(Exception):
    """What was said cannot be used: `code` says why."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


def parse_answer(form: type[Form], text: str) -> Form:
    """The first JSON value in a text that fits the form; else what the form's own `from_text` makes of the words.

    Raises Unusable: `empty`, `too_long`, `no_json`, `too_deep`, `bad_characters`, `does_not_fit`.
    """
    if not text.strip():
        raise UnusableAnswer("empty")
    if len(text) > LONGEST:
        raise UnusableAnswer("too_long")
    fault = "no_json"
    for value in _json_values(text):
        try:
            _check(value, 0)
            return form.model_validate(value)
        except UnusableAnswer as unusable:
            fault = unusable.code
        except (ValidationError, RecursionError, OverflowError):
            fault = "does_not_fit"
    from_text = getattr(form, "from_text", None)
    if from_text is None or fault != "no_json":
        raise UnusableAnswer(fault)
    try:
        answer = from_text(text)
    except (ValueError, ValidationError) as error:
        raise UnusableAnswer("does_not_fit") from error
    _check(answer.model_dump(), 0)
    return answer  # type: ignore[no-any-return]


def _json_values(text: str) -> Iterator[Any]:
    """The JSON objects and lists that stand in a text, in order: code fences and words around them are passed over."""
    decoder = json.JSONDecoder(parse_constant=_refuse_constant)
    place = 0
    for _ in range(MOST_PLACES):
        starts = [at for at in (text.find("{", place), text.find("[", place)) if at >= 0]
        if not starts:
            return
        place = min(starts)
        try:
            value, place = decoder.raw_decode(text, place)
        except RecursionError as error:
            raise UnusableAnswer("too_deep") from error
        except ValueError:  # torn, NaN, or an integer of more digits than Python reads
            place += 1
            continue
        yield value


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(name)


def _check(value: Any, depth: int) -> None:
    """Refuse what is too deep, or holds a character that no text has."""
    if depth > DEEPEST:
        raise UnusableAnswer("too_deep")
    if isinstance(value, str):
        if storage_problem(value):
            raise UnusableAnswer("bad_characters")
    elif isinstance(value, dict | list | tuple):
        for each in [*value, *value.values()] if isinstance(value, dict) else value:
            _check(each, depth + 1)
