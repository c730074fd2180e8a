"""Items that wait for voters where nobody is left who may vote on them (ruling 9)."""

from django.db import transaction
from django.db.models import BooleanField, Exists, ExpressionWrapper, Max, OuterRef, Q, QuerySet
from django.db.models.functions import Coalesce, Now

from annotation.content.models.item import Item
from annotation.core.database import locked, seconds_from_now
from annotation.core.models.member import Annotator
from annotation.core.models.project import Target
from annotation.jobs.models import Heartbeat
from annotation.translation.models import TargetMember
from validation.consensus import stages
from validation.voting.actions.flags import flag_raise
from validation.voting.models.assignment import Assignment
from validation.voting.models.review import Flag
from validation.voting.models.vote import Verdict
from validation.voting.rules import flags

EVERY_SECONDS = 600
HEARTBEAT_NAME = "nobody_left"


def is_look_due(seconds: int = EVERY_SECONDS) -> bool:
    """Whether the last look was long enough ago, by the database's clock; says so to one asker only."""
    with transaction.atomic():
        Heartbeat.objects.get_or_create(name=HEARTBEAT_NAME, defaults={"at": seconds_from_now(-2 * seconds)})
        return bool(Heartbeat.objects.filter(name=HEARTBEAT_NAME, at__lt=seconds_from_now(-seconds)).update(at=Now()))


def _stranded_items() -> QuerySet[Item]:
    """Items with free slots that somebody sat at before, and that no active validator can still be offered.

    Not flagged again for votes that a flag was raised for already: the lead may have seen it and left it open.
    """
    here = Q(epoch=OuterRef(OuterRef("epoch")), state__in=[Assignment.State.OPEN, Assignment.State.DONE])
    over = Q(state__in=[Assignment.State.BARRED, Assignment.State.SKIPPED])
    had = Assignment.objects.filter(here | over, item=OuterRef(OuterRef("pk")), annotator=OuterRef("pk"))
    # An item without an author keeps everybody: comparing with nothing must not lose people.
    wrote = ExpressionWrapper(Q(pk=Coalesce(OuterRef("author"), 0)), output_field=BooleanField())
    eligible = Annotator.objects.filter(
        project=OuterRef("project"), is_validator=True, left_at=None, user__is_active=True
    ).filter(~Exists(had), ~wrote, _works_for_target())
    last_asked = Verdict.objects.filter(item=OuterRef("item")).order_by()
    last_asked_version = last_asked.values("item").annotate(last=Max("version")).values("last")
    raised = Flag.objects.filter(
        item=OuterRef("pk"), code=flags.NOBODY_LEFT, version__gte=Coalesce(last_asked_version, 0)
    )
    return Item.objects.filter(
        ~Exists(eligible),
        ~Exists(raised),
        slots_free__gt=0,
        stage=stages.VOTING,
        opened_at__isnull=False,
        project__closed_at=None,
    )


def _works_for_target() -> Q:
    """Who works for the item's target, where that is its members' alone; everybody elsewhere."""
    target = OuterRef(OuterRef("target"))
    placed = TargetMember.objects.filter(annotator=OuterRef("pk"), target=target)
    free = Target.objects.filter(pk=target, members_only=False)
    return Q(Exists(free)) | Q(Exists(placed))


def flag_nobody_left(*, limit: int = 500) -> int:
    """Flag what waits for nobody; how many items were flagged. One statement finds them."""
    flagged = 0
    for item_id in list(_stranded_items().order_by("pk").values_list("pk", flat=True)[:limit]):
        with transaction.atomic():
            item = locked(Item.objects.filter(pk=item_id)).get()
            if item.stage == stages.VOTING and item.slots_free > 0:
                flag_raise(item=item, code=flags.NOBODY_LEFT, detail={"round": item.round})
                flagged += 1
    return flagged
