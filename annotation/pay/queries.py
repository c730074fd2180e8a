"""Queries of the pages of pay: earnings of a project's people for administrators, and one's own earnings.

Leads count what was done; amounts are for administrators, and for the person who earned them.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from uuid import UUID
from zoneinfo import ZoneInfo

from django.db.models import Min, Q, QuerySet, Sum

from annotation.core.access import Membership
from annotation.core.days import today_in, zone_of
from annotation.core.errors import Forbidden, NotFound, first_or_not_found
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project, Target
from annotation.core.models.user import User
from annotation.pay import earnings, rules
from annotation.pay.earnings import ALL_ENTRIES, EntryFilter, EntryList, Scope
from annotation.pay.models import Adjustment, Approval, LedgerEntry, Rate
from annotation.pay.rules import Span, payable_by_currency, round_amount, sum_by_currency

# What a total can be counted by: what names it, beside action, unit and currency.
GROUP_COLUMNS: Mapping[str, str] = {"person": "w.pseudonym", "target": "t.key", "action": "r.action"}


def zone_of_pay(project: Project | None = None) -> ZoneInfo:
    """The time zone whose days make periods: the project's; of one's pay in all projects the site's."""
    return zone_of(project.rules if project else None)


def today(project: Project | None = None) -> date:
    """The day by the database's clock: periods are made of such days."""
    return today_in(zone_of_pay(project))


def _in_span(span: Span, project: Project | None = None) -> EntryFilter:
    return earnings.done_between(*span.moments(zone_of_pay(project)))


# --- a project's ledger -----------------------------------------------------------------


def _of_project(membership: Membership) -> Scope:
    if not membership.is_administrator:
        raise Forbidden
    return Scope.of_project(membership.project)


@dataclass(frozen=True)
class Total:
    """What one person, target or action comes to, in one unit and currency; `amount` is None for leads."""

    name: str
    action: str
    unit: str
    units: int
    currency: str
    amount: Decimal | None


def totals(membership: Membership, span: Span, by: str) -> list[Total]:
    """Units (and for administrators amounts) by person, target or action, with unit and currency.

    For a lead who votes without votes: how many others give is told to nobody who is asked.
    """
    if not membership.sees_all:
        raise Forbidden
    which = _in_span(span, membership.project)
    if membership.is_voting_lead:
        which = earnings.done_without_votes(*span.moments(zone_of_pay(membership.project)))
    amounts = membership.is_administrator
    names = [GROUP_COLUMNS[by], "r.action", "r.unit", *(["r.currency"] if amounts else [])]
    rows = earnings.sum_entries(Scope.of_project(membership.project), names, which)
    return [
        Total(name, action, unit, row.units, *((*currency, row.amount) if amounts else ("", None)))
        for row in rows
        for name, action, unit, *currency in [row.by]
    ]


@dataclass
class UnapprovedPay:
    """What somebody earned up to a day and nobody approved yet, by currency; and how much they dispute."""

    pseudonym: str
    entries: int = 0
    amounts: Mapping[str, Decimal] = field(default_factory=dict)
    disputed: int = 0


def totals_and_waiting(
    membership: Membership, span: Span, by: str, end: date
) -> tuple[list[Total], list[UnapprovedPay]]:
    """Totals with amounts; and everybody with something to approve up to a day, or to answer, by pseudonym."""
    until = Span(end, end).moments(zone_of_pay(membership.project))[1]
    done, waits = earnings.sum_entries_at_once(
        _of_project(membership),
        ([GROUP_COLUMNS[by], "r.action", "r.unit", "r.currency"], _in_span(span, membership.project)),
        (["w.pseudonym", "r.currency"], earnings.approvable_until(until)),
    )
    found = [
        Total(name, action, unit, row.units, currency, row.amount)
        for row in done
        for name, action, unit, currency in [row.by]
    ]
    return found, _unapproved_pay(membership, waits)


def _unapproved_pay(membership: Membership, rows: Sequence[earnings.EntrySum]) -> list[UnapprovedPay]:
    people: dict[str, UnapprovedPay] = {}
    earned: dict[str, list[tuple[str, Decimal]]] = {}
    for row in rows:
        name, currency = row.by
        people.setdefault(name, UnapprovedPay(name)).entries += row.entries
        earned.setdefault(name, []).append((currency, row.amount))
    for name, amounts in earned.items():
        people[name].amounts = payable_by_currency(amounts)
    for dispute in disputes(membership, answered=False):
        name = dispute.annotator.pseudonym
        people.setdefault(name, UnapprovedPay(name)).disputed += 1
    return [people[name] for name in sorted(people)]


def amounts_to_pay(people: Sequence[UnapprovedPay]) -> dict[str, Decimal]:
    """What approving everybody comes to: the sum of what each is paid, by currency."""
    return sum_by_currency(pair for each in people for pair in each.amounts.items())


def entries_of(membership: Membership, span: Span, person: str) -> EntryList:
    """One person's entries in a project, newest first."""
    _of_project(membership)
    return _entry_list(Scope.of_person(membership.project, person), _in_span(span, membership.project))


