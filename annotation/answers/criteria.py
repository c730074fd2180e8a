"""Several questions about one item, each answered and decided by itself: the criteria of a rating.

The engine, votes and releases take the parts (`Question.leaves`); this type draws them together and answers as one.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from annotation.answers import preference, scale, single
from annotation.answers.base import (
    AggregationRule,
    Answer,
    AnswerProblem,
    AnswerType,
    Column,
    Posted,
    Question,
    ShownItem,
    Tally,
    answer_digest,
)
from annotation.text.gettext import gettext_noop

PART_TYPES: Mapping[str, AnswerType] = {each.slug: each for each in (single.TYPE, scale.TYPE, preference.TYPE)}


def _parts(question: Question) -> Iterator[tuple[Question, AnswerType]]:
    return ((part, PART_TYPES[part.answer_type]) for part in question.parts)


class Criteria(AnswerType):
    slug = "criteria"
    name = gettext_noop("Several criteria")
    help = gettext_noop("Several questions in one table, each decided by itself.")
    level = "nominal"
    flags = {"criteria_apart": gettext_noop("no criterion that all agree on")}

    def sample(self) -> tuple[Question, ShownItem, tuple[Answer, ...]]:
        yes_no = (
            replace(single.SAMPLE_LABELS[0], key="yes", name=gettext_noop("Yes"), letter="Y"),
            replace(single.SAMPLE_LABELS[1], key="no", name=gettext_noop("No"), letter="N"),
        )
        question = Question(
            "quality",
            gettext_noop("How good is the answer?"),
            "criteria",
            parts=(
                Question("factual", gettext_noop("Is it true?"), labels=yes_no),
                Question("fluent", gettext_noop("Is it fluent?"), "scale", labels=scale.points(3)),
            ),
        )
        answers = ({"factual": "yes", "fluent": "3"}, {"factual": "no", "fluent": "1"})
        return question, ShownItem({"text": "Jakarta."}), answers

    def definition_errors(self, question: Question) -> tuple[tuple[str, str], ...]:
        if not question.parts:
            return (("parts", gettext_noop("has no criteria")),)
        if any(part.answer_type not in PART_TYPES for part in question.parts):
            return (("parts", gettext_noop("a criterion is a single label, a scale or a preference")),)
        if len({part.key for part in question.parts}) < len(question.parts):
            return (("parts", gettext_noop("the same key is used twice")),)
        return tuple(found for part, kind in _parts(question) for found in kind.definition_errors(part))

    def parse_form(self, question: Question, posted: Posted, shown: ShownItem) -> Answer:
        return {part.key: kind.parse_form(part, posted, shown) for part, kind in _parts(question)}

    def parse_value(self, question: Question, value: object, shown: ShownItem) -> Answer:
        keys = {part.key for part in question.parts}
        if not isinstance(value, Mapping) or not keys.issuperset(value):
            raise AnswerProblem(question.key, "answer_unknown", answer=str(value)[:80])
        return {part.key: kind.parse_value(part, value.get(part.key), shown) for part, kind in _parts(question)}

    def form_data(self, question: Question, answer: Answer, shown: ShownItem) -> dict[str, list[str]]:
        made: dict[str, list[str]] = {}
        for part, kind in _parts(question):
            made |= kind.form_data(part, answer.get(part.key), shown)
        return made

    def template_context(self, question: Question, posted: Posted, shown: ShownItem) -> dict[str, Any]:
        parts = [
            {"question": part, "template": kind.template, "drawn": kind.template_context(part, posted, shown)}
            for part, kind in _parts(question)
        ]
        return {"parts": parts}

    def from_card_value(self, question: Question, value: object, shown: ShownItem) -> object:
        if not isinstance(value, Mapping):
            return value
        named = {part.key: kind.from_card_value(part, value.get(part.key), shown) for part, kind in _parts(question)}
        return {**value, **named}

    def to_card_value(self, question: Question, answer: Answer, shown: ShownItem) -> Answer:
        return {part.key: kind.to_card_value(part, answer.get(part.key), shown) for part, kind in _parts(question)}

    def key(self, question: Question, answer: Answer) -> str:
        return answer_digest(answer)

    def display_text(self, question: Question, answer: Answer) -> str:
        parts = ((part, kind, answer.get(part.key)) for part, kind in _parts(question))
        return "; ".join(f"{part.key}: {kind.display_text(part, one)}" for part, kind, one in parts if one is not None)

    def distance(self, question: Question, one: Answer, other: Answer) -> float:
        """The mean of the distances of the criteria; one that only one of them answered is 1 apart."""
        apart = [_part_distance(part, kind, one.get(part.key), other.get(part.key)) for part, kind in _parts(question)]
        return sum(apart) / len(apart)

    def differences(self, question: Question, one: Answer, other: Answer) -> tuple[str, ...]:
        return tuple(part.text for part in question.parts if one.get(part.key) != other.get(part.key))

    def raised_flags(self, question: Question, answers: Sequence[Answer]) -> Mapping[str, Collection[int]]:
        if len(answers) < 2 or len(question.parts) < 2:
            return {}
        given_answers = [{str(answer.get(part.key)) for answer in answers} for part in question.parts]
        return {"criteria_apart": range(len(answers))} if all(len(each) > 1 for each in given_answers) else {}

    def tally(self, question: Question, rule: AggregationRule) -> Tally:
        return CriteriaTally(question, rule)

    def columns(self, question: Question) -> tuple[Column, ...]:
        return tuple(column for part, kind in _parts(question) for column in kind.columns(part))

    def values(self, question: Question, answer: Answer) -> dict[str, Any]:
        made: dict[str, Any] = {}
        for part, kind in _parts(question):
            made |= kind.values(part, None if answer is None else answer.get(part.key))
        return made


def _part_distance(part: Question, kind: AnswerType, one: Answer, other: Answer) -> float:
    if one is None or other is None:
        return float(one is not other)
    return kind.distance(part, one, other)


class CriteriaTally:
    """The criteria, each counted by itself; there is an answer once all of them have one."""

    def __init__(self, question: Question, rule: AggregationRule) -> None:
        self.tallies = {part.key: kind.tally(part, rule) for part, kind in _parts(question)}

    @property
    def answer(self) -> Answer:
        """Each criterion's answer; None while one has none."""
        made = {key: tally.answer for key, tally in self.tallies.items()}
        return None if None in made.values() else made

    @property
    def done(self) -> bool:
        """Whether every criterion is done."""
        return all(tally.done for tally in self.tallies.values())

    @property
    def tied(self) -> bool:
        """Whether one of the criteria is tied."""
        return any(tally.tied for tally in self.tallies.values())

    def add_answer(self, answer: object, annotator: str | None) -> None:
        """Count one answer to each."""
        given = answer if isinstance(answer, Mapping) else {}
        for key, tally in self.tallies.items():
            tally.add_answer(given.get(key), annotator)

    def close_round(self, left: int) -> bool:
        """Decide each that is not done."""
        of_use = False
        for tally in self.tallies.values():
            if not tally.done:
                of_use |= tally.close_round(left)
        return of_use


TYPE = Criteria()
