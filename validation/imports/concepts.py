"""Concepts on their way in: the same again changes nothing, each is unique in its category (id-csqa §4.2)."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from annotation.concepts.actions import ConceptIn, Shelf
from annotation.content.models.source import Concept
from annotation.core.errors import Conflict, Invalid
from annotation.core.models.project import Target
from validation.imports.outcome import Outcome, taken
from validation.imports.project_context import Frame
from validation.imports.rules import Problem
from validation.imports.rules.problems import gettext_noop
from validation.imports.rules.questions import ConceptRow

_UNSTORABLE = gettext_noop("This cannot be stored: it is too long, or no text.")


class ConceptTaker:
    """Takes batches of concepts; the caller owns the transaction and has locked the target."""

    # What an import calls the columns of a concept.
    fields: ClassVar[Mapping[str, str]] = {"key": "item_id", "text": "concept"}

    def __init__(self, frame: Frame, *, store: bool) -> None:
        self._target, self._store = Target.objects.get(pk=frame.target_id), store
        self._shelf = Shelf(self._target)

    def take(self, rows: Sequence[tuple[int, ConceptRow | Problem]]) -> Outcome:
        """Judge a batch in file order, and store what is new."""
        outcome = Outcome()
        if self._store:
            self._shelf = Shelf(self._target)
        for n, row in rows:
            found = row if isinstance(row, Problem) else self._place(row)
            if isinstance(found, Problem):
                outcome.refuse(n, found)
            elif found:
                outcome.accepted += 1
            else:
                outcome.unchanged += 1
        if self._store:
            Concept.objects.bulk_create(self._shelf.new, batch_size=2000)
        return outcome

    def _place(self, row: ConceptRow) -> bool | Problem:
        """True for a new concept, False for one that is there, or why it cannot be stored."""
        before = len(self._shelf.new)
        try:
            extra = {"source": row.source} if row.source else {}
            self._shelf.place(ConceptIn(row.key, row.category, row.text, row.shared_key, row.parallel, extra))
        except Conflict as refused:
            # Without a key of its own a concept has its shared one.
            field = refused.field if row.key or not row.shared_key else "shared_key"
            return self._taken(str(refused.details["key"]), refused.field, field, row)
        except Invalid as refused:
            return Problem("not_storable", self.fields.get(refused.field, refused.field), _UNSTORABLE)
        return len(self._shelf.new) > before

    def _taken(self, key: str, held: str, field: str, row: ConceptRow) -> Problem:
        """The key belongs to another concept: both are shown, neither is changed (ruling 15)."""
        there = next((each for each in self._shelf.new if getattr(each, held) == key), None)
        there = there or Concept.objects.get(target=self._target, **{held: key})
        return taken(
            self.fields.get(field, field),
            key,
            _told(there.category, there.text),
            _told(row.category, row.text),
        )


def _told(category: str, text: str) -> str:
    return f"{category}: {text}"
