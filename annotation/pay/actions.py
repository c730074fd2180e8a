"""Pay: rates, approval, disputes and other adjustments.

Nothing is written when somebody finishes something: what it earned is counted when it is shown or approved
(`earnings.py`). Rates, approvals and entries are only ever added; of an approval it is said once more when it was paid.
"""

from collections.abc import Sequence
from datetime import date
from decimal import Decimal

from django.db import IntegrityError, transaction
from django.db.models.functions import Now

from annotation.core.database import locked
from annotation.core.days import today_in, zone_of
from annotation.core.errors import Conflict, Invalid, clean_typed, first_or_not_found
from annotation.core.models.member import Annotator, Event
from annotation.core.models.project import Project, Target
from annotation.core.models.user import User
from annotation.pay import earnings, rules
from annotation.pay.models import Adjustment, Approval, LedgerEntry, Rate
from annotation.pay.rules import CURRENCIES, Span

LONGEST_REASON = 300
LONGEST_WORDS = 2000
MOST_UNITS = 100_000
KEEP, REVERSE, RECOUNT = "keep", "reverse", "again"
OUTCOMES = (KEEP, REVERSE, RECOUNT)


def rate_set(
    *,
    project: Project,
    action: str,
    unit: str,
    amount: Decimal,
    currency: str,
    target: Target | None = None,
    by: User | None = None,
) -> Rate:
    """From now on a unit of an action is worth this, in the project or in one target; 0: nothing is paid.

    Actions finished before keep what they earned. Raises Invalid for what is no rate.
    """
    rate_check(project=project, action=action, unit=unit, amount=amount, currency=currency, target=target)
    with transaction.atomic():
        Project.lock(project.pk)
        Project.objects.filter(pk=project.pk, pays=False).update(pays=True)
        made = Rate.objects.create(
            project=project, target=target, action=action, unit=unit, amount=amount, currency=currency, by=by
        )
        data = {"action": action, "unit": unit, "amount": str(amount), "currency": currency}
        Event.record(project, by, "rate_set", **data, **({"target": target.key} if target else {}))
    project.pays = True
    return made


def rate_check(
    *, project: Project, action: str, unit: str, amount: Decimal, currency: str, target: Target | None = None
) -> None:
    """Raise Invalid for what is no rate."""
    if unit not in rules.UNITS_OF.get(action, ()):
        raise Invalid(field="unit", code="rate_unit_unlike")
    if currency not in CURRENCIES:
        raise Invalid(field="currency", code="currency_unknown")
    if not (amount.is_finite() and 0 <= amount <= rules.MOST_AMOUNT and amount == round(amount, 4)):
        raise Invalid(field="amount", code="rate_amount_wrong")
    if target is not None and target.project_id != project.pk:
        raise Invalid(field="target", code="target_unknown")


# --- approval ---------------------------------------------------------------------------


def pay_approve(*, project: Project, end: date, by: User, people: Sequence[Annotator] | None = None) -> Approval | None:
    """Approve what these people (or all) earned up to the end of a day, and nobody approved yet; None: nothing.

    One statement finds what is open and writes it: what is stored while it runs is in it, or waits for the next
    approval, whatever its day. Two administrators at once approve once. Raises Invalid for a day that has not begun.
    """
    zone = zone_of(project.rules)
    if end > today_in(zone):
        raise Invalid(field="end", code="period_not_begun")
    scope = earnings.Scope.of_project(project, None if people is None else [each.pk for each in people])
    with transaction.atomic():
        Project.lock(project.pk)
        before = transaction.savepoint()
        made = Approval.objects.create(project=project, end=end, by=by)
        if not earnings.store_approved(scope, made, Span(end, end).moments(zone)[1]):
            transaction.savepoint_rollback(before)
            return None
        paid = made.entries.values("annotator").distinct().count()
        Event.record(project, by, "pay_approved", until=end.isoformat(), people=paid)
    return made


