"""Flags on items: flags from votes are closed by a recomputation, and any flag puts its item on the desk."""

from typing import Any

from django.db import transaction

from annotation.content.models.item import Item
from annotation.core.models.feed import FeedEvent
from annotation.core.rules import feed
from validation.voting import wake
from validation.voting.models.review import Flag
from validation.voting.rules import flags as flag_rules

# Flags that the votes of an epoch raise; the others come from checks, leads and imports.
CODES_FROM_VOTES = (
    flag_rules.TIED,
    flag_rules.NO_GOLD,
    flag_rules.TEXT_ERROR,
    flag_rules.PROPOSED,
    flag_rules.AMBIGUOUS,
    flag_rules.UNSURE,
    flag_rules.TOO_FAST,
    *flag_rules.ANSWER_FLAGS,
)


def flag_raise(*, item: Item, code: str, detail: dict[str, Any], by_id: int | None = None) -> None:
    """Open a flag on an item that the caller has locked, and put the item on the desk; once a code."""
    if Flag.objects.filter(item=item, code=code, closed_at=None).exists():
        return
    Flag.objects.create(
        project_id=item.project_id, item=item, code=code, detail=detail, by_id=by_id, version=item.version
    )
    FeedEvent.record(item.project_id, feed.FLAGGED, item.key, flag=code)
    transaction.on_commit(wake.wake_worker)
    update_doubt(item=item)


def update_doubt(*, item: Item) -> None:
    """Set the item's doubt from its open flags; the caller has locked it."""
    codes = Flag.objects.filter(item=item, closed_at=None).values_list("code", flat=True)
    item.doubt = flag_rules.doubt_of(set(codes))
    Item.objects.filter(pk=item.pk).update(doubt=item.doubt)
