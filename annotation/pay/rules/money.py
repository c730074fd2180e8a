"""Money: which currencies there are, how many decimals each has (ISO 4217), and rounding where it is paid."""

from collections.abc import Iterable, Mapping
from decimal import ROUND_HALF_UP, Decimal

import pycountry

# Minor units by ISO 4217, list one, where they are not two.
_NO_DECIMALS = (
    *("BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG"),
    *("RWF", "UGX", "UYI", "VND", "VUV", "XAF", "XOF", "XPF"),
)
_THREE_DECIMALS = ["BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"]
_FOUR_DECIMALS = ["CLF", "UYW"]
# Metals, units of account, and codes for tests and for nothing: nobody is paid in them.
_NO_MONEY = frozenset(
    ["XAG", "XAU", "XBA", "XBB", "XBC", "XBD", "XDR", "XPD", "XPT", "XSU", "XTS", "XUA", "XXX"]
)
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


def rounded(amount: Decimal, currency: str) -> Decimal:
    """An amount as it is paid: to the currency's decimals, a half away from zero."""
    found = amount.quantize(Decimal(1).scaleb(-decimals_of(currency)), ROUND_HALF_UP)
    # No minus before nothing.
    return found if found else abs(found)


def sums(amounts: Iterable[tuple[str, Decimal]]) -> dict[str, Decimal]:
    """The exact sum of each currency, by its code; currencies are never added together."""
    found: dict[str, Decimal] = {}
    for currency, amount in amounts:
        found[currency] = found.get(currency, Decimal(0)) + amount
    return dict(sorted(found.items()))


def payable(amounts: Iterable[tuple[str, Decimal]]) -> dict[str, Decimal]:
    """What is paid in each currency: summed exactly, and rounded once."""
    return {currency: rounded(amount, currency) for currency, amount in sums(amounts).items()}
