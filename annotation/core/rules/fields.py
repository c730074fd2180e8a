"""Rules that people set: each field is declared once, with its name, explanation, bounds, choices and group.

A class of rules is a frozen dataclass that derives from `Rules`; `rule` declares a field of it. What people, files and
scripts give is checked by pydantic, which is loaded at the first check: processes that read what is stored do without.
Forms and lists on pages are drawn from the declarations by `annotation.ui.rule_forms`.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, asdict, dataclass, field, fields
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self, cast, get_type_hints

from annotation.text.gettext import gettext_noop as _
from annotation.text.normalise import storage_problem

if TYPE_CHECKING:
    from _typeshed import DataclassInstance
    from pydantic import BaseModel, ValidationError

# Beyond what any number here is meant for: a slip of the hand.
LARGEST = 1_000_000
LONGEST_LINE, LONGEST_LIST = 80, 4_000
# Why pydantic refuses a value, by its type of error, and what to do; parameters are those of its context.
REASONS: Mapping[str, str] = {
    "missing": _("is missing"),
    "extra_forbidden": _("is no field here; take it out or look for a typing error"),
    "string_type": _("must be a text"),
    "bool_type": _("must be true or false"),
    "bool_parsing": _("must be true or false"),
    "int_type": _("must be a whole number"),
    "int_parsing": _("must be a whole number"),
    "int_from_float": _("must be a whole number"),
    "float_type": _("must be a number"),
    "float_parsing": _("must be a number"),
    "finite_number": _("must be a number"),
    "tuple_type": _("must be a list"),
    "dict_type": _("must be a mapping of names to values"),
    "model_type": _("must be a mapping of names to values"),
    "model_attributes_type": _("must be a mapping of names to values"),
    "string_too_long": _("has more than %(max_length)d characters; shorten it"),
    "string_too_short": _("needs at least %(min_length)d characters"),
    "too_long": _("has more than %(max_length)d entries; shorten it"),
    "too_short": _("needs at least %(min_length)d entries"),
    "greater_than_equal": _("must be at least %(ge)s"),
    "less_than_equal": _("must be at most %(le)s"),
    "literal_error": _("must be one of %(choices)s"),
}
# What is said of a list where one of its entries has another type.
_REASONS_OF_ENTRIES = {
    REASONS["int_type"]: _("must be a list of whole numbers"),
    REASONS["string_type"]: _("must be a list of texts"),
}
# How pydantic names the branches of “a text, or texts by language”: they are no fields.
_BRANCH_NAMES = re.compile(r"str\Z|\[key\]\Z|(constrained|function|lax|json)-|(dict|tuple)\[")


class FieldError(ValueError):
    """A value that cannot be: the field at fault, the reason (English, translatable) and its parameters."""

    def __init__(self, field: str, reason: str, **params: object) -> None:
        self.field, self.reason, self.params = field, reason, params
        message = reason % params if params else reason
        super().__init__(f"{field}: {message}" if field else message)


def validation_problems(error: "ValidationError", reasons: Mapping[str, str] = REASONS) -> Iterator[FieldError]:
    """What pydantic refuses, each with the path of its field: `questions.0.key`."""
    found = [
        (tuple(str(part) for part in each["loc"] if not _BRANCH_NAMES.match(str(part))), each)
        for each in error.errors(include_url=False)
    ]
    places = [place for place, _each in found]
    for place, each in found:
        kind, params = each["type"], dict(each.get("ctx", {}))
        if kind == "string_type" and isinstance(each["input"], Mapping):
            continue  # it has texts by language, and what is wrong with those is said
        if kind == "dict_type" and places.count(place) > 1:
            continue
        if kind == "too_short" and any(len(other) > len(place) and other[: len(place)] == place for other in places):
            continue  # its entries are wrong, not missing
        path, raised = ".".join(place), params.get("error")
        if isinstance(raised, FieldError):
            yield FieldError(".".join(filter(None, (path, raised.field))), raised.reason, **raised.params)
        elif kind == "value_error":
            # What a whole part is refused for names the field inside it.
            inner, colon, reason = str(raised).partition(": ")
            yield (FieldError(".".join(filter(None, (path, inner))), reason) if colon else FieldError(path, inner))
        elif kind in reasons:
            if kind == "literal_error":
                params["choices"] = params["expected"].replace(" or ", ", ").replace("'", "")
            yield FieldError(path, reasons[kind], **params)
        else:
            yield FieldError(path, each["msg"][0].lower() + each["msg"][1:])


@dataclass(frozen=True, slots=True)
class Rule:
    """What is declared of a field beside its type and its default.

    `choices` have their words, and `empty` are those for an empty text; `lines` says that a text has one thing a line;
    `reads` raises FieldError for a text that cannot be; `limits` are pydantic's: ge, le, min_length, max_length.
    """

    title: str
    help: str
    group: str = ""
    choices: Mapping[str, str] = field(default_factory=dict)
    empty: str = ""
    lines: bool = False
    reads: Callable[[str], object] | None = None
    limits: Mapping[str, Any] = field(default_factory=dict)


def rule_metadata(title: str, help: str, group: str = "", **more: Any) -> dict[str, Rule]:
    """The metadata of a field: its name and explanation, then `choices`, `empty`, `lines`, `reads` and limits."""
    own = {name: more.pop(name) for name in ("choices", "empty", "lines", "reads") if name in more}
    return {"rule": Rule(title, help, group, **own, limits=more)}


def rule(default: Any, title: str, help: str, group: str = "", **more: Any) -> Any:
    """Declare a field with its default, as `rule_metadata` says.

    Unless it says otherwise numbers are from 0 to `LARGEST`, texts of `LONGEST_LINE` characters, lists `LONGEST_LIST`.
    """
    if type(default) in (int, float):
        more = {"ge": 0, "le": LARGEST, **more}
    elif isinstance(default, str) and "choices" not in more:
        more = {"max_length": LONGEST_LIST if more.get("lines") else LONGEST_LINE, **more}
    return field(default=default, metadata=rule_metadata(title, help, group, **more))


def model_field(rules: "type[Rules]", name: str, default: Any) -> Any:
    """A field of a pydantic model that is a rule's: its name, explanation and limits, with the model's own default."""
    from pydantic import Field

    declaration = rules.declared()[name]
    return Field(default=default, title=declaration.title, description=declaration.help, **declaration.limits)


class Rules:
    """What classes of rules have in common."""

    __slots__ = ()
    __dataclass_fields__: ClassVar[dict[str, Any]]

    @classmethod
    def declared(cls) -> dict[str, Rule]:
        """The declarations by the fields' names, in their order."""
        return {each.name: each.metadata["rule"] for each in fields(cls) if "rule" in each.metadata}

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Self:
        """Check plain values, each of its own type; a field left out has its default. Raises FieldError."""
        return cls._checked(plain, strict=True)

    @classmethod
    def from_stored(cls, plain: Mapping[str, Any]) -> Self:
        """Read what `to_dict` gave and the database holds: its values were checked before they were stored."""
        return cls(**_tuples(plain))

    def changed(self, values: Mapping[str, Any]) -> Self:
        """The rules with some fields changed; texts, as forms and commands give them, are read. Raises FieldError."""
        for name in values:
            if name not in self.declared():
                raise FieldError(name, REASONS["extra_forbidden"])
        read = {name: each.strip() if isinstance(each, str) else each for name, each in values.items()}
        return self._checked({**self.to_dict(), **read}, strict=False)

    def to_dict(self) -> dict[str, Any]:
        """Give every field as a plain JSON value, in the order of the class."""
        return asdict(cast("DataclassInstance", self))

    @classmethod
    def _checked(cls, plain: Mapping[str, Any], *, strict: bool) -> Self:
        from pydantic import ValidationError

        try:
            found = _model(cast(Any, cls)).model_validate(_tuples(plain), strict=strict)
        except ValidationError as error:
            first = next(validation_problems(error))
            name, _dot, entry = first.field.partition(".")
            reason = _REASONS_OF_ENTRIES.get(first.reason, first.reason) if entry else first.reason
            raise FieldError(name, reason, **first.params) from None
        return cls(**found.__dict__)


