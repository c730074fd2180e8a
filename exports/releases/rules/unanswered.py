"""Rows with a gold label that have no gold answer to a question that must be answered: how many, and to which.

Pure. Where several questions are asked each is decided by itself, so that an item can be gold and yet lack an answer.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from annotation.kinds import Kind


def required_keys(kind: Kind) -> tuple[str, ...]:
    """The keys of the questions that must be answered; none where a vote is a label alone."""
    return tuple(each.key for each in kind.question.leaf_questions() if not each.optional)


@dataclass
class Unanswered:
    """Counts such rows of a kind, `of` those with a gold label, by the keys of what they lack."""

    required: tuple[str, ...]
    of: int = 0
    rows: int = 0
    questions: Counter[str] = field(default_factory=Counter)

    def add(self, gold: str, answers: Mapping[str, Any] | None) -> None:
        """Take in a row: its gold label, empty where it has none, and its gold answers by the keys of questions."""
        if not gold:
            return
        lacking = [key for key in self.required if (answers or {}).get(key) is None]
        self.of += 1
        self.rows += bool(lacking)
        self.questions.update(lacking)

    def counts(self) -> dict[str, Any]:
        """What manifest, card and page say; nothing where no question must be answered."""
        named = {key: self.questions[key] for key in self.required if self.questions[key]}
        return {"unanswered": {"rows": self.rows, "of": self.of, "questions": named}} if self.required else {}
