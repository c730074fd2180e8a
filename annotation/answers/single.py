"""One label: of a fixed list, or of the item's own options."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from string import ascii_uppercase
from typing import Any

from annotation.answers import tallies
from annotation.answers.base import (
    LONGEST_KEY,
    AggregationRule,
    Answer,
    AnswerProblem,
    AnswerType,
    Column,
    Label,
    Posted,
    Question,
    ShownItem,
    Tally,
    as_key,
    single_value,
)
from annotation.text.gettext import gettext_noop

SAMPLE_LABELS = (
    Label("e", gettext_noop("Entailment"), "E", "circle"),
    Label("n", gettext_noop("Neutral"), "N", "square"),
    Label("c", gettext_noop("Contradiction"), "C", "triangle"),
)


def label_problems(labels: Sequence[Label], least: int) -> tuple[tuple[str, str], ...]:
    """Why labels cannot be those of a question."""
    keys = [label.key for label in labels]
    found = []
    if len(keys) < least:
        found.append(gettext_noop("has too few labels"))
    if len(set(keys)) < len(keys):
        found.append(gettext_noop("the same key is used twice"))
    if any(not key.strip() or len(key) > LONGEST_KEY or key.startswith(("=", "~")) for key in keys):
        found.append(gettext_noop("a key has 1 to 40 characters and does not begin with = or ~"))
    return tuple(("labels", reason) for reason in found)


class KeyAnswerType(AnswerType):
    """What all types have whose answer is one key."""

    level = "nominal"
    is_single_key = True
    known_answer_form = "one"

    def keys(self, question: Question, shown: ShownItem) -> tuple[str, ...]:
        """The keys to choose among."""
        return tuple(label.key for label in shown.labels(question))

    def parse_form(self, question: Question, posted: Posted, shown: ShownItem) -> Answer:
        return self.parse_value(question, single_value(question, posted) or None, shown)

    def parse_value(self, question: Question, value: object, shown: ShownItem) -> Answer:
        if value is None or value == "":
            if question.optional:
                return None
            raise AnswerProblem(question.key, "question_unanswered")
        value = as_key(value)
        if not isinstance(value, str) or value not in self.keys(question, shown):
            raise AnswerProblem(question.key, "answer_unknown", answer=str(value)[:80])
        return value

    def form_data(self, question: Question, answer: Answer, shown: ShownItem) -> dict[str, list[str]]:
        return {} if answer is None else {question.field: [str(answer)]}

    def template_context(self, question: Question, posted: Posted, shown: ShownItem) -> dict[str, Any]:
        chosen = single_value(question, posted)
        choices = [
            (label, chosen == (str(place) if label.is_item_option else label.key))
            for place, label in enumerate(shown.labels(question), start=1)
        ]
        return {"choices": choices, "required": not question.optional}

    def key(self, question: Question, answer: Answer) -> str:
        return str(answer)

    def accepted_keys(self, question: Question, answer: Answer) -> list[str]:
        return [str(answer)]

    def display_text(self, question: Question, answer: Answer) -> str:
        return next((label.name for label in question.labels if label.key == answer), str(answer))

    def distance(self, question: Question, one: Answer, other: Answer) -> float:
        """Nominal: 0 where equal, else 1 (Krippendorff 2011)."""
        return float(one != other)

    def differences(self, question: Question, one: Answer, other: Answer) -> tuple[str, ...]:
        return () if one == other else (self.display_text(question, one), self.display_text(question, other))

    def tally(self, question: Question, rule: AggregationRule) -> Tally:
        return tallies.EqualTally(rule, question.keys)

    def columns(self, question: Question) -> tuple[Column, ...]:
        return (Column(question.key, "string"),)

    def values(self, question: Question, answer: Answer) -> dict[str, Any]:
        return {question.key: answer}


class Single(KeyAnswerType):
    slug = "single"
    name = gettext_noop("One label")
    help = gettext_noop("One of the labels, or one of the item's own options.")
    flags = {"all_differ": gettext_noop("every vote another label")}

    def sample(self) -> tuple[Question, ShownItem, tuple[Answer, ...]]:
        question = Question("relation", gettext_noop("The hypothesis is…"), labels=SAMPLE_LABELS)
        return question, ShownItem({"text": "Ada hujan."}), ("e", "n", "c")

    def parse_form(self, question: Question, posted: Posted, shown: ShownItem) -> Answer:
        # A form names the item's own options by place: their keys may tell who wrote which.
        chosen = single_value(question, posted)
        if question.own_options and chosen:
            places = {str(place): label.key for place, label in enumerate(shown.options, start=1)}
            chosen = places.get(chosen, f"?{chosen}")
        return self.parse_value(question, chosen or None, shown)

    def form_data(self, question: Question, answer: Answer, shown: ShownItem) -> dict[str, list[str]]:
        if not question.own_options:
            return super().form_data(question, answer, shown)
        keys = [label.key for label in shown.options]
        return {question.field: [str(keys.index(answer) + 1)]} if answer in keys else {}

    def choices(self, question: Question, shown: ShownItem) -> tuple[Label, ...]:
        if not question.own_options:
            return question.labels
        placed = zip(ascii_uppercase, shown.options, strict=False)
        return tuple(replace(label, key=letter, letter=letter) for letter, label in placed)

    def from_card_value(self, question: Question, value: object, shown: ShownItem) -> object:
        # The item's own options by the letters of their places, as the card has them.
        if not question.own_options or not value or not isinstance(value, str):
            return value
        placed = zip(ascii_uppercase, shown.options, strict=False)
        return next((label.key for letter, label in placed if letter == value), f"?{value}")

    def to_card_value(self, question: Question, answer: Answer, shown: ShownItem) -> Answer:
        if not question.own_options:
            return answer
        placed = zip(ascii_uppercase, shown.options, strict=False)
        return next((letter for letter, label in placed if label.key == answer), None)

    def raised_flags(self, question: Question, answers: Sequence[Answer]) -> Mapping[str, Collection[int]]:
        differ = len(answers) > 2 and len(set(answers)) == len(answers)
        return {"all_differ": range(len(answers))} if differ else {}

    def definition_errors(self, question: Question) -> tuple[tuple[str, str], ...]:
        # Of a question with own options the labels are all keys that an item may use.
        return label_problems(question.labels, 2)


TYPE = Single()