def pay_mark_paid(*, project: Project, approval: int, on: date | None, by: User) -> Approval:
    """The people of an approval were paid on this day; None: they were not, it was said by mistake.

    Raises NotFound for an approval that is not the project's, Invalid for a day that has not begun or before it.
    """
    zone = zone_of(project.rules)
    with transaction.atomic():
        made = first_or_not_found(locked(Approval.objects.filter(project=project, pk=approval)))
        if on is not None and not made.at.astimezone(zone).date() <= on <= today_in(zone):
            raise Invalid(field="on", code="paid_day_wrong")
        if made.paid_on != on:
            Approval.objects.filter(pk=made.pk).update(paid_on=on)
            made.paid_on = on
            days = {"until": made.end.isoformat(), "on": on.isoformat() if on else ""}
            Event.record(project, by, "pay_paid" if on else "pay_not_paid", **days)
    return made


# --- disputes and other adjustments -----------------------------------------------------


def dispute_open(*, entry: LedgerEntry, words: str) -> Adjustment:
    """Whoever an action is of says what is wrong with its pay; it is not approved before somebody answers."""
    checked = clean_typed(words, "words", LONGEST_WORDS, missing="words_missing")
    try:
        with transaction.atomic():
            return Adjustment.objects.create(annotator_id=entry.annotator_id, key=entry.key, words=checked)
    except IntegrityError as error:
        raise Conflict(code="dispute_open") from error


def dispute_answer(
    *, dispute: Adjustment, by: User, answer: str, outcome: str = KEEP, units: int | None = None
) -> Adjustment:
    """An administrator answers: the action earns what it did, nothing, or so many units at its rate.

    Raises Conflict where somebody answered before, or took it back meanwhile.
    """
    checked = clean_typed(answer, "answer", LONGEST_WORDS, missing="answer_missing")
    if outcome not in OUTCOMES:
        raise Invalid(field="outcome", code="outcome_missing")
    if outcome == RECOUNT and not 0 < (units or 0) <= MOST_UNITS:
        raise Invalid(field="units", code="units_wrong")
    counts = {KEEP: None, REVERSE: 0, RECOUNT: units}[outcome]
    with transaction.atomic():
        fresh = locked(Adjustment.objects.filter(pk=dispute.pk)).get()
        if fresh.answered_at is not None:
            raise Conflict(code="dispute_answered")
        if counts == 0:
            _not_taken_back(fresh.annotator, fresh.key)
        Adjustment.objects.filter(pk=fresh.pk).update(answer=checked, units=counts, answered_by=by, answered_at=Now())
        fresh.refresh_from_db()
    return fresh


def entry_reverse(*, entry: LedgerEntry, by: User, reason: str) -> Adjustment:
    """An administrator takes back what an action earned, with a reason that its owner reads.

    Raises Conflict where that was done before, Invalid without a reason.
    """
    checked = clean_typed(reason, "reason", LONGEST_REASON, missing="reason_missing")
    with transaction.atomic():
        _not_taken_back(entry.annotator, entry.key)
        made = Adjustment.objects.create(
            annotator=entry.annotator,
            key=entry.key,
            answer=checked,
            units=0,
            answered_by=by,
            answered_at=Now(),
        )
        Event.record(entry.annotator.project_id, by, "pay_reversed", key=entry.key)
    return made


def pay_waive(*, user: User, reason: str) -> int:
    """Take back all that somebody earned and nobody approved, because they waive it; how many entries that were.

    What they dispute of it is answered by that. In the caller's transaction.
    """
    for project in Project.objects.filter(annotators__user=user, pays=True).order_by("pk").values_list("pk", flat=True):
        Project.lock(project)
    waived = {entry.key: entry for entry in earnings.entries(earnings.Scope.of_user(user), earnings.OPEN_ENTRIES)}
    answer = {"answer": reason, "units": 0, "answered_by": user, "answered_at": Now()}
    disputes = Adjustment.objects.filter(annotator__user=user, answered_at=None, key__in=waived)
    disputed = set(disputes.values_list("key", flat=True))
    disputes.update(**answer)
    Adjustment.objects.bulk_create(
        Adjustment(annotator=entry.annotator, key=key, **answer) for key, entry in waived.items() if key not in disputed
    )
    return len(waived)


def _not_taken_back(annotator: Annotator, key: str) -> None:
    """Hold the project, so that one of two administrators is first; Conflict where the action earns nothing already."""
    Project.lock(annotator.project_id)
    before = Adjustment.objects.filter(key=key, units__isnull=False).order_by("-answered_at", "-pk")
    if before.values_list("units", flat=True).first() == 0:
        raise Conflict(code="entry_reversed")
