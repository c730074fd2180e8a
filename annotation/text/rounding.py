"""The one rounding of figures that people read: half up, once, from the figure itself."""

from decimal import ROUND_HALF_UP, Decimal


def half_up(value: float | Decimal, digits: int) -> Decimal:
    """Round to so many digits behind the point; half goes up, as Django's floatformat does it."""
    return Decimal(repr(value) if isinstance(value, float) else str(value)).quantize(
        Decimal(1).scaleb(-digits), ROUND_HALF_UP
    )
