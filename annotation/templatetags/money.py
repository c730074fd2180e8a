"""Amounts in templates: always with the code of their currency."""

from decimal import Decimal

from django import template
from django.utils import formats

from annotation.pay.models import Action, Unit
from annotation.pay.rules import decimals_of, rounded

register = template.Library()
BLANK, MINUS = "\u00a0", "\u2212"


@register.filter
def money(amount: Decimal | str, currency: str) -> str:
    """An amount as it is paid: `{{ sum|money:currency }}`."""
    paid = rounded(Decimal(amount), currency)
    return _said(paid, decimals_of(currency), currency)


@register.filter
def exact(amount: Decimal, currency: str) -> str:
    """An amount as the ledger has it, to the last decimal that is not 0."""
    plain = amount.normalize()
    exponent = plain.as_tuple().exponent
    return _said(plain, max(decimals_of(currency), -int(exponent)), currency)


@register.filter
def fine(amount: Decimal, currency: str) -> str:
    """An amount that may be far below the smallest coin: three digits that say something, and never fewer."""
    if not amount:
        return money(amount, currency)
    decimals = max(decimals_of(currency), 2 - amount.adjusted())
    return _said(round(amount, decimals), decimals, currency)


def _said(amount: Decimal, decimals: int, currency: str) -> str:
    number = formats.number_format(abs(amount), decimals, use_l10n=True, force_grouping=True)
    return f"{MINUS if amount < 0 else ''}{number}{BLANK}{currency}"


@register.filter
def paid_for(action: str) -> str:
    """What an action is called."""
    return str(Action(action).label)


@register.filter
def unit(name: str) -> str:
    """What a unit is called."""
    return str(Unit(name).label)
