"""The forms of a model's answers: whether they can be read. The steps judge their quality.

An answer that does not fit its form is no answer and is asked for again; so forms forgive what does no harm (fields
too many, blanks around a text) and refuse what could not be stored or shown.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Self

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, FiniteFloat

from annotation.text.normalise import storage_problem

LONGEST = 2000
MOST_LISTED = 50
# As many questions as could be asked for in one call.
MOST_QUESTIONS = 1000


def clean_line(text: str) -> str:
    """A text in one line, without blanks around it; refused where it could not be stored."""
    if storage_problem(text):
        raise ValueError("cannot be stored as text")
    return " ".join(text.split())


Text = Annotated[str, Field(max_length=LONGEST), AfterValidator(clean_line)]


class Answer(BaseModel):
    """What all answers have in common: what was not asked for is ignored."""

    model_config = ConfigDict(extra="ignore", frozen=True)


def in_words(text: str) -> str:
    """An answer that was given without its form: one line of words. Raises ValueError for anything else."""
    words = text.strip()
    if "\n" in words or any(mark in words for mark in "{}[]"):
        raise ValueError("is no line of words")
    return words


class InWords(Answer):
    """An answer of one text, which may come as the bare words."""

    @classmethod
    def from_text(cls, text: str) -> Self:
        return cls.model_validate({next(iter(cls.model_fields)): in_words(text)})


class QuestionText(InWords):
    """A question, written or bettered; it may come as the bare sentence."""

    question: Text


class Distractors(Answer):
    """Wrong choices, made without the question."""

    distractors: list[Text] = Field(max_length=MOST_LISTED)


class Chosen(InWords):
    """The letter of the choice that the model takes for the answer."""

    answer: Text


class Choice(Answer):
    """A choice with its letter."""

    key: Text
    text: Text


def _as_choices(given: Any) -> Any:
    """Choices as a model likes to write them: `{"A": "…"}`, or five texts in a row, besides the list asked for."""
    if isinstance(given, Mapping):
        return [{"key": key, "text": text} for key, text in given.items()]
    if isinstance(given, list) and given and all(isinstance(each, str) for each in given):
        return [{"key": chr(ord("A") + n), "text": text} for n, text in enumerate(given[:26])]
    return given


Choices = Annotated[list[Choice], BeforeValidator(_as_choices), Field(max_length=MOST_LISTED)]


class Written(Answer):
    """A whole question that a model wrote, or made of another: its concept, its choices, and the answer's letter."""

    concept: Text
    question: Text
    options: Choices
    answer: Text
    distractor: Text = ""


class WrittenQuestions(Answer):
    """Questions for several concepts, each with the concept that it is about."""

    questions: list[Written] = Field(max_length=MOST_QUESTIONS)


class Verdict(InWords):
    """Yes or no, in English or as the model says it."""

    answer: Text


class Named(Answer):
    """The names of persons, and of places, that stand in a question and its choices."""

    persons: list[Text] = Field(default=[], max_length=MOST_LISTED)
    places: list[Text] = Field(default=[], max_length=MOST_LISTED)


class Rename(Answer):
    """A person's name as it stands in a question, and the name that takes its place."""

    name: Text
    becomes: Text


class Renames(Answer):
    """Which names of persons are changed, and into which; nothing else can be changed with it."""

    names: list[Rename] = Field(max_length=MOST_LISTED)


class Translated(InWords):
    """A text in another language."""

    text: Text


class Vector(Answer):
    """A text as an embedding model sees it."""

    vector: list[FiniteFloat] = Field(min_length=1, max_length=20_000)
