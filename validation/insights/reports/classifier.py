"""A classifier's predictions for items without their source (IndoNLI §5.2; Poliak et al. 2018)."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from annotation.core.days import today_in, zone_of
from annotation.core.rules.draws import draw
from annotation.text.classifier import LEAST_TEXTS, SURE_PROBABILITY, cross_validated, features_of
from annotation.text.gettext import gettext_noop
from validation.insights.actions import point_store, store_certainty
from validation.insights.models import InsightPoint
from validation.insights.reports.base import Chart, Column, Insight, Row, Table, TableRows
from validation.insights.reports.corpus import (
    Corpus,
    corpus_of,
    has_partial_input,
    measure_new_texts,
    partial_input_of,
)
from validation.insights.reports.reading import Reading
from validation.insights.rules.p_values import exceeding_p, permuted_shares

if TYPE_CHECKING:
    import numpy as np

CURVE = "classifier"
# Of surer answers than this it is kept how sure they are.
KEPT_FROM = 0.5
_TOO_FEW = gettext_noop("There are fewer than 100 texts: nothing can be learnt from so few.")
_ONE_SOURCE = gettext_noop("All texts are of one source: nothing is left to learn from.")


@dataclass(frozen=True)
class ItemPredictions:
    """What was told of each item: its place among the reading's items, its class, what was said and what is true (a
    label, or which text), and how sure the classifier was; `baseline` is what one answer for all items would tell."""

    item: "np.ndarray"
    predicted: "np.ndarray"
    said: "np.ndarray"
    true: "np.ndarray"
    sure: "np.ndarray"
    baseline: float

    @property
    def right(self) -> "np.ndarray":
        """Whether each was told right."""
        found: np.ndarray = self.said == self.true
        return found


def compute(reading: Reading) -> TableRows:
    """Train and predict by folds of sources; mark certain predictions, and set today's point of the curve."""
    measure_new_texts(reading)
    corpus, alone = corpus_of(reading), partial_input_of(reading)
    why = _why_undefined(reading, corpus)
    if why:
        store_certainty(project=reading.project, sure={}, tick=reading.tick)
        return {"now": [{"items": 0, "why": why}], "curve": _curve(reading)}
    labelled = _predict_choices(reading, corpus) if alone.right_class else _predict_labels(reading, corpus)
    ids = reading.items.index.to_numpy()
    kept = labelled.right & (labelled.sure >= KEPT_FROM)
    sure = dict(zip(ids[labelled.item[kept]].tolist(), labelled.sure[kept].tolist(), strict=True))
    store_certainty(project=reading.project, sure=sure, tick=reading.tick)
    now = {"accuracy": 100 * float(labelled.right.mean()), "baseline": 100 * labelled.baseline}
    point_store(project=reading.project, curve=CURVE, day=today_in(zone_of(reading.project.rules)), figures=now)
    certain = labelled.right & (labelled.sure.round(2) >= SURE_PROBABILITY)
    rows = [
        {
            "label": key,
            "items": int(of.sum()),
            "right": 100 * float(labelled.right[of].mean()),
            "sure": int(certain[of].sum()),
        }
        for n, key in enumerate(() if alone.right_class else alone.keys)
        if (of := labelled.predicted == n).any()
    ]
    line = {
        **now,
        "items": len(labelled.item),
        "above": now["accuracy"] - now["baseline"],
        **_beyond_chance(reading, labelled),
        "sure": int(certain.sum()),
    }
    return {"now": [line], "labels": rows, "curve": _curve(reading)}


def _beyond_chance(reading: Reading, told: ItemPredictions) -> Row:
    """The interval of the accuracy over sources, and what labels dealt at random would give."""
    from validation.insights.rules.clusters import share_interval

    ends = share_interval(told.right, reading.sources[told.item])
    dealt = permuted_shares(told.said, told.true, reading.project.seed, reading.tick)
    return {
        **{name: ends and 100 * getattr(ends, name) for name in ("low", "high")},
        "permuted": 100 * float(dealt.mean()),
        "p": exceeding_p(float(told.right.mean()), dealt),
    }


def _why_undefined(reading: Reading, corpus: Corpus) -> str:
    """Why nothing can be learnt; empty where something can."""
    if sum(label >= 0 for label in corpus.labels) < LEAST_TEXTS:
        return _TOO_FEW
    return "" if len(set(corpus.fold)) > 1 else _ONE_SOURCE


def _class_probabilities(reading: Reading, corpus: Corpus, classes: "np.ndarray", count: int) -> "np.ndarray":
    """The probabilities of every text's classes, in the order of the corpus; learnt in drawn order."""
    import numpy as np

    keys, seed = reading.items["key"].tolist(), reading.project.seed
    drawn = [
        draw(seed, "artefact-order", f"{keys[item]}:{place}")
        for item, place in reading.keeping_lease(zip(corpus.item, corpus.place, strict=True))
    ]
    order = np.argsort(np.asarray(drawn, dtype=np.int64), kind="stable")
    placed = partial_input_of(reading).reveals_position
    features = features_of(
        [f"#{corpus.place[n]}", *corpus.words(n)] if placed else corpus.words(n)
        for n in reading.keeping_lease(order.tolist())
    )
    folds = np.frombuffer(corpus.fold, dtype=np.int8)
    found = cross_validated(features, classes[order], folds[order], count, reading.tick)
    labels = np.empty_like(found)
    labels[order] = found
    return labels


