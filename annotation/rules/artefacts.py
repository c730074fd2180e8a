"""What is measured of one text against what it was made from, and the figures of many (IndoNLI Tables 2 and 5)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median, pstdev

from annotation.rules.lexical import overlap
from annotation.rules.tokens import tokens, word_count

# Figures are kept to so many places: none of a text's fractions comes so near to another.
PLACES = 6


@dataclass(frozen=True)
class Figures:
    r"""One text's figures: overlap with its source as shares (see lexical.Overlap), `\w+` words, a negation word."""

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


def measured(text: str, source: str, negations: frozenset[str]) -> Figures:
    """Measure one text."""
    found = overlap(source, text)
    return Figures(
        jaccard=round(found.jaccard, PLACES),
        lcs=round(found.lcs, PLACES),
        new=round(found.new, PLACES),
        words=word_count(text),
        negated=has_negation(text, negations),
    )


def has_negation(text: str, negations: frozenset[str]) -> bool:
    """Say whether a negation word of the language stands in a text; either apostrophe will do."""
    return not negations.isdisjoint(tokens(text.replace("’", "'")))


def to_columns(figures: Sequence[Figures]) -> dict[str, list[float | int]]:
    """The figures of an item's texts by their names, as they are stored."""
    return {
        "jaccard": [each.jaccard for each in figures],
        "lcs": [each.lcs for each in figures],
        "new": [each.new for each in figures],
        "words": [each.words for each in figures],
        "negated": [int(each.negated) for each in figures],
    }


def from_columns(columns: Mapping[str, Sequence[float]]) -> list[Figures]:
    """Read what `to_columns` gave."""
    return [
        Figures(jaccard, lcs, new, int(words), bool(negated))
        for jaccard, lcs, new, words, negated in zip(
            *(columns[name] for name in ("jaccard", "lcs", "new", "words", "negated")), strict=True
        )
    ]


def summary(figures: Iterable[Figures]) -> Summary | None:
    """The figures of many texts; None of none."""
    rows = list(figures)
    if not rows:
        return None
    words = [each.words for each in rows]
    return Summary(
        texts=len(rows),
        jaccard=_percent(median(each.jaccard for each in rows)),
        lcs=_percent(median(each.lcs for each in rows)),
        new=_percent(median(each.new for each in rows)),
        words=round(fmean(words), 1),
        deviation=round(pstdev(words), 1),
        negated=_percent(sum(each.negated for each in rows) / len(rows)),
    )


def _percent(share: float) -> float:
    return round(100 * share, 1)
