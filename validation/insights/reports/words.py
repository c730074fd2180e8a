"""Words that give a label away: pointwise mutual information of words and labels (IndoNLI Table 9)."""

from typing import Any

from annotation.text.gettext import gettext_noop
from annotation.text.lexical import rank_words
from validation.insights.reports.base import Chart, Column, Insight, Table, TableRows, filters_from_columns
from validation.insights.reports.corpus import Corpus, corpus_of, has_partial_input, partial_input_of
from validation.insights.reports.reading import Reading

# So many words of each class are drawn, and so many are listed behind them.
WORDS_DRAWN, WORDS_LISTED = 10, 25


def compute(reading: Reading) -> TableRows:
    """Rank every class's words; n(word, label) counts occurrences, `items` the items that have the word."""
    import numpy as np

    alone, corpus = partial_input_of(reading), corpus_of(reading)
    keys = alone.keys
    labels = np.frombuffer(corpus.labels, dtype=np.int8).astype(np.int32)
    reading.tick()
    text, number = corpus.occurrences(once=False)
    known = labels[text] >= 0
    reading.tick()
    codes, counts = np.unique(number[known] * len(keys) + labels[text][known], return_counts=True)
    cells = {
        (corpus.types[code // len(keys)], keys[code % len(keys)]): count
        for code, count in reading.keeping_lease(zip(codes.tolist(), counts.tolist(), strict=True))
    }
    in_items = _count_items_with_word(reading, corpus, labels, len(keys))
    number_of = {word: n for n, word in enumerate(corpus.types)}
    rows: dict[str, list[dict[str, Any]]] = {"words": [], "more": []}
    scores = rank_words(cells, tick=reading.tick)
    for told_as, key in enumerate(keys):
        for place, score in enumerate(scores.get(key, [])[:WORDS_LISTED]):
            rows["words" if place < WORDS_DRAWN else "more"].append(
                {
                    "word": score.word,
                    "label": key,
                    "pmi": score.pmi,
                    "with_label": score.with_label,
                    "in_all": score.in_all,
                    "share": 100 * score.with_label / score.in_all,
                    "items": in_items.get(number_of[score.word] * len(keys) + told_as, 0),
                }
            )
    return rows


def _count_items_with_word(reading: Reading, corpus: Corpus, labels: Any, classes: int) -> dict[int, int]:
    """How many items have a word in a text of a class, by number of the word times classes plus class."""
    import numpy as np

    reading.tick()
    text, number = corpus.occurrences(once=True)
    reading.tick()
    known = labels[text] >= 0
    item = np.frombuffer(corpus.item, dtype=np.int32).astype(np.int64)[text][known]
    codes = number[known] * classes + labels[text][known]
    whole = max(len(corpus.types), 1) * classes
    pairs = np.unique(item * whole + codes)
    reading.tick()
    each, counts = np.unique(pairs % whole, return_counts=True)
    reading.tick()
    return dict(zip(each.tolist(), counts.tolist(), strict=True))


word_filter = filters_from_columns(word="word", labelled="label")
COLUMNS = (
    Column("word", gettext_noop("Word"), "word"),
    Column("label", gettext_noop("Label"), "label"),
    Column("pmi", gettext_noop("PMI"), "figure"),
    Column("with_label", gettext_noop("n(word, label)"), "number"),
    Column("in_all", gettext_noop("n(word)"), "number"),
    Column("share", gettext_noop("Share"), "percent"),
    Column("items", gettext_noop("Items"), "number"),
)
INSIGHT = Insight(
    slug="words",
    title=gettext_noop("Words and labels"),
    introduction=gettext_noop(
        "Words that stand with one label more often than with the others: whoever sees only these can guess. "
        "Each item counts under its gold label, or its writer's where it has none."
    ),
    order=60,
    compute=compute,
    applies_to=has_partial_input,
    tables=(
        Table(
            key="words",
            title=gettext_noop("The strongest words of each label"),
            note=gettext_noop(
                "Pointwise mutual information (PMI) in bits, 10 added to every count. n(word, label) counts "
                "occurrences, and is given as a share of n(word); items are those that the word leads to."
            ),
            columns=COLUMNS,
            chart=Chart("bar", "word", ("pmi",), by="label"),
            item_filters=word_filter,
        ),
        Table(key="more", title=gettext_noop("The words behind them"), columns=COLUMNS, item_filters=word_filter),
    ),
)
