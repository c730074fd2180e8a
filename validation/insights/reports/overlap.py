"""How much texts have of what they were made from, by label: overlap, lengths, negation (IndoNLI Tables 2 and 5)."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from annotation.text.artefacts import COLUMNS, summary
from validation.insights.reports.base import (
    BAR,
    FIGURE,
    LABEL,
    NUMBER,
    PERCENT,
    Chart,
    Column,
    Found,
    Insight,
    Row,
    Table,
    gettext_noop,
)
from validation.insights.reports.corpus import alone_of, corpus_of, measures_of, read_alone
from validation.insights.reports.reading import Reading

if TYPE_CHECKING:
    import numpy as np


def compute(reading: Reading) -> Found:
    """Medians of each class's texts, measured anew only where a text is another."""
    import numpy as np

    corpus, measures = corpus_of(reading), measures_of(reading)
    told = np.frombuffer(corpus.told, dtype=np.int8)
    there = ~np.isnan(measures["words"])
    return {
        "labels": [
            {"label": key, **row}
            for n, key in enumerate(alone_of(reading).keys)
            if (row := row_of(measures, np.flatnonzero((told == n) & there)))
        ]
    }


def row_of(measures: "Mapping[str, np.ndarray]", which: "np.ndarray | Sequence[int]") -> dict[str, Any]:
    """The figures of some texts, as tables have them; nothing of none."""
    found = summary({name: measures[name][which] for name in COLUMNS})
    if found is None:
        return {}
    return {
        "texts": found.texts,
        "jaccard": found.jaccard,
        "lcs": found.lcs,
        "new": found.new,
        "words": found.words,
        "deviation": found.deviation,
        "negated": found.negated,
    }


def opens(row: Row) -> dict[str, str]:
    """The items under that label."""
    return {"labelled": str(row["label"])}


# What the columns of figures are, for the notes of tables that have them.
TOLD = gettext_noop(
    "Medians over texts. Jaccard: tokens that text and source share, of all tokens of the two. Common subsequence: the "
    "longest one of tokens, of the text's tokens. New tokens: those that the source lacks, of the text's. Words: the "
    "mean, and its standard deviation."
)
FIGURES = (
    Column("texts", gettext_noop("Texts"), NUMBER),
    Column("jaccard", gettext_noop("Jaccard"), PERCENT),
    Column("lcs", gettext_noop("Common subsequence"), PERCENT),
    Column("new", gettext_noop("New tokens"), PERCENT),
    Column("words", gettext_noop("Words"), FIGURE, digits=1),
    Column("deviation", gettext_noop("Deviation"), FIGURE, digits=1),
    Column("negated", gettext_noop("With a negation word"), PERCENT),
)
INSIGHT = Insight(
    slug="overlap",
    title=gettext_noop("Overlap with the source"),
    lead=gettext_noop(
        "How much a text repeats of what it was made from, how long it is and how often it denies: where labels "
        "differ much, the label can be guessed without reading."
    ),
    order=61,
    compute=compute,
    fits=read_alone,
    tables=(
        Table(
            key="labels",
            title=gettext_noop("Texts of each label"),
            note=TOLD,
            columns=(Column("label", gettext_noop("Label"), LABEL), *FIGURES),
            chart=Chart(BAR, "label", ("jaccard", "lcs", "new", "negated")),
            opens=opens,
        ),
    ),
)
