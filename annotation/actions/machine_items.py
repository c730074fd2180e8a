"""What becomes of questions that went through all steps of their run: items of the project, where it makes them."""

from collections.abc import Sequence

from annotation.actions.concepts import LONGEST_CATEGORY, ConceptIn, concepts_add
from annotation.actions.making import items_machine
from annotation.actions.sources import text_hash
from annotation.db import locked
from annotation.models import Candidate, Concept, GenerationBatch, GenerationRun, Project, StepResult
from annotation.rules.plans import ITEMS, KEY_TAKEN


def candidates_keep(*, run: GenerationRun, batch: GenerationBatch) -> list[Candidate]:
    """Keep what is left of a batch, as items where the run makes them; in the transaction that ends its last step.

    One whose key the project has already is dropped, and says so.
    """
    left = list(
        batch.candidates.filter(state=Candidate.State.MAKING)
        .select_related("material__concept")
        .order_by("pk")
    )
    if not left:
        return []
    items = {}
    if run.makes_items:
        # One batch of a project at a time: keys and concepts are looked at before they are given out.
        project = locked(Project.objects.filter(pk=run.project_id)).get()
        items = items_machine(
            project=project,
            sources=_sources(left),
            keys=[row.key for row in left],
            contents=[row.content for row in left],
        )
    for row in left:
        row.item = items.get(row.key)
        row.state = Candidate.State.KEPT
        if run.makes_items and row.item is None:
            row.state, row.step, row.reason = Candidate.State.DROPPED, ITEMS, KEY_TAKEN
    Candidate.objects.bulk_update(left, ["item", "state", "step", "reason"], batch_size=500)
    StepResult.objects.bulk_create(
        [
            StepResult(
                run=run,
                candidate=row,
                step=ITEMS,
                outcome=StepResult.Outcome.DROPPED,
                reason=KEY_TAKEN,
                content=row.content,
            )
            for row in left
            if row.state == Candidate.State.DROPPED
        ]
    )
    return left


def _sources(rows: Sequence[Candidate]) -> list[Concept]:
    """The concept of each question: that of its material, or the one that it names, made where it is new."""
    wanted = [(_category(row), str(row.content["concept"]).strip()) for row in rows]
    lane = rows[0].material.lane
    there = _there(lane.pk, wanted)
    new = {
        (category, text_hash(text)): ConceptIn("", category, text)
        for row, (category, text) in zip(rows, wanted, strict=True)
        if row.material.concept is None and (category, text_hash(text)) not in there
    }
    if new:
        there |= dict(zip(new, concepts_add(lane=lane, rows=list(new.values())), strict=True))
    return [
        row.material.concept or there[category, text_hash(text)]
        for row, (category, text) in zip(rows, wanted, strict=True)
    ]


def _there(lane: int, wanted: Sequence[tuple[str, str]]) -> dict[tuple[str, str], Concept]:
    hashes = {text_hash(text) for _, text in wanted}
    found = Concept.objects.filter(lane=lane, text_hash__in=hashes)
    return {(concept.category, concept.text_hash): concept for concept in found}


def _category(row: Candidate) -> str:
    """The category that a question stands in: its own, its material's group, or the sort of what it is made from."""
    said = str(row.content.get("category") or row.material.group or row.material.sort)
    return said.strip()[:LONGEST_CATEGORY]
