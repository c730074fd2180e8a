"""Projects that pay, for tests: rates, what the ledger says, and who administers it."""

from decimal import Decimal
from typing import Any

from annotation import actions
from annotation.models import Lane, LedgerEntry, Project, Rate, User
from annotation.rules.pay import ITEM, ONE_VOTE, SENTENCE, SET
from tests import factory

UNITS = {"write": SET, "correct": ITEM, "vote": ONE_VOTE, "rate": ITEM}


def a_rate(
    of: Project,
    action: str = "vote",
    amount: str = "0.30",
    *,
    unit: str = "",
    currency: str = "USD",
    lane: Lane | None = None,
    by: User | None = None,
) -> Rate:
    """A rate from now on."""
    return actions.rate_set(
        project=of,
        action=action,
        unit=unit or UNITS[action],
        amount=Decimal(amount),
        currency=currency,
        lane=lane,
        by=by,
    )


def rates(of: Project, *, by: User | None = None) -> None:
    """What LoraxBench pays by source sentence, and something for the rest."""
    a_rate(of, "write", "0.8", unit=SENTENCE, by=by)
    a_rate(of, "correct", "0.25", by=by)
    a_rate(of, "vote", "0.3", unit=SENTENCE, by=by)
    a_rate(of, "rate", "0.125", by=by)


def ledger(of: Project, **filters: Any) -> list[tuple[str, str, int, Decimal, str]]:
    """Every entry in its order: action, unit, units, amount, currency."""
    rows = LedgerEntry.objects.filter(project=of, **filters).order_by("pk")
    return list(rows.values_list("action", "unit", "units", "amount", "currency"))


def an_administrator() -> User:
    return factory.user(administrator=True)
