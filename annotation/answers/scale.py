"""A point on an ordinal scale, its ends in words."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from annotation.answers import tallies
from annotation.answers.base import AggregationRule, Answer, Column, Label, Question, ShownItem, Tally
from annotation.answers.single import KeyAnswerType, label_problems
from annotation.text.gettext import gettext_noop


def points(number: int) -> tuple[Label, ...]:
    """Points from 1 to `number`."""
    return tuple(Label(str(n), str(n), str(n), "square") for n in range(1, number + 1))


class Scale(KeyAnswerType):
    slug = "scale"
    name = gettext_noop("Scale")
    help = gettext_noop("One point of a scale in order, such as 1 to 5, with words for its ends.")
    level = "ordinal"
    flags = {"both_ends": gettext_noop("votes at both ends of the scale")}

    def sample(self) -> tuple[Question, ShownItem, tuple[Answer, ...]]:
        question = Question(
            "toxicity",
            gettext_noop("How toxic is it?"),
            "scale",
            labels=points(5),
            low=gettext_noop("not at all"),
            high=gettext_noop("extremely"),
        )
        return question, ShownItem({"text": "Diam kamu."}), ("1", "2", "5")

    def definition_errors(self, question: Question) -> tuple[tuple[str, str], ...]:
        return label_problems(question.labels, 3)

    def distance(self, question: Question, one: Answer, other: Answer) -> float:
        """The share of the scale between two points; alpha weighs points by how often they are chosen."""
        keys = question.keys
        return abs(keys.index(one) - keys.index(other)) / max(len(keys) - 1, 1)

    def accepted_keys(self, question: Question, answer: Answer) -> list[str]:
        """The point and those beside it: careful people differ by one."""
        at = question.keys.index(answer)
        return list(question.keys[max(at - 1, 0) : at + 2])

    def raised_flags(self, question: Question, answers: Sequence[Answer]) -> Mapping[str, Collection[int]]:
        ends = [question.keys[0], question.keys[-1]]
        there = [place for place, answer in enumerate(answers) if answer in ends]
        return {"both_ends": there} if len({answers[place] for place in there}) == 2 else {}

    def tally(self, question: Question, rule: AggregationRule) -> Tally:
        if rule.combine == tallies.PARTS:
            return tallies.MedianTally(rule, question.keys)
        return tallies.EqualTally(rule, question.keys)

    def columns(self, question: Question) -> tuple[Column, ...]:
        return (Column(question.key, "int64" if _is_numbered(question) else "string"),)

    def values(self, question: Question, answer: Answer) -> dict[str, Any]:
        return {question.key: int(answer) if answer is not None and _is_numbered(question) else answer}


def _is_numbered(question: Question) -> bool:
    return all(key.isdecimal() and key.isascii() for key in question.keys)


TYPE = Scale()
