"""Words that are nearly the same: two concepts of one category that may be one (domain.md §5)."""

from collections.abc import Iterable

from rapidfuzz import fuzz
from rapidfuzz.distance import OSA

from annotation.text.normalise import key_form

NEAR_PERCENT = 85
SHORTEST = 5


def near_equal(text: str, others: Iterable[str]) -> list[str]:
    """Those of the others that differ from the text in little: capitals, the order of words, a letter or two.

    In a word of fewer than five letters another letter makes another word: `soto` and `sate` are not near.
    """
    form = _form(text)
    return [other for other in others if _is_near(form, _form(other))]


def _form(text: str) -> str:
    return " ".join(sorted(key_form(text, casefold=True).replace("-", " ").split()))


def _is_near(one: str, other: str) -> bool:
    if one == other:
        return True
    if min(len(one), len(other)) < SHORTEST:
        return False
    return fuzz.ratio(one, other) >= NEAR_PERCENT or OSA.distance(one, other, score_cutoff=1) <= 1
