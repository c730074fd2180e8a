"""What voters answered to the questions about an item, side by side: equal answers once, and how others differ."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext

from annotation.answers import Answer, Posted, Question, type_of
from annotation.answers.agreement import agreement
from annotation.content.models.item import Item
from annotation.kinds import Kind
from validation.voting.models.vote import Vote
from validation.voting.rules.card_questions import CardQuestion, questions_on_card
from validation.voting.rules.option_order import OPTIONS, ORDER, PERSONAL, QUESTION


@dataclass(frozen=True)
class GivenAnswer:
    """One answer in words, who gave it, and in what it differs from the gold one, or from the most frequent."""

    words: str
    who: tuple[str, ...]
    differs: tuple[str, ...] = ()


@dataclass(frozen=True)
class AnsweredQuestion:
    """One question about an item: its gold answer in words, the answers given, the mean distance of two of them, which
    is in points on a scale."""

    question: Question
    gold: str
    given: tuple[GivenAnswer, ...]
    distance: float | None
    in_points: bool = False


def with_translated_labels(question: Question) -> Question:
    """The question with the names of its labels translated, for words that people read."""
    labels = tuple(
        label if label.is_item_option else replace(label, name=gettext(label.name)) for label in question.labels
    )
    parts = tuple(map(with_translated_labels, question.parts))
    return replace(question, text=gettext(question.text), labels=labels, parts=parts)


def answers_in_words(kind: Kind, answers: Mapping[str, Answer] | None) -> list[tuple[str, str]]:
    """Each question that was answered (of a label with criteria each criterion), and the answer, in words."""
    given = {key: answer for key, answer in (answers or {}).items() if key not in (ORDER, OPTIONS, PERSONAL, QUESTION)}
    posed = map(with_translated_labels, kind.question.leaf_questions([*given]))
    return [
        (question.text, type_of(question).display_text(question, given[question.key]))
        for question in posed
        if given.get(question.key) is not None
    ]


def answered_questions(item: Item, asked: Sequence[Question], votes: Sequence[Vote]) -> list[AnsweredQuestion]:
    """The questions about an item with the answers of these votes."""
    gold = item.gold_answers or {}
    return [_answered_question(with_translated_labels(question), gold.get(question.key), votes) for question in asked]


def _answered_question(question: Question, gold: Answer, votes: Sequence[Vote]) -> AnsweredQuestion:
    kind = type_of(question)
    by_key: dict[str, tuple[Answer, list[str]]] = {}
    for vote in votes:
        answer = vote.answers.get(question.key)
        if answer is not None:
            by_key.setdefault(kind.key(question, answer), (answer, []))[1].append(vote.annotator.pseudonym)
    groups = sorted(by_key.values(), key=lambda group: -len(group[1]))
    measure = gold if gold is not None else groups[0][0] if groups else None
    given = tuple(
        GivenAnswer(kind.display_text(question, answer), tuple(who), kind.differences(question, measure, answer))
        for answer, who in groups
    )
    units = [[answer for answer, who in groups for _ in who]]
    words = "" if gold is None else kind.display_text(question, gold)
    found = agreement(kind, question, units)
    return AnsweredQuestion(question, words, given, found.distance, in_points=found.level == "ordinal")


def gold_form(
    kind: Kind,
    item: Item,
    content: Mapping[str, Any],
    criteria: Sequence[str],
    *,
    posted: Posted | None = None,
    problem: tuple[str, str] = ("", ""),
) -> tuple[CardQuestion, ...]:
    """The questions for a lead to answer: as they were posted, else as the gold answers stand."""
    shown = kind.card_view(content)
    if posted is None:
        gold, made = item.gold_answers or {}, dict[str, list[str]]()
        for question in kind.question.leaf_questions(criteria):
            made |= type_of(question).form_data(question, gold.get(question.key), shown)
        posted = made
    return questions_on_card(kind.question.card_questions(criteria), shown, posted, problem)
