"""Pay: what a finished action counts, what it is worth, which rate is in force, and what a period is (domain.md §7)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, Protocol, TypeVar
from zoneinfo import ZoneInfo

from annotation.kinds import Kind, text_at
from annotation.text.sentences import sentences

WRITE, CORRECT, VOTE, RATE = "write", "correct", "vote", "rate"
ASSESS, COMPARE = "assess", "compare"
SENTENCE, FIELD, ITEM, ONE_VOTE, SET = "sentence", "field", "item", "vote", "set"
# What each action can be paid by: the others count nothing in it.
UNITS_OF: Mapping[str, tuple[str, ...]] = {
    WRITE: (SENTENCE, FIELD, ITEM, SET),
    CORRECT: (SENTENCE, FIELD, ITEM),
    VOTE: (SENTENCE, FIELD, ITEM, ONE_VOTE),
    RATE: (ITEM,),
    ASSESS: (ITEM,),
    COMPARE: (ITEM,),
}
MOST = Decimal("9999999.9999")
FIRST_DAY, LAST_DAY = date(1970, 1, 1), date(2999, 12, 31)


@dataclass(frozen=True)
class Counted:
    """How many of each unit an action was; the rate in force says which of them is paid."""

    sentence: int = 0
    field: int = 0
    item: int = 0
    vote: int = 0
    set: int = 0

    def of(self, unit: str) -> int:
        """How many of one unit."""
        return int(getattr(self, unit))


def texts_of(kind: Kind, content: Mapping[str, Any]) -> list[str]:
    """The texts of an item that its writer wrote: not those of its source, nor those that follow from others.

    A text that validators are not shown is part of one that they are, where the kind joins such; else the source's.
    """
    fields = [
        each
        for each in kind.texts_of(content)
        if not each.shared and not each.derived and (each.shown or kind.joined)
    ]
    return [text for text in (text_at(content, each.key) for each in fields) if text.strip()]


def counted(
    kind: Kind, contents: Sequence[Mapping[str, Any]], language: str, *, votes: int = 0, sets: int = 0
) -> Counted:
    """What an action on these items counts: their own texts as fields, and the sentences in them, at least one each.

    For a translation, sentences are those of its source unit instead; whoever posts the entry asks the unit.
    """
    texts = [text for content in contents for text in texts_of(kind, content)]
    lines = sum(max(1, len(sentences(text, language))) for text in texts)
    return Counted(lines, len(texts), len(contents), votes, sets)


def worth(units: int, rate: Decimal) -> Decimal:
    """What so many units earn: exact; rounded only where it is shown or paid."""
    return units * rate


class RateLike(Protocol):
    """What a rate says, as far as it decides which one is in force."""

    @property
    def pk(self) -> int: ...

    action: str
    target_id: int | None
    at: datetime


R = TypeVar("R", bound=RateLike)


def in_force(rates: Iterable[R], action: str, target: int | None, at: datetime | None = None) -> R | None:
    """The rate of an action in a target: its own before the project's, the newest first; at a moment, or now.

    Its amount may be 0: then nothing is paid, in a target whatever the project's rate is.
    """
    fit = [
        each
        for each in rates
        if each.action == action and each.target_id in (None, target) and (at is None or each.at <= at)
    ]
    return max(fit, key=lambda each: (each.target_id is not None, each.pk), default=None)


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


def before(span: Span) -> Span:
    """The month before the one in which a span begins."""
    return month_of(span.start.replace(day=1) - timedelta(days=1))


def behind(span: Span) -> Span:
    """The month behind the one in which a span ends."""
    return month_of(_next_month(span.end.replace(day=1)))
