"""Prompts and their topics on their way in: judged by the id, stored as questions are (Kalahi §3.1, ruling 15)."""

from collections.abc import Sequence
from typing import Any

from annotation.elicitation.rules.prompts import CONTEXT, PERSONAL, USER, USER_LEFT_OUT
from annotation.elicitation.rules.responses import BEST
from annotation.kinds import SlotIn
from annotation.kinds.texts import option_field
from validation.imports.concepts import TopicTaker
from validation.imports.pipeline import ColumnMapping, ImportFormat, Records
from validation.imports.project_context import ProjectContext
from validation.imports.questions import (
    ConceptPlace,
    QuestionPreparer,
    QuestionTaker,
    concept_place,
    preview_rows,
)
from validation.imports.rules import Problem
from validation.imports.rules.prompts import KEY, PROMPTS, TOPICS, PromptReader, PromptRow, UserLineCheck
from validation.imports.rules.questions import QuestionRow
from validation.imports.taker import HeldItem


class PromptPreparer(QuestionPreparer):
    """All that can be said of one prompt before the database is asked."""

    def slot_input(self, row: QuestionRow) -> SlotIn:
        """The row as if its writer had typed it into the form."""
        assert isinstance(row, PromptRow)  # noqa: S101 - the reader of this form makes no others
        more = {option_field(key): text for key, text in row.options}
        more |= {"category": row.category, USER: row.parts.user, CONTEXT: row.parts.context}
        more |= {PERSONAL: row.parts.personal, BEST: row.author_label}
        return SlotIn(row.parts.instruction, True, more=more)

    def source_text(self, row: QuestionRow) -> dict[str, Any]:
        """That a user was left out whom the id names."""
        assert isinstance(row, PromptRow)  # noqa: S101 - as above
        return {USER_LEFT_OUT: True} if row.user_left_out else {}

    def place(self, row: QuestionRow) -> ConceptPlace:
        """A prompt's category is its own, not its topic's."""
        return concept_place(TOPICS, row.concept)


class PromptTaker(QuestionTaker):
    """Takes batches of prompts. An id stands for one prompt with one best response, whatever the file."""

    id_field = KEY

    def load_existing(self, rows: Sequence[QuestionRow]) -> None:
        """A topic that the project has is the prompt's, whatever category it stands in."""
        super().load_existing(rows)
        for (_, digest), pk in sorted(self.concepts.items()):
            self.concepts.setdefault((TOPICS, digest), pk)

    def is_same(self, held: HeldItem, each: QuestionRow) -> bool:
        """Texts and best response."""
        return each.same in held.equality_keys and each.author_label in held.labels

    def difference(self, held: HeldItem, each: QuestionRow) -> tuple[str, str]:
        """The first texts that differ, or the best responses."""
        there, here = super().difference(held, each)
        if there or here:
            return there, here
        if each.author_label in held.labels:
            # Long texts may differ behind what is shown of them.
            return str(held.texts[0]), each.question
        return f"best: {', '.join(sorted(held.labels))}", f"best: {each.author_label}"


def _reader(frame: ProjectContext, mapping: ColumnMapping, records: Records) -> tuple[PromptReader, Problem | None]:
    users = UserLineCheck()
    if "prompt" in mapping:
        for record in records():
            users.add(record.data or {}, mapping)
    return PromptReader(mapping, frame.kind.question.read_label, users_left_out=users.are_left_out), users.problem()


FORMAT = ImportFormat(
    make_reader=_reader,
    make_preparer=PromptPreparer,
    item_taker=PromptTaker,
    source_taker=TopicTaker,
    preview_row=preview_rows,
    columns=lambda project: PROMPTS,
)
