"""Measures of one text against its source, and the figures of many (IndoNLI Tables 2 and 5)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from annotation.text.lexical import overlap
from annotation.text.tokens import tokens, word_count

if TYPE_CHECKING:
    import numpy as np

# What is measured of a text, in the order in which it is kept.
COLUMNS = ("jaccard", "lcs", "new", "words", "negated")
# Figures are kept to so many places: none of a text's fractions comes so near to another.
DECIMAL_PLACES = 6


@dataclass(frozen=True)
class Figures:
    """One text's figures: overlap with its source as shares (see lexical.Overlap), words, a negation word."""

    jaccard: float
    lcs: float
    new: float
    words: int
    negated: bool


@dataclass(frozen=True)
class Summary:
    """Figures of many texts: medians in percent to one place, words as mean and deviation, negated in percent."""

    texts: int
    jaccard: float
    lcs: float
    new: float
    words: float
    deviation: float
    negated: float


def measure_text(text: str, source: str, negations: frozenset[str]) -> Figures:
    """Measure one text."""
    shares = overlap(source, text)
    return Figures(
        jaccard=round(shares.jaccard, DECIMAL_PLACES),
        lcs=round(shares.lcs, DECIMAL_PLACES),
        new=round(shares.new, DECIMAL_PLACES),
        words=word_count(text),
        negated=has_negation(text, negations),
    )


def has_negation(text: str, negations: frozenset[str]) -> bool:
    """Say whether a negation word of the language stands in a text; either apostrophe will do."""
    return not negations.isdisjoint(tokens(text.replace("’", "'")))


def to_columns(figures: Sequence[Figures]) -> dict[str, list[float]]:
    """The figures of an item's texts by their names, as they are stored; a negation counts 1."""
    return {name: [float(getattr(each, name)) for each in figures] for name in COLUMNS}


def summary(columns: "Mapping[str, Sequence[float] | np.ndarray]") -> Summary | None:
    """The figures of many texts, from the columns that `to_columns` names; None of none."""
    import numpy as np

    texts = len(columns["words"])
    if not texts:
        return None
    words = np.asarray(columns["words"], dtype=float)
    return Summary(
        texts=texts,
        jaccard=_percent(float(np.median(columns["jaccard"]))),
        lcs=_percent(float(np.median(columns["lcs"]))),
        new=_percent(float(np.median(columns["new"]))),
        words=round(float(words.mean()), 1),
        deviation=round(float(words.std()), 1),
        negated=_percent(float(np.mean(columns["negated"]))),
    )


def _percent(share: float) -> float:
    return round(100 * share, 1)
