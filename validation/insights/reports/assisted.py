"""Model-assisted figures: what people would find on all items, from the sample that they checked, with predictions."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from annotation.core.models.project import Project
from annotation.core.rules.draws import draw
from annotation.text.gettext import gettext_noop
from validation.consensus.stages import ADJUDICATED, SETTLED
from validation.insights.reports.agreement_tables import GOLD_IS_AUTHOR, NO_GOLD
from validation.insights.reports.base import Column, Insight, Row, Table, TableRows
from validation.insights.reports.protocols import protocols_of
from validation.insights.reports.reading import Reading
from validation.insights.reports.samples import ALL_CHECKED, Sample, sample_of

if TYPE_CHECKING:
    import numpy as np

    from validation.insights.rules.assisted import Means
    from validation.insights.rules.tallies import Codes

FOLDS = 5
# Of a property of items its most frequent values each have a code.
MOST_LEVELS, WORD_CLASSES = 30, 5


def fits(project: Project) -> bool:
    """Where items have one gold label, and no QC lead votes: then undecided items are in no insight."""
    asks_questions = bool(project.kind_spec.question.questions)
    rated = any(protocol.criteria for protocol in protocols_of(project).values())
    return not (asks_questions or rated or project.rules.leads_vote)


class Wanted(NamedTuple):
    """A figure: what it is, of which label, over what; which items it is over, on which it is so if people check."""

    measure: str
    label: str
    over: str
    among: "np.ndarray"
    holds: "np.ndarray"


def compute(reading: Reading) -> TableRows:
    """Estimate each figure without and with what is predicted of the items."""
    sample = sample_of(reading)
    if sample.why:
        checked, waiting = int((sample.checked & ~sample.open).sum()), int(sample.open.sum())
        counts = {"items": len(sample.item), "checked": checked, "open": waiting}
        return {"figures": [{"measure": LABEL_SHARE, "label": "", "over": ALL_ITEMS, **counts, "why": sample.why}]}
    columns, fold = _properties(reading, sample), _folds(reading, sample)
    return {"figures": [_row(reading, sample, wanted, columns, fold) for wanted in _wanted(reading, sample)]}


def _wanted(reading: Reading, sample: Sample) -> Iterator[Wanted]:
    import numpy as np

    items = reading.items.iloc[sample.item]
    gold, author, stage = (items[name].astype(object).to_numpy() for name in ("gold", "author_label", "stage"))
    gold = np.where(np.isin(stage, (SETTLED, ADJUDICATED)), gold, "")
    everything, authored = np.ones(len(items), bool), author != ""
    if authored.any():
        for over in (ALL_ITEMS, UNCHECKED):
            yield Wanted(GOLD_IS_AUTHOR, "", over, authored, (gold == author) & authored)
    question = reading.kind.question
    for label in () if question.own_options else question.label_keys:
        yield Wanted(LABEL_SHARE, label, ALL_ITEMS, everything, gold == label)
    yield Wanted(NO_GOLD, "", ALL_ITEMS, everything, gold == "")


def _row(reading: Reading, sample: Sample, wanted: Wanted, columns: "list[Codes]", fold: "Codes") -> Row:
    """A figure. Open items count for its lower end as if it were not so of them, for its upper end as if it were."""
    import numpy as np

    from validation.insights.rules.assisted import Checked, cross_fitted, means

    reading.tick()
    at = np.flatnonzero(wanted.among)
    waiting, weight = sample.open[at], sample.weight[at]
    value = np.where(sample.checked[at] & ~waiting, wanted.holds[at].astype(float), np.nan)
    checked, rest = int(np.isfinite(value).sum()), wanted.over == UNCHECKED
    row = {"measure": wanted.measure, "label": wanted.label, "over": wanted.over, "checked": checked}
    row |= {"items": len(at) - rest * (checked + int(waiting.sum())), "open": int(waiting.sum())}
    predicted = cross_fitted(value, [column[at] for column in columns], fold[at], weight)
    sides = [
        Checked(np.where(waiting, side, value), predicted, weight, sample.stratum[at], sample.unit[at])
        for side in ((0.0, 1.0) if waiting.any() else (0.0,))
    ]
    try:
        found = [means(side, unchecked_only=rest) for side in sides]
    except ValueError:
        return {**row, "why": ALL_CHECKED if np.isfinite(value).all() else NOT_ENOUGH}
    return {**row, **_figures(found[0], found[-1])}


def _figures(least: "Means", most: "Means") -> Row:
    """The columns of a figure: between what it is if nothing open is so, and if everything open is."""
    row: dict[str, object] = {"factor": (least.factor + most.factor) / 2}
    for prefix, low, high in (("", least.classic, most.classic), ("assisted_", least.assisted, most.assisted)):
        row[f"{prefix}value"] = 50 * (low.value + high.value)
        row[f"{prefix}low"] = None if low.low is None else 100 * low.low
        row[f"{prefix}high"] = None if high.high is None else 100 * high.high
        row[f"{prefix}more"] = low.more
    return row if row["low"] is not None else {**row, "why": NOT_ENOUGH}


def _properties(reading: Reading, sample: Sample) -> "list[Codes]":
    """What is known of every item, checked or not, as codes: its label, origin, target, writer, category and length."""
    import numpy as np
    import pandas as pd

    items = reading.items.iloc[sample.item]
    names = ("author_label", "origin", "target", "author")
    columns = [items[name].astype(object).to_numpy() for name in names]
    columns.append(np.array([reading.groups.get(pk, "") for pk in items.index.tolist()], object))
    words = np.nan_to_num(items["words"].to_numpy(float))
    limits = np.unique(np.quantile(words, np.arange(1, WORD_CLASSES) / WORD_CLASSES)) if len(words) else words
    found = []
    for column in (*columns, np.searchsorted(limits, words)):
        counts = pd.Series(column).value_counts()
        frequent = {value: code for code, value in enumerate(sorted(counts.index, key=lambda v: (-counts[v], str(v))))}
        found.append(np.array([code if (code := frequent[v]) < MOST_LEVELS else -1 for v in column.tolist()], np.int64))
    return found


def _folds(reading: Reading, sample: Sample) -> "Codes":
    """The fold of each item: what was drawn together, or made from one source, is in one."""
    import numpy as np

    families = reading.items["family"].to_numpy()[sample.item]
    drawn = len(np.unique(sample.unit)) < len(sample.unit)
    names, place = np.unique(sample.unit if drawn else families, return_inverse=True)
    seed = reading.project.seed
    return np.array([draw(seed, "assisted-fold", str(name)) % FOLDS for name in names.tolist()], np.int64)[place]


LABEL_SHARE = gettext_noop("Share of the gold label")
ALL_ITEMS, UNCHECKED = gettext_noop("all items"), gettext_noop("unchecked items")
NOT_ENOUGH = gettext_noop("Fewer than 10 sampled items are checked.")
_LOW, _HIGH = gettext_noop("From"), gettext_noop("To")
_MORE = gettext_noop("items to check besides the open ones until the 95 % interval is ± 1 point")

INSIGHT = Insight(
    slug="assisted",
    title=gettext_noop("Model-assisted figures"),
    introduction=gettext_noop(
        "What people would find if they checked every item, estimated from the random sample that they checked and "
        "from predictions for all items. The intervals hold even if the model is wrong, because only the random "
        "sample has to be right: a useless model makes them no narrower."
    ),
    order=27,
    compute=compute,
    applies_to=fits,
    tables=(
        Table(
            key="figures",
            title=gettext_noop("Figures over all items"),
            note=gettext_noop(
                "Rests on items sampled for validation, or for an audit (weighted by 1/q). Items that are sampled and "
                "not decided yet are open: the lower end counts them as no, the upper end as yes. The predictions are "
                "made from what is known of every item, never from the item's own votes."
            ),
            columns=(
                Column("measure", gettext_noop("Figure"), "text"),
                Column("label", gettext_noop("Label"), "label"),
                Column("over", gettext_noop("Over"), "text"),
                Column("items", gettext_noop("Items"), "number"),
                Column("checked", gettext_noop("Checked"), "number", gettext_noop("sampled and decided")),
                Column("open", gettext_noop("Open"), "number", gettext_noop("sampled, not decided yet")),
                Column("value", gettext_noop("Without model"), "percent"),
                Column("low", _LOW, "percent", gettext_noop("lower end of the 95 % interval without the model")),
                Column("high", _HIGH, "percent", gettext_noop("its upper end")),
                Column("assisted_value", gettext_noop("With model"), "percent"),
                Column("assisted_low", _LOW, "percent", gettext_noop("lower end of the 95 % interval with the model")),
                Column("assisted_high", _HIGH, "percent", gettext_noop("its upper end")),
                Column(
                    "factor",
                    gettext_noop("Factor"),
                    "figure",
                    gettext_noop("how far predictions count, from 0 (useless) to 1"),
                    digits=2,
                ),
                Column("more", gettext_noop("More checks"), "number", _MORE),
                Column("assisted_more", gettext_noop("More checks with model"), "number", _MORE),
            ),
            cards=True,
        ),
    ),
)
