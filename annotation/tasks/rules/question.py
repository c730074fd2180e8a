"""Questions of a task, and common parts of a description: keys, names, the palette."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationInfo,
    WithJsonSchema,
    model_validator,
)

from annotation.core.rules.languages import READING_LANGUAGES
from annotation.core.rules.model_fields import fields_of, only_for_types
from annotation.text.gettext import gettext_noop as _
from annotation.text.normalise import label_form

LONGEST_TEXT = 10_000
MOST_LABELS = 30
# Names that rows of releases have for what every project has, or that contents keep for themselves.
_ROW_COLUMNS = """id label label_source gold_label author_label annotator_labels annotator_ids annotation_round votes
answers author flags split language register origin revision guideline agreement raw silver"""
_CONTENT_KEYS = (
    """group source options fields tags target premise hypothesis question order personal error text_error"""
)
RESERVED_COLUMNS = frozenset(f"{_ROW_COLUMNS} {_CONTENT_KEYS}".split())
# The palette: each colour with the shape that is drawn beside it, so that none is distinguished by colour alone.
PALETTE: Mapping[str, str] = {
    "green": "circle",
    "yellow": "square",
    "red": "triangle",
    "blue": "diamond",
    "purple": "pentagon",
    "teal": "hexagon",
    "orange": "star",
    "olive": "cross",
    "pink": "ring",
}
Colour = Literal["green", "yellow", "red", "blue", "purple", "teal", "orange", "olive", "pink"]
LANGUAGE = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*")
_COLUMN = r"^[a-z][a-z0-9_]{0,29}$"
_CRITERION = r"^[a-z0-9][a-z0-9_-]{0,29}$"
# Label keys are what published sets use: PER, 0, -1, not-entailment.
_LABEL = r"^-?[A-Za-z0-9][A-Za-z0-9_-]{0,29}$"


def _storable(text: str) -> str:
    if any(ord(letter) < 32 and letter not in "\n\r\t" for letter in text):
        raise ValueError("holds a control character; take it out")
    return text


def _visible(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be empty")
    return _storable(text).strip()


Storable = Annotated[str, AfterValidator(_storable)]


def _spelt_out(value: object) -> object:
    """What YAML and JSON may have for a label that is written 0 or true."""
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, int) else value


def _label_key(key: str) -> str:
    if not re.fullmatch(_LABEL.strip("^$"), key):
        raise ValueError(
            "must hold letters of A to Z, digits, hyphens and underscores only, at most 30, and begin with a letter or "
            "a digit, or with a minus before one"
        )
    return key


def _by_language(words: Mapping[str, str]) -> Mapping[str, str]:
    for code in words:
        if not LANGUAGE.fullmatch(code):
            raise ValueError(f"“{code}” is no language code; write one such as en or id")
    return words


def _own_column(key: str) -> str:
    if key in RESERVED_COLUMNS or key.endswith("_alt"):
        raise ValueError(f"“{key}” is a column that every release has; choose another key")
    return key


Name = Annotated[str, Field(max_length=200), AfterValidator(_visible)]
Prose = Annotated[str, Field(max_length=2000), AfterValidator(_visible)]
Named = Name | Annotated[dict[str, Name], Field(min_length=1, max_length=20), AfterValidator(_by_language)]
"""A text in one language, or by language code."""
LocalizedProse = Prose | Annotated[dict[str, Prose], Field(min_length=1, max_length=20), AfterValidator(_by_language)]
Key = Annotated[str, Field(pattern=_COLUMN), AfterValidator(_own_column)]
CriterionKey = Annotated[str, Field(pattern=_CRITERION)]
LabelKey = Annotated[
    str,
    BeforeValidator(_spelt_out),
    AfterValidator(_label_key),
    WithJsonSchema({"type": ["string", "integer", "boolean"], "pattern": _LABEL, "maxLength": 31}),
]


def localised_text(texts: str | Mapping[str, str] | None, language: str) -> str:
    """A text in this language; else in one that its speakers read (READ_IN), in English, or the first one."""
    if not isinstance(texts, Mapping):
        return texts or ""
    base = language.split("-")[0]
    wanted = (language, base, READING_LANGUAGES.get(base, ""), "en")
    return next((texts[code] for code in wanted if code in texts), next(iter(texts.values())))


def names_in_languages(name: str | Mapping[str, str]) -> tuple[str, ...]:
    """A name in every language that it has."""
    return tuple(name.values()) if isinstance(name, Mapping) else (name,)


class Part(BaseModel):
    """Whatever a description consists of: nothing else stands in it."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True, str_max_length=LONGEST_TEXT)


