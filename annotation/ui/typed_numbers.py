"""Numbers as people type them, in the language of the page: “1.500” in Indonesian is “1,500” in English.

What can only mean one number is that number, whichever language it is written in. What the page's language reads as
decimals and others as thousands (“1.500” in English) is refused: nobody is to be paid a thousandth of what was meant.
"""

import re
from decimal import Decimal

from django.utils.formats import get_format

from annotation.text.gettext import gettext_noop

UNREADABLE = gettext_noop("Enter a number.")
AMBIGUOUS = gettext_noop("This can be read as two numbers. Enter %(small)s or %(large)s.")
LONGEST = 40
_PARTS = re.compile(r"([-−]?)([0-9]*(?:[.,' \u00a0\u2009\u202f][0-9]+)*)", re.ASCII)
_BLANKS = re.compile(r"[ \u00a0\u2009\u202f]")


class TypedNumberError(ValueError):
    """What was typed is no number, or could be two; with the sentence and its parameters."""

    def __init__(self, reason: str, **params: str) -> None:
        self.reason, self.params = reason, params
        super().__init__(reason % params if params else reason)


def read_number(text: str) -> Decimal:
    """The number that somebody typed on a page of the current language. Raises TypedNumberError."""
    return _read(_BLANKS.sub(" ", text.strip()), get_format("DECIMAL_SEPARATOR"))


def _read(text: str, point: str) -> Decimal:
    """A number in which `point` begins the decimals, and the other of `.` and `,` parts thousands."""
    parts = _PARTS.fullmatch(text) if len(text) <= LONGEST else None
    if parts is None or not parts[2]:
        raise TypedNumberError(UNREADABLE)
    sign, digits = parts[1] and "-", parts[2]
    marks = re.findall(r"\D", digits)
    if not marks:
        return Decimal(sign + digits)
    last = marks[-1]
    whole, _, decimals = digits.rpartition(last)
    # Only a dot or a comma that stands once, behind all others, can begin decimals.
    decides = last in ".," and last not in whole
    if not re.search(r"\D", whole) and decides:
        thousands = len(decimals) == 3 and re.fullmatch("[1-9][0-9]{0,2}", whole)
        if thousands and last == point:
            small = f"{Decimal(f'{whole}.{decimals}').normalize():f}".replace(".", point)
            raise TypedNumberError(AMBIGUOUS, small=small, large=whole + decimals)
        if not thousands and len(decimals) == 3 and last != point and whole.strip("0"):
            raise TypedNumberError(UNREADABLE)
        return Decimal(sign + (whole + decimals if thousands else f"{whole or 0}.{decimals}"))
    if decides:
        return Decimal(f"{sign}{_without_groups(whole)}.{decimals}")
    return Decimal(sign + _without_groups(digits))


def _without_groups(text: str) -> str:
    """The digits of a whole number in groups of three, all parted by the same mark."""
    if not re.fullmatch(r"[1-9][0-9]{0,2}(\D)[0-9]{3}(\1[0-9]{3})*", text):
        raise TypedNumberError(UNREADABLE)
    return re.sub(r"\D", "", text)


def number_text(number: Decimal | float) -> str:
    """A number as it stands in a field of the current language: without groups, and so that it is read as itself."""
    plain = f"{Decimal(str(number)):f}"
    whole, _, decimals = plain.partition(".")
    decimals = decimals.rstrip("0")
    # Three decimals could be read as thousands.
    return whole + (f"{get_format('DECIMAL_SEPARATOR')}{decimals}{'0' * (len(decimals) == 3)}" if decimals else "")
