"""What differs between two texts, in words, for people to read; the work is bounded whatever the texts hold."""

import re
from collections.abc import Iterator, Sequence

from rapidfuzz.distance import Indel

from annotation.text.tokens import WORD_PATTERN

Part = tuple[str, str]
_WORDS = re.compile(rf"\s+|{WORD_PATTERN}|[^\w\s]")
# A word or a mark with the blanks before it: what is marked reads as it was written.
_PIECES = re.compile(rf"\s*{WORD_PATTERN}|\s*[^\w\s]|\s+")
# Above this a line is shown as replaced whole.
MOST_WORDS = 2000
# Comparing costs a bit for each pair of pieces that lie between the first and the last change; above this, what lies
# there is shown as replaced whole.
MOST_PAIRS = 40_000_000
# More parts than this are read by nobody, and take a page seconds to draw.
MOST_PARTS = 4000


def _same_ends(old: Sequence[str], new: Sequence[str]) -> tuple[int, int]:
    """How many pieces are the same at the beginning, and how many of the others at the end."""
    most = min(len(old), len(new))
    start = next((n for n in range(most) if old[n] != new[n]), most)
    most -= start
    end = next((n for n in range(most) if old[-1 - n] != new[-1 - n]), most)
    return start, end


def hunks(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[Sequence[str], Sequence[str], bool]]:
    """Pieces of both, and whether they are equal, in order; equal and changed ones alternate."""
    start, end = _same_ends(old, new)
    before, after = old[start : len(old) - end], new[start : len(new) - end]
    if start:
        yield old[:start], new[:start], True
    if before or after:
        yield from _changed_parts(before, after)
    if end:
        yield old[len(old) - end :], new[len(new) - end :], True


def _changed_parts(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[Sequence[str], Sequence[str], bool]]:
    blocks = [] if len(old) * len(new) > MOST_PAIRS else Indel.opcodes(old, new).as_matching_blocks()
    if 2 * len(blocks) > MOST_PARTS:
        blocks = []
    a = b = 0
    for i, j, size in blocks:
        if i > a or j > b:
            yield old[a:i], new[b:j], False
        if size:
            yield old[i : i + size], new[j : j + size], True
        a, b = i + size, j + size
    if a < len(old) or b < len(new):
        yield old[a:], new[b:], False


def piece_parts(old: Sequence[str], new: Sequence[str]) -> list[Part]:
    """Parts (op, text), op one of equal, insert, delete; what was deleted stands before what was inserted."""
    parts: list[Part] = []
    for left, right, equal in hunks(old, new):
        if equal:
            parts.append(("equal", "".join(right)))
            continue
        parts += [(op, "".join(pieces)) for op, pieces in (("delete", left), ("insert", right)) if pieces]
    return parts


def differences(old: str, new: str) -> list[Part]:
    """Parts word by word, for revisions of short texts side by side."""
    return piece_parts(_PIECES.findall(old), _PIECES.findall(new))


def text_parts(old: str, new: str) -> list[Part]:
    """Parts (op, text), op one of equal, insert, delete; inserted and equal parts joined give `new`.

    Lines first, then the words of lines that changed.
    """
    parts: list[Part] = []
    for left, right, equal in hunks(old.splitlines(keepends=True), new.splitlines(keepends=True)):
        before, after = "".join(left), "".join(right)
        if equal:
            parts.append(("equal", after))
            continue
        words = _WORDS.findall(before), _WORDS.findall(after)
        if max(map(len, words)) <= MOST_WORDS and len(parts) <= MOST_PARTS:
            parts += piece_parts(*words)
        else:
            parts += [(op, text) for op, text in (("delete", before), ("insert", after)) if text]
    return parts
