"""Everything that somebody voted stops counting at once; their items are decided anew."""

from django.db import transaction
from django.db.models import F, OuterRef, Subquery
from django.db.models.functions import Now

from annotation.content.models.item import Item
from annotation.core.database import locked
from annotation.core.models.member import Annotator
from annotation.core.models.user import User
from annotation.jobs.bulk import any_of
from validation.voting import wake
from validation.voting.actions.asked_again import confirm_without_votes
from validation.voting.models.vote import Vote


def votes_void(*, annotator: Annotator, by: User, reason: str) -> int:
    """Make everything that somebody voted stop counting, but on what `by` wrote; how many votes that were.

    The votes stay stored and paid. The worker decides their items anew: what then lacks votes is offered to others.
    Answers to copies that are kept apart count for nothing, and stay. Raises ClosesPages where `by` has to confirm that
    public pages are closed by it.
    """
    with transaction.atomic():
        standing = Vote.objects.filter(
            annotator=annotator,
            item__project=annotator.project_id,
            withdrawn_at=None,
            epoch=F("item__epoch"),
        )
        wanted = standing.exclude(item__author__user=by).values("item")
        items = [item.pk for item in locked(Item.objects.filter(pk__in=wanted).order_by("pk"))]
        confirm_without_votes(items, annotator=annotator, by=by)
        of_items = Item.objects.filter(pk__in=any_of(items))
        of_items.update(version=F("version") + 1, due_at=Now())
        version = of_items.filter(pk=OuterRef("item")).values("version")
        voided = Vote.objects.filter(annotator=annotator, withdrawn_at=None, item__in=any_of(items)).update(
            withdrawn_at=Now(),
            withdrawn_version=Subquery(version),
            withdrawn_why=Vote.Withdrawn.VOIDED,
            withdrawn_reason=reason,
        )
        transaction.on_commit(wake.wake_worker)
    return voided
