"""Where words stand in a text, as code points of the text as it is stored: composed letters and decomposed ones are
the same, and so is every run of blanks, since a line of a form holds no breaks.
"""

import re
import unicodedata

from annotation.text.tokens import WORD

_BLANKS = re.compile(r"\s+")


def same_words(one: str, other: str) -> bool:
    """Whether two passages are the same but for blanks and the form of their letters."""
    return one == other or _plain(one) == _plain(other)


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).split())


def places_of(text: str, words: str) -> list[tuple[int, int]]:
    """Every place where these words stand in the text, start and end, in its order; none within a letter."""
    wanted = _BLANKS.split(unicodedata.normalize("NFC", words).strip())
    pattern = re.compile(r"\s+".join(map(re.escape, wanted)))
    if unicodedata.is_normalized("NFC", text):
        return [(found.start(), found.end()) for found in pattern.finditer(text)]
    composed, places = _composed(text)
    ends = ((places[found.start()], places[found.end()]) for found in pattern.finditer(composed))
    return [(start, end) for start, end in ends if start >= 0 and end >= 0]


def place_in(text: str, now: str, start: int, end: int) -> tuple[int, int] | None:
    """Where the words at a place of a text stand in another version of it; None where that cannot be said.

    They have to stand once in both, and to be cut from what is beside them in the same way: "Ani" is not in "Anita".
    """
    words, at = text[start:end], now.find(text[start:end])
    once = at >= 0 and now.rfind(words) == at and text.find(words) == text.rfind(words)
    if not once or _cuts(text, start, end) != _cuts(now, at, at + len(words)):
        return None
    return at, at + len(words)


def _cuts(text: str, start: int, end: int) -> tuple[bool, bool]:
    """Whether a place begins, and whether it ends, within a word."""
    begins = bool(WORD.fullmatch(text[max(start - 1, 0) : start + 1])) and start > 0
    return begins, end < len(text) and bool(WORD.fullmatch(text[end - 1 : end + 1]))


def _composed(text: str) -> tuple[str, list[int]]:
    """The text in NFC, and for each of its characters, and for its end, where that begins in the text.

    -1 where a character stands within what several of the text became.
    """
    composed, places, start = "", list[int](), 0
    for end in range(1, len(text) + 1):
        if end < len(text) and _belongs(text[start:end], text[end]):
            continue
        letter = unicodedata.normalize("NFC", text[start:end])
        places += range(start, end) if letter == text[start:end] else [start, *[-1] * (len(letter) - 1)]
        composed, start = composed + letter, end
    return composed, [*places, len(text)]


def _belongs(letter: str, following: str) -> bool:
    """Whether a character makes one letter with those before it, or may change its place among them."""
    if unicodedata.combining(following):
        return True
    whole = unicodedata.normalize("NFC", letter + following)
    return whole != unicodedata.normalize("NFC", letter) + unicodedata.normalize("NFC", following)
