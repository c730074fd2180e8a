"""One item that cannot be decided (a fault of ours, or stored rows that do not fit) holds up no other."""

import structlog
from django.db import InterfaceError, OperationalError
from django.db.models.functions import Now

from annotation.content.models.item import Item
from annotation.jobs.database import after
from validation.voting.actions.decide import BATCH, decide_item

log = structlog.get_logger("decide")
PUT_OFF_SECONDS = 600


def decide_apart(*, limit: int = BATCH) -> int:
    """Decide up to `limit` due items each by itself, where the batch failed; how many were looked at.

    What cannot be decided is put off for ten minutes and said in the log; nothing of it is changed. Raises
    OperationalError where the database is away: that is no item's fault.
    """
    due = Item.objects.filter(due_at__lte=Now()).order_by("due_at").values_list("pk", flat=True)
    found = list(due[:limit])
    for item_id in found:
        try:
            decide_item(item_id=item_id)
        except (OperationalError, InterfaceError):
            raise
        except Exception:
            log.exception("item_not_decided", item=item_id)
            Item.objects.filter(pk=item_id).update(due_at=after(PUT_OFF_SECONDS))
    return len(found)
