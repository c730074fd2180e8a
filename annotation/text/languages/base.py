"""What the text rules know about a language: short lists of words and affixes, nothing that was learnt."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Prefix:
    """A prefix as it is spelled before certain beginnings (any, where `before` is empty).

    `restored_letter` is what the prefix has swallowed: `men` before a vowel stands for a root in t (menulis, tulis).
    """

    spelling: str
    before: tuple[str, ...] = ()
    restored_letter: str = ""


@dataclass(frozen=True)
class Affixes:
    """How words of one base are made. `suffixes` are layers from the outside in; one of each may stand in a word.

    `circumfixes` only come as a pair; `infixes` stand behind the first consonant, or before a first vowel;
    `reduplication_vowels` are the vowels that a doubled first syllable has (lelaki, pepohonan; lalaki, tatangkalan).
    """

    prefixes: tuple[Prefix, ...] = ()
    suffixes: tuple[tuple[str, ...], ...] = ()
    circumfixes: tuple[tuple[str, str], ...] = ()
    infixes: tuple[str, ...] = ()
    reduplication_vowels: str = ""


@dataclass(frozen=True)
class NumberWords:
    """How numbers are said. `words` are numbers by themselves (lima 5, sebelas 11, seratus 100), `multipliers`
    multiply what was said before them (puluh, ratus, ribu; `rb` behind a numeral), `teens` add ten to it (belas),
    `connectors` may stand inside a number (and).
    """

    words: Mapping[str, int]
    multipliers: Mapping[str, int]
    teens: frozenset[str] = frozenset()
    connectors: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Language:
    """A language's lists, all in lower case; an unknown language has empty ones and the rules make do.

    `names` are what people call it beside its name in ISO 639-3; `aliases` are other codes in use for it,
    `abbreviations` stand without their last mark, `stopwords` carry no content of their own, `quantifiers` are those of
    them that say how much or how many, `negations` may hold an apostrophe (`isn't`). `letter_folds` are letters that
    writers leave their marks off. `superlatives` and `everywhere` ("in the world") are words or phrases, `harmless`
    phrases that hold one of those and mean something else. `numbers` is None where nobody wrote down how they are said;
    `uses_2_for_reduplication` says that people write a 2 behind a word for saying it twice.
    """

    code: str
    aliases: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    abbreviations: frozenset[str] = frozenset()
    stopwords: frozenset[str] = frozenset()
    quantifiers: frozenset[str] = frozenset()
    negations: frozenset[str] = frozenset()
    affixes: Affixes | None = None
    letter_folds: Mapping[str, str] = field(default_factory=dict, hash=False)
    superlatives: frozenset[str] = frozenset()
    everywhere: frozenset[str] = frozenset()
    harmless: frozenset[str] = frozenset()
    numbers: NumberWords | None = field(default=None, hash=False)
    uses_2_for_reduplication: bool = False

    @property
    def function_words(self) -> frozenset[str]:
        """Stopwords that hold a sentence together and tell nothing (di, yang): neither how much, nor that not."""
        return self.stopwords - self.quantifiers - self.negations

    def fold(self, text: str) -> str:
        """The text with the letters that writers may spell either way spelled one way."""
        for letter, plain in self.letter_folds.items():
            text = text.replace(letter, plain)
        return text


def parse_words(text: str) -> frozenset[str]:
    """Read a list that is written with blanks between its words."""
    return frozenset(text.split())


def parse_phrases(text: str) -> frozenset[str]:
    """Read a list that is written with commas between its phrases."""
    return frozenset(" ".join(phrase.split()) for phrase in text.split(",") if phrase.strip())


def parse_word_values(text: str) -> dict[str, int]:
    """Read a list of words with what each is worth: `satu 1 dua 2`; spellings of one are joined by a stroke."""
    parts = text.split()
    return {word: int(value) for words, value in zip(parts[::2], parts[1::2], strict=True) for word in words.split("/")}
