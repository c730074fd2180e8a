"""Items that rest before voting, so that their writer can still change them: until when, and let go before that."""

from datetime import timedelta

from django.db import transaction
from django.db.models import F, QuerySet
from django.db.models.functions import Now

from annotation.content.models.item import Item
from annotation.core.database import seconds_from_now
from annotation.core.models.member import Event
from annotation.core.models.project import Project
from annotation.core.models.user import User
from validation.consensus import stages

# How long a set may have been on its way while the setting changed: `rests_correct` looks at none that is older.
_ON_THE_WAY_SECONDS = 300


def items_resting() -> QuerySet[Item]:
    """What waits until validators are offered it, and is not due yet, in all projects."""
    return Item.objects.filter(due_at__gt=Now(), stage=stages.WRITTEN, sampled=True, round=0)


def rests_change(*, project: Project, minutes: int) -> int:
    """Count the rest of what rests anew, from when it was handed in, in the caller's transaction; how many.

    What is being opened meanwhile stays open: the row is looked at again once it is free.
    """
    return items_resting().filter(project=project).update(due_at=F("at") + timedelta(minutes=minutes))


def rests_end(*, project: Project, by: User) -> int:
    """Offer to validators at once what rests; how many items."""
    with transaction.atomic():
        # One after the other: two that change the same rows at once could wait for each other.
        Project.lock(project.pk)
        n = items_resting().filter(project=project).update(due_at=Now())
        if n:
            Event.record(project, by, "rests_ended", n=n)
    return n


def rests_correct() -> int:
    """Shorten the rest of sets that were on their way while the setting was shortened; how many items."""
    young = items_resting().filter(at__gt=seconds_from_now(-_ON_THE_WAY_SECONDS))
    n = 0
    for key in young.order_by().values_list("project", flat=True).distinct():
        with transaction.atomic():
            project = Project.lock(key)
            until = F("at") + timedelta(minutes=project.rules.offer_minutes)
            n += young.filter(project=project, due_at__gt=until).update(due_at=until)
    return n
