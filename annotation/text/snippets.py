"""Snippets of documents that premises are made of: sentences, two of them, paragraphs (IndoNLI §3.1).

A document is cut into paragraphs and sentences; each candidate is named by where it stands, so that a draw of it is
the same everywhere.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from annotation.text.gettext import gettext_noop
from annotation.text.sentences import CLASSES, CLOSERS, DOUBLE, END_MARKS, PARAGRAPH, SINGLE, sentences
from annotation.text.tokens import word_count

_BLANK_LINE = re.compile(r"\n[ \t\r]*\n")
_MARKUP = re.compile(r"\ufffc|\[\[|\]\]|\{|\}|<|>|\||==|https?:|www\.|\ufffd")
_PAIRS = ("()", "[]", "“”", "«»")
LEAST_LETTERS = 0.6

# What a candidate can be left out for, in the order in which it is looked at.
RULES: dict[str, str] = {
    "too_many_words": gettext_noop("More words than are taken"),
    "too_few_words": gettext_noop("Fewer words than are taken"),
    "markup": gettext_noop("Marks of a page, a link, or a hole where a table or template was"),
    "no_end": gettext_noop("No mark at its end: a heading, or a piece of a list"),
    "fragment": gettext_noop("Begins in small letters or with a mark"),
    "unbalanced": gettext_noop("A bracket or quotation mark without the other one"),
    "few_letters": gettext_noop("Mostly figures and marks"),
}


class Snippet(NamedTuple):
    """A candidate: its class, the paragraph and the first sentence that it begins with, how many, and its text."""

    sentence_class: str
    paragraph: int
    first: int
    n: int
    text: str

    @property
    def place(self) -> str:
        """Where it stands in its document."""
        return f"{self.paragraph}.{self.first}+{self.n}"

    def overlaps(self, other: "Snippet") -> bool:
        """Whether they share a sentence."""
        return (
            self.paragraph == other.paragraph
            and self.first < other.first + other.n
            and other.first < self.first + self.n
        )


def paragraphs(text: str) -> list[str]:
    """The paragraphs of a text: blank lines stand between, or, where there are none, line ends."""
    blocks = _BLANK_LINE.split(text.strip())
    if len(blocks) == 1:
        blocks = text.split("\n")
    return [block for block in (" ".join(each.split()) for each in blocks) if block]


def snippets(text: str, language: str) -> Iterator[Snippet]:
    """Every candidate: each sentence, each two that follow one another, each paragraph of three or more."""
    for number, paragraph in enumerate(paragraphs(text)):
        spans = _spans(paragraph, sentences(paragraph, language))
        for first, span in enumerate(spans):
            yield Snippet(SINGLE, number, first, 1, paragraph[slice(*span)])
        for first, (one, other) in enumerate(pairwise(spans)):
            yield Snippet(DOUBLE, number, first, 2, paragraph[one[0] : other[1]])
        if len(spans) > 2:
            yield Snippet(PARAGRAPH, number, 0, len(spans), paragraph)


def _spans(paragraph: str, found: Sequence[str]) -> list[tuple[int, int]]:
    spans, at = [], 0
    for sentence in found:
        start = paragraph.index(sentence, at)
        at = start + len(sentence)
        spans.append((start, at))
    return spans


def broken_rule(text: str, least_words: int, most_words: int) -> str:
    """The first rule that a candidate breaks, empty where it breaks none."""
    count = word_count(text)
    if count > most_words:
        return "too_many_words"
    if count < least_words:
        return "too_few_words"
    if _MARKUP.search(text):
        return "markup"
    if text.rstrip(CLOSERS)[-1:] not in END_MARKS:
        return "no_end"
    if not _begins_a_sentence(text):
        return "fragment"
    if text.count('"') % 2 or any(text.count(pair[0]) != text.count(pair[1]) for pair in _PAIRS):
        return "unbalanced"
    seen = [mark for mark in text if not mark.isspace()]
    letters = sum(unicodedata.category(mark)[0] in "LM" for mark in seen)
    return "" if letters >= LEAST_LETTERS * len(seen) else "few_letters"


def _begins_a_sentence(text: str) -> bool:
    first = text.lstrip("\"'“‘«(")[:1]
    return first.isdigit() or (first.isalpha() and not first.islower())


def class_quotas(n: int, shares: dict[str, int]) -> dict[str, int]:
    """How many of each class make `n` by these shares: the largest remainders get what is left."""
    total = sum(shares.get(name, 0) for name in CLASSES) or 1
    exact = {name: n * shares.get(name, 0) / total for name in CLASSES}
    found = {name: int(value) for name, value in exact.items()}
    for name in sorted(CLASSES, key=lambda name: (found[name] - exact[name], CLASSES.index(name))):
        if sum(found.values()) == n:
            break
        found[name] += 1
    return found
