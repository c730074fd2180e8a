"""The description of a team's own task, version 1: what people see, what they are asked, how their answers are settled.

A frozen value that a YAML file or a page gives, checked by pydantic; `reading.py` turns what is wrong into sentences.
Limits are those of what is stored: keys are column names of releases, labels fit into a vote's label.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from validation.consensus.protocol import Protocol, ProtocolError

VERSION = 1
LONGEST_TEXT = 10_000
MOST_FIELDS = MOST_QUESTIONS = 12
MOST_LABELS = 30
# Names that rows of releases have for what every project has, or that contents keep for themselves.
RESERVED = frozenset(
    (
        *(
            "id",
            "label",
            "label_source",
            "gold_label",
            "author_label",
            "annotator_labels",
            "annotator_ids",
            "answers",
        ),
        *(
            "annotation_round",
            "votes",
            "author",
            "flags",
            "split",
            "language",
            "register",
            "origin",
            "revision",
            "raw",
        ),
        *(
            "guideline",
            "group",
            "source",
            "options",
            "fields",
            "tags",
            "target",
            "silver",
            "premise",
            "hypothesis",
        ),
        *("agreement", "question", "order", "personal", "error", "text_error"),
    )
)
# The palette: each colour with the shape that is drawn beside it, so that none is told apart by colour alone.
PALETTE: Mapping[str, str] = {
    "blue": "circle",
    "orange": "square",
    "red": "triangle",
    "green": "diamond",
    "purple": "pentagon",
    "teal": "hexagon",
    "yellow": "star",
    "pink": "cross",
    "grey": "ring",
}
Colour = Literal["blue", "orange", "red", "green", "purple", "teal", "yellow", "pink", "grey"]
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*")
_COLUMN = r"^[a-z][a-z0-9_]{0,29}$"
_LABEL = r"^[a-z0-9][a-z0-9_-]{0,29}$"


def _visible(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be empty")
    if any(ord(letter) < 32 and letter not in "\n\t" for letter in text):
        raise ValueError("holds a control character; take it out")
    return text.strip()


def _by_language(words: Mapping[str, str]) -> Mapping[str, str]:
    for code in words:
        if not _LANGUAGE.fullmatch(code):
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


class SideText(Part):
    """One of two texts that stand side by side."""

    key: Key = Field(description="Column of files and releases.")
    name: Named = Field(description="What people see above it.")


class SourceField(Part):
    """One thing that people see of an item."""

    key: Key = Field(description="Column of files and releases: small letters, digits, underscores.")
    name: Named = Field(description="What people see above it; one text, or one by language code.")
    type: Literal["text", "image", "audio", "table", "texts", "dialogue"] = Field(
        default="text",
        description="text; image or audio: an https address; table: one row of a table; texts: two side by side; "
        "dialogue: turns of speakers.",
    )
    required: bool = Field(default=True, description="Whether a row of a file without it is refused.")
    max_length: int = Field(
        default=LONGEST_TEXT, ge=1, le=LONGEST_TEXT, description="Most characters; a longer row is refused."
    )
    sides: tuple[SideText, ...] = Field(
        default=(), max_length=2, description="Of type texts only: the two texts, left and right."
    )

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if self.type == "texts" and len(self.sides) != 2:
            raise ValueError("sides: a field of type texts needs two entries, each with key and name")
        if self.type != "texts" and self.sides:
            raise ValueError("sides: only a field of type texts has them; take them out or change the type")
        return self

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of its texts in contents, files and releases; an image has a text that says what it shows."""
        if self.type == "texts":
            return tuple(side.key for side in self.sides)
        return (self.key, f"{self.key}_alt") if self.type == "image" else (self.key,)


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
        if not 2 <= self.last - self.first + 1 <= 11:
            raise ValueError("last: the scale needs 2 to 11 numbers; set first and last so")
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
            _once(f"{name}: the key", (entry.key for entry in entries))
        _once("labels: the letter", (label.letter.casefold() for label in self.labels if label.letter))
        return self


class Authoring(Part):
    """What writers do where items are not imported ready: they write one field for each source."""

    writes: str = Field(description="The key of the field of type text that writers write.")
    count: int = Field(
        default=1, ge=1, le=10, description="How many are written for each source, or each label."
    )
    label: Literal["none", "given", "chosen"] = Field(
        default="none",
        description="The author's label: none; given: a text is written for each label; chosen: the writer says which.",
    )


class Rounds(Part):
    """How votes are settled; the fields of docs/administrators.md, Protocol."""

    rounds: tuple[Annotated[int, Field(ge=1, le=99)], ...] = Field(
        default=(3,), min_length=1, max_length=9, description="Votes asked for in each round."
    )
    quorum: int = Field(default=2, ge=1, le=99, description="Equal votes that make gold.")
    author: Literal["vote", "none"] = Field(
        default="none", description="Whether the author's label is a vote."
    )
    plurality: bool = Field(default=False, description="Whether gold is what most votes say.")
    tie: Literal["none", "lowest-pseudonym"] = Field(default="none", description="What a tie becomes.")
    stop_hopeless: bool = Field(
        default=True, description="Whether to ask nobody where no label can win any more."
    )
    most_ambiguous: int = Field(
        default=-1, ge=-1, le=99, description="More marks than this exclude an item; -1: none."
    )

    def protocol(self) -> Protocol:
        """The protocol of a new project. Raises ProtocolError."""
        return Protocol("task", **self.model_dump()).titled()