def _predict_labels(reading: Reading, corpus: Corpus) -> ItemPredictions:
    """Of items with one text each: the label."""
    import numpy as np

    labels = np.frombuffer(corpus.labels, dtype=np.int8).astype(np.int64)
    shares = _class_probabilities(reading, corpus, labels, len(partial_input_of(reading).keys))
    known = np.flatnonzero(labels >= 0)
    answer, sure = shares[known].argmax(axis=1), shares[known].max(axis=1)
    item = np.frombuffer(corpus.item, dtype=np.int32)[known]
    most = np.bincount(labels[known]).max() / len(known)
    return ItemPredictions(item, labels[known], answer, labels[known], sure, float(most))


def _predict_choices(reading: Reading, corpus: Corpus) -> ItemPredictions:
    """Of items with several texts: which of them is the right one, by their odds among each other."""
    import numpy as np

    alone = partial_input_of(reading)
    labels = np.frombuffer(corpus.labels, dtype=np.int8).astype(np.int64)
    wrong = np.isin(labels, [alone.keys.index(key) for key in alone.wrong_classes])
    classes = np.where(labels == alone.keys.index(alone.right_class), 1, np.where(wrong, 0, -1))
    shares = _class_probabilities(reading, corpus, classes, 2)
    among = np.flatnonzero(classes >= 0)
    odds = (shares[:, 1] / np.maximum(shares[:, 0], 1e-9))[among]
    # The texts of an item stand one behind another.
    item = np.frombuffer(corpus.item, dtype=np.int32)[among]
    starts = np.flatnonzero(np.diff(item, prepend=-1))
    best, whole = np.maximum.reduceat(odds, starts), np.add.reduceat(odds, starts)
    sizes = np.diff(np.append(starts, len(item)))
    # Of equal odds the first is the answer.
    first = np.full(len(starts), len(item))
    np.minimum.at(
        first,
        np.repeat(np.arange(len(starts)), sizes),
        np.where(odds == np.repeat(best, sizes), np.arange(len(item)), len(item)),
    )
    place = np.frombuffer(corpus.place, dtype=np.int8)[among]
    most = np.bincount(place[classes[among] == 1]).max() / len(starts) if alone.reveals_position else (1 / sizes).mean()
    return ItemPredictions(
        item[starts],
        np.full(len(starts), alone.keys.index(alone.right_class)),
        place[first],
        np.maximum.reduceat(np.where(classes[among] == 1, place, -1), starts),
        best / whole,
        float(most),
    )


def _curve(reading: Reading) -> list[dict[str, Any]]:
    points = InsightPoint.objects.filter(project=reading.project, curve=CURVE).order_by("-day")
    return [{"day": each.day.isoformat(), **each.figures} for each in points[:366]][::-1]


def certainty_filter(row: Row) -> dict[str, str]:
    """The items with certain predictions."""
    return {"sure": "1", **({"labelled": str(row["label"])} if row.get("label") else {})}


_CERTAIN_COLUMN = Column(
    "sure",
    gettext_noop("Predicted with certainty"),
    "number",
    gettext_noop("Items whose label the classifier predicted correctly, with a probability of 80 % or more."),
)
INSIGHT = Insight(
    slug="classifier",
    title=gettext_noop("Guessing without the source"),
    introduction=gettext_noop(
        "A small classifier learns from texts alone, without what they were made from, and is asked about texts of "
        "other sources. What it tells above the most frequent answer, the writing gives away."
    ),
    order=62,
    compute=compute,
    applies_to=has_partial_input,
    nightly=True,
    headline=("now", "accuracy"),
    tables=(
        Table(
            key="now",
            title=gettext_noop("The last time"),
            columns=(
                Column("items", gettext_noop("Items"), "number"),
                Column(
                    "accuracy",
                    gettext_noop("Predicted right"),
                    "percent",
                    gettext_noop("In five folds by source."),
                ),
                Column(
                    "baseline",
                    gettext_noop("Most frequent answer"),
                    "percent",
                    gettext_noop(
                        "What one answer for every item would tell right; chance, where answers have no place."
                    ),
                ),
                Column("above", gettext_noop("Points above it"), "figure", digits=1),
                Column(
                    "low",
                    gettext_noop("From"),
                    "percent",
                    gettext_noop("lower end of the 95 % interval over items, those of one source together"),
                ),
                Column("high", gettext_noop("To"), "percent", gettext_noop("its upper end")),
                Column(
                    "permuted",
                    gettext_noop("Labels dealt at random"),
                    "percent",
                    gettext_noop("What the same predictions would tell right by chance: mean of 999 permutations."),
                ),
                Column("p", "p", "figure", gettext_noop("how often chance tells as many right; at least 0.001")),
                _CERTAIN_COLUMN,
            ),
            item_filters=certainty_filter,
        ),
        Table(
            key="labels",
            title=gettext_noop("By label"),
            columns=(
                Column("label", gettext_noop("Label"), "label"),
                Column("items", gettext_noop("Items"), "number"),
                Column("right", gettext_noop("Predicted right"), "percent"),
                _CERTAIN_COLUMN,
            ),
            item_filters=certainty_filter,
        ),
        Table(
            key="curve",
            title=gettext_noop("Over time"),
            columns=(
                Column("day", gettext_noop("Day"), "day"),
                Column("accuracy", gettext_noop("Predicted right"), "percent"),
                Column("baseline", gettext_noop("Most frequent answer"), "percent"),
            ),
            chart=Chart("line", "day", ("accuracy", "baseline")),
        ),
    ),
)
