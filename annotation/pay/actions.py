"""Pay: rates, one entry of the ledger for each finished action in its own transaction, approval, disputes.

Entries are never changed or deleted: what was wrong is taken back by a reversal, which is an entry too.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from django.db import IntegrityError, connection, transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.db.models.functions import Now
from django.utils.timezone import get_default_timezone

from annotation.content.models.item import Item
from annotation.content.models.source import Allocation
from annotation.core.errors import Conflict, Invalid, typed
from annotation.core.models.member import Annotator, Event
from annotation.core.models.project import Project, Target
from annotation.core.models.user import User
from annotation.jobs.database import locked, now
from annotation.kinds import SlotIn
from annotation.pay import rules
from annotation.pay.models import ApprovedEntry, Dispute, LedgerEntry, PayPeriod, Rate
from annotation.pay.rules import CURRENCIES, Span, payable

LONGEST_REASON = 300
MOST_UNITS = 100_000


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
    if unit not in rules.UNITS_OF.get(action, ()):
        raise Invalid(field="unit", code="rate_unit_unlike")
    if currency not in CURRENCIES:
        raise Invalid(field="currency", code="currency_unknown")
    if not (amount.is_finite() and 0 <= amount <= rules.MOST and amount == round(amount, 4)):
        raise Invalid(field="amount", code="rate_amount_wrong")
    if target is not None and target.project_id != project.pk:
        raise Invalid(field="target", code="target_unknown")
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


# --- entries for finished actions -------------------------------------------------------

_POST = """INSERT INTO annotation_ledgerentry (project_id, annotator_id, target_id, item_id, rate_id, action, unit,
  units, amount, currency, token, key, reason)
SELECT c.project_id, %s, %s, c.item, c.rate, c.action, c.unit, c.units, {worth}, c.currency, {token}, %s, ''
FROM (SELECT r.project_id, r.id AS rate, r.action, r.unit, r.amount, r.currency, i.id AS item,
    CASE r.unit WHEN 'sentence' THEN COALESCE((SELECT u.sentences FROM annotation_translation t
        JOIN annotation_sourceunit u ON u.id = t.unit_id WHERE t.item_id = i.id), %s)
      WHEN 'field' THEN %s WHEN 'item' THEN %s WHEN 'vote' THEN %s ELSE %s END AS units
  FROM annotation_rate r LEFT JOIN annotation_item i ON i.id = %s
  WHERE r.id = {rate} AND r.amount > 0) c
