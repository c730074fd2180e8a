"""Questions of a task, and what everything in a description has in common: keys, names, the palette."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

LONGEST_TEXT = 10_000
MOST_LABELS = 30
# Names that rows of releases have for what every project has, or that contents keep for themselves.
_OF_ROWS = """id label label_source gold_label author_label annotator_labels annotator_ids annotation_round votes
answers author flags split language register origin revision guideline agreement raw silver"""
_OF_CONTENTS = (
    """group source options fields tags target premise hypothesis question order personal error text_error"""
)
RESERVED = frozenset(f"{_OF_ROWS} {_OF_CONTENTS}".split())
# The palette: each colour with the shape that is drawn beside it, so that none is told apart by colour alone.
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
_LABEL = r"^[a-z0-9][a-z0-9_-]{0,29}$"


def _storable(text: str) -> str:
    if any(ord(letter) < 32 and letter not in "\n\r\t" for letter in text):
        raise ValueError("holds a control character; take it out")
    return text


def _visible(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be empty")
    return _storable(text).strip()


Storable = Annotated[str, AfterValidator(_storable)]


def _by_language(words: Mapping[str, str]) -> Mapping[str, str]:
    for code in words:
        if not LANGUAGE.fullmatch(code):
            raise ValueError(f"“{code}” is no language code; write one such as en or id")
    return words


def _own_column(key: str) -> str:
    if key in RESERVED or key.endswith("_alt"):
        raise ValueError(f"“{key}” is a column that every release has; choose another key")
    return key


Name = Annotated[str, Field(max_length=200), AfterValidator(_visible)]
Prose = Annotated[str, Field(max_length=2000), AfterValidator(_visible)]
Named = Name | Annotated[dict[str, Name], Field(min_length=1, max_length=20), AfterValidator(_by_language)]
"""A text in one language, or by language code."""
Told = Prose | Annotated[dict[str, Prose], Field(min_length=1, max_length=20), AfterValidator(_by_language)]
Key = Annotated[str, Field(pattern=_COLUMN), AfterValidator(_own_column)]
LabelKey = Annotated[str, Field(pattern=_LABEL)]


def words(told: str | Mapping[str, str] | None, language: str) -> str:
    """A text in this language; where it has none in it, in English, and else the first one."""
    if not isinstance(told, Mapping):
        return told or ""
    base = language.split("-")[0]
    return next((told[code] for code in (language, base, "en") if code in told), next(iter(told.values())))


class Part(BaseModel):
    """Whatever a description consists of: nothing else stands in it."""

    model_config = ConfigDict(extra="forbid", frozen=True, str_max_length=LONGEST_TEXT)


def once(what: str, keys: Iterable[str]) -> None:
    twice = [key for key, n in Counter(keys).items() if n > 1]
    if twice:
        raise ValueError(f"{what} “{twice[0]}” stands there twice; change one")


class TaskLabel(Part):
    """One label that people choose."""

    key: LabelKey = Field(description="How files and releases write it; it never changes.")
    name: Named = Field(description="What people read.")
    letter: str = Field(
        default="", max_length=2, description="Drawn beside the name, and its key on the keyboard."
    )
    help: Told | None = Field(default=None, description="When to choose it.")
    colour: Colour | None = Field(default=None, description="Of the palette; in order where it is left out.")


class Ends(Part):
    """An ordinal scale: whole numbers, with what its two ends mean."""

    first: int = Field(default=1, ge=-10, le=10, description="The lowest number.")
    last: int = Field(default=5, ge=-10, le=10, description="The highest number.")
    low: Named = Field(description="What the lowest means.")
    high: Named = Field(description="What the highest means.")

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

    key: LabelKey = Field(description="How files and releases write it.")
    name: Named = Field(description="What people read.")
    help: Told | None = Field(default=None, description="When to say yes, or what the scale means here.")


_TAKES: Mapping[str, frozenset[str]] = {
    "single": frozenset({"labels"}),
    "several": frozenset({"labels"}),
    "scale": frozenset({"scale"}),
    "criteria": frozenset({"criteria", "scale"}),
    "preference": frozenset({"between", "tie"}),
    "spans": frozenset({"of", "labels", "many"}),
    "free_text": frozenset({"max_length"}),
}


class TaskQuestion(Part):
    """One question of the card, with the type of its answer."""

    key: Key = Field(description="Column of releases.")
    text: Told = Field(description="What people are asked.")
    type: Literal["single", "several", "scale", "criteria", "preference", "spans", "free_text"] = Field(
        description="single: one label; several: any labels; scale: a number; criteria: each by itself; "
        "preference: one of two texts; spans: parts of a text; free_text: own words."
    )
    help: Told | None = Field(default=None, description="Shown below the question.")
    required: bool = Field(
        default=True, description="Whether an answer is needed before the card can be sent."
    )
    labels: tuple[TaskLabel, ...] = Field(
        default=(),
        max_length=MOST_LABELS,
        description="Of single, several and spans: what can be chosen.",
    )
    scale: Ends | None = Field(
        default=None, description="Of scale, and of criteria that are more than yes and no."
    )
    criteria: tuple[Criterion, ...] = Field(default=(), max_length=12, description="Of criteria.")
    between: str | None = Field(
        default=None, description="Of preference: the key of the field of type texts."
    )
    tie: bool = Field(default=False, description="Of preference: whether “equally good” can be chosen.")
    of: str | None = Field(default=None, description="Of spans: the key of the text that is marked.")
    many: bool = Field(default=False, description="Of spans: whether several parts can be marked.")
    max_length: int = Field(default=1000, ge=1, le=LONGEST_TEXT, description="Of free_text: most characters.")

    @model_validator(mode="after")
    def _whole(self) -> Self:
        takes = _TAKES[self.type]
        every = frozenset().union(*_TAKES.values())
        for name in sorted(self.model_fields_set & every - takes):
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
            once(f"{name}: the key", (entry.key for entry in entries))
        once("labels: the letter", (label.letter.casefold() for label in self.labels if label.letter))
        return self
