"""What the pages of pay fetch: the ledger of a project for who administers it, and of a person for themselves.

Leads count what was done; amounts are for administrators, and for the person who earned them.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.db.models import Case, Count, Exists, F, OuterRef, Q, QuerySet, Sum, When
from django.utils.timezone import get_default_timezone

from annotation.core.access import Membership
from annotation.core.errors import Forbidden, one
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project, Target
from annotation.core.models.user import User
from annotation.jobs.database import now
from annotation.pay import rules
from annotation.pay.actions import waiting
from annotation.pay.models import ApprovedEntry, Dispute, LedgerEntry, PayPeriod, Rate
from annotation.pay.rules import Span, payable, sums

CHUNK = 2000
EXACT = Decimal("0.0001")
# What a total can be counted by: what names it, beside action, unit and currency.
BY: Mapping[str, str] = {"person": "annotator__pseudonym", "target": "target__key", "action": "action"}


def today() -> date:
    """The day by the database's clock, in the site's time zone: periods are made of such days."""
    return now().astimezone(get_default_timezone()).date()


def _within(span: Span) -> Q:
    begin, over = span.moments(get_default_timezone())
    return Q(at__gte=begin, at__lt=over)


# --- a project's ledger -----------------------------------------------------------------


def _of_project(membership: Membership) -> QuerySet[LedgerEntry]:
    if not membership.is_administrator:
        raise Forbidden
    return LedgerEntry.objects.filter(project=membership.project)


@dataclass(frozen=True)
class Total:
    """What one person, target or action comes to, in one unit and currency; `amount` is None for leads."""

    name: str
    action: str
    unit: str
    units: int
    currency: str
    amount: Decimal | None


# A reversal takes its units back too.
_UNITS = Sum(Case(When(reverses=None, then=F("units")), default=-F("units")))


def totals(membership: Membership, span: Span, by: str) -> list[Total]:
    """Units (and for administrators amounts) by person, target or action, with unit and currency."""
    if not membership.sees_all:
        raise Forbidden
    with_amounts = membership.is_administrator
    names = [BY[by], "action", "unit", *(["currency"] if with_amounts else [])]
    rows = LedgerEntry.objects.filter(_within(span), project=membership.project)
    grouped = rows.order_by(*names).values(*names).annotate(n=_UNITS, earned=Sum("amount"))
    return [
        Total(str(row[BY[by]]), row["action"], row["unit"], row["n"], row.get("currency", ""), amount)
        for row in grouped
        for amount in [row["earned"].quantize(EXACT) if with_amounts else None]
    ]


@dataclass(frozen=True)
class Waiting:
    """What somebody earned up to a day and nobody approved yet, by currency; and how much they dispute."""

    annotator: int
    pseudonym: str
    entries: int
    amounts: Mapping[str, Decimal]
    disputed: int


def waiting_for_approval(membership: Membership, end: date) -> list[Waiting]:
    """Everybody with something to approve or to answer, by pseudonym."""
    _of_project(membership)
    until = Span(end, end).moments(get_default_timezone())[1]
    who = ("annotator", "annotator__pseudonym")
    rows = (
        waiting(membership.project, until)
        .values(*who, "currency")
        .annotate(n=Count("pk"), earned=Sum("amount"))
    )
    open_ones = Dispute.objects.filter(
        answered_at=None, entry__project=membership.project, entry__at__lt=until
    ).values(*(f"entry__{name}" for name in who))
    disputed = {
        (row["entry__annotator"], row["entry__annotator__pseudonym"]): row["n"]
        for row in open_ones.annotate(n=Count("pk")).order_by()
    }
    result: dict[tuple[int, str], list[dict[str, Any]]] = {person: [] for person in disputed}
    for row in rows.order_by():
        result.setdefault((row["annotator"], row["annotator__pseudonym"]), []).append(row)
    people = [
        Waiting(
            pk,
            name,
            sum(row["n"] for row in mine),
            payable((row["currency"], row["earned"].quantize(EXACT)) for row in mine),
            disputed.get((pk, name), 0),
        )
        for (pk, name), mine in result.items()
    ]
    return sorted(people, key=lambda each: each.pseudonym)


def to_pay(people: Sequence[Waiting]) -> dict[str, Decimal]:
    """What approving everybody comes to: the sum of what each is paid, by currency."""
    return sums(pair for each in people for pair in each.amounts.items())


def _told(rows: QuerySet[LedgerEntry]) -> QuerySet[LedgerEntry]:
    """Entries with what a list says of them: approved or not, disputed or not, taken back or not."""
    asked = Dispute.objects.filter(entry=OuterRef("pk"))
    return rows.select_related("annotator__project", "target").annotate(
        is_approved=Exists(ApprovedEntry.objects.filter(entry=OuterRef("pk"))),
        is_disputed=Exists(asked.filter(answered_at=None)),
        is_reversed=Exists(LedgerEntry.objects.filter(reverses=OuterRef("pk"))),
    )


def entries_of(membership: Membership, span: Span, person: str) -> QuerySet[LedgerEntry]:
    """One person's entries in a project, newest first."""
    rows = _of_project(membership).filter(_within(span), annotator__pseudonym=person)
    return _told(rows).select_related("annotator__project", "target", "item").order_by("-at", "-pk")


def entry(membership: Membership, token: UUID) -> LedgerEntry:
    """One entry of the project, for administrators."""
    return one(_told(_of_project(membership)).select_related("item", "rate").filter(token=token))


