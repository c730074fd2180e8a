"""What changed between two texts, word by word, for a person who reads revisions side by side."""

import re
from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher

EQUAL, INSERT, DELETE = "equal", "insert", "delete"
# A word or a mark with the blanks before it: what is marked reads as it was written.
_PIECE = re.compile(r"\s*\w+|\s*[^\w\s]|\s+")
# Above this many equal pairs the matcher takes seconds; such texts are shown whole, one struck out, one new.
MOST_PAIRS = 200_000

Part = tuple[str, str]


def differences(before: str, after: str) -> list[Part]:
    """Give (operation, text) parts; equal and inserted ones join to `after`, equal and deleted ones to `before`."""
    if before == after:
        return [(EQUAL, after)] if after else []
    old, new = _PIECE.findall(before), _PIECE.findall(after)
    if _pairs(old, new) > MOST_PAIRS:
        return [part for part in ((DELETE, before), (INSERT, after)) if part[1]]
    parts: list[Part] = []
    for operation, start, end, new_start, new_end in SequenceMatcher(None, old, new, False).get_opcodes():
        if operation == EQUAL:
            parts.append((EQUAL, "".join(old[start:end])))
            continue
        parts.append((DELETE, "".join(old[start:end])))
        parts.append((INSERT, "".join(new[new_start:new_end])))
    return [part for part in parts if part[1]]


def _pairs(old: Sequence[str], new: Sequence[str]) -> int:
    """Count the pairs of equal pieces, which is what the matcher's time grows with."""
    there = Counter(new)
    return sum(count * there[piece] for piece, count in Counter(old).items())
