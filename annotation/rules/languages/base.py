"""What the text rules know about a language: short lists of function words, nothing that was learnt."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Language:
    """A language's lists, all in lower case; an unknown language has empty ones and the rules make do.

    `aliases` are other codes in use for it, `abbreviations` stand without their last mark, `stopwords` carry
    no content of their own, `negations` may hold an apostrophe (`isn't`).
    """

    code: str
    aliases: tuple[str, ...] = ()
    abbreviations: frozenset[str] = frozenset()
    stopwords: frozenset[str] = frozenset()
    negations: frozenset[str] = frozenset()


def listed(text: str) -> frozenset[str]:
    """Read a list that is written with blanks between its words."""
    return frozenset(text.split())