def _once(what: str, keys: Iterable[str]) -> None:
    twice = [key for key, n in Counter(keys).items() if n > 1]
    if twice:
        raise ValueError(f"{what} “{twice[0]}” stands there twice; change one")


class Task(Part):
    """A task as a team describes it: what an item shows, what is asked, how answers are settled."""

    version: Literal[1] = Field(default=1, description="The version of this form of descriptions.")
    name: Named = Field(description="What the task is called.")
    description: Told | None = Field(
        default=None, description="A few sentences for the team and for the data sheet."
    )
    language: str = Field(
        default="id",
        max_length=35,
        pattern=f"^{_LANGUAGE.pattern}$",
        description="Code of the texts' language.",
    )
    source: tuple[SourceField, ...] = Field(
        min_length=1, max_length=MOST_FIELDS, description="What people see."
    )
    questions: tuple[TaskQuestion, ...] = Field(
        min_length=1,
        max_length=MOST_QUESTIONS,
        description="What people are asked; the first one makes the gold label.",
    )
    authoring: Authoring | None = Field(default=None, description="Left out: items are imported ready.")
    protocol: Rounds = Field(default=Rounds(), description="Rounds, quorum and ties.")
    flags: tuple[Literal["unsure", "ambiguous"], ...] = Field(
        default=("unsure", "ambiguous"), description="What people can tick beside their answer."
    )
    shuffle: tuple[Literal["labels", "sides"], ...] = Field(
        default=(), description="What stands in an order of its own for each person."
    )
    share: float = Field(default=1, ge=0, le=1, description="The share of written items that is voted on.")
    guidelines: Annotated[str, Field(max_length=LONGEST_TEXT)] = Field(
        default="",
        description="Guidelines for who votes, in Markdown; made from the questions where it is empty.",
    )

    @model_validator(mode="after")
    def _fits(self) -> Self:
        _once("source: the key", (field.key for field in self.source))
        columns = [column for field in self.source for column in field.columns]
        columns += [question.key for question in self.questions]
        _once("source and questions: the key", columns)
        texts = [
            column
            for field in self.source
            if field.type not in ("image", "audio")
            for column in field.columns
        ]
        beside = [field.key for field in self.source if field.type == "texts"]
        for place, question in enumerate(self.questions):
            if question.of is not None and question.of not in texts:
                raise ValueError(
                    f"questions.{place}.of: there is no text “{question.of}”; there are {_list(texts)}"
                )
            if question.between is not None and question.between not in beside:
                raise ValueError(
                    f"questions.{place}.between: there is no field “{question.between}” of type texts; there are "
                    f"{_list(beside)}"
                )
        self._authored()
        try:
            self.protocol.protocol()
        except ProtocolError as error:
            raise ValueError(f"protocol.{error}") from error
        if "sides" in self.shuffle and not any(question.type == "preference" for question in self.questions):
            raise ValueError("shuffle: sides are shuffled for a question of type preference; there is none")
        return self

    def _authored(self) -> None:
        if self.authoring is None:
            if self.protocol.author == "vote":
                raise ValueError(
                    "protocol.author: there is no author's label without authoring; set it to none"
                )
            return
        plain = [field.key for field in self.source if field.type == "text"]
        if self.authoring.writes not in plain:
            raise ValueError(
                f"authoring.writes: there is no field “{self.authoring.writes}” of type text; there are {_list(plain)}"
            )
        if len(self.source) < 2:
            raise ValueError("authoring: writers need a source; add a field beside the one that they write")
        if self.authoring.label != "none" and self.main.type != "single":
            raise ValueError(
                "authoring.label: the first question has to be of type single; set label to none"
            )
        if self.authoring.label == "none" and self.protocol.author == "vote":
            raise ValueError("protocol.author: authors give no label; set it to none, or set authoring.label")

    @property
    def main(self) -> TaskQuestion:
        """The question whose answer is the item's gold label."""
        return self.questions[0]

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of all texts of an item."""
        return tuple(column for field in self.source for column in field.columns)

    @property
    def first_text(self) -> str:
        """The text that lists show, and that stands for the source."""
        return self.given[0].columns[0]

    @property
    def given(self) -> Sequence[SourceField]:
        """The fields that files bring, those that nobody writes here."""
        written = self.authoring.writes if self.authoring else None
        return [field for field in self.source if field.key != written]

    def plain(self) -> dict[str, Any]:
        """As JSON has it, without what was left out."""
        return self.model_dump(mode="json", exclude_defaults=True) | {"version": self.version}


def _list(names: Sequence[str]) -> str:
    return ", ".join(names) or "none"
