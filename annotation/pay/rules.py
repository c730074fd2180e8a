"""Pay: currencies and rounding, the units of each action, days and months (domain.md §7)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import ROUND_HALF_UP, Decimal
from zoneinfo import ZoneInfo

import pycountry

# Minor units by ISO 4217, list one, where they are not two.
_NO_DECIMALS = (
    *("BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG"),
    *("RWF", "UGX", "UYI", "VND", "VUV", "XAF", "XOF", "XPF"),
)
_THREE_DECIMALS = ["BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"]
_FOUR_DECIMALS = ["CLF", "UYW"]
# Metals, units of account, and codes for tests and for nothing: nobody is paid in them.
_NO_MONEY = frozenset(["XAG", "XAU", "XBA", "XBB", "XBC", "XBD", "XDR", "XPD", "XPT", "XSU", "XTS", "XUA", "XXX"])
_DECIMALS: Mapping[str, int] = {
    **dict.fromkeys(_NO_DECIMALS, 0),
    **dict.fromkeys(_THREE_DECIMALS, 3),
    **dict.fromkeys(_FOUR_DECIMALS, 4),
}
CURRENCIES: Mapping[str, str] = {
    each.alpha_3: each.name
    for each in sorted(pycountry.currencies, key=lambda each: str(each.alpha_3))
    if each.alpha_3 not in _NO_MONEY
}


def decimals_of(currency: str) -> int:
    """How many decimals a currency is paid with. Raises KeyError for a code that is no money of ISO 4217."""
    if currency not in CURRENCIES:
        raise KeyError(currency)
    return _DECIMALS.get(currency, 2)


def round_amount(amount: Decimal, currency: str) -> Decimal:
    """An amount as it is paid: to the currency's decimals, a half away from zero."""
    result = amount.quantize(Decimal(1).scaleb(-decimals_of(currency)), ROUND_HALF_UP)
    # No minus before nothing.
    return result if result else abs(result)


def sum_by_currency(amounts: Iterable[tuple[str, Decimal]]) -> dict[str, Decimal]:
    """The exact sum of each currency, by its code; currencies are never added together."""
    result: dict[str, Decimal] = {}
    for currency, amount in amounts:
        result[currency] = result.get(currency, Decimal(0)) + amount
    return dict(sorted(result.items()))


def payable_by_currency(amounts: Iterable[tuple[str, Decimal]]) -> dict[str, Decimal]:
    """What is paid in each currency: summed exactly, and rounded once."""
    return {currency: round_amount(amount, currency) for currency, amount in sum_by_currency(amounts).items()}


WRITE, CORRECT, VOTE, ASSESS, QUIZ, WRITER_QUIZ = "write", "correct", "vote", "assess", "quiz", "writerquiz"
SENTENCE, FIELD, ITEM, ONE_VOTE, SET = "sentence", "field", "item", "vote", "set"
# What each action can be paid by: the others count nothing in it.
UNITS_OF: Mapping[str, tuple[str, ...]] = {
    WRITE: (SENTENCE, FIELD, ITEM, SET),
    CORRECT: (SENTENCE, FIELD, ITEM),
    VOTE: (SENTENCE, FIELD, ITEM, ONE_VOTE),
    ASSESS: (ITEM,),
    QUIZ: (ITEM, SET),
    WRITER_QUIZ: (ITEM, SET),
}
MOST_AMOUNT = Decimal("9999999.9999")
FIRST_DAY, LAST_DAY = date(1970, 1, 1), date(2999, 12, 31)


@dataclass(frozen=True)
class Span:
    """Days from the first to the last, both included."""

    start: date
    end: date

    def moments(self, zone: ZoneInfo) -> tuple[datetime, datetime]:
        """When the first day begins, and when the last is over, in this time zone."""
        begin = datetime.combine(self.start, time(), zone)
        return begin, datetime.combine(self.end + timedelta(days=1), time(), zone)


def month_of(day: date) -> Span:
    """The month in which a day is."""
    first = day.replace(day=1)
    return Span(first, _next_month(first) - timedelta(days=1))


def _next_month(first: date) -> date:
    return (first + timedelta(days=31)).replace(day=1)


def month_before(span: Span) -> Span:
    """The month before the one in which a span begins."""
    return month_of(span.start.replace(day=1) - timedelta(days=1))


def month_after(span: Span) -> Span:
    """The month behind the one in which a span ends."""
    return month_of(_next_month(span.end.replace(day=1)))
