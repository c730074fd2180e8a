"""What pages about endpoints read."""

from decimal import Decimal

from django.db.models import Count, F, OuterRef, QuerySet, Subquery, Sum, Value
from django.db.models.functions import Coalesce

from annotation.core.access import Membership
from annotation.core.errors import Forbidden, first_or_not_found
from annotation.core.models.member import Event
from annotation.generation.models import Call, Endpoint, MachineLimit

EVENTS_SHOWN = 20


def endpoints() -> QuerySet[Endpoint]:
    """Every endpoint, those in use first, with how many calls it was sent and what they cost."""
    mine = Call.objects.filter(endpoint=OuterRef("pk")).order_by().values("endpoint")
    return Endpoint.objects.annotate(
        asked=Coalesce(Subquery(mine.annotate(n=Count("pk")).values("n")), Value(0)),
        spent=Coalesce(Subquery(mine.annotate(sum=Sum("cost")).values("sum")), Value(Decimal(0))),
    ).order_by(F("ended_at").asc(nulls_first=True), "name")


def endpoint(endpoint_id: int) -> Endpoint:
    return first_or_not_found(Endpoint.objects.filter(pk=endpoint_id))


def events(of: Endpoint) -> QuerySet[Event]:
    """Who changed an endpoint, newest first."""
    rows = Event.objects.filter(project=None, verb__startswith="endpoint_", data__endpoint=of.pk)
    return rows.select_related("actor").order_by("-pk")[:EVENTS_SHOWN]


def project_limit(membership: Membership) -> MachineLimit | None:
    """What the project may spend, for its administrators."""
    if not membership.is_administrator:
        raise Forbidden
    return MachineLimit.objects.filter(project=membership.project).first()


def spent_by_currency(membership: Membership) -> list[tuple[str, Decimal]]:
    """What the project's calls cost so far or may come to, by currency."""
    rows = Call.objects.filter(project=membership.project, cost__gt=0).order_by("currency").values("currency")
    return [(row["currency"], row["sum"]) for row in rows.annotate(sum=Sum("cost"))]
