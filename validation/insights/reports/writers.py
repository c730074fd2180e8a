"""How each writer writes: words that most of their texts of a label have, overlap, lengths, negation, certainty."""

from typing import TYPE_CHECKING, Any

from django.db.models import F

from annotation.text import languages
from annotation.text.classifier import SURE_PROBABILITY
from annotation.text.gettext import gettext_noop
from annotation.text.writer_habits import LEAST_SHARE, LEAST_TEXTS, strongest_habits
from validation.insights.models import Measure
from validation.insights.reports.base import Column, Insight, Table, TableRows, filters_from_columns
from validation.insights.reports.corpus import (
    Corpus,
    corpus_of,
    has_partial_input,
    measures_of,
    partial_input_of,
)
from validation.insights.reports.overlap import FIGURES, MEDIANS_NOTE, median_figures
from validation.insights.reports.reading import Reading

if TYPE_CHECKING:
    import numpy as np

SLUG, HABITS_TABLE = "writers", "habits"


def compute(reading: Reading) -> TableRows:
    """By the label that the writer gave: the outcome of it is another matter, and not for the writer to see here."""
    import numpy as np

    corpus = corpus_of(reading)
    own = np.frombuffer(corpus.author_labels, dtype=np.int8).astype(np.int64)
    author = reading.items["author"].to_numpy()[np.frombuffer(corpus.item, dtype=np.int32)].astype(np.int64)
    return {
        "habits": _habits(reading, corpus, own, author),
        "writers": _writers(reading, corpus, own, author),
    }


def _habits(reading: Reading, corpus: Corpus, own: "np.ndarray", author: "np.ndarray") -> list[dict[str, Any]]:
    """Only words that a large share of a writer's texts of some label have are counted one by one.

    Function words are not: whoever reads of them learns nothing about how to write.
    """
    import numpy as np

    keys, whole = partial_input_of(reading).keys, max(len(corpus.types), 1)
    known = (own >= 0) & (author >= 0)
    texts = dict(zip(*_counts(author[known] * len(keys) + own[known]), strict=True))
    reading.tick()
    text, number = corpus.occurrences(once=True)
    among = known[text]
    reading.tick()
    codes, counts = np.unique((author[text] * len(keys) + own[text])[among] * whole + number[among], return_counts=True)
    counted = reading.keeping_lease((codes // whole).tolist())
    of = np.fromiter((texts[code] for code in counted), dtype=np.int64, count=len(codes))
    likely = (of >= LEAST_TEXTS) & (counts >= LEAST_SHARE * of)
    # The same words of the same writers under other labels.
    of_writer = codes // (whole * len(keys)) * whole + codes % whole
    looked = np.isin(of_writer, of_writer[likely])
    silent: set[str] = set().union(*(languages.get(each.language).function_words for each in reading.targets.values()))
    name = {pk: each.pseudonym for pk, each in reading.people.items()}
    having = {
        (name[code // whole // len(keys)], keys[code // whole % len(keys)], corpus.types[code % whole]): count
        for code, count in reading.keeping_lease(zip(codes[looked].tolist(), counts[looked].tolist(), strict=True))
        if corpus.types[code % whole] not in silent
    }
    totals = {(name[code // len(keys)], keys[code % len(keys)]): count for code, count in texts.items()}
    return [
        {
            "word": each.word,
            "label": each.label,
            "person": each.writer,
            "having": each.having,
            "texts": each.texts,
            "share": 100 * each.share,
            "elsewhere": 100 * each.elsewhere / each.others,
        }
        for each in strongest_habits(totals, having)
    ]


def _counts(codes: "np.ndarray") -> tuple[list[int], list[int]]:
    import numpy as np

    found, counts = np.unique(codes, return_counts=True)
    return found.tolist(), counts.tolist()


def _writers(reading: Reading, corpus: Corpus, own: "np.ndarray", author: "np.ndarray") -> list[dict[str, Any]]:
    import numpy as np

    keys, right, measures = (
        partial_input_of(reading).keys,
        partial_input_of(reading).right_class,
        measures_of(reading),
    )
    sure = _certain_by_item(reading)[np.frombuffer(corpus.item, dtype=np.int32)]
    known = np.flatnonzero((own >= 0) & (author >= 0) & ~np.isnan(measures["words"]))
    codes = author[known] * len(keys) + own[known]
    order = np.argsort(codes, kind="stable")
    bounds = np.flatnonzero(np.diff(codes[order], prepend=-1))
    rows = []
    for which in np.split(known[order], bounds[1:]) if len(known) else ():
        reading.tick()
        writer = reading.people[int(author[which[0]])].pseudonym
        label = keys[own[which[0]]]
        # Of several options the right one is told: the others are not counted again.
        n_sure = int(sure[which].sum()) if right in ("", label) else None
        rows.append({"person": writer, "label": label, "sure": n_sure} | median_figures(measures, which))
    return sorted(rows, key=lambda row: (row["person"], keys.index(row["label"])))


def _certain_by_item(reading: Reading) -> "np.ndarray":
    """Whether each item's present text was predicted with certainty by the last classifier."""
    import numpy as np

    ids = reading.items.index.to_numpy(dtype=np.int64)
    measures = Measure.objects.filter(project=reading.project, sure__gte=SURE_PROBABILITY)
    rows = measures.filter(revision_n=F("item__revision_n")).order_by("item_id")
    return np.isin(ids, np.fromiter(rows.values_list("item_id", flat=True).iterator(), dtype=np.int64))


INSIGHT = Insight(
    slug=SLUG,
    title=gettext_noop("Habits of writers"),
    introduction=gettext_noop(
        "Words by which a writer's texts of one label can be told, seen while they write. Each writer finds a friendly "
        "word about their own on their project page and under “Your data and history”, and nothing about anybody else."
    ),
    depends_on=("classifier",),
    order=63,
    compute=compute,
    applies_to=has_partial_input,
    tables=(
        Table(
            key=HABITS_TABLE,
            title=gettext_noop("The strongest habit of each writer and label"),
            note=gettext_noop(
                "A word that at least half of a writer's texts of a label have, five or more, and at least twice the "
                "share that their other texts have. Words like di, yang or the are left out."
            ),
            columns=(
                Column("word", gettext_noop("Word"), "word"),
                Column("person", gettext_noop("Writer"), "person"),
                Column("label", gettext_noop("Label by the writer"), "label"),
                Column("having", gettext_noop("Texts with it"), "number"),
                Column("texts", gettext_noop("Texts"), "number"),
                Column("share", gettext_noop("Share"), "percent"),
                Column("elsewhere", gettext_noop("Of their other texts"), "percent"),
            ),
            item_filters=filters_from_columns(writer="person", labelled="label", word="word"),
        ),
        Table(
            key="writers",
            title=gettext_noop("Texts of each writer and label"),
            note=MEDIANS_NOTE,
            columns=(
                Column("person", gettext_noop("Writer"), "person"),
                Column("label", gettext_noop("Label by the writer"), "label"),
                *FIGURES,
                Column("sure", gettext_noop("Told with certainty"), "number"),
            ),
            item_filters=filters_from_columns(writer="person", labelled="label"),
        ),
    ),
)
