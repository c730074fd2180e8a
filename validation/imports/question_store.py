"""Concepts, questions and choices into their tables; and which of them a project holds already."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

import orjson

from annotation.concepts.actions import concept_key
from annotation.content import shapes
from annotation.content.models.item import Item, Option, QAPair, Revision
from annotation.content.models.source import Concept
from annotation.content.shapes.qa import COLUMNS, options_of
from annotation.jobs.bulk import any_of, bulk_insert, reserve_ids
from annotation.text.normalise import key_form
from validation.imports.project_context import Frame
from validation.imports.rules.cells import same_hash
from validation.imports.rules.problems import excerpt, gettext_noop

CONCEPT = (
    "id",
    "project_id",
    "target_id",
    "key",
    "category",
    "text",
    "text_hash",
    "state",
    "words",
    "parallel",
)
QA = ("item_id", "project_id", "concept_id", "wording", "question", "more")
OPTION = ("item_id", "key", "position", "text", "role")
NO_CONCEPT = "–"
_STANDS_IN = gettext_noop("Stands for the concept of questions that were imported without one.")

Place = tuple[str, str]
"""A concept by its category and the hash of its text: unique in a target (id-csqa §4.2)."""


def place_of(category: str, concept: str) -> Place:
    """Where the concept of a question stands; one without a concept gets a stand-in of its category."""
    return category.strip(), same_hash(concept or NO_CONCEPT)


def same_of(content: Mapping[str, Any]) -> str:
    """What makes two questions the same: every text, and which choice is called what."""
    options = [[option["key"], key_form(option["text"])] for option in content["options"]]
    texts = [key_form(str(content.get(name, ""))) for name in ("question", "concept", "category")]
    return sha256(orjson.dumps([texts, options])).hexdigest()


def twin_of(content: Mapping[str, Any]) -> str:
    """What makes a question a duplicate: the question and its choices, in any order."""
    options = sorted(key_form(option["text"]) for option in content["options"])
    return sha256(orjson.dumps([content["question"], options])).hexdigest()


@dataclass(slots=True)
class HeldQuestion:
    """A question that is there: its texts and answers, now and as they first came."""

    sames: set[str] = field(default_factory=set)
    labels: set[str] = field(default_factory=set)
    parts: tuple[str, ...] = ()


@dataclass
class KnownQuestions:
    """Looked up once a batch; in a dry run also what would be stored by then. `twins` gives the first key of texts."""

    frame: Frame
    concepts: dict[Place, int | None] = field(default_factory=dict)
    items: dict[str, HeldQuestion] = field(default_factory=dict)
    twins: dict[str, str] = field(default_factory=dict)

    def look_concepts(self, places: Collection[Place]) -> None:
        """The concepts of these categories and texts."""
        hashes = {digest for _, digest in places}
        found = Concept.objects.filter(target=self.frame.target_id, text_hash__in=any_of(hashes))
        for pk, category, digest in found.values_list("pk", "category", "text_hash"):
            self.concepts[category, digest] = pk

    def look_items(self, keys: Collection[str]) -> None:
        """Questions of these keys, as they first came and as they are now (a lead may have corrected one)."""
        found = Item.objects.filter(project=self.frame.project_id, key__in=any_of(keys))
        by_pk = {pk: (key, label) for pk, key, label in found.values_list("pk", "key", "author_label")}
        if not by_pk:
            return
        before = Revision.objects.filter(item__in=any_of(by_pk), n=1)
        rows = list(before.values_list("item_id", "content", "author_label"))
        now = shapes.get(self.frame.kind.shape).present(list(by_pk))
        rows += [(pk, content, by_pk[pk][1]) for pk, content in now.items()]
        for pk, content, label in rows:
            held = self.items.setdefault(by_pk[pk][0], HeldQuestion())
            held.sames.add(same_of(content))
            held.labels.add(label)
            held.parts = parts_of(content)

    def look_twins(self, questions: Collection[str]) -> None:
        """The questions that read the same, under whatever id."""
        found = QAPair.objects.filter(project=self.frame.project_id, question__in=any_of(questions))
        keys = dict(found.values_list("pk", "item__key"))
        present = shapes.get(self.frame.kind.shape).present(list(keys)) if keys else {}
        for pk in sorted(keys, reverse=True):
            self.twins[twin_of(present[pk])] = keys[pk]


def parts_of(content: Mapping[str, Any]) -> tuple[str, ...]:
    """The texts of a question, cut short for reports."""
    options = [f"{option['key']}: {option['text']}" for option in content["options"]]
    texts = (
        content["question"],
        content.get("concept", ""),
        content.get("category", ""),
        " / ".join(options),
        *options,
    )
    return tuple(excerpt(str(text)) for text in texts)


def store_concepts(frame: Frame, rows: Iterable[tuple[Place, str]]) -> dict[Place, int]:
    """Insert new concepts, given by their place and text; their primary keys."""
    listed = list(rows)
    ids = reserve_ids(Concept, len(listed)) if listed else []
    made = []
    for pk, ((category, digest), text) in zip(ids, listed, strict=True):
        # Nobody writes for what only stands in: it is not approved.
        state, words = (Concept.State.APPROVED, "") if text else (Concept.State.RETURNED, _STANDS_IN)
        shown = text or NO_CONCEPT
        key = concept_key(category, shown)
        made.append(
            (pk, frame.project_id, frame.target_id, key, category, shown, digest, state.value, words, "")
        )
    bulk_insert(Concept, CONCEPT, made)
    return {place: pk for pk, (place, _) in zip(ids, listed, strict=True)}


def store_questions(frame: Frame, rows: Sequence[tuple[int, Mapping[str, Any], int]]) -> None:
    """Insert the typed rows of new items: (item, content, concept)."""
    bulk_insert(
        QAPair,
        QA,
        (
            (
                pk,
                frame.project_id,
                concept,
                content.get("concept", ""),
                content["question"],
                {name: value for name, value in content.items() if name not in COLUMNS},
            )
            for pk, content, concept in rows
        ),
    )
    bulk_insert(
        Option,
        OPTION,
        (
            (pk, option["key"], option["position"], option["text"], option["role"])
            for pk, content, _ in rows
            for option in options_of(content)
        ),
    )
