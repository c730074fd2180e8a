"""The description of a team's own task, version 1: what people see, which questions they answer, how gold is made.

A frozen value that a YAML file or a page gives, checked by pydantic; `reading.py` turns what is wrong into sentences.
Limits are those of what is stored: keys are column names of releases, labels fit into a vote's label.
"""

from collections.abc import Sequence
from typing import Annotated, Any, Literal, Self

from pydantic import ConfigDict, Field, model_validator

from annotation.core.rules.fields import FieldError, model_field
from annotation.core.rules.model_fields import only_for_types
from annotation.kinds.rendered_texts import LIST_WIDGETS, MEDIA_WIDGETS
from annotation.tasks.rules.question import (
    LANGUAGE,
    LONGEST_TEXT,
    RESERVED_COLUMNS,
    Key,
    LocalizedProse,
    Named,
    Part,
    Storable,
    TaskQuestion,
    check_unique,
)
from annotation.text.gettext import gettext_noop as _
from validation.consensus.protocol import Protocol

MOST_FIELDS = MOST_QUESTIONS = 12


# A name of the internet, which addresses of images and sounds begin with.
HOST = r"^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$"
Example = Annotated[
    Storable,
    Field(max_length=2000, title=_("Example"), description=_("Shown in the preview of the card; nowhere else.")),
]


class SideText(Part):
    """One of two texts that stand side by side."""

    model_config = ConfigDict(title=_("Side"))

    key: Key = Field(title=_("Key"), description=_("Column of files and releases."))
    name: Named = Field(title=_("Name"), description=_("What people see above it."))
    example: Example = ""


