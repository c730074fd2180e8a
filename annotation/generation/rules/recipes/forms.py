"""The forms of a material's data: what recipes read and imports of materials have to provide (domain.md §5).

Every text is one that the database can hold and that a page can show: no NUL, no half of a surrogate pair, not empty
where something is asked about it. Whoever reads rows from files turns a fault into the row's number, field and reason.
"""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from annotation.text.normalise import key_form, storage_problem

FORWARD, BACKWARD = "forward", "backward"
SET, CONCEPT, QUESTION, ITEM = "set", "concept", "question", "item"
ANSWER = "answer"
LONGEST_TEXT = 2000
LONGEST_NAME = 300
Direction = Literal["forward", "backward"]


def _storable(text: str) -> str:
    if storage_problem(text):
        raise ValueError("cannot be stored as text")
    return text


def _check_visible(text: str) -> str:
    if not key_form(_storable(text)):
        raise ValueError("is empty")
    return text


Name = Annotated[str, Field(max_length=LONGEST_NAME), AfterValidator(_storable)]
VisibleName = Annotated[str, Field(max_length=LONGEST_NAME), AfterValidator(_check_visible)]
Text = Annotated[str, Field(max_length=LONGEST_TEXT), AfterValidator(_check_visible)]


class Form(BaseModel):
    """What all forms have in common: nothing unknown, no type guessed, never changed after reading."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class SetData(Form):
    """A question set: three targets of one ConceptNet source and relation (mCSQA §3.1).

    `forward`: source → target in the assertion, `backward`: target → source. `uris` are the nodes of the source and
    of the three targets, in that order, without their parts of speech and senses.
    """

    relation: VisibleName
    direction: Direction
    source: VisibleName
    targets: list[VisibleName] = Field(min_length=3, max_length=3)
    uris: list[VisibleName] = Field(min_length=4, max_length=4)


class ConceptData(Form):
    """A concept that the project approved; a machine writes questions that contain it (id-csqa §4.3)."""

    concept: VisibleName
    category: VisibleName
    parallel: Name = ""


class OptionData(Form):
    """One choice of a question, by its key (A to E), as contents of questions have it."""

    key: Annotated[str, Field(pattern="^[A-Z]$")]
    text: VisibleName
    role: Literal["answer", "distractor", ""] = ""


class QuestionData(Form):
    """A finished question that is adapted (id-csqa §4.1): its own id, its concept, its choices, one of them the answer.

    `category` is empty where the file has none. Which split it came with stands on the material.
    """

    id: VisibleName
    concept: VisibleName
    category: Name = ""
    question: Text
    options: list[OptionData] = Field(min_length=2, max_length=10)

    @model_validator(mode="after")
    def _one_answer(self) -> "QuestionData":
        keys = [option.key for option in self.options]
        if len(set(keys)) != len(keys):
            raise ValueError("two choices have the same key")
        if sum(option.role == ANSWER for option in self.options) != 1:
            raise ValueError("exactly one choice has to be the answer")
        return self

    @property
    def answer(self) -> str:
        """The key of the choice that is the answer."""
        return next(option.key for option in self.options if option.role == ANSWER)

    def content(self, material: str) -> dict[str, Any]:
        """The question as a revision of a question has it, to begin a work with."""
        texts = self.model_dump(include={"concept", "category", "question", "options"})
        return {**texts, "made": {"level": "", "set": material, "from": self.id}}


class ItemData(QuestionData):
    """A question of another project that is translated (id-csqa §4.1); `id` is its key there.

    `language` is that of its texts (BCP 47), `project` the short name of the project that it comes from.
    """

    language: VisibleName
    project: VisibleName
