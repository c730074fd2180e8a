"""Several labels at once: emotions of a text, reasons for a judgement. None, where the question is optional."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from annotation.answers import tallies
from annotation.answers.base import (
    LONGEST_KEY,
    NO_ANSWER_KEY,
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
    answer_digest,
    as_key,
)
from annotation.answers.single import label_problems
from annotation.text.gettext import gettext_noop


class Several(AnswerType):
    slug = "several"
    name = gettext_noop("Several labels")
    help = gettext_noop("Any number of labels; each is decided by itself.")
    level = "masi"
    known_answer_form = "set"
    flags = {"none_or_some": gettext_noop("no label beside some labels")}

    def sample(self) -> tuple[Question, ShownItem, tuple[Answer, ...]]:
        labels = (
            Label("joy", gettext_noop("Joy"), "J", "circle"),
            Label("anger", gettext_noop("Anger"), "A", "square"),
            Label("fear", gettext_noop("Fear"), "F", "triangle"),
        )
        question = Question("emotions", gettext_noop("Which emotions?"), "several", labels=labels, optional=True)
        return question, ShownItem({"text": "Aduh!"}), (["joy"], ["joy", "anger"], ["fear"], [])

    def definition_errors(self, question: Question) -> tuple[tuple[str, str], ...]:
        return label_problems(question.labels, 2)

    def parse_form(self, question: Question, posted: Posted, shown: ShownItem) -> Answer:
        return self.parse_value(question, list(posted.get(question.field, ())), shown)

    def parse_value(self, question: Question, value: object, shown: ShownItem) -> Answer:
        chosen = [] if value is None else value
        if not isinstance(chosen, list | tuple):
            raise AnswerProblem(question.key, "answer_unknown", answer=str(value)[:80])
        keys = [label.key for label in shown.labels(question)]
        chosen = list(map(as_key, chosen))
        for key in chosen:
            if key not in keys:
                raise AnswerProblem(question.key, "answer_unknown", answer=str(key)[:80])
        if not chosen and not question.optional:
            raise AnswerProblem(question.key, "question_unanswered")
        return [key for key in keys if key in chosen]

    def form_data(self, question: Question, answer: Answer, shown: ShownItem) -> dict[str, list[str]]:
        return {question.field: list(answer or ())}

    def template_context(self, question: Question, posted: Posted, shown: ShownItem) -> dict[str, Any]:
        chosen = posted.get(question.field, ())
        return {"choices": [(label, label.key in chosen) for label in shown.labels(question)]}

    def key(self, question: Question, answer: Answer) -> str:
        """The keys joined by `+`, sorted; a digest where that is longer than a key can be."""
        joined = "+".join(sorted(answer)) or NO_ANSWER_KEY
        return joined if len(joined) <= LONGEST_KEY else answer_digest(sorted(answer))

    def display_text(self, question: Question, answer: Answer) -> str:
        names = {label.key: label.name for label in question.labels}
        return ", ".join(names.get(key, key) for key in answer) or gettext_noop("none")

    def accepted_keys(self, question: Question, answer: Answer) -> list[str]:
        return list(answer)

    def distance(self, question: Question, one: Answer, other: Answer) -> float:
        """MASI, as a distance: 1 - Jaccard x monotonicity (Passonneau 2006, LREC, §4)."""
        first, second = set(one), set(other)
        if first == second:
            return 0.0
        both, either = first & second, first | second
        monotone = 2 / 3 if both in (first, second) else 1 / 3 if both else 0.0
        return 1 - len(both) / len(either) * monotone

    def differences(self, question: Question, one: Answer, other: Answer) -> tuple[str, ...]:
        apart = set(one) ^ set(other)
        return tuple(label.name for label in question.labels if label.key in apart)

    def raised_flags(self, question: Question, answers: Sequence[Answer]) -> Mapping[str, Collection[int]]:
        mixed = any(answers) and not all(answers)
        return {"none_or_some": [n for n, answer in enumerate(answers) if not answer]} if mixed else {}

    def tally(self, question: Question, rule: AggregationRule) -> Tally:
        keys = question.keys

        def chosen(answer: object) -> list[str] | None:
            if not isinstance(answer, list | tuple) or not all(key in keys for key in answer):
                return None
            return None if not answer and not question.optional else list(answer)

        if rule.combine == tallies.WHOLE:

            def whole(answer: object) -> str | None:
                return None if (found := chosen(answer)) is None else self.key(question, found)

            return tallies.EquivalenceTally(rule, whole)
        return tallies.PartsTally(rule, chosen, lambda within: [key for key in keys if key in within])

    def columns(self, question: Question) -> tuple[Column, ...]:
        return (Column(question.key, ["string"]),)

    def values(self, question: Question, answer: Answer) -> dict[str, Any]:
        return {question.key: None if answer is None else list(answer)}


TYPE = Several()
