"""Reads events, for those who see all of a project; webhooks and deliveries, for its administrators."""

from django.db.models import Count, Q, QuerySet

from annotation.content.models.item import Item
from annotation.content.queries import project_items
from annotation.core.access import Membership
from annotation.core.errors import first_or_not_found
from annotation.core.models.feed import FeedEvent
from annotation.webhooks.models import Delivery, Webhook

WAITING, TAKEN, GIVEN_UP = Delivery.State.WAITING, Delivery.State.TAKEN, Delivery.State.GIVEN_UP


def events(membership: Membership, behind: int | None, types: list[str]) -> QuerySet[FeedEvent]:
    """Numbered events of the project, those behind a number, of these types (all where none is named).

    For a lead who votes without those of items that they can still be asked about.
    """
    rows = FeedEvent.objects.filter(project=membership.project, n__isnull=False)
    if membership.is_voting_lead:
        others = Item.objects.filter(project=membership.project).exclude(pk__in=project_items(membership).values("pk"))
        rows = rows.exclude(subject__in=others.values("key"))
    if behind is not None:
        rows = rows.filter(n__gt=behind)
    return rows.filter(type__in=types) if types else rows


def webhooks(membership: Membership) -> QuerySet[Webhook]:
    """Those that were not ended, oldest first, each with how many deliveries wait, were taken and were given up."""
    counts = {state: Count("deliveries", filter=Q(deliveries__state=state)) for state in (WAITING, TAKEN, GIVEN_UP)}
    rows = Webhook.objects.filter(project=membership.project, ended_at=None).order_by("pk")
    return rows.annotate(**counts)


def webhook(membership: Membership, webhook_id: int) -> Webhook:
    """One of them, or NotFound."""
    return first_or_not_found(webhooks(membership).filter(pk=webhook_id))


def deliveries(webhook: Webhook) -> QuerySet[Delivery]:
    """What was sent to it or waits, latest first."""
    return webhook.deliveries.select_related("event").order_by("-n", "-pk")
