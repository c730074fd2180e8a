"""Concepts on their way in: the same again changes nothing, each is unique in its category (id-csqa §4.2)."""

from collections.abc import Mapping, Sequence
from typing import ClassVar, NamedTuple

from annotation.concepts.actions import ConceptIn, ConceptIndex
from annotation.content.models.source import Concept
from annotation.core.errors import Conflict, Invalid
from annotation.core.models.project import Target
from annotation.text.gettext import gettext_noop
from validation.imports.outcome import id_taken
from validation.imports.rules import Problem
from validation.imports.rules.people import UnreadMark
from validation.imports.rules.questions import ConceptRow
from validation.imports.taker import Taker

_UNSTORABLE = gettext_noop("This cannot be stored: it is too long, or no text.")


class PlacedConcept(NamedTuple):
    """A concept that was placed: it starts with no flags."""

    flags: tuple[str, ...] = ()
    unread: tuple[UnreadMark, ...] = ()


class ConceptTaker(Taker):
    """Takes batches of concepts; the shelf holds those of the target and the new ones."""

    # What an import calls the columns of a concept.
    fields: ClassVar[Mapping[str, str]] = {"key": "item_id", "text": "concept"}

    def reset_lookups(self) -> None:
        """Begin a batch with what is stored."""
        super().reset_lookups()
        self._target = Target.objects.get(pk=self.frame.target_id)
        self._shelf = ConceptIndex(self._target)

    def load_existing(self, rows: Sequence[ConceptRow]) -> None:
        """The shelf holds all that is there."""

    def resolve(self, row: ConceptRow) -> PlacedConcept | Problem | None:
        """A new concept, why it cannot be stored, or None where it is there."""
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
        return PlacedConcept() if len(self._shelf.new) > before else None

    def store_new(self, new: Sequence[PlacedConcept]) -> None:
        """Insert the new concepts."""
        Concept.objects.bulk_create(self._shelf.new, batch_size=2000)

    def _taken(self, key: str, held: str, field: str, row: ConceptRow) -> Problem:
        """The key belongs to another concept: both are shown, neither is changed (ruling 15)."""
        held_by = next((each for each in self._shelf.new if getattr(each, held) == key), None)
        held_by = held_by or Concept.objects.get(target=self._target, **{held: key})
        there, here = f"{held_by.category}: {held_by.text}", f"{row.category}: {row.text}"
        return id_taken(self.fields.get(field, field), key, there, here)


class TopicTaker(ConceptTaker):
    """Takes batches of topics: they are concepts under other names."""

    fields: ClassVar[Mapping[str, str]] = {"key": "topic_key", "text": "topic"}
