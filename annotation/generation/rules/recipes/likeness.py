"""How like two texts are, from 0 to 1: by their letters, or by what an embedding model makes of them."""

from collections.abc import Sequence
from math import fsum, isfinite, sqrt

from sacrebleu import sentence_chrf

# A float is as good as its digits: a likeness is kept to this many.
DIGITS = 6


def chrf(text: str, original: str) -> float:
    """chrF2 of a text against the original (sacrebleu's defaults: letters in threes to sixes, no words), 0 to 1."""
    if not text.strip() or not original.strip():
        return 0.0
    return round(min(max(sentence_chrf(text, [original]).score / 100, 0.0), 1.0), DIGITS)


def cosine(one: Sequence[float], other: Sequence[float]) -> float | None:
    """The cosine of two vectors; None where they cannot be compared: of different lengths, empty, or all zero."""
    if len(one) != len(other):
        return None
    mine, theirs = _unit(one), _unit(other)
    if mine is None or theirs is None:
        return None
    return round(min(max(fsum(a * b for a, b in zip(mine, theirs, strict=True)), -1.0), 1.0), DIGITS)


def _unit(vector: Sequence[float]) -> list[float] | None:
    """The vector at length 1; scaled first, so that neither huge nor tiny numbers run out of a float."""
    largest = max((abs(value) for value in vector), default=0.0)
    if not largest or not isfinite(largest):
        return None
    scaled = [value / largest for value in vector]
    length = sqrt(fsum(value * value for value in scaled))
    return [value / length for value in scaled]
