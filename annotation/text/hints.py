"""Hints in a text: the words of it that a word list explains."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from annotation.text.tokens import WORD_END, WORD_START

# Several words that one entry stands for: "saya, aku".
_BETWEEN = re.compile(r"\s*[,;/]\s*")


class Part(NamedTuple):
    """A piece of a text, and what the word list says of it; empty for what it does not know."""

    text: str
    explanation: str = ""


def explained_parts(text: str, words: Iterable[tuple[str, str]]) -> list[Part]:
    """Cut a text where a word list explains something of it; the parts put together are the text.

    A pair is a word of the register and what it stands for: where the text has what it stands for, the hint is the
    word; where the text has the word itself, the hint is what it stands for. Whole words, whatever their case; the
    longest entry wins.
    """
    says, finder = _finder(tuple((word, meaning) for word, meaning in words))
    return list(_cut_at_hints(text, says, finder)) if finder else [Part(text)]


@lru_cache(maxsize=64)
def _finder(words: tuple[tuple[str, str], ...]) -> tuple[dict[str, str], re.Pattern[str] | None]:
    """What each entry says, by the form in which it is looked for, and the pattern that finds them."""
    says: dict[str, list[str]] = {}
    for word, meaning in words:
        for each in _BETWEEN.split(meaning):
            says.setdefault(_form(each), []).append(word)
    for word, meaning in words:
        says.setdefault(_form(word), [meaning])
    says.pop("", None)
    hints = {form: ", ".join(dict.fromkeys(each for each in entries if each)) for form, entries in says.items()}
    forms = sorted((form for form in hints if hints[form]), key=len, reverse=True)
    if not forms:
        return hints, None
    return hints, re.compile(f"{WORD_START}(?:{'|'.join(map(re.escape, forms))}){WORD_END}")


def _form(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())


def _cut_at_hints(text: str, says: dict[str, str], finder: re.Pattern[str]) -> Iterator[Part]:
    lowered, places = _lower_with_places(text)
    done = 0
    for hit in finder.finditer(lowered):
        start, end = places[hit.start()], places[hit.end()]
        if start > done:
            yield Part(text[done:start])
        yield Part(text[start:end], says[hit.group()])
        done = end
    if done < len(text):
        yield Part(text[done:])


def _lower_with_places(text: str) -> tuple[str, list[int]]:
    """The text in the form of the list, and for each of its characters the place in the text that it is of."""
    lowered, places, place = [], [], 0
    for piece in re.findall(r"\s+|[^\W_]?[\u0300-\u036f]+|.", text, flags=re.DOTALL):
        form = " " if piece.isspace() else unicodedata.normalize("NFC", piece).casefold()
        lowered.append(form)
        places += [place] * len(form)
        place += len(piece)
    return "".join(lowered), [*places, place]
