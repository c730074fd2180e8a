"""The questions of a card as their answer types draw them, and the fields of a form that answer them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.answers import FIELD_PREFIX, Posted, Question, ShownItem, type_of
from annotation.text.line_breaks import plain_breaks


@dataclass(frozen=True)
class CardQuestion:
    """One question of a card; `problem`: why what was typed is no answer, in words."""

    question: Question
    template: str
    template_context: dict[str, Any]
    problem: str = ""


def questions_on_card(
    posed: Sequence[Question], shown: ShownItem, posted: Posted, problem: tuple[str, str] = ("", "")
) -> tuple[CardQuestion, ...]:
    """The questions with what was typed.

    `problem`: the field of the question whose answer cannot be stored, and why, in words.
    """
    at, words = problem
    made = []
    for question in posed:
        kind = type_of(question)
        drawn = kind.template_context(question, posted, shown)
        for part in drawn.get("parts", ()):
            part["problem"] = words if part["question"].field == at else ""
        made.append(CardQuestion(question, kind.template, drawn, words if question.field == at else ""))
    return tuple(made)


def suggested_answers(asked: Iterable[Question], shown: ShownItem) -> dict[str, list[str]]:
    """What stands on a card before anything was typed: the labels that the item itself suggests."""
    found = {}
    for question in asked:
        if question.suggestion_text_key:
            given = shown.texts.get(question.suggestion_text_key, "").casefold().split()
            found[question.field] = [key for key in question.keys if key.casefold() in given]
    return found


def posted_answers(lists: Iterable[tuple[str, Sequence[object]]]) -> dict[str, list[str]]:
    """Of a form's fields those that answer questions, each with all its values, line breaks as texts have them."""
    return {
        name: [plain_breaks(str(value)) for value in values] for name, values in lists if name.startswith(FIELD_PREFIX)
    }
