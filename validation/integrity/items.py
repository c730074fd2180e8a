"""Items, a chunk at a time. What looks broken is read again under the item's lock before it is said to be."""

from collections.abc import Iterator

from django.db import transaction

from annotation.content.models.item import Item
from annotation.core.models.project import Project
from annotation.jobs.database import locked
from validation.integrity.base import Breach
from validation.integrity.facts import facts_of
from validation.integrity.repair import item_repair
from validation.integrity.rules import Broken, broken

CHUNK = 500


def check_items(project: Project | None, repair: bool) -> Iterator[Breach]:
    """Compare every item with what its rows say; votes that arrive meanwhile are no breach."""
    # Few projects and protocols, many items: each is read once a chunk.
    items = Item.objects.prefetch_related("project", "protocol").order_by("pk")
    if project is not None:
        items = items.filter(project=project)
    last = 0
    while chunk := list(items.filter(pk__gt=last)[:CHUNK]):
        for item_id, facts in facts_of(chunk).items():
            if broken(facts):
                yield from _confirmed(item_id, repair)
        last = chunk[-1].pk


def _confirmed(item_id: int, repair: bool) -> list[Breach]:
    with transaction.atomic():
        item, found = _read(item_id)
        left = found
        if found and repair:
            item_repair(item=item, facts=facts_of([item])[item_id])
            left = _read(item_id)[1]
        still = {(one.invariant, one.what) for one in left}
    new = [one for one in left if (one.invariant, one.what) not in {(f.invariant, f.what) for f in found}]
    return [
        Breach(
            invariant=one.invariant,
            project=item.project.slug,
            subject=item.key,
            what=one.what,
            found=one.found,
            expected=one.expected,
            repaired=repair and (one.invariant, one.what) not in still,
        )
        for one in (*found, *new)
    ]


def _read(item_id: int) -> tuple[Item, list[Broken]]:
    item = locked(Item.objects.select_related("project", "protocol").filter(pk=item_id)).get()
    return item, broken(facts_of([item])[item_id])
