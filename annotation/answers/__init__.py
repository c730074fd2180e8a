"""The registry of answer types: walks its own folder; another type is one more file that defines TYPE.

Pure. Kinds and teams' own tasks compose questions of these types; the vote page, the engine, the review desk,
statistics and releases ask the type what to do with an answer.
"""

import importlib
import pkgutil
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from annotation.answers.base import (
    FIELD_PREFIX,
    NO_ANSWER_KEY,
    RESERVED_KEYS,
    AggregationRule,
    Answer,
    AnswerProblem,
    AnswerType,
    Column,
    Label,
    PlaceLost,
    Posted,
    Question,
    ShownItem,
    Tally,
    answer_digest,
    as_key,
)

__all__ = [
    "FIELD_PREFIX",
    "NO_ANSWER_KEY",
    "RESERVED_KEYS",
    "AggregationRule",
    "Answer",
    "AnswerProblem",
    "AnswerType",
    "Column",
    "Label",
    "PlaceLost",
    "Posted",
    "Question",
    "ShownItem",
    "Tally",
    "as_key",
    "carried_answers",
    "columns_of",
    "get",
    "label_of",
    "marks_places",
    "type_of",
    "types_by_slug",
    "values_of",
]


@cache
def types_by_slug() -> dict[str, AnswerType]:
    """Slug to answer type, in order of the slug; two types of one slug raise ValueError."""
    found: dict[str, AnswerType] = {}
    for module in pkgutil.iter_modules(__path__):
        answer_type = getattr(importlib.import_module(f"{__name__}.{module.name}"), "TYPE", None)
        if answer_type is None:
            continue
        if answer_type.slug in found:
            raise ValueError(f"two answer types are called {answer_type.slug!r}")
        found[answer_type.slug] = answer_type
    return dict(sorted(found.items()))


def get(slug: str) -> AnswerType:
    """The answer type of that slug; KeyError where there is none."""
    try:
        return types_by_slug()[slug]
    except KeyError:
        raise KeyError(f"no answer type is called {slug!r}; there are {', '.join(types_by_slug())}") from None


def type_of(question: Question) -> AnswerType:
    """The answer type of a question."""
    return get(question.answer_type)


def label_of(questions: Sequence[Question], answers: Mapping[str, Answer]) -> str:
    """The answers as one key, `Vote.label` and `Item.gold`: of a single question that decides its own, else a digest.

    Answers to questions that do not decide are collected beside it.
    """
    deciding = [question for question in questions if question.needs_gold] or questions
    given_answers = {question.key: answers.get(question.key) for question in deciding}
    if len(deciding) > 1:
        return answer_digest(given_answers)
    (question,) = deciding
    answer = given_answers[question.key]
    return NO_ANSWER_KEY if answer is None else type_of(question).key(question, answer)


def marks_places(questions: Iterable[Question]) -> bool:
    """Whether an answer to any of these questions names places in a text."""
    return any(type_of(question).marks_places for question in questions)


def carried_answers(
    questions: Sequence[Question], answers: Mapping[str, Answer], before: ShownItem, now: ShownItem
) -> dict[str, Answer]:
    """Answers given to one revision of an item as they stand in another. Raises PlaceLost where that cannot be said.

    With the same revision twice: whether every marked passage says what the text says there.
    """
    moved = {
        question.key: type_of(question).carried(question, answers[question.key], before, now)
        for question in questions
        if answers.get(question.key) is not None and type_of(question).marks_places
    }
    return {**answers, **moved}


def columns_of(questions: Sequence[Question]) -> tuple[Column, ...]:
    """The columns of a release that hold the answers to these questions."""
    return tuple(column for question in questions for column in type_of(question).columns(question))


def values_of(questions: Sequence[Question], answers: Mapping[str, Answer] | None) -> dict[str, Any]:
    """Answers in these columns, None where there is none."""
    made: dict[str, Any] = {}
    for question in questions:
        made |= type_of(question).values(question, (answers or {}).get(question.key))
    return made