def disputes(membership: Membership, *, answered: bool) -> QuerySet[Dispute]:
    """What people say against entries: the oldest question first, the newest answer first."""
    _of_project(membership)
    rows = Dispute.objects.select_related("entry__annotator", "answered_by").filter(
        entry__project=membership.project, answered_at__isnull=not answered
    )
    return rows.order_by("-answered_at" if answered else "at", "pk")


def dispute(membership: Membership, dispute_id: int) -> Dispute:
    """One dispute of the project, for administrators."""
    _of_project(membership)
    rows = Dispute.objects.select_related("entry__annotator__project", "entry__target", "entry__item")
    return one(rows.filter(pk=dispute_id, entry__project=membership.project))


def periods(membership: Membership) -> QuerySet[PayPeriod]:
    """What was approved, newest first."""
    _of_project(membership)
    return (
        PayPeriod.objects.select_related("annotator", "by").filter(project=membership.project).order_by("-pk")
    )


def rates(membership: Membership) -> list[Rate]:
    """Every rate that the project ever had, newest first."""
    _of_project(membership)
    return list(
        Rate.objects.select_related("target", "by").filter(project=membership.project).order_by("-pk")
    )


def current(rows: Sequence[Rate]) -> list[Rate]:
    """Of all rates of a project those in force, by action, the project's before its targets'."""
    newest = {(each.action, each.target_id): each for each in sorted(rows, key=lambda each: each.pk)}
    order = list(rules.UNITS_OF)
    return sorted(
        newest.values(), key=lambda each: (order.index(each.action), each.target.key if each.target else "")
    )


def ledger_of(membership: Membership, span: Span) -> Iterator[LedgerEntry]:
    """A project's entries in the order in which they were made, a chunk at a time."""
    rows = _of_project(membership).filter(_within(span))
    wanted = rows.select_related("annotator", "target", "item", "rate", "reverses", "by", "approved__period")
    return _in_chunks(wanted)


def _in_chunks(rows: QuerySet[LedgerEntry]) -> Iterator[LedgerEntry]:
    """Statement by statement, so that a long download holds no snapshot open."""
    last = 0
    while chunk := list(rows.filter(pk__gt=last).order_by("pk")[:CHUNK]):
        yield from chunk
        last = chunk[-1].pk


# --- one's own --------------------------------------------------------------------------


def _own(user: User) -> QuerySet[LedgerEntry]:
    return LedgerEntry.objects.filter(annotator__user=user)


def own_entries(user: User, span: Span) -> QuerySet[LedgerEntry]:
    """What somebody earned in all their projects, newest first, also where they left."""
    rows = _told(_own(user).filter(_within(span))).prefetch_related("disputes")
    return rows.order_by("-at", "-pk")


def own_entry(user: User, token: UUID) -> LedgerEntry:
    """One entry of one's own, by its token."""
    return one(_told(_own(user)).filter(token=token))


@dataclass(frozen=True)
class Earned:
    """What somebody earned in a project in one currency; how much of it is approved, how much they dispute."""

    project: str
    currency: str
    amount: Decimal
    approved: Decimal
    disputed: Decimal


def own_sums(user: User, span: Span) -> list[Earned]:
    """Each project and currency for itself: amounts of two currencies are never added."""
    names = ("project__name", "currency", "is_approved", "is_disputed")
    rows = _told(_own(user).filter(_within(span))).order_by().values(*names).annotate(earned=Sum("amount"))
    result: dict[tuple[str, str], list[Decimal]] = {}
    for row in rows:
        sums_ = result.setdefault((row["project__name"], row["currency"]), [Decimal(0)] * 3)
        amount = row["earned"].quantize(EXACT)
        sums_[0] += amount
        sums_[1] += amount if row["is_approved"] else 0
        sums_[2] += amount if row["is_disputed"] else 0
    return [Earned(*names_, *sums_) for names_, sums_ in sorted(result.items())]


def own_periods(user: User) -> QuerySet[PayPeriod]:
    """What was approved of somebody's work, newest first."""
    return PayPeriod.objects.select_related("project").filter(annotator__user=user).order_by("-pk")


def own_rates(user: User) -> list[tuple[Project, list[Rate]]]:
    """What the work that somebody does is worth now, in the projects and targets where they do it."""
    places = user.memberships.select_related("project").filter(left_at=None, project__pays=True)
    result = []
    for place in places.order_by("project__name"):
        targets = Target.objects.filter(members__annotator=place)
        rows = Rate.objects.select_related("target").filter(
            Q(target=None) | Q(target__in=targets), project=place.project_id
        )
        done = _actions_of(place)
        mine = [each for each in current(list(rows)) if each.amount and each.action in done]
        if mine:
            result.append((place.project, mine))
    return result


def _actions_of(place: Annotator) -> set[str]:
    """What somebody is paid for, by their roles."""
    roles = {
        rules.WRITE: place.is_writer,
        rules.CORRECT: place.is_writer,
        rules.VOTE: place.is_validator,
        rules.RATE: place.is_rater,
        rules.ASSESS: place.is_lead,
        rules.COMPARE: place.is_validator,
    }
    return {action for action, does in roles.items() if does}


def own_ledger(user: User, span: Span) -> Iterator[LedgerEntry]:
    """One's own entries for a file, in the order in which they were made."""
    rows = (
        _own(user).filter(_within(span)).select_related("project", "target", "reverses", "approved__period")
    )
    return _in_chunks(rows.prefetch_related("disputes"))
