"""How often a model answers what people say, over all items of a release, checked or not. For jobs only.

Figures on a release's rows take each row's label as it is, also where nobody checked it. Here a label counts only where
chance chose the item for a check (validation.insights.reports.samples), and these stand for all others: alone, and with
how often the answer is the label that the item came with (prediction-powered inference).
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from annotation.text.gettext import gettext_noop
from exports.predictions.release_rows import hides_test_answers, items_of, kind_of
from exports.predictions.rules import LABEL, PROBABILITIES, Answer
from exports.releases.models import Release
from exports.releases.rules.settings import ALIGNED, layout_of
from validation.consensus.stages import ADJUDICATED, SETTLED
from validation.insights.reports import assisted
from validation.insights.reports.reading import Reading, once_a_second
from validation.insights.reports.samples import Sample, sample_of

if TYPE_CHECKING:
    import numpy as np

HIDDEN = gettext_noop("The answers of test are hidden: no figure is given that rests on some of them.")
CHANGED = gettext_noop("Items were decided otherwise since the release: score the model on a new release.")


def agreement_with_people(release: Release, given: Mapping[str, Answer], tick: Callable[[], None]) -> dict[str, Any]:
    """The figure without and with predictions, as plain values, or `why` there is none; empty where it means nothing.

    Items without an answer (they are not in the release, or not decided) count for the lower ends as if they would
    lower the figure, for the upper ends as if they would raise it.
    """
    if layout_of(release.project.kind_spec.shape) == ALIGNED or not assisted.fits(release.project):
        return {}
    if hides_test_answers(release):
        return {"why": HIDDEN}
    reading = Reading(release.project, once_a_second(tick))
    sample = sample_of(reading)
    if sample.why:
        return {"why": sample.why}
    items = reading.items.iloc[sample.item]
    rows = release.rows.values_list("item_id", "epoch", "stage", "gold", "author_label")
    frozen = {pk: values for pk, *values in rows}
    stand = zip(items.index.tolist(), *(items[name].tolist() for name in ("epoch", "stage", "gold")), strict=True)
    if any(pk in frozen and frozen[pk][:3] != stood for pk, *stood in stand):
        return {"why": CHANGED}
    # Items that came since the release are not of it.
    inside = items.index.isin(list(frozen))
    return _figures(release, items.index[inside].tolist(), frozen, given, sample.select(inside))


def _figures(
    release: Release,
    ids: list[int],
    frozen: Mapping[int, list[Any]],
    given: Mapping[str, Answer],
    sample: Sample,
) -> dict[str, Any]:
    from validation.insights.rules.assisted import Checked, means

    answers = {item: given[id] for id, (item, _) in items_of(release).items() if LABEL in given.get(id, ())}
    spell = kind_of(release).export.spell
    columns = []
    for pk in ids:
        gold, author = _labels(frozen[pk])
        columns.append((answers.get(pk), gold and spell(gold), author and spell(author)))
    try:
        low, high = (
            means(Checked(*_side(columns, sample, unknown), sample.weight, sample.stratum, sample.unit))
            for unknown in (0.0, 1.0)
        )
    except ValueError:
        return {"why": assisted.NOT_ENOUGH}
    if low.classic.low is None:
        return {"why": assisted.NOT_ENOUGH}
    counts = {"items": len(ids), "checked": int((sample.checked & ~sample.open).sum())}
    counts["missing"] = sum(pk not in answers for pk in ids)
    return counts | {
        name: {"value": (one.value + two.value) / 2, "low": one.low, "high": two.high, "more": one.more}
        for name, one, two in (("classic", low.classic, high.classic), ("assisted", low.assisted, high.assisted))
    }


def _labels(row: list[Any]) -> tuple[str, str]:
    """The gold label of a frozen row, empty where people agreed on none, and its author label."""
    _, stage, gold, author = row
    return gold if stage in (SETTLED, ADJUDICATED) else "", author


def _side(
    columns: list[tuple[Answer | None, str, str]], sample: Sample, unknown: float
) -> "tuple[np.ndarray, np.ndarray]":
    """What is found and predicted of each item, where what is not known moves the figure down (0) or up (1)."""
    import numpy as np

    found, predicted = np.full(len(columns), np.nan), np.zeros(len(columns))
    for n, (answer, gold, author) in enumerate(columns):
        sampled, open_item = bool(sample.checked[n] or sample.open[n]), bool(sample.open[n])
        # What is predicted of a checked item is taken away from the figure, of another it is added.
        down = 1 - unknown if sampled else unknown
        predicted[n] = down if answer is None else _confidence(answer, author)
        if sampled and not open_item and (answer is not None or not gold):
            found[n] = float(answer is not None and answer[LABEL] == gold != "")
        elif sampled:
            found[n] = unknown
    return found, predicted


def _confidence(answer: Answer, author: str) -> float:
    """How likely an answer is right, before anybody checks: it is the label that the item came with, or its own
    probability.
    """
    if author:
        return float(answer[LABEL] == author)
    return float(answer.get(PROBABILITIES, {}).get(answer[LABEL], 0.5))
