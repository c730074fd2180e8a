"""Prompts and their topics on their way in: judged by the id, stored as questions are (Kalahi §3.1, ruling 15)."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from annotation.elicitation.rules.prompts import CONTEXT, PERSONAL, USER
from annotation.elicitation.rules.responses import BEST
from annotation.kinds import SlotIn
from annotation.kinds.base import option_field
from annotation.kinds.cultural import USER_LEFT_OUT
from validation.imports.concepts import ConceptTaker
from validation.imports.question_store import HeldQuestion, KnownQuestions, Place, place_of
from validation.imports.questions import Question, QuestionPreparer, QuestionTaker
from validation.imports.rules.prompts import KEY, TOPICS, PromptRow
from validation.imports.rules.questions import QuestionRow


class TopicTaker(ConceptTaker):
    """Takes batches of topics: they are concepts under other names."""

    fields: ClassVar[Mapping[str, str]] = {"key": "topic_key", "text": "topic"}


class PromptPreparer(QuestionPreparer):
    """All that can be said of one prompt before the database is asked."""

    def typed(self, row: QuestionRow) -> SlotIn:
        """The row as if its writer had typed it into the form."""
        assert isinstance(row, PromptRow)  # noqa: S101 - the reader of this form makes no others
        more = {option_field(key): text for key, text in row.options}
        more |= {"category": row.category, USER: row.parts.user, CONTEXT: row.parts.context}
        more |= {PERSONAL: row.parts.personal, BEST: row.author_label}
        return SlotIn(row.parts.instruction, True, more=more)

    def beside(self, row: QuestionRow) -> dict[str, Any]:
        """That a user was left out whom the id names."""
        assert isinstance(row, PromptRow)  # noqa: S101 - as above
        return {USER_LEFT_OUT: True} if row.user_left_out else {}

    def place(self, row: QuestionRow) -> Place:
        """A prompt's category is its own, not its topic's."""
        return place_of(TOPICS, row.concept)


class PromptTaker(QuestionTaker):
    """Takes batches of prompts. An id stands for one prompt with one best response, whatever the file."""

    id_field = KEY

    def _look(self, known: KnownQuestions, questions: Sequence[Question]) -> None:
        """A topic that the project has is the prompt's, whatever category it stands in."""
        super()._look(known, questions)
        for (_, digest), pk in sorted(known.concepts.items()):
            known.concepts.setdefault((TOPICS, digest), pk)

    def _same(self, held: HeldQuestion, each: Question) -> bool:
        return each.same in held.sames and each.row.author_label in held.labels

    def _differing(self, held: HeldQuestion, each: Question) -> tuple[str, str]:
        there, here = super()._differing(held, each)
        if there or here:
            return there, here
        if each.row.author_label in held.labels:
            # Long texts may differ behind what is shown of them.
            return held.parts[0], each.row.question
        return f"best: {', '.join(sorted(held.labels))}", f"best: {each.row.author_label}"
