"""Numbers in two languages, compared: numerals as they are written, and words for numbers where a language's are known.

A numeral is `\\d+([.,]\\d+)*` without its separators, so that 15.000 and 15,000 are one. Texts agree where they hold
the same numerals equally often. What is left over on either side may still stand on the other one in words (`lima
belas ribu`), with a word of size behind it (`15 ribu`, `15rb`), or in parts (`17.48`, `17:48`).
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from annotation.text.languages import Language, get
from annotation.text.tokens import WORD

NUMERAL = re.compile(r"\d+(?:[.,]\d+)*")
_SEPARATOR = re.compile(r"[.,]")
# A numeral with the letters behind it: `15 ribu`, `500k`.
_SIZED = re.compile(r"(?<![\d.,])(\d+(?:[.,]\d+)*)\s?([^\W\d_]+)")
_BEHIND_LETTERS = re.compile(r"[^\W\d_]2(?!\w)")


def strip_separators(numeral: str) -> str:
    """A numeral without its separators."""
    return _SEPARATOR.sub("", numeral)


def numerals(text: str) -> Counter[str]:
    """The numerals of a text, without separators, and how often each stands there."""
    return Counter(strip_separators(numeral) for numeral in NUMERAL.findall(text))


@dataclass
class _Reading:
    """A number while its words are read: what is in thousands already, and the hundreds that are being said."""

    total: int = 0
    group: int = 0
    said: bool = field(default=False)

    def add(self, value: int) -> bool:
        """Take a number word; False where it cannot belong to what was said (`dua tiga`)."""
        below = 1000 if value >= 100 else 100 if value >= 10 else 10
        if self.said and (value >= 1000 or self.group % below):
            return False
        self.total, self.group = (self.total + value, 0) if value >= 1000 else (self.total, self.group + value)
        self.said = True
        return True

    def teen(self) -> None:
        """`belas`: ten more than the unit before."""
        self.group += 10
        self.said = True

    def scale(self, size: int) -> None:
        """`puluh`, `ratus`, `ribu`: so many times what was said, or once where nothing was."""
        if size >= 1000:
            self.total, self.group = self.total + (self.group or 1) * size, 0
        else:
            unit = self.group % size
            self.group += (unit or 1) * size - unit
        self.said = True

    @property
    def value(self) -> int:
        return self.total + self.group


def numbers_in_words(text: str, language: Language) -> Counter[str]:
    """The numbers that a text says in words, as numerals; none where the language's words are not known."""
    known, numbers, now = language.numbers, Counter[str](), _Reading()
    if known is None:
        return numbers
    for word in [*WORD.findall(language.fold(text.lower())), ""]:
        value, size = known.words.get(word), known.multipliers.get(word)
        if value is not None:
            if not now.add(value):
                numbers[str(now.value)] += 1
                now = _Reading()
                now.add(value)
        elif size is not None:
            now.scale(size)
        elif word in known.teens and now.said:
            now.teen()
        elif not (word in known.connectors and now.said):
            numbers[str(now.value)] += now.said
            now = _Reading()
    return +numbers


def numerals_with_size(text: str, language: Language) -> Iterator[tuple[str, str]]:
    """Numerals with a word of size behind them, and what that makes: `15 ribu` is 15, and 15000."""
    known = language.numbers
    for hit in _SIZED.finditer(text.lower()) if known else ():
        size = known.multipliers.get(language.fold(hit[2])) if known else None
        value = strip_separators(hit[1])
        if size is not None and len(value) < 16:
            yield value, str(int(value) * size)


@dataclass(frozen=True)
class Difference:
    """Numerals that stand on one side only, and those of the source that the other text says in words."""

    missing: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    in_words: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.missing or self.added or self.in_words)


def compare(source: str, text: str, languages: tuple[str, str], *, stay: bool = False) -> Difference:
    """Say how the numbers of a text differ from those of its source (domain.md §7).

    With `stay` numerals have to stay numerals: those said in words are named apart. Otherwise they agree.
    """
    ours, theirs = numerals(source), numerals(text)
    missing, added = ours - theirs, theirs - ours
    if not missing and not added:
        return Difference()
    here, there = (_Side(each, get(code)) for each, code in zip((source, text), languages, strict=True))
    _take_parts(missing, added, source)
    _take_parts(added, missing, text)
    in_words = Counter[str]()
    for numeral in sorted(missing.elements()):
        if there.says(numeral, here):
            in_words[numeral] += 1
    missing -= in_words
    for numeral in sorted(added.elements()):
        if here.says(numeral, there):
            added[numeral] -= 1
    return Difference(
        _as_written(missing, source),
        _as_written(+added, text),
        _as_written(in_words, source) if stay else (),
    )


class _Side:
    """A text with what it says besides its numerals, each to be used up once."""

    def __init__(self, text: str, language: Language) -> None:
        self.numerals = numerals(text)
        self.sizes = dict(numerals_with_size(text, language))
        self.said = numbers_in_words(text, language) + Counter(self.sizes.values())
        self.doublings = len(_BEHIND_LETTERS.findall(text)) if language.uses_2_for_reduplication else 0

    def says(self, numeral: str, other: "_Side") -> bool:
        """Whether this text says in another way what the other one has as a numeral."""
        whole = other.sizes.get(numeral, "")
        for form in filter(None, (numeral, whole)):
            if self.said[form] > 0:
                self.said[form] -= 1
                return True
        if whole and self.numerals[whole] > 0:
            return True
        if numeral == "2" and other.doublings > 0:
            # `tb2` is a doubled word in colloquial Indonesian, not a number.
            other.doublings -= 1
            return True
        return False


def _take_parts(left: Counter[str], right: Counter[str], text: str) -> None:
    """Take out of both what one side writes as one numeral with separators and the other one as several."""
    for numeral in NUMERAL.findall(text):
        parts = Counter(_SEPARATOR.split(numeral))
        if left[strip_separators(numeral)] > 0 and parts.total() > 1 and parts <= right:
            left[strip_separators(numeral)] -= 1
            right -= parts


def _as_written(numbers: Counter[str], text: str) -> tuple[str, ...]:
    """Numerals as the text writes them, in its order."""
    left, written = Counter(numbers), []
    for numeral in NUMERAL.findall(text):
        if left[strip_separators(numeral)] > 0:
            left[strip_separators(numeral)] -= 1
            written.append(numeral)
    return tuple(written)
