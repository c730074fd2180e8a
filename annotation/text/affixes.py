"""Does a question contain its concept, or another form of the same base word? (id-csqa Appendix D, rule 3)

A light matcher without a dictionary: affixes are taken off by the lists of the language (languages/), and two words
are forms of one base where something is left that both could have been made from. Languages without lists compare
words as they stand. Over the 1,498 published Indonesian questions it finds the concept as it stands in 1,336, in
another form in 149 and not at all in 13 (synonyms and slips of the pen: all were read). With the concepts dealt out
anew by a seed it accepts 5 to 8 of the 1,498: those do contain it (all were read).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from annotation.text.languages import Language, get
from annotation.text.languages.base import Affixes
from annotation.text.normalise import key_form
from annotation.text.tokens import WORD_PATTERN

_WORD = re.compile(rf"{WORD_PATTERN}(?:-{WORD_PATTERN})*")
_VOWEL = re.compile("[aeiouy]")
SHORTEST_BASE = 3
# What is left of two words that both lost an affix proves less: rang is in perang and serang, but ajar in both
# belajar and mengajar.
SHORTEST_SHARED = 4
MOST_PREFIXES = 3
# Longer than any word of a language; nothing is taken off such a thing.
LONGEST_WORD = 40
# No concept has so many words; a longer one has to stand there as it is.
MOST_CHANGED = 12
# Thai, Lao, Burmese, Khmer, kana and Han are written without blanks: there the concept is looked for as letters.
_WITHOUT_BLANKS = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")


class Presence(StrEnum):
    """How a text contains a concept."""

    STANDS = "as it stands"
    OTHER_FORM = "another form"
    MISSING = "missing"


@lru_cache(maxsize=256)
def presence(concept: str, text: str, language: str) -> Presence:
    """Say how a text contains a concept: `STANDS`, `OTHER_FORM` or `MISSING`; an empty concept stands in any text.

    Of a concept of several words each word with content has to be there, in any order and with others between
    (`makan tidak habis`: the child does not *finish* its *food*); its function words do not count, unless there are
    no others. What is written in one word on one side and in two on the other is another form.
    """
    spec = get(language)
    if _WITHOUT_BLANKS.search(concept):
        there_at_all = _fold_text(concept, spec) in _fold_text(text, spec)
        return Presence.STANDS if there_at_all else Presence.MISSING
    there = _Text.read(text, spec)
    wanted = _wanted_words(concept, spec)
    changed = [word for word in wanted if word not in there.standing]
    if not changed:
        return Presence.STANDS
    if len(changed) <= MOST_CHANGED and all(_has_form(word, there, spec) for word in changed):
        return Presence.OTHER_FORM
    return Presence.OTHER_FORM if _is_joined_or_split(concept, there, spec) else Presence.MISSING


def same_base(left: str, right: str, language: str) -> bool:
    """Say whether two words (in lower case) can be forms of one base; a word is a form of itself."""
    if left == right:
        return True
    shared = bases(left, language) & bases(right, language)
    return any(
        base in (left, right) or (len(base) >= SHORTEST_SHARED and len(_VOWEL.findall(base)) > 1) for base in shared
    )


@lru_cache(maxsize=16_384)
def bases(word: str, language: str) -> frozenset[str]:
    """Everything that a word may have been made from, itself included; never empty."""
    affixes = get(language).affixes
    if affixes is None or len(word) > LONGEST_WORD:
        return frozenset({word})
    parts_of_word = {word}
    for part in {word, *_doubled_parts(word)}:
        stems = _without_suffixes(part, affixes)
        layer = stems
        for _level in range(MOST_PREFIXES):
            layer = {bare for stem in layer for bare in _without_prefix(stem, affixes)} - stems
            stems |= layer
        parts_of_word |= stems
    return frozenset(base for base in parts_of_word if base == word or _may_be_base(base))


def _may_be_base(stem: str) -> bool:
    return len(stem) >= SHORTEST_BASE and _VOWEL.search(stem) is not None


def _doubled_parts(word: str) -> Iterator[str]:
    """A word that is said twice is a form of what is said: anak-anak, sayur-mayur, berlari-lari."""
    first, _hyphen, rest = word.partition("-")
    if rest and (rest.startswith(first[:SHORTEST_BASE]) or first.endswith(rest) or first[1:] == rest[1:]):
        yield first
    elif rest and len(first) > SHORTEST_BASE:
        yield from (first, rest.rpartition("-")[2])


def _without_suffixes(word: str, affixes: Affixes) -> set[str]:
    """The word, and what is left without one suffix of each layer."""
    stems = {word}
    for layer in affixes.suffixes:
        stems |= {
            stem.removesuffix(suffix)
            for stem in stems
            for suffix in layer
            if stem.endswith(suffix) and len(stem) - len(suffix) >= SHORTEST_BASE
        }
    return stems


def _without_circumfix(word: str, affixes: Affixes) -> Iterator[str]:
    for head, tail in affixes.circumfixes:
        if word.startswith(head) and word.endswith(tail) and len(word) - len(head + tail) >= SHORTEST_BASE:
            yield word[len(head) : -len(tail)]


def _without_prefix(word: str, affixes: Affixes) -> Iterator[str]:
    """What is left without one prefix, circumfix, infix or doubled first syllable."""
    yield from _without_circumfix(word, affixes)
    for prefix in affixes.prefixes:
        rest = word.removeprefix(prefix.spelling)
        if rest != word and (not prefix.before or rest.startswith(prefix.before)):
            rest = (prefix.restored_letter + rest).removeprefix("-")
            if len(rest) >= SHORTEST_BASE:
                yield rest
    for infix in affixes.infixes:
        for place in (0, 1, 2):
            rest = word[:place] + word[place + len(infix) :]
            if word.startswith(infix, place) and len(rest) > SHORTEST_BASE and not _VOWEL.search(word[:place]):
                yield rest
    if len(word) > SHORTEST_SHARED and word[0] == word[2] and word[1] in affixes.reduplication_vowels:
        yield word[2:]


def _fold_text(text: str, spec: Language) -> str:
    return spec.fold(key_form(text, casefold=True))


def _words(text: str, spec: Language) -> list[str]:
    return _WORD.findall(_fold_text(text, spec))


@dataclass(frozen=True)
class _Text:
    """A text as it is searched: its words in order, all that stands in it, and the words with content."""

    order: list[str]
    standing: frozenset[str]
    content: frozenset[str]

    @classmethod
    def read(cls, text: str, spec: Language) -> "_Text":
        order = _words(text, spec)
        parts = (word.split("-") for word in order)
        return cls(order, frozenset(order).union(*parts), frozenset(order) - spec.stopwords)


def _wanted_words(concept: str, spec: Language) -> list[str]:
    words = _words(concept, spec)
    return [word for word in words if word not in spec.stopwords] or words


def _has_form(word: str, there: _Text, spec: Language) -> bool:
    return spec.affixes is not None and any(same_base(word, other, spec.code) for other in there.content)


def _is_joined_or_split(concept: str, there: _Text, spec: Language) -> bool:
    """Say whether the concept is there in one word where it has two, or in two where it has one."""
    words = _words(concept, spec)
    one = "".join(words)
    if len(words) > 1 and (one in there.standing or _has_form(one, there, spec)):
        return True
    return any(first + second == one for first, second in zip(there.order, there.order[1:], strict=False))
