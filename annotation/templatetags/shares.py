"""Shares, and why questions of machines were dropped, in templates."""

from decimal import Decimal

from django import template
from django.utils import formats

from annotation.generation.candidate_text import reason_name
from annotation.text.rounding import half_up

register = template.Library()
BLANK = "\u00a0"


@register.filter
def share(part: float | Decimal | None) -> str:
    """A share as a percentage with one decimal: `{{ row.dropped_share|share }}`; a dash where there is none."""
    return percent(None if part is None else 100 * Decimal(str(part)), 1)


@register.filter
def percent(value: float | Decimal | None, digits: int = 0) -> str:
    """A percentage with so many decimals: `{{ row.percent|percent:1 }}` is 12,5 % in Indonesian; a dash for none."""
    if value is None:
        return "–"
    return f"{formats.number_format(half_up(value, digits), digits, use_l10n=True)}{BLANK}%"


@register.filter
def drop_name(code: str) -> str:
    """What a reason is called: `{{ drop.reason|drop_name }}`."""
    return reason_name(code)
