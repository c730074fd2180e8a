"""Overlap of texts with their source, by label: overlap, lengths, negation (IndoNLI Tables 2 and 5)."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from annotation.text.artefacts import COLUMNS, summary
from annotation.text.gettext import gettext_noop
from validation.insights.reports.base import Chart, Column, Insight, Table, TableRows, filters_from_columns
from validation.insights.reports.corpus import corpus_of, has_partial_input, measures_of, partial_input_of
from validation.insights.reports.reading import Reading

if TYPE_CHECKING:
    import numpy as np


def compute(reading: Reading) -> TableRows:
    """Medians of each class's texts, measured anew only where a text is another."""
    import numpy as np

    corpus, measures = corpus_of(reading), measures_of(reading)
    labels = np.frombuffer(corpus.labels, dtype=np.int8)
    there = ~np.isnan(measures["words"])
    return {
        "labels": [
            {"label": key, **row}
            for n, key in enumerate(partial_input_of(reading).keys)
            if (row := median_figures(measures, np.flatnonzero((labels == n) & there)))
        ]
    }


def median_figures(measures: "Mapping[str, np.ndarray]", which: "np.ndarray | Sequence[int]") -> dict[str, Any]:
    """The figures of some texts, as tables have them; nothing of none."""
    found = summary({name: measures[name][which] for name in COLUMNS})
    return asdict(found) if found else {}


# What the columns of figures are, for the notes of tables that have them.
MEDIANS_NOTE = gettext_noop(
    "Medians over texts. Jaccard: tokens that text and source share, of all tokens of the two. Common subsequence: the "
    "longest one of tokens, of the text's tokens. New tokens: those that the source lacks, of the text's. Words: the "
    "mean, and its standard deviation."
)
FIGURES = (
    Column("texts", gettext_noop("Texts"), "number"),
    Column("jaccard", gettext_noop("Jaccard"), "percent"),
    Column("lcs", gettext_noop("Common subsequence"), "percent"),
    Column("new", gettext_noop("New tokens"), "percent"),
    Column("words", gettext_noop("Words"), "figure", digits=1),
    Column("deviation", gettext_noop("Deviation"), "figure", digits=1),
    Column("negated", gettext_noop("With a negation word"), "percent"),
)
INSIGHT = Insight(
    slug="overlap",
    title=gettext_noop("Overlap with the source"),
    introduction=gettext_noop(
        "How much a text repeats of what it was made from, how long it is and how often it denies: where labels "
        "differ much, the label can be guessed without reading."
    ),
    order=61,
    compute=compute,
    applies_to=has_partial_input,
    tables=(
        Table(
            key="labels",
            title=gettext_noop("Texts of each label"),
            note=MEDIANS_NOTE,
            columns=(Column("label", gettext_noop("Label"), "label"), *FIGURES),
            chart=Chart("bar", "label", ("jaccard", "lcs", "new", "negated")),
            item_filters=filters_from_columns(labelled="label"),
        ),
    ),
)