def _tuples(plain: Mapping[str, Any]) -> dict[str, Any]:
    """JSON has lists where rules have tuples, which never change."""
    return {name: tuple(each) if isinstance(each, list) else each for name, each in plain.items()}


@cache
def _model(rules: type[Rules]) -> "type[BaseModel]":
    """The pydantic model of a class of rules."""
    from pydantic import AfterValidator, ConfigDict, Field, create_model

    types, declared, made = get_type_hints(rules), rules.declared(), {}
    for each in fields(rules):
        declaration = declared.get(each.name, Rule("", ""))
        kind = Literal[tuple(declaration.choices)] if declaration.choices else types[each.name]
        if kind is str:
            kind = Annotated[str, AfterValidator(_text_validator(declaration.reads))]
        default = ... if each.default is MISSING else each.default
        made[each.name] = (kind, Field(default, **declaration.limits))
    config = ConfigDict(extra="forbid", allow_inf_nan=False)
    return create_model(rules.__name__, __config__=config, **cast(Any, made))


def _text_validator(reads: Callable[[str], object] | None) -> Callable[[str], str]:
    def checked(text: str) -> str:
        if reads is not None:
            reads(text)
        if storage_problem(text):
            raise FieldError("", _("has a character that cannot be stored"))
        return text

    return checked