def check_unique(what: str, keys: Iterable[str]) -> None:
    twice = [key for key, n in Counter(keys).items() if n > 1]
    if twice:
        raise ValueError(f"{what} “{twice[0]}” stands there twice; change one")


class TaskLabel(Part):
    """One label that people choose."""

    model_config = ConfigDict(title=_("Label"))

    key: LabelKey = Field(title=_("Key"), description=_("How files and releases write it; it never changes."))
    name: Named = Field(title=_("Name"), description=_("What people read."))
    letter: str = Field(
        title=_("Letter"),
        default="",
        max_length=2,
        description=_("Drawn beside the name, and its key on the keyboard."),
    )
    help: LocalizedProse | None = Field(title=_("Help"), default=None, description=_("When to choose it."))
    colour: Colour | None = Field(
        title=_("Colour"), default=None, description=_("Of the palette; in order where it is left out.")
    )


class Ends(Part):
    """An ordinal scale: whole numbers, with what its two ends mean."""

    model_config = ConfigDict(title=_("Scale"))

    first: int = Field(title=_("Lowest number"), default=1, ge=-10, le=10, description=_("The lowest number."))
    last: int = Field(title=_("Highest number"), default=5, ge=-10, le=10, description=_("The highest number."))
    low: Named = Field(title=_("The lowest means"), description=_("What the lowest means."))
    high: Named = Field(title=_("The highest means"), description=_("What the highest means."))

    @model_validator(mode="after")
    def _rises(self) -> Self:
        if not 3 <= self.last - self.first + 1 <= 11:
            raise ValueError("last: the scale needs 3 to 11 numbers; set first and last so")
        return self

    @property
    def numbers(self) -> range:
        """Every number of the scale."""
        return range(self.first, self.last + 1)


class Criterion(Part):
    """One criterion that is judged by itself."""

    model_config = ConfigDict(title=_("Criterion"))

    key: CriterionKey = Field(title=_("Key"), description=_("How files and releases write it."))
    name: Named = Field(title=_("Name"), description=_("What people read."))
    help: LocalizedProse | None = Field(
        title=_("Help"), default=None, description=_("When to say yes, or what the scale means here.")
    )


def _check_distinct_names(labels: Sequence[TaskLabel]) -> None:
    """Refuse labels that are called the same in a language, or one that is called by the key of another."""
    languages = {code: None for label in labels if isinstance(label.name, Mapping) for code in label.name}
    for language in (*languages, "en"):
        first: dict[str, str] = {}
        for label in labels:
            name = localised_text(label.name, language)
            other = first.setdefault(label_form(name), label.key)
            if other != label.key:
                raise ValueError(f"labels: “{other}” and “{label.key}” are both called “{name}”; change one name")
    keys = {label.key for label in labels}
    for label in labels:
        for name in keys.intersection(names_in_languages(label.name)) - {label.key}:
            raise ValueError(f"labels: “{label.key}” is called “{name}”, the key of another label; change the name")