WHERE c.units > 0
ON CONFLICT DO NOTHING"""
_NOW_IN_FORCE = """(SELECT n.id FROM annotation_rate n WHERE n.project_id = %s AND n.action = %s
    AND (n.target_id IS NULL OR n.target_id = %s) ORDER BY n.target_id IS NULL, n.id DESC LIMIT 1)"""


def post(
    *,
    project: int,
    annotator: int,
    target: int,
    action: str,
    key: str,
    counted: rules.Counted,
    item: int | None = None,
    rate: int | None = None,
) -> bool:
    """Write what a finished action earned, in its transaction, by the rate in force; True where it was written now.

    One statement. What has an entry already is left as it is, so that an action is paid once, whatever is sent twice.
    `rate` names the rate where it is not the one of today (check_integrity). A translation's sentences are its
    source unit's.
    """
    postgres = connection.vendor == "postgresql"
    statement = _POST.format(
        worth="c.amount * c.units" if postgres else "round(c.amount * c.units, 4)",
        token="gen_random_uuid()" if postgres else "lower(hex(randomblob(16)))",
        rate="%s" if rate else _NOW_IN_FORCE,
    )
    chosen = (rate,) if rate else (project, action, target)
    units = (counted.sentence, counted.field, counted.item, counted.vote, counted.set)
    with connection.cursor() as cursor:
        cursor.execute(statement, [annotator, target, key, *units, item, *chosen])
        return bool(cursor.rowcount)


def post_set(allocation: Allocation, items: Sequence[Item], slots: Mapping[str, SlotIn]) -> None:
    """Pay a set that was just submitted, if the project pays."""
    project, kind, source = allocation.project, allocation.project.kind_spec, allocation.source.as_source
    if not project.pays or not items:
        return
    contents = [kind.content(source, slots[item.slot]) for item in items]
    post(
        project=project.pk,
        annotator=allocation.writer_id,
        target=items[0].target_id,
        item=items[0].pk if len(items) == 1 else None,
        action=rules.WRITE,
        key=set_key(allocation.pk),
        counted=rules.counted(kind, contents, project.language, sets=1),
    )


def post_correction(item: Item, revision: int, content: Mapping[str, Any]) -> None:
    """Pay a returned item that its writer just sent back corrected, if the project pays."""
    if not item.project.pays or item.author_id is None:
        return
    post(
        project=item.project_id,
        annotator=item.author_id,
        target=item.target_id,
        item=item.pk,
        action=rules.CORRECT,
        key=correct_key(revision),
        counted=rules.counted(item.project.kind_spec, [content], item.project.language),
    )


def set_key(allocation: int) -> str:
    return f"set:{allocation}"


def correct_key(revision: int) -> str:
    return f"correct:{revision}"


def vote_key(vote: int) -> str:
    return f"vote:{vote}"


def assess_key(item: int) -> str:
    """Of the check of a machine-written item: whoever checks it again earns nothing more."""
    return f"assess:{item}"


def compare_key(preference: int) -> str:
    return f"compare:{preference}"


def rate_key(rating: int, token: str) -> str:
    """Of one answer of a rater: a rating that was taken back is answered again under another token."""
    return f"rate:{rating}:{token[:8]}"


# --- reversals --------------------------------------------------------------------------


def unpost(*, key: str) -> None:
    """Take back what an action earned, in the transaction in which its owner took the action back.

    Also what an administrator counted anew for it; nothing where it earned nothing, or is reversed already.
    """
    same = Q(key=key) | Q(key__startswith=key + LedgerEntry.AGAIN)
    entries = LedgerEntry.objects.filter(same, reverses=None, reversed_by=None)
    LedgerEntry.objects.bulk_create([reversal(entry) for entry in entries], ignore_conflicts=True)


def entry_reverse(*, entry: LedgerEntry, by: User, reason: str) -> LedgerEntry:
    """An administrator takes back what an entry earned, with a reason that its owner reads.

    Raises Conflict where that was done before, Invalid for a reversal or without a reason.
    """
    checked = typed(reason, "reason", LONGEST_REASON, missing="reason_missing")
    if entry.reverses_id is not None:
        raise Invalid(code="entry_is_reversal")
    try:
        with transaction.atomic():
            made = reversal(entry, by=by, reason=checked)
            made.save(force_insert=True)
            Event.record(entry.project_id, by, "pay_reversed", key=entry.key)
    except IntegrityError as error:
        raise Conflict(code="entry_reversed") from error
    return made


def entry_again(*, entry: LedgerEntry, units: int, by: User, reason: str) -> LedgerEntry:
    """An administrator counts an entry anew: it is reversed, and stands again with other units at the same rate."""
    if not 0 < units <= MOST_UNITS:
        raise Invalid(field="units", code="units_wrong")
    with transaction.atomic():
        entry_reverse(entry=entry, by=by, reason=reason)
        again = _like(entry, by=by, reason=typed(reason, "reason", LONGEST_REASON, missing="reason_missing"))
        again.key, again.units = entry.key + LedgerEntry.AGAIN, units
        again.amount = rules.worth(units, entry.rate.amount)
        again.save(force_insert=True)
    return again


def reversal(entry: LedgerEntry, *, by: User | None = None, reason: str = "") -> LedgerEntry:
    """What takes an entry back, not stored yet: the same with its amount below nothing."""
    made = _like(entry, by=by, reason=reason)
    made.key, made.units = LedgerEntry.REVERSED + entry.key, entry.units
    made.amount, made.reverses = -entry.amount, entry
    return made


def _like(entry: LedgerEntry, *, by: User | None, reason: str) -> LedgerEntry:
    kept = ("project_id", "annotator_id", "target_id", "item_id", "rate_id", "action", "unit", "currency")
    return LedgerEntry(**{name: getattr(entry, name) for name in kept}, by=by, reason=reason)


def unbalanced(entries: Any) -> Any:
    """Entries whose amount is not what their units are worth by their rate; reversals count backwards."""
    right = F("units") * F("rate__amount")
    given, back = entries.filter(reverses=None), entries.filter(reverses__isnull=False)
    given = given.annotate(off=F("amount") - right)
    back = back.annotate(off=F("amount") + right)
    wrong = Q(off__gt=Decimal("0.00005")) | Q(off__lt=Decimal("-0.00005"))
    return [*given.filter(wrong), *back.filter(wrong)]


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
        Project.lock(project.pk)
        rows = waiting(project, Span(end, end).moments(zone)[1])
        if people is not None:
            rows = rows.filter(annotator__in=people)
        mine: dict[int, list[LedgerEntry]] = defaultdict(list)
        for entry in rows.only("annotator", "at", "currency", "amount").order_by("annotator", "pk"):
            mine[entry.annotator_id].append(entry)
        periods = PayPeriod.objects.bulk_create(
            _period(project, person, end, result, by) for person, result in mine.items()
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
            Event.record(project, by, "pay_approved", until=end.isoformat(), people=len(periods))
    return periods


def _period(project: Project, person: int, end: date, found: Sequence[LedgerEntry], by: User) -> PayPeriod:
    """What one person earned from the day of their first entry on."""
    totals = payable((each.currency, each.amount) for each in found)
    return PayPeriod(
        project=project,
        annotator_id=person,
        start=min(entry.at for entry in found).astimezone(get_default_timezone()).date(),
        end=end,
        totals={code: str(paid) for code, paid in totals.items()},
        by=by,
    )


# --- disputes ---------------------------------------------------------------------------


def dispute_open(*, entry: LedgerEntry, words: str) -> Dispute:
    """Whoever an entry is for says what is wrong with it; it is left out of approval until somebody answers.

    Raises Invalid for a reversal: it has no approval of its own, what is disputed is the entry that it takes back.
    """
    if entry.reverses_id is not None:
        raise Invalid(code="reversal_disputed")
    checked = typed(words, "words", LONGEST_WORDS, missing="words_missing")
    try:
        with transaction.atomic():
            return Dispute.objects.create(entry=entry, words=checked)
    except IntegrityError as error:
        raise Conflict(code="dispute_open") from error


def dispute_answer(
    *, dispute: Dispute, by: User, answer: str, outcome: str = KEEP, units: int | None = None
) -> Dispute:
    """An administrator answers: the entry stays, is reversed, or is counted anew with other units.

    Raises Conflict where somebody answered before, or reversed the entry meanwhile.
    """
    checked = typed(answer, "answer", LONGEST_WORDS, missing="answer_missing")
    if outcome not in OUTCOMES:
        raise Invalid(field="outcome", code="outcome_missing")
    with transaction.atomic():
        fresh = locked(Dispute.objects.filter(pk=dispute.pk)).get()
        if fresh.answered_at is not None:
            raise Conflict(code="dispute_answered")
        entry = LedgerEntry.objects.select_related("rate").get(pk=fresh.entry_id)
        if outcome == REVERSE:
            entry_reverse(entry=entry, by=by, reason=checked[:300])
        elif outcome == AGAIN:
            entry_again(entry=entry, units=units or 0, by=by, reason=checked[:300])
        Dispute.objects.filter(pk=fresh.pk).update(answer=checked, answered_by=by, answered_at=Now())
        fresh.refresh_from_db()
    return fresh
