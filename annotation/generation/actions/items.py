"""What becomes of questions that went through all steps of their run: items of the project, where it makes them."""

from collections.abc import Mapping, Sequence

from django.db import DataError, IntegrityError, transaction

from annotation.concepts.actions import LONGEST_CATEGORY, ConceptIn, concepts_add
from annotation.content.actions.items import items_machine
from annotation.content.models.item import Item
from annotation.content.models.source import Concept
from annotation.core.errors import Conflict, Invalid
from annotation.core.models.project import Project
from annotation.generation.models import Candidate, GenerationBatch, GenerationRun, StepResult
from annotation.generation.rules.plans import ITEM_REFUSED, ITEMS, KEY_TAKEN
from annotation.jobs.database import locked
from annotation.writing.actions.allocation import text_hash

# What refuses a question, and not the database as such: too long, missing, twice.
REFUSALS = (Conflict, Invalid, DataError, IntegrityError)


def candidates_keep(*, run: GenerationRun, batch: GenerationBatch) -> list[Candidate]:
    """Keep what is left of a batch, as items where the run makes them; in the transaction that ends its last step.

    One whose key the project has already is dropped and says so; so is one that cannot be stored: it costs no other.
    """
    left = list(
        batch.candidates.filter(state=Candidate.State.MAKING)
        .select_related("material__concept")
        .order_by("pk")
    )
    if not left:
        return []
    items: Mapping[str, Item] = {}
    refused: Mapping[str, str] = {}
    if run.makes_items:
        # One batch of a project at a time: keys and concepts are looked at before they are given out.
        project = locked(Project.objects.filter(pk=run.project_id)).get()
        items, refused = _items(project, left)
    for row in left:
        row.item = items.get(row.key)
        row.state = Candidate.State.KEPT
        if run.makes_items and row.item is None:
            row.state, row.step = Candidate.State.DROPPED, ITEMS
            row.reason = ITEM_REFUSED if row.key in refused else KEY_TAKEN
            row.params = {"error": refused[row.key]} if row.key in refused else {}
    Candidate.objects.bulk_update(left, ["item", "state", "step", "reason", "params"], batch_size=500)
    StepResult.objects.bulk_create(
        [
            StepResult(
                run=run,
                candidate=row,
                step=ITEMS,
                outcome=StepResult.Outcome.DROPPED,
                reason=row.reason,
                params=row.params,
                content=row.content,
            )
            for row in left
            if row.state == Candidate.State.DROPPED
        ]
    )
    return left


def _items(project: Project, rows: Sequence[Candidate]) -> tuple[dict[str, Item], dict[str, str]]:
    """The items of these questions by key; where one is refused each is tried alone, and why goes with its key."""
    try:
        return _stored(project, rows), {}
    except REFUSALS as refusal:
        if len(rows) == 1:
            # A database's message may hold a text; its class does not.
            said = refusal.code if isinstance(refusal, (Conflict, Invalid)) else type(refusal).__name__
            return {}, {rows[0].key: said}
    items: dict[str, Item] = {}
    refused: dict[str, str] = {}
    for row in rows:
        one, why = _items(project, [row])
        items |= one
        refused |= why
    return items, refused


def _stored(project: Project, rows: Sequence[Candidate]) -> dict[str, Item]:
    """Their concepts and items, all or none."""
    with transaction.atomic():
        return items_machine(
            project=project,
            sources=_sources(rows),
            keys=[row.key for row in rows],
            contents=[row.content for row in rows],
        )


def _sources(rows: Sequence[Candidate]) -> list[Concept]:
    """The concept of each question: that of its material, or the one that it names, made where it is new."""
    wanted = [(_category(row), str(row.content["concept"]).strip()) for row in rows]
    target = rows[0].material.target
    there = _there(target.pk, wanted)
    new = {
        (category, text_hash(text)): ConceptIn("", category, text)
        for row, (category, text) in zip(rows, wanted, strict=True)
        if row.material.concept is None and (category, text_hash(text)) not in there
    }
    if new:
        there |= dict(zip(new, concepts_add(target=target, rows=list(new.values())), strict=True))
    return [
        row.material.concept or there[category, text_hash(text)]
        for row, (category, text) in zip(rows, wanted, strict=True)
    ]


def _there(target: int, wanted: Sequence[tuple[str, str]]) -> dict[tuple[str, str], Concept]:
    hashes = {text_hash(text) for _, text in wanted}
    found = Concept.objects.filter(target=target, text_hash__in=hashes)
    return {(concept.category, concept.text_hash): concept for concept in found}


def _category(row: Candidate) -> str:
    """The category that a question stands in: its own, its material's group, or the sort of what it is made from."""
    said = str(row.content.get("category") or row.material.group or row.material.sort)
    return said.strip()[:LONGEST_CATEGORY]
