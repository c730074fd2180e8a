"""How many sentences a text has, and when a hypothesis is more than one (domain.md §4)."""

import re
from collections.abc import Iterator
from itertools import pairwise

from annotation.text.languages import Language, get
from annotation.text.tokens import WORD

SINGLE, DOUBLE, PARAGRAPH = "single", "double", "paragraph"
CLASSES = (SINGLE, DOUBLE, PARAGRAPH)
# Chinese and Japanese, Arabic, Urdu, Indic, Ethiopic and Javanese marks, which need no blank behind them.
_NO_BLANK_AFTER = "。！？\u061f\u06d4\u0964\u0965\u1362\ua9c9"
END_MARKS = ".!?…" + _NO_BLANK_AFTER
CLOSERS = "\"'”’»)]」』›"
_OPENERS = "\"'“‘„«([「『‹"
# What is shorter stands beside a sentence and is none: a title, a greeting ("Ya. Budi pergi.").
SHORT_HALF = 1

# Always matches where a mark stands, so that time grows with the text whatever it holds.
_MARK = re.compile(rf"(?P<mark>[{END_MARKS}]+)(?P<close>[{re.escape(CLOSERS)}]*)(?P<blank>\s*)")
_DOTTED = re.compile(r"(?:[^\W\d_]{1,4}\.)+[^\W\d_]{1,4}")
_LONGEST_ABBREVIATION = 40


def sentences(text: str, language: str = "") -> list[str]:
    """Cut a text into its sentences, without the blanks around them; an empty text has none."""
    text = text.strip()
    cuts = [0, *_sentence_ends(text, get(language)), len(text)]
    return [text[left:right].strip() for left, right in pairwise(cuts) if left < right]


def sentence_count(text: str, language: str = "") -> int:
    """How many sentences a text has, at least one."""
    # Most texts have no mark but at their end, and are many.
    if _MARK.search(text, 0, len(text) - 1) is None:
        return 1
    return max(1, len(sentences(text, language)))


def sentence_class(text: str, language: str = "") -> str:
    """Class a premise by its sentences: one is `single`, two are `double`, more are a `paragraph`."""
    return CLASSES[min(sentence_count(text, language), 3) - 1]


def has_several(text: str, language: str = "") -> bool:
    """Say whether a text is surely more than one sentence: both halves have two words or more."""
    text = text.strip()
    ends = list(_sentence_ends(text, get(language)))
    if not ends:
        return False
    starts = [word.start() for word in WORD.finditer(text)]
    if len(starts) <= SHORT_HALF * 2:
        return False
    # An end between words: two or more begin before it, and two or more behind it.
    return any(starts[SHORT_HALF] < end <= starts[-SHORT_HALF - 1] for end in ends)


def _sentence_ends(text: str, language: Language) -> Iterator[int]:
    """Give each place where a sentence ends and another begins."""
    if _MARK.search(text, 0, len(text) - 1) is None:
        return
    for hit in _MARK.finditer(text):
        if hit.end() == len(text):
            return
        mark = hit["mark"]
        if mark[-1] in _NO_BLANK_AFTER or (hit["blank"] and not _continues_after_mark(text, hit, mark, language)):
            yield hit.end()


def _continues_after_mark(text: str, hit: re.Match[str], mark: str, language: Language) -> bool:
    """Say whether a sentence goes on behind a mark: an abbreviation, an initial, a list number, a quotation."""
    if text[hit.end()].islower() and (hit["close"] or mark == "…" or mark.startswith("..")):
        return True
    if mark != ".":
        return False
    start = hit.start()
    before = text[max(0, start - _LONGEST_ABBREVIATION) : start].split()
    if not before or text[start - 1].isspace():
        return False
    word = before[-1].lstrip(_OPENERS)
    if word.isdecimal():
        return len(before) == 1
    return _is_short(word, language)


def _is_short(word: str, language: Language) -> bool:
    """Say whether a word before a full stop is an abbreviation or an initial (`dll`, `S.Pd`, `R`)."""
    return (
        (len(word) == 1 and word.isalpha())
        or word.casefold() in language.abbreviations
        or _DOTTED.fullmatch(word) is not None
    )