def _entry_list(scope: Scope, which: EntryFilter) -> EntryList:
    return EntryList(scope, which, sum(row.entries for row in earnings.sum_entries(scope, ["r.currency"], which)))


def entry(membership: Membership, token: UUID) -> LedgerEntry:
    """The first entry of an action of the project, for administrators."""
    return _one_or_not_found(earnings.entries(_of_project(membership), earnings.first_entry_of_token(token)))


def _one_or_not_found(found: Iterator[LedgerEntry]) -> LedgerEntry:
    """The one that there is, or NotFound."""
    entry = next(found, None)
    if entry is None:
        raise NotFound
    return entry


def disputes(membership: Membership, *, answered: bool) -> QuerySet[Adjustment]:
    """What people say against entries: the oldest question first, the newest answer first."""
    rows = disputes_of(membership).filter(answered_at__isnull=not answered)
    return rows.order_by("-answered_at" if answered else "at", "pk")


def dispute(membership: Membership, dispute_id: int) -> tuple[Adjustment, LedgerEntry]:
    """One dispute of the project with the first entry of its action, for administrators."""
    found = first_or_not_found(disputes_of(membership).filter(pk=dispute_id))
    scope = Scope.of_project(membership.project, [found.annotator_id])
    return found, _one_or_not_found(earnings.entries(scope, EntryFilter("e.n = 1 AND e.key = %s", (found.key,))))


def disputes_of(membership: Membership) -> QuerySet[Adjustment]:
    """Every dispute of a project, answered or not, for administrators."""
    _of_project(membership)
    rows = Adjustment.objects.select_related("annotator", "answered_by")
    return rows.filter(annotator__project=membership.project).exclude(words="")


@dataclass
class Period:
    """What was approved at once of one person: from the day of their first entry, and how much by currency."""

    approval: Approval
    annotator: Annotator
    start: date
    totals: dict[str, Decimal]


def periods(membership: Membership, newest: int | None = None) -> list[Period]:
    """What was approved, newest first; so many where a number is given."""
    _of_project(membership)
    return _periods(LedgerEntry.objects.filter(approval__project=membership.project), newest)


def _periods(rows: QuerySet[LedgerEntry], newest: int | None = None) -> list[Period]:
    """Entries by approval and person; amounts are summed exactly, and rounded once."""
    if newest is not None:
        last = rows.order_by("-approval").values_list("approval", flat=True).distinct()[:newest]
        rows = rows.filter(approval__in=list(last))
    by = ("approval", "annotator", "rate__currency")
    grouped = rows.values_list(*by).annotate(start=Min("at"), earned=Sum("amount"))
    found: dict[tuple[int, int], tuple[datetime, dict[str, Decimal]]] = {}
    for approval, person, currency, start, earned in grouped.order_by("-approval", "annotator", by[2]):
        since, totals = found.get((approval, person), (start, {}))
        totals[currency] = round_amount(earned, currency)
        found[approval, person] = min(since, start), totals
    kept = list(found)[:newest]
    approvals = Approval.objects.select_related("by", "project").in_bulk({key[0] for key in kept})
    people = Annotator.objects.select_related("user").in_bulk({key[1] for key in kept})
    zones = {made.project_id: zone_of_pay(made.project) for made in approvals.values()}
    return [
        # What takes back what was paid is dated when it was found, which may be after the day.
        Period(made, people[key[1]], min(since.astimezone(zones[made.project_id]).date(), made.end), earned_by)
        for key in kept
        for made, (since, earned_by) in [(approvals[key[0]], found[key])]
    ]


def periods_of(approval: Approval) -> list[Period]:
    """What one approval approved, by person."""
    return _periods(approval.entries.all())


def approvals(membership: Membership) -> QuerySet[Approval]:
    """Every approval of a project, for administrators."""
    _of_project(membership)
    return Approval.objects.filter(project=membership.project)


def rates(membership: Membership) -> list[Rate]:
    """Every rate that the project ever had, newest first."""
    _of_project(membership)
    return list(Rate.objects.select_related("target", "by").filter(project=membership.project).order_by("-pk"))


def current_rates(rows: Sequence[Rate]) -> list[Rate]:
    """Of all rates of a project those in force, by action, the project's before its targets'."""
    newest = {(each.action, each.target_id): each for each in sorted(rows, key=lambda each: each.pk)}
    order = list(rules.UNITS_OF)
    return sorted(newest.values(), key=lambda each: (order.index(each.action), each.target.key if each.target else ""))


def ledger_of(membership: Membership, span: Span) -> Iterator[LedgerEntry]:
    """A project's entries of some days in their order."""
    return earnings.entries(_of_project(membership), _in_span(span, membership.project))


def deleted_accounts(membership: Membership) -> set[str]:
    """The pseudonyms of those of the project who deleted their accounts: what they earned stays, nobody has it sent."""
    gone = Annotator.objects.filter(project=membership.project, user__deleted_at__isnull=False)
    return set(gone.values_list("pseudonym", flat=True))


