"""The ledger and the approved periods as rows of CSV files; amounts are plain numbers."""

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from decimal import Decimal

from django.utils.timezone import get_default_timezone

from annotation.core.access import Membership
from annotation.core.models.user import User
from annotation.pay import queries as fetch
from annotation.pay.models import ApprovedEntry, LedgerEntry
from annotation.pay.rules.rates import Span
from annotation.ui.csv_files import Cells


def _moment(moment: datetime) -> str:
    return moment.astimezone(get_default_timezone()).isoformat(timespec="seconds")


def _approved(entry: LedgerEntry) -> str:
    """The last day of the period that an entry belongs to; empty while it waits."""
    try:
        return entry.approved.period.end.isoformat()
    except ApprovedEntry.DoesNotExist:
        return ""


def _ledger(membership: Membership, span: Span) -> Iterator[Cells]:
    yield (
        *("entry", "at", "person", "action", "target", "item", "unit", "units", "rate", "amount", "currency"),
        *("reverses", "reason", "by", "approved_until"),
    )
    for entry in fetch.ledger_of(membership, span):
        yield (
            str(entry.token),
            _moment(entry.at),
            entry.annotator.pseudonym,
            entry.action,
            entry.target.key if entry.target else "",
            entry.item.key if entry.item else "",
            entry.unit,
            -entry.units if entry.reverses else entry.units,
            entry.rate.amount,
            entry.amount,
            entry.currency,
            str(entry.reverses.token) if entry.reverses else "",
            entry.reason,
            entry.by.email if entry.by else "",
            _approved(entry),
        )


def _periods(membership: Membership, span: Span) -> Iterator[Cells]:
    """Every period that was approved, whatever days are shown, one line a currency."""
    yield "person", "from", "until", "amount", "currency", "approved_at", "approved_by"
    for period in fetch.periods(membership).order_by("pk").iterator(chunk_size=fetch.CHUNK):
        for currency, amount in sorted(period.totals.items()):
            yield (
                period.annotator.pseudonym,
                period.start.isoformat(),
                period.end.isoformat(),
                Decimal(amount),
                currency,
                _moment(period.at),
                period.by.email,
            )


TABLES: Mapping[str, Callable[[Membership, Span], Iterator[Cells]]] = {"ledger": _ledger, "periods": _periods}


def own_ledger(user: User, span: Span) -> Iterator[Cells]:
    """One's own entries: no item is named, so that nothing is told of others."""
    yield (
        *("entry", "at", "project", "action", "target", "unit", "units", "amount", "currency"),
        *("reverses", "reason", "approved_until", "disputed", "answer"),
    )
    for entry in fetch.own_ledger(user, span):
        said = sorted(entry.disputes.all(), key=lambda each: each.pk)
        yield (
            str(entry.token),
            _moment(entry.at),
            entry.project.name,
            entry.action,
            entry.target.key if entry.target else "",
            entry.unit,
            -entry.units if entry.reverses else entry.units,
            entry.amount,
            entry.currency,
            str(entry.reverses.token) if entry.reverses else "",
            entry.reason,
            _approved(entry),
            said[-1].words if said else "",
            said[-1].answer if said else "",
        )
