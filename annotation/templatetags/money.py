"""Amounts in templates: with the code of their currency, or with its sign in the languages of its country."""

from decimal import Decimal

from django import template
from django.utils import formats
from django.utils.translation import get_language, ngettext_lazy

from annotation.core.models.member import Annotator
from annotation.pay.models import Action, Unit
from annotation.pay.queries import earned_by_action
from annotation.pay.rules import CURRENCIES, decimals_of, round_amount
from annotation.text.number_words import number_in_words

register = template.Library()
_UNITS = {
    Unit.SENTENCE: ngettext_lazy("%(n)s sentence", "%(n)s sentences", "count"),
    Unit.FIELD: ngettext_lazy("%(n)s field", "%(n)s fields", "count"),
    Unit.ITEM: ngettext_lazy("%(n)s item", "%(n)s items", "count"),
    Unit.VOTE: ngettext_lazy("%(n)s vote", "%(n)s votes", "count"),
    Unit.SET: ngettext_lazy("%(n)s set", "%(n)s sets", "count"),
}
BLANK, MINUS = "\u00a0", "\u2212"
# How a country's own languages write its money: Rp6.000, without the sen that nobody pays.
AT_HOME = {"IDR": ("Rp", ("id", "su", "jv"))}


@register.filter
def money(amount: Decimal | str, currency: str) -> str:
    """An amount as it is paid: `{{ sum|money:currency }}`."""
    paid = round_amount(Decimal(amount), currency)
    return _amount_text(paid, decimals_of(currency), currency)


def earned_words(annotator: Annotator, key: str) -> list[str]:
    """What an action earned, in each currency; said beside that it was submitted."""
    return [money(each.amount, each.currency) for each in earned_by_action(annotator, key) if each.amount]


@register.filter
def exact(amount: Decimal, currency: str) -> str:
    """An amount as the ledger has it, to the last decimal that is not 0."""
    plain = amount.normalize()
    exponent = plain.as_tuple().exponent
    return _amount_text(plain, max(decimals_of(currency), -int(exponent)), currency)


@register.filter
def in_words(amount: Decimal, currency: str) -> str:
    """An amount written out, with the name of its currency: `one thousand five hundred (Rupiah)`."""
    return f"{number_in_words(amount, get_language() or '')} ({CURRENCIES[currency]})"


@register.filter
def fine(amount: Decimal, currency: str) -> str:
    """An amount that may be far below the smallest coin: three digits that say something, and never fewer."""
    if not amount:
        return money(amount, currency)
    decimals = max(decimals_of(currency), 2 - amount.adjusted())
    return _amount_text(round(amount, decimals), decimals, currency)


def _amount_text(amount: Decimal, decimals: int, currency: str) -> str:
    sign, languages = AT_HOME.get(currency, ("", ()))
    at_home = get_language() in languages
    if at_home and amount == amount.to_integral_value():
        decimals = 0
    number = formats.number_format(abs(amount), decimals, use_l10n=True, force_grouping=True)
    amount_text = f"{sign}{number}" if at_home else f"{number}{BLANK}{currency}"
    return f"{MINUS if amount < 0 else ''}{amount_text}"


@register.filter
def paid_for(action: str) -> str:
    """What an action is called."""
    return str(Action(action).label)


@register.filter
def unit(name: str) -> str:
    """What one unit is called."""
    return str(Unit(name).label)


@register.filter
def units(n: int, name: str) -> str:
    """So many of a unit as people say it: `{{ entry.units|units:entry.rate.unit }}`; below nothing with a minus."""
    number = formats.number_format(abs(n), use_l10n=True, force_grouping=True)
    return f"{MINUS if n < 0 else ''}{_UNITS[Unit(name)] % {'count': abs(n), 'n': number}}"
