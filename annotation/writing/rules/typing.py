"""How a text was typed, in sums: characters by the way in which they came, edits, pauses in classes. Pure.

No key, no character and no time of day is kept. What nobody measured is unknown (None), never 0: a page without its
script, a text from the API, a person who did not agree. Keyboards compose, correct and suggest whole words; dictation
and screen readers bring sentences: all of that is typing (`static/js/typing.js`, from `InputEvent.inputType`).
"""

from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from typing import Any

import orjson

# Nobody writes more into one form; a figure above is none that the script gives.
MOST_COUNT = 1_000_000
LONGEST_SENT = 2000
# A text of which so much arrived at once is shown to leads, from so many characters on.
ONE_INSERTION_SHARE, SHORT_TEXT = 0.8, 40


@dataclass(frozen=True, slots=True)
class Typing:
    """One text: characters that were typed, pasted or dropped, and inserted otherwise (by other programs); the longest
    of these insertions; edits (runs of deleting); pauses of 2 to 10 s, 10 to 60 s, and over a minute."""

    typed: int
    pasted: int
    inserted: int
    longest: int
    edits: int
    pauses_short: int
    pauses_middle: int
    pauses_long: int

    @property
    def counted(self) -> int:
        """The characters that came in, whatever happened to them."""
        return self.typed + self.pasted + self.inserted

    def to_dict(self) -> dict[str, int]:
        """As plain JSON values."""
        return asdict(self)


NAMES = tuple(field.name for field in fields(Typing))


def read(sent: str) -> Typing | None:
    """Read what the script sent; None where nothing was measured, or it is nothing that the script sends."""
    if not sent or len(sent) > LONGEST_SENT:
        return None
    try:
        parsed: Any = orjson.loads(sent)
    except orjson.JSONDecodeError:
        return None
    if not isinstance(parsed, dict) or set(parsed) != set(NAMES):
        return None
    if not all(type(n) is int and 0 <= n <= MOST_COUNT for n in parsed.values()):
        return None
    found = Typing(**parsed)
    return found if found.counted else None


def in_one_insertion(typing: Typing | None, length: int) -> bool:
    """Whether most of a text arrived in one insertion: a reason to ask its writer, and nothing more."""
    return typing is not None and length >= SHORT_TEXT and typing.longest >= ONE_INSERTION_SHARE * length


@dataclass(frozen=True, slots=True)
class TypingSums:
    """Sums over texts: `measured` of them were, `attested` are of sets whose writer said that they wrote them."""

    texts: int
    measured: int
    attested: int
    not_attested: int
    one_insertion: int
    typed: int
    pasted: int
    inserted: int

    @property
    def counted(self) -> int:
        """The characters that came in."""
        return self.typed + self.pasted + self.inserted

    def share(self, part: int) -> float | None:
        """A part of the characters; None where nothing was measured."""
        return part / self.counted if self.counted else None

    def to_dict(self) -> dict[str, int]:
        """As plain JSON values."""
        return asdict(self)


TypedText = tuple[Typing | None, int, bool | None]


def sum_typing(texts: Iterable[TypedText]) -> TypingSums:
    """Add up texts: what was measured of each, its length, and whether its writer attested it (None: not asked)."""
    rows = list(texts)
    measured = [typing for typing, _, _ in rows if typing is not None]
    return TypingSums(
        texts=len(rows),
        measured=len(measured),
        attested=sum(attested is True for _, _, attested in rows),
        not_attested=sum(attested is False for _, _, attested in rows),
        one_insertion=sum(in_one_insertion(typing, length) for typing, length, _ in rows),
        typed=sum(each.typed for each in measured),
        pasted=sum(each.pasted for each in measured),
        inserted=sum(each.inserted for each in measured),
    )
