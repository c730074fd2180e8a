"""Approving what people earned up to a day, and disputing an entry."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import date, datetime
from decimal import Decimal

from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Now
from django.utils.timezone import get_default_timezone

from annotation.core.errors import Conflict, Invalid
from annotation.core.models.member import Annotator, Event
from annotation.core.models.project import Project
from annotation.core.models.user import User
from annotation.jobs.database import locked, now
from annotation.pay.actions.ledger import entry_again, entry_reverse, words_given
from annotation.pay.models import ApprovedEntry, Dispute, LedgerEntry, PayPeriod
from annotation.pay.rules.money import payable
from annotation.pay.rules.rates import Span

LONGEST_WORDS = 2000
KEEP, REVERSE, AGAIN = "keep", "reverse", "again"
OUTCOMES = (KEEP, REVERSE, AGAIN)


def waiting(project: Project, until: datetime) -> QuerySet[LedgerEntry]:
    """What can be approved: entries before a moment that no period holds, and that nobody disputes.

    An entry and its reversal are approved together, or wait together: while the entry is disputed, and until the day
    of the reversal. The reversal of an entry that was approved waits for nothing.
    """
    held, original_held = (ApprovedEntry.objects.filter(entry=OuterRef(name)) for name in ("pk", "reverses"))
    disputed, original_disputed = (
        Dispute.objects.filter(answered_at=None, entry=OuterRef(name)) for name in ("pk", "reverses")
    )
    reversed_later = LedgerEntry.objects.filter(reverses=OuterRef("pk"), at__gte=until)
    entry = Q(~Exists(disputed), ~Exists(reversed_later), reverses=None)
    reversal = Q(Exists(original_held) | ~Exists(original_disputed), reverses__isnull=False)
    return LedgerEntry.objects.filter(entry | reversal, ~Exists(held), project=project, at__lt=until)


def period_approve(
    *, project: Project, end: date, by: User, people: Sequence[Annotator] | None = None
) -> list[PayPeriod]:
    """Approve what these people (or all) earned up to the end of a day, and nobody approved yet.

    One period for each person with something to approve. Each entry belongs to one period for ever; what is written
    while this runs is in it whole, or waits for the next. Two administrators at once approve once. Raises Invalid for
    a day that has not begun.
    """
    zone = get_default_timezone()
    if end > now().astimezone(zone).date():
        raise Invalid(field="end", code="period_not_begun")
    with transaction.atomic():
        locked(Project.objects.filter(pk=project.pk)).get()
        rows = waiting(project, Span(end, end).moments(zone)[1])
        if people is not None:
            rows = rows.filter(annotator__in=people)
        mine: dict[int, list[LedgerEntry]] = defaultdict(list)
        for entry in rows.only("annotator", "at", "currency", "amount").order_by("annotator", "pk"):
            mine[entry.annotator_id].append(entry)
        periods = PayPeriod.objects.bulk_create(
            [
                PayPeriod(
                    project=project,
                    annotator_id=person,
                    start=min(entry.at for entry in found).astimezone(zone).date(),
                    end=end,
                    totals={code: str(paid) for code, paid in _payable(found).items()},
                    by=by,
                )
                for person, found in mine.items()
            ]
        )
        ApprovedEntry.objects.bulk_create(
            [
                ApprovedEntry(entry=entry, period=period)
                for period in periods
                for entry in mine[period.annotator_id]
            ],
            batch_size=5000,
        )
        if periods:
            data = {"until": end.isoformat(), "people": len(periods)}
            Event.objects.create(project=project, actor=by, verb="pay_approved", data=data)
    return periods


def _payable(entries: Iterable[LedgerEntry]) -> dict[str, Decimal]:
    return payable((entry.currency, entry.amount) for entry in entries)


# --- disputes ---------------------------------------------------------------------------


def dispute_open(*, entry: LedgerEntry, words: str) -> Dispute:
    """Whoever an entry is for says what is wrong with it; it is left out of approval until somebody answers.

    Raises Invalid for a reversal: it has no approval of its own, what is disputed is the entry that it takes back.
    """
    if entry.reverses_id is not None:
        raise Invalid(code="reversal_disputed")
    said = words_given(words, "words", LONGEST_WORDS)
    try:
        with transaction.atomic():
            return Dispute.objects.create(entry=entry, words=said)
    except IntegrityError as error:
        raise Conflict(code="dispute_open") from error


def dispute_answer(
    *, dispute: Dispute, by: User, answer: str, outcome: str = KEEP, units: int | None = None
) -> Dispute:
    """An administrator answers: the entry stays, is reversed, or is counted anew with other units.

    Raises Conflict where somebody answered before, or reversed the entry meanwhile.
    """
    said = words_given(answer, "answer", LONGEST_WORDS)
    if outcome not in OUTCOMES:
        raise Invalid(field="outcome", code="outcome_missing")
    with transaction.atomic():
        fresh = locked(Dispute.objects.filter(pk=dispute.pk)).get()
        if fresh.answered_at is not None:
            raise Conflict(code="dispute_answered")
        entry = LedgerEntry.objects.select_related("rate").get(pk=fresh.entry_id)
        if outcome == REVERSE:
            entry_reverse(entry=entry, by=by, reason=said[:300])
        elif outcome == AGAIN:
            entry_again(entry=entry, units=units or 0, by=by, reason=said[:300])
        Dispute.objects.filter(pk=fresh.pk).update(answer=said, answered_by=by, answered_at=Now())
        fresh.refresh_from_db()
    return fresh