class SourceField(Part):
    """One thing that people see of an item."""

    model_config = ConfigDict(title=_("Field"))

    key: Key = Field(title=_("Key"), description=_("Column of files and releases: small letters, digits, underscores."))
    name: Named = Field(title=_("Name"), description=_("What people see above it; one text, or one by language code."))
    type: Literal["text", "image", "audio", "table", "texts", "dialogue"] = Field(
        title=_("Type"),
        default="text",
        description=_(
            "text; image or audio: a file that is sent, or an https address; table: one row of a table; texts: two "
            "side by side; dialogue: turns of speakers."
        ),
    )
    required: bool = Field(
        title=_("Needed"), default=True, description=_("Whether a row of a file without it is refused.")
    )
    max_length: int = Field(
        title=_("Longest text"),
        default=LONGEST_TEXT,
        ge=1,
        le=LONGEST_TEXT,
        description=_("Most characters; a longer row is refused."),
    )
    example: Example = ""
    hosts: tuple[Annotated[str, Field(pattern=HOST)], ...] = Field(
        title=_("Hosts"),
        json_schema_extra=only_for_types("image", "audio"),
        default=(),
        max_length=10,
        description=_(
            "Of image and audio: the hosts that files may be loaded from. None: files are sent with the items."
        ),
    )
    sides: tuple[SideText, ...] = Field(
        title=_("Sides"),
        json_schema_extra=only_for_types("texts"),
        default=(),
        max_length=2,
        description=_("Of type texts only: the two texts, left and right."),
    )

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if self.type == "texts" and len(self.sides) != 2:
            raise ValueError("sides: a field of type texts needs two entries, each with key and name")
        if self.type != "texts" and self.sides:
            raise ValueError("sides: only a field of type texts has them; take them out or change the type")
        if self.hosts and self.type not in MEDIA_WIDGETS:
            raise ValueError("hosts: only a field of type image or audio has them; take them out")
        return self

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of its texts in contents, files and releases; images and sounds are told in words too."""
        if self.type == "texts":
            return tuple(side.key for side in self.sides)
        return (self.key, f"{self.key}_alt") if self.type in MEDIA_WIDGETS else (self.key,)


class Authoring(Part):
    """What writers do where items are not imported ready: they write one field for each source."""

    writes: str = Field(
        title=_("Writers write"), description=_("The key of the field of type text that writers write.")
    )
    count: int = Field(
        title=_("How many"),
        default=1,
        ge=1,
        le=10,
        description=_("How many are written for each source, or each label."),
    )
    label: Literal["none", "given", "chosen"] = Field(
        title=_("Author's label"),
        default="none",
        description=_(
            "The author's label: none; given: a text is written for each label; chosen: the writer says which."
        ),
    )


class Rounds(Part):
    """How votes are settled: fields of protocols as those declare them."""

    rounds: tuple[Annotated[int, Field(ge=1, le=99)], ...] = model_field(Protocol, "rounds", (3,))
    quorum: int = model_field(Protocol, "quorum", 2)
    author: Literal["vote", "none"] = model_field(Protocol, "author", "none")
    plurality: bool = model_field(Protocol, "plurality", False)
    tie: Literal["none", "lowest-pseudonym"] = model_field(Protocol, "tie", "none")
    stop_hopeless: bool = model_field(Protocol, "stop_hopeless", True)
    combine: Literal["", "whole", "parts"] = model_field(Protocol, "combine", "")
    most_ambiguous: int = model_field(Protocol, "most_ambiguous", -1)

    def protocol(self) -> Protocol:
        """The protocol of a new project. Raises FieldError."""
        return Protocol("task", **self.model_dump()).titled()


class Task(Part):
    """A task as a team describes it: what an item shows, what is asked, how answers are settled."""

    version: Literal[1] = Field(
        title=_("Version"), default=1, description=_("The version of this form of descriptions.")
    )
    name: Named = Field(title=_("Name"), description=_("What the task is called."))
    description: LocalizedProse | None = Field(
        title=_("Description"),
        default=None,
        description=_("A few sentences for the team and for the data sheet."),
    )
    language: str = Field(
        title=_("Language of the texts"),
        default="id",
        max_length=35,
        pattern=f"^{LANGUAGE.pattern}$",
        description=_("Code of the texts' language."),
    )
    source: tuple[SourceField, ...] = Field(
        title=_("What people see"),
        min_length=1,
        max_length=MOST_FIELDS,
        description=_("Texts, images and sounds of an item, in their order on a card."),
    )
    questions: tuple[TaskQuestion, ...] = Field(
        title=_("What people are asked"),
        min_length=1,
        max_length=MOST_QUESTIONS,
        description=_("What people are asked; the first one makes the gold label."),
    )
    authoring: Authoring | None = Field(
        title=_("Writers"), default=None, description=_("Left out: items are imported ready.")
    )
    protocol: Rounds = Field(title=_("Protocol"), default=Rounds(), description=_("Rounds, quorum and ties."))
    flags: tuple[Literal["unsure", "ambiguous"], ...] = Field(
        title=_("Marks"),
        default=("unsure", "ambiguous"),
        description=_("What people can tick beside their answer."),
    )
    shuffle: tuple[Literal["sides"], ...] = Field(
        title=_("In an order of its own"),
        default=(),
        description=_(
            "What stands in an order of its own for each person: the two texts of each preference, all in the "
            "same order."
        ),
    )
    share: float = Field(
        title=_("Share that is voted on"),
        default=1,
        ge=0,
        le=1,
        description=_("The share of written items that is voted on."),
    )
    guidelines: Annotated[Storable, Field(max_length=LONGEST_TEXT)] = Field(
        title=_("Guidelines"),
        default="",
        description=_("Guidelines for who votes, in Markdown; made from the questions where it is empty."),
    )

    @model_validator(mode="after")
    def _fits(self) -> Self:
        check_unique("source: the key", (field.key for field in self.source))
        columns = [column for field in self.source for column in field.columns]
        columns += [question.key for question in self.questions]
        parts = [f"{each.key}_{part.key}" for each in self.questions for part in each.criteria]
        answered = [*(each.key for each in self.questions if not each.criteria), *parts]
        derived = [*parts, *(f"annotator_{name}" for name in answered), *self.marked_lists.values()]
        check_unique("source and questions: the column", [*columns, *derived])
        if taken := sorted(RESERVED_COLUMNS.intersection(derived)):
            raise ValueError(f"questions: releases have a column “{taken[0]}” already; give another key")
        texts = [column for field in self.source if field.type not in MEDIA_WIDGETS for column in field.columns]
        beside = [field.key for field in self.source if field.type == "texts"]
        for place, question in enumerate(self.questions):
            if question.of is not None and question.of not in texts:
                raise ValueError(f"questions.{place}.of: there is no text “{question.of}”; there are {_list(texts)}")
            if question.suggested is not None and question.suggested not in texts:
                raise ValueError(
                    f"questions.{place}.suggested: there is no text “{question.suggested}”; there are {_list(texts)}"
                )
            if question.between is not None and question.between not in beside:
                raise ValueError(
                    f"questions.{place}.between: there is no field “{question.between}” of type texts; there are "
                    f"{_list(beside)}"
                )
        self._authored()
        try:
            self.protocol.protocol()
        except FieldError as error:
            raise FieldError(f"protocol.{error.field}", error.reason, **error.params) from error
        if self.shuffle and all(question.type != "preference" for question in self.questions):
            raise ValueError("shuffle: sides are shuffled for a question of type preference; there is none")
        for place, question in enumerate(self.questions):
            if self.shuffle and question.of in self.shuffled:
                raise ValueError(
                    f"questions.{place}.of: “{question.of}” is shuffled; mark another, or leave shuffle out"
                )
        return self

    def _authored(self) -> None:
        if self.authoring is None:
            if self.protocol.author == "vote":
                raise ValueError("protocol.author: there is no author's label without authoring; set it to none")
            return
        plain = [field.key for field in self.source if field.type == "text"]
        if self.authoring.writes not in plain:
            raise ValueError(
                f"authoring.writes: there is no field “{self.authoring.writes}” of type text; there are {_list(plain)}"
            )
        if len(self.source) < 2:
            raise ValueError("authoring: writers need a source; add a field beside the one that they write")
        if self.authoring.label != "none" and self.main.type != "single":
            raise ValueError("authoring.label: the first question has to be of type single; set label to none")
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
    def marked_lists(self) -> dict[str, str]:
        """Dialogues and table rows in which passages are marked, and what releases call the text that offsets count."""
        marked = {question.of for question in self.questions}
        lists = (field.key for field in self.source if field.type in LIST_WIDGETS)
        return {key: f"{key}_text" for key in lists if key in marked}

    @property
    def first_text(self) -> str:
        """The text that lists show, and that stands for the source."""
        return self.given[0].columns[0]

    @property
    def given(self) -> Sequence[SourceField]:
        """The fields that files bring, those that nobody writes here."""
        written = self.authoring.writes if self.authoring else None
        return [field for field in self.source if field.key != written]

    @property
    def shuffled(self) -> tuple[str, ...]:
        """The columns of the texts that stand in an order of its own for each person."""
        between = [question.between for question in self.questions if question.between] if self.shuffle else []
        return tuple(column for field in self.source if field.key in between for column in field.columns)

    def plain(self) -> dict[str, Any]:
        """As JSON has it, without what was left out."""
        return self.model_dump(mode="json", exclude_defaults=True) | {"version": self.version}


def _list(names: Sequence[str]) -> str:
    return ", ".join(names) or "none"