# --- one's own --------------------------------------------------------------------------


def own_entries(user: User, span: Span) -> EntryList:
    """What somebody earned in all their projects, newest first, also where they left."""
    return _entry_list(Scope.of_user(user), _in_span(span))


def own_entry(user: User, token: UUID) -> LedgerEntry:
    """One entry of one's own, by its token."""
    return _one_or_not_found(earnings.entries(Scope.of_user(user), earnings.first_entry_of_token(token)))


def own_ledger(user: User, span: Span | None = None) -> Iterator[LedgerEntry]:
    """One's own entries in their order: of some days, or all."""
    return earnings.entries(Scope.of_user(user), ALL_ENTRIES if span is None else _in_span(span))


@dataclass(frozen=True)
class EarnedSum:
    """What somebody earned in a project in one currency; how much of it is approved, how much they dispute."""

    project: str
    currency: str
    amount: Decimal
    approved: Decimal
    disputed: Decimal
    paid: Decimal | None = None  # None: not looked up, or nobody said that anything was paid

    @property
    def waiting(self) -> Decimal:
        """What nobody approved yet."""
        return self.amount - self.approved


def own_sums(user: User, span: Span) -> list[EarnedSum]:
    """Each project and currency for itself: amounts of two currencies are never added."""
    rows = earnings.sum_entries(Scope.of_user(user), ["p.name", "p.id", "r.currency"], _in_span(span))
    return [EarnedSum(row.by[0], row.by[2], row.amount, row.approved, row.disputed) for row in rows]


def own_sums_in(place: Annotator, span: Span) -> list[EarnedSum]:
    """What somebody earned in one project, by currency."""
    scope = Scope.of_person(place.project, place.pseudonym)
    rows = earnings.sum_entries(scope, ["r.currency"], _in_span(span, place.project))
    return [EarnedSum("", row.by[0], row.amount, row.approved, row.disputed) for row in rows]


def own_ledger_in(place: Annotator, span: Span) -> Iterator[LedgerEntry]:
    """Their entries there in their order."""
    return earnings.entries(Scope.of_person(place.project, place.pseudonym), _in_span(span, place.project))


def earned_by_action(annotator: Annotator, key: str) -> list[EarnedSum]:
    """What one action earned, by its key (annotation/pay/sources.py); nothing where it is not paid."""
    if not annotator.project.pays:
        return []
    scope = Scope.of_project(annotator.project, [annotator.pk])
    rows = earnings.sum_entries(scope, ["r.currency"], EntryFilter("e.key = %s", (key,)))
    return [EarnedSum("", row.by[0], row.amount, row.approved, row.disputed) for row in rows]


def own_total(user: User) -> list[EarnedSum]:
    """All that somebody ever earned, by currency."""
    rows = earnings.sum_entries(Scope.of_user(user), ["r.currency"])
    paid = dict(
        LedgerEntry.objects.filter(annotator__user=user, approval__paid_on__isnull=False)
        .values_list("rate__currency")
        .annotate(Sum("amount"))
    )
    return [EarnedSum("", row.by[0], row.amount, row.approved, row.disputed, paid.get(row.by[0])) for row in rows]


@dataclass(frozen=True)
class UnpaidSum:
    """What somebody earned in a project in one currency: what nobody approved, and what is approved and not paid."""

    project: str
    pseudonym: str
    currency: str
    waiting: Decimal
    approved: Decimal


def own_unpaid(user: User) -> list[UnpaidSum]:
    """What somebody would still be owed if their account went, by project and currency."""
    rows = earnings.sum_entries(Scope.of_user(user), ["p.name", "w.id", "w.pseudonym", "r.currency"])
    owed = LedgerEntry.objects.filter(annotator__user=user, approval__paid_on=None)
    sums = owed.values_list("annotator", "rate__currency").annotate(Sum("amount"))
    approved = {(place, currency): amount for place, currency, amount in sums}
    found = [
        UnpaidSum(name, pseudonym, currency, row.amount - row.approved, approved.get((place, currency), Decimal(0)))
        for row in rows
        for name, place, pseudonym, currency in [row.by]
    ]
    return [each for each in found if each.waiting or each.approved]


def own_periods(user: User, newest: int) -> list[Period]:
    """What was approved of somebody's work, newest first."""
    return _periods(LedgerEntry.objects.filter(annotator__user=user), newest)


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
        mine = [each for each in current_rates(list(rows)) if each.amount and each.action in done]
        if mine:
            result.append((place.project, mine))
    return result


def _actions_of(place: Annotator) -> set[str]:
    """What somebody is paid for, by their roles."""
    roles = {
        rules.WRITE: place.is_writer,
        rules.CORRECT: place.is_writer,
        rules.VOTE: place.is_validator,
        rules.ASSESS: place.is_lead,
        rules.QUIZ: place.is_validator,
        rules.WRITER_QUIZ: place.is_writer,
    }
    return {action for action, does in roles.items() if does}
