"""Machine-written questions that wait for their check, for tests: as a run or an import leaves them."""

from collections.abc import Mapping
from typing import Any

from django.db import transaction

from annotation.content.actions.items import items_make_by_machine
from annotation.content.models.item import Item
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from tests import factory, questions
from validation.review.actions.assessments import APPROVE, ItemCheck, PartVerdict, item_assess
from validation.review.rules.assessments import NONE

CHOICES = {
    "A": "transportasi umum",
    "B": "pengiriman barang",
    "C": "wisata kota",
    "D": "restoran berjalan",
    "E": "pusat kebugaran",
}
MODEL = "gpt-4-turbo"


def a_checked_project(slug: str = "", *, recipe: str = "llm-gen", **fields: Any) -> Project:
    """A project whose machine-written questions a lead checks first."""
    return factory.project(slug, preset=recipe, **fields)


def a_machine_item(
    of: Project, *, answer: str = "A", choices: Mapping[str, str] = CHOICES, question: str = "", **made: Any
) -> Item:
    """A question of a machine's writing for a new concept, as it is stored."""
    concept = questions.a_concept(of)
    content = {
        "concept": concept.text,
        "category": concept.category,
        "question": question or f"Apa fungsi utama {concept.text} di Indonesia?",
        "options": [
            {"key": key, "text": text, "role": "answer" if key == answer else ""} for key, text in choices.items()
        ],
        "made": {"level": "", "model": MODEL, **made},
    }
    with transaction.atomic():
        key = f"m{of.items.count() + 1}"
        found = items_make_by_machine(project=of, sources=[concept], keys=[key], contents=[content])
    return found[key]


def check(decision: str = APPROVE, *, notes: str = "", **told: Any) -> ItemCheck:
    """A check that finds nothing wrong, but for the errors given by part (`question="typo"`)."""
    parts = {part: told.pop(part, NONE) for part in ("concept", "question", "options")}
    return ItemCheck({part: PartVerdict(error, notes) for part, error in parts.items()}, decision, **told)


def assess(lead: Annotator, item: Item, sent: ItemCheck | None = None, *, version: int = 0) -> Item:
    """The check of an item, at the version that it has now unless another is given."""
    at = version or Item.objects.get(pk=item.pk).version
    return item_assess(lead=lead, item_id=item.pk, version=at, check=sent or check())
