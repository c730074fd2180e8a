"""Concepts: taken in, proposed and reviewed, changed, and taken over from another language's project."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction
from django.utils.text import slugify

from annotation.actions.sources import text_hash
from annotation.db import locked
from annotation.errors import Conflict, Invalid
from annotation.models import Concept, Event, Lane, Project, User
from annotation.rules.normalise import storable

LONGEST_CATEGORY = 120
LONGEST_CONCEPT = 300
LONGEST_KEY = 180


@dataclass(frozen=True)
class ConceptIn:
    """A concept as it comes in; an empty `key` is made from the shared key, or from the category and the text.

    `parallel` is its wording in the other language; `extra` holds what the file names beside.
    """

    key: str
    category: str
    text: str
    shared_key: str = ""
    parallel: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)


def concept_key(category: str, text: str) -> str:
    """The key of a concept that comes without one: readable, and the same on every machine."""
    return f"{slugify(category)[:40] or 'concept'}-{text_hash(category + chr(10) + text)[:12]}"


def concepts_add(*, lane: Lane, rows: Sequence[ConceptIn], by: User | None = None) -> list[Concept]:
    """Store approved concepts; each row's concept comes back in the rows' order.

    One that the category has already (id-csqa §4.2: unique) is given back as it stands. A key or shared key that
    belongs to another concept raises Conflict, what cannot be stored Invalid; then nothing is stored.
    """
    with transaction.atomic():
        locked(Project.objects.filter(pk=lane.project_id)).get()
        there = Shelf(lane)
        found = [there.place(row) for row in rows]
        Concept.objects.bulk_create(there.new, batch_size=2000)
        if by is not None and there.new:
            Event.objects.create(
                project_id=lane.project_id, actor=by, verb="concepts_added", data={"n": len(there.new)}
            )
    return found


class Shelf:
    """What a lane holds, so that many rows are compared with it and with each other in one query."""

    def __init__(self, lane: Lane) -> None:
        self.lane = lane
        self.new: list[Concept] = []
        present = list(Concept.objects.filter(lane=lane))
        self._texts = {(each.category, each.text_hash): each for each in present}
        self._keys = {each.key for each in present}
        self._shared = {each.shared_key for each in present if each.shared_key}

    def place(self, row: ConceptIn) -> Concept:
        """The concept of a row: the one that stands, or a new one, kept in `new` until it is stored."""
        check_row(row)
        category, text = row.category.strip(), row.text.strip()
        same = self._texts.get((category, text_hash(text)))
        if same is not None:
            return same
        key = row.key or row.shared_key or concept_key(category, text)
        if key in self._keys:
            raise Conflict(field="key", code="concept_key_taken", key=key)
        if row.shared_key and row.shared_key in self._shared:
            raise Conflict(field="shared_key", code="concept_key_taken", key=row.shared_key)
        made = Concept(
            project_id=self.lane.project_id,
            lane=self.lane,
            key=key,
            category=category,
            text=text,
            text_hash=text_hash(text),
            shared_key=row.shared_key,
            parallel=row.parallel.strip(),
            extra=dict(row.extra),
        )
        self._texts[(category, made.text_hash)] = made
        self._keys.add(key)
        self._shared.add(row.shared_key)
        self.new.append(made)
        return made


def check_row(row: ConceptIn) -> None:
    """Raise Invalid for what is missing, too long or no text; `field` says where."""
    limits = (
        ("category", row.category, LONGEST_CATEGORY),
        ("text", row.text, LONGEST_CONCEPT),
        ("parallel", row.parallel, LONGEST_CONCEPT),
        ("key", row.key, LONGEST_KEY),
        ("shared_key", row.shared_key, LONGEST_KEY),
    )
    for name, value, longest in limits:
        if storable(value) or len(value) > longest:
            raise Invalid(field=name, code="text_not_storable")
        if name in ("category", "text") and not value.strip():
            raise Invalid(field=name, code=f"concept_{name}_missing")
