"""The files of pay: the ledger, one's own entries, and what was approved."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime

from django.utils.timezone import get_default_timezone

from annotation.core.access import Membership
from annotation.core.models.member import Annotator
from annotation.pay import queries as fetch
from annotation.pay.earnings import EXACT
from annotation.pay.models import LedgerEntry
from annotation.pay.rules import Span
from annotation.ui.csv_files import Cells


def _moment(moment: datetime) -> str:
    return moment.astimezone(get_default_timezone()).isoformat(timespec="seconds")


def account_state(person: Annotator) -> str:
    """`deleted` where somebody's account is gone: what they earned stays under the pseudonym; else empty."""
    return "deleted" if person.user is not None and person.user.deleted_at else ""


def _adjustment_cell(name: str) -> Callable[[LedgerEntry], object]:
    """A cell of an action's first entry that says something of its adjustments."""

    def cell(entry: LedgerEntry) -> object:
        adjustments = entry.said if entry.n == 1 else []
        if name in ("words", "answer"):
            return "; ".join(text for each in adjustments if each.words and (text := getattr(each, name)))
        if name == "reason":
            return "; ".join(each.answer for each in adjustments if not each.words)
        return "; ".join(dict.fromkeys(each.answered_by.email for each in adjustments if each.answered_by))

    return cell


LEDGER_CELLS: Mapping[str, Callable[[LedgerEntry], object]] = {
    "entry": lambda entry: str(entry.token),
    "n": lambda entry: entry.n,
    "at": lambda entry: _moment(entry.at),
    "person": lambda entry: entry.annotator.pseudonym,
    "account": lambda entry: account_state(entry.annotator),
    "project": lambda entry: entry.annotator.project.name,
    "action": lambda entry: entry.rate.action,
    "target": lambda entry: entry.target.key,
    "item": lambda entry: entry.item.key if entry.item else "",
    "unit": lambda entry: entry.rate.unit,
    "units": lambda entry: entry.units,
    "rate": lambda entry: entry.rate.amount,
    "amount": lambda entry: entry.amount.quantize(EXACT),
    "currency": lambda entry: entry.rate.currency,
    "reason": _adjustment_cell("reason"),
    "by": _adjustment_cell("by"),
    "approved_until": lambda entry: entry.approval.end.isoformat() if entry.approval_id else "",
    "disputed": _adjustment_cell("words"),
    "answer": _adjustment_cell("answer"),
}
LEDGER_COLUMNS = (
    *(
        "entry",
        "n",
        "at",
        "person",
        "account",
        "action",
        "target",
        "item",
        "unit",
        "units",
        "rate",
        "amount",
        "currency",
    ),
    *("reason", "disputed", "answer", "by", "approved_until"),
)
# No item is named, so that nothing is revealed about others.
OWN_LEDGER_COLUMNS = (
    *("entry", "n", "at", "project", "action", "target", "unit", "units", "rate", "amount", "currency"),
    *("reason", "disputed", "answer", "approved_until"),
)


def ledger_lines(columns: tuple[str, ...], entries: Iterable[LedgerEntry]) -> Iterator[Cells]:
    yield columns
    for entry in entries:
        yield tuple(LEDGER_CELLS[name](entry) for name in columns)


def _periods(membership: Membership, span: Span) -> Iterator[Cells]:
    """Every period that was approved, whatever days are shown, one line a currency."""
    yield "person", "account", "from", "until", "amount", "currency", "approved_at", "approved_by", "paid_on"
    for period in reversed(fetch.periods(membership)):
        made, days = period.approval, (period.start.isoformat(), period.approval.end.isoformat())
        for currency, amount in period.totals.items():
            said = _moment(made.at), made.by.email, made.paid_on.isoformat() if made.paid_on else ""
            yield period.annotator.pseudonym, account_state(period.annotator), *days, amount, currency, *said


TABLES: Mapping[str, Callable[[Membership, Span], Iterator[Cells]]] = {
    "ledger": lambda membership, span: ledger_lines(LEDGER_COLUMNS, fetch.ledger_of(membership, span)),
    "periods": _periods,
}
