"""A text of one's own: an answer, a reason, a rewording.

Texts are equal where they have the same words in the same case-folded spelling. Where no text has the quorum the item
goes to the review desk, where a lead approves one of the answers or writes another. What a file or a script gives is
kept as it is; what is typed on a page loses blanks at its ends.
"""

import unicodedata
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from annotation.answers.base import (
    LONGEST_KEY,
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
    single_value,
)
from annotation.answers.spans import f1
from annotation.answers.tallies import EquivalenceTally
from annotation.text.gettext import gettext_noop
from annotation.text.line_breaks import plain_breaks
from annotation.text.normalise import storage_problem
from annotation.text.tokens import WORD


def fold_text(text: str) -> str:
    """The text as it is compared: NFC, case-folded, blanks as one."""
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())


def _words(text: str) -> Counter[str]:
    """The words of a text as they are compared; a text without words is one."""
    folded = fold_text(text)
    return Counter(WORD.findall(folded) or [folded])


class FreeText(AnswerType):
    slug = "free_text"
    name = gettext_noop("Free text")
    help = gettext_noop("A text; equal texts count together, and a lead approves one where they differ.")
    level = "overlap"
    is_own_text = True
    flags = {"unconfirmed": gettext_noop("no text was written twice")}

    def sample(self) -> tuple[Question, ShownItem, tuple[Answer, ...]]:
        question = Question("answer", gettext_noop("What is the answer?"), "free_text")
        return question, ShownItem({"text": "Apa ibu kota Jawa Barat?"}), ("Bandung", "Kota Bandung", "Bogor")

    def definition_errors(self, question: Question) -> tuple[tuple[str, str], ...]:
        if not 1 <= question.longest <= 10_000:
            return (("longest", gettext_noop("is between 1 and 10000")),)
        return ()

    def parse_form(self, question: Question, posted: Posted, shown: ShownItem) -> Answer:
        typed = unicodedata.normalize("NFC", plain_breaks(single_value(question, posted))).strip()
        return self.parse_value(question, typed, shown)

    def parse_value(self, question: Question, value: object, shown: ShownItem) -> Answer:
        if not isinstance(value, str | None):
            raise AnswerProblem(question.key, "answer_unknown", answer=str(value)[:80])
        text = value if value and value.strip() else ""
        if storage_problem(text):
            raise AnswerProblem(question.key, "text_not_storable")
        if len(text) > question.longest:
            raise AnswerProblem(question.key, "answer_too_long", most=question.longest, length=len(text))
        if not text and not question.optional:
            raise AnswerProblem(question.key, "question_unanswered")
        return text or None

    def form_data(self, question: Question, answer: Answer, shown: ShownItem) -> dict[str, list[str]]:
        return {question.field: [answer or ""]}

    def template_context(self, question: Question, posted: Posted, shown: ShownItem) -> dict[str, Any]:
        return {"text": single_value(question, posted), "required": not question.optional}

    def key(self, question: Question, answer: Answer) -> str:
        """The folded text, or a digest of it where it is longer than a key or could be taken for another."""
        text = fold_text(answer)
        return text if 0 < len(text) <= LONGEST_KEY and text[0] not in "=~" else answer_digest(text)

    def display_text(self, question: Question, answer: Answer) -> str:
        return str(answer)

    def distance(self, question: Question, one: Answer, other: Answer) -> float:
        """1 - F1 of the words (SQuAD, Rajpurkar et al. 2016, §6.1)."""
        return 1 - f1(_words(one), _words(other))

    def differences(self, question: Question, one: Answer, other: Answer) -> tuple[str, ...]:
        return () if fold_text(one) == fold_text(other) else (one, other)

    def raised_flags(self, question: Question, answers: Sequence[Answer]) -> Mapping[str, Collection[int]]:
        texts = {fold_text(answer) for answer in answers}
        alone = len(answers) > 1 and len(texts) == len(answers)
        return {"unconfirmed": range(len(answers))} if alone else {}

    def tally(self, question: Question, rule: AggregationRule) -> Tally:
        def key(answer: object) -> str | None:
            return fold_text(answer) or None if isinstance(answer, str) else None

        return EquivalenceTally(rule, key)

    def columns(self, question: Question) -> tuple[Column, ...]:
        return (Column(question.key, "string"),)

    def values(self, question: Question, answer: Answer) -> dict[str, Any]:
        return {question.key: answer}


TYPE = FreeText()
