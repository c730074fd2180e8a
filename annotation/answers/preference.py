"""Which of two texts is better; where the question allows it, neither.

The two stand on a card in an order drawn for each person. A form names them by place (`1` is the first), so that it
says nothing of where a text is from; stored are `A` for the first of the question's texts and `B` for the second.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from annotation.answers.base import (
    AggregationRule,
    Answer,
    AnswerProblem,
    Label,
    Posted,
    Question,
    ShownItem,
    Tally,
    single_value,
)
from annotation.answers.single import KeyAnswerType
from annotation.answers.tallies import EqualTally
from annotation.text.gettext import gettext_noop

A, B, TIE = SIDES = ("A", "B", "tie")
SIDE_NAMES = {
    A: gettext_noop("A is better"),
    B: gettext_noop("B is better"),
    TIE: gettext_noop("Neither is better"),
}
# On the card: by place, whatever stands there.
PLACE_LABELS = (
    Label("1", gettext_noop("The first is better"), "A", "circle"),
    Label("2", gettext_noop("The second is better"), "B", "square"),
    Label(TIE, SIDE_NAMES[TIE], "T", "diamond"),
)


def shown_order(shown: ShownItem) -> tuple[str, str]:
    """Which of the two stands first on a card, and which second."""
    return (B, A) if shown.order[:1] == (B,) else (A, B)


class Preference(KeyAnswerType):
    slug = "preference"
    shuffled_sides = SIDES[:2]
    name = gettext_noop("Preference")
    help = gettext_noop("Which of two texts is better, or neither where the question allows it.")
    flags = {"neither_leads": gettext_noop("neither side leads")}

    def sample(self) -> tuple[Question, ShownItem, tuple[Answer, ...]]:
        question = Question(
            "better", gettext_noop("Which answer is better?"), "preference", texts=("one", "two"), tie=True
        )
        return question, ShownItem({"one": "Jakarta.", "two": "Bandung."}, order=(B, A)), SIDES

    def definition_errors(self, question: Question) -> tuple[tuple[str, str], ...]:
        if len(set(question.texts)) != 2:
            return (("texts", gettext_noop("names the two texts that are compared")),)
        return ()

    def keys(self, question: Question, shown: ShownItem) -> tuple[str, ...]:
        return _sides(question)

    def parse_form(self, question: Question, posted: Posted, shown: ShownItem) -> Answer:
        place = single_value(question, posted)
        if place not in ("", "1", "2", TIE):
            raise AnswerProblem(question.key, "answer_unknown", answer=place[:80])
        at = dict(zip(("1", "2"), shown_order(shown), strict=True))
        return self.parse_value(question, at.get(place, place) or None, shown)

    def form_data(self, question: Question, answer: Answer, shown: ShownItem) -> dict[str, list[str]]:
        if answer is None:
            return {}
        place: dict[str, str] = dict(zip(shown_order(shown), ("1", "2"), strict=True))
        return {question.field: [place.get(answer, str(answer))]}

    def template_context(self, question: Question, posted: Posted, shown: ShownItem) -> dict[str, Any]:
        chosen = single_value(question, posted)
        offered = PLACE_LABELS if question.tie else PLACE_LABELS[:2]
        return {
            "choices": [(label, label.key == chosen) for label in offered],
            "required": not question.optional,
        }

    def choices(self, question: Question, shown: ShownItem) -> tuple[Label, ...]:
        return tuple(replace(label, key=key) for label, key in zip(PLACE_LABELS, _sides(question), strict=False))

    def from_card_value(self, question: Question, value: object, shown: ShownItem) -> object:
        """`A` is the first of the two as they stand on the card."""
        at = dict(zip((A, B), shown_order(shown), strict=True))
        return at.get(value, value) if isinstance(value, str) else value

    def to_card_value(self, question: Question, answer: Answer, shown: ShownItem) -> Answer:
        return self.from_card_value(question, answer, shown)

    def display_text(self, question: Question, answer: Answer) -> str:
        return SIDE_NAMES.get(answer, str(answer))

    def raised_flags(self, question: Question, answers: Sequence[Answer]) -> Mapping[str, Collection[int]]:
        even = len(answers) > 1 and answers.count(A) == answers.count(B)
        return {"neither_leads": range(len(answers))} if even else {}

    def tally(self, question: Question, rule: AggregationRule) -> Tally:
        return EqualTally(rule, _sides(question))


def _sides(question: Question) -> tuple[str, ...]:
    return SIDES if question.tie else SIDES[:2]


TYPE = Preference()