class TaskQuestion(Part):
    """One question of the card, with the type of its answer."""

    model_config = ConfigDict(title=_("Question"))

    key: Key = Field(title=_("Key"), description=_("Column of releases."))
    text: LocalizedProse = Field(title=_("Question"), description=_("What people are asked."))
    type: Literal["single", "several", "scale", "criteria", "preference", "spans", "free_text"] = Field(
        title=_("Answer type"),
        description=_(
            "single: one label; several: any labels; scale: a number; criteria: each by itself; "
            "preference: one of two texts; spans: parts of a text; free_text: own words."
        ),
    )
    help: LocalizedProse | None = Field(title=_("Help"), default=None, description=_("Shown below the question."))
    required: bool = Field(
        title=_("Needed"),
        default=True,
        description=_("Whether an answer is needed before the card can be sent."),
    )
    labels: tuple[TaskLabel, ...] = Field(
        title=_("Labels"),
        json_schema_extra=only_for_types("single", "several", "spans"),
        default=(),
        max_length=MOST_LABELS,
        description=_("Of single, several and spans: what can be chosen."),
    )
    scale: Ends | None = Field(
        title=_("Scale"),
        json_schema_extra=only_for_types("scale", "criteria"),
        default=None,
        description=_("Of scale, and of criteria that are more than yes and no."),
    )
    criteria: tuple[Criterion, ...] = Field(
        title=_("Criteria"),
        json_schema_extra=only_for_types("criteria"),
        default=(),
        max_length=20,
        description=_("Of criteria."),
    )
    between: str | None = Field(
        title=_("Compared texts"),
        json_schema_extra=only_for_types("preference"),
        default=None,
        description=_("Of preference: the key of the field of type texts."),
    )
    tie: bool = Field(
        title=_("Ties"),
        json_schema_extra=only_for_types("preference"),
        default=False,
        description=_("Of preference: whether “equally good” can be chosen."),
    )
    of: str | None = Field(
        title=_("Marked text"),
        json_schema_extra=only_for_types("spans"),
        default=None,
        description=_("Of spans: the key of the text that is marked."),
    )
    many: bool = Field(
        title=_("Several parts"),
        json_schema_extra=only_for_types("spans"),
        default=False,
        description=_("Of spans: whether several parts can be marked."),
    )
    suggested: str | None = Field(
        title=_("Suggested answer"),
        json_schema_extra=only_for_types("several", "scale"),
        default=None,
        description=_(
            "Of several and scale: the key of a text with the keys that are chosen at first, separated by blanks; "
            "people confirm or change them."
        ),
    )
    max_length: int = Field(
        title=_("Longest answer"),
        json_schema_extra=only_for_types("free_text"),
        default=1000,
        ge=1,
        le=LONGEST_TEXT,
        description=_("Of free_text: most characters."),
    )

    @model_validator(mode="after")
    def _has_distinct_names(self, info: ValidationInfo) -> Self:
        # Descriptions that are stored were taken before this was asked of them.
        if not (info.context or {}).get("stored"):
            _check_distinct_names(self.labels)
        return self

    @model_validator(mode="after")
    def _whole(self) -> Self:
        asked = {field.name for field in fields_of(type(self)) if field.is_asked_for(self.type)}
        for name in sorted(self.model_fields_set - asked):
            raise ValueError(f"{name}: a question of type {self.type} does not have it; take it out")
        needs: dict[str, tuple[object, str]] = {
            "single": (len(self.labels) > 1, "labels: at least two are needed"),
            "several": (len(self.labels) > 1, "labels: at least two are needed"),
            "scale": (self.scale, "scale: is missing; give first, last, low and high"),
            "criteria": (self.criteria, "criteria: at least one is needed"),
            "preference": (self.between, "between: is missing; name the field of type texts"),
            "spans": (self.of, "of: is missing; name the text that is marked"),
        }
        there, message = needs.get(self.type, (True, ""))
        if not there:
            raise ValueError(message)
        for name, entries in (("labels", self.labels), ("criteria", self.criteria)):
            check_unique(f"{name}: the key", (entry.key for entry in entries))
        check_unique("labels: the letter", (label.letter.casefold() for label in self.labels if label.letter))
        return self
