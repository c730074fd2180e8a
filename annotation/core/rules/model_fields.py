"""How each field of a pydantic model is typed into a form, read off its annotation.

| annotation | control |
|---|---|
| `str`, `int`, `float`, `bool` | a line or area, a number, a box to tick |
| `Literal` | a list to choose from; with one value nothing |
| a text, or texts by language | a line for each language |
| a tuple of `Literal`s | boxes; of texts or numbers: one line with commas |
| a model | its fields; where it may be left out it is, while nothing is typed into it |
| a tuple of models | rows |

`types` of a field (`only_for_types` in the model) says for which values of its sibling `type` it is asked.
"""

from dataclasses import dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

TYPES = "x-types"
# A text that can be longer gets several lines.
LONGEST_LINE = 300


def only_for_types(*types: str) -> dict[str, Any]:
    """For `Field(json_schema_extra=…)`: the field is only asked where the field `type` beside it says one of these."""
    return {TYPES: list(types)}


@dataclass(frozen=True)
class ModelField:
    """One field of a model as a form has it; `max_length` counts characters, `default` is as JSON has it."""

    name: str
    form: str
    """`line`, `area`, `number`, `tick`, `choice`, `told`, `ticks`, `list`, `part`, `rows` or `constant`."""
    title: str
    help: str
    required: bool
    default: Any = None
    choices: tuple[str, ...] = ()
    model: type[BaseModel] | None = None
    max_length: int | None = None
    optional: bool = False
    is_integer: bool = False
    asked_for_types: tuple[str, ...] = ()

    def is_asked_for(self, type: str) -> bool:
        """Whether it is asked beside this value of `type`."""
        return not self.asked_for_types or type in self.asked_for_types


@cache
def fields_of(model: type[BaseModel]) -> tuple[ModelField, ...]:
    """The fields of a model in their order."""
    return tuple(_field(name, field) for name, field in model.model_fields.items())


def title_of(model: type[BaseModel]) -> str:
    """What a row of the model is called."""
    return model.model_config.get("title") or model.__name__


def _field(name: str, field: FieldInfo) -> ModelField:
    branches = [each for each in _branches(field.annotation, field.metadata) if each[0] is not NoneType]
    extra = field.json_schema_extra if isinstance(field.json_schema_extra, dict) else {}
    default = None if field.default is PydanticUndefined else field.default
    if isinstance(default, BaseModel):
        default = default.model_dump(mode="json", exclude_defaults=True)
    return ModelField(
        name=name,
        title=field.title or name.replace("_", " ").capitalize(),
        help=field.description or "",
        required=field.is_required(),
        default=list(default) if isinstance(default, tuple) else default,
        optional=not field.is_required() and field.default is None,
        asked_for_types=tuple(str(each) for each in extra.get(TYPES, ())),  # type: ignore[union-attr]
        **_control(branches),
    )


def _control(branches: list[tuple[Any, list[Any]]]) -> dict[str, Any]:
    kind, metadata = branches[0]
    if len(branches) > 1:  # a text, or texts by language
        return {"form": "told", "max_length": _longest(metadata)}
    if get_origin(kind) is tuple:
        (inner, _), *_ = _branches(get_args(kind)[0], [])
        if isinstance(inner, type) and issubclass(inner, BaseModel):
            return {"form": "rows", "model": inner}
        if get_origin(inner) is Literal:
            return {"form": "ticks", "choices": get_args(inner)}
        return {"form": "list", "is_integer": inner is int}
    if get_origin(kind) is Literal:
        choices = get_args(kind)
        return {"form": "choice" if len(choices) > 1 else "constant", "choices": choices}
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return {"form": "part", "model": kind}
    if kind is bool:
        return {"form": "tick"}
    if kind in (int, float):
        return {"form": "number", "is_integer": kind is int}
    longest = _longest(metadata)
    return {"form": "area" if longest and longest > LONGEST_LINE else "line", "max_length": longest}


def _branches(annotation: Any, metadata: list[Any]) -> list[tuple[Any, list[Any]]]:
    """The alternatives of an annotation, each with what is annotated to it."""
    if get_origin(annotation) is Annotated:
        inner, *more = get_args(annotation)
        return _branches(inner, [*metadata, *more])
    if get_origin(annotation) in (Union, UnionType):
        return [branch for each in get_args(annotation) for branch in _branches(each, metadata)]
    return [(annotation, metadata)]


def _longest(metadata: list[Any]) -> int | None:
    for each in metadata:
        inner = each.metadata if isinstance(each, FieldInfo) else [each]
        for one in inner:
            if (most := getattr(one, "max_length", None)) is not None:
                return int(most)
    return None
