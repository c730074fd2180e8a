"""The baseline for models: a classifier that never sees the source. Pure; for jobs only.

Hypotheses without their premises, choices without their questions (annotation/kinds/partial_input.py; Poliak et al.
2018; IndoNLI §5.2 and Table 8). It learns from the release's own rows and is asked in five folds by source: no row is
answered by what was learnt from it, or from another row of its source. The same release gives the same answers, with
numbers of double precision on every machine.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from annotation.core.rules.draws import draw
from annotation.kinds import Kind
from annotation.kinds.partial_input import PartialInput, PartialText
from annotation.text.classifier import FOLDS, LEAST_TEXTS, cross_validated, features_of
from annotation.text.tokens import tokens
from exports.predictions.rules import LABEL, PROBABILITIES, Answer, AskedRow

if TYPE_CHECKING:
    import numpy as np

Content = Mapping[str, Any]


class Text(NamedTuple):
    """A text that is read alone: its row, its place there, and what it is."""

    row: int
    place: int
    text: PartialText


def baseline_answers(
    kind: Kind,
    asked: Sequence[AskedRow],
    contents: Mapping[str, Content],
    seed: str,
    tick: Callable[[], None],
) -> dict[str, Answer]:
    """The answers by the row's id; none where the kind has nothing to be read alone, or too little to learn from."""
    alone = kind.partial_input
    if alone is None:
        return {}
    texts = [
        Text(row, place, text)
        for row, each in enumerate(asked)
        for place, text in enumerate(alone.texts(contents[each.id], kind.question.read_label(each.gold) or each.gold))
    ]
    if len(texts) < LEAST_TEXTS or len({text.text.group for text in texts}) < FOLDS:
        return {}
    shares = _class_probabilities(alone, asked, texts, seed, tick)
    if shares is None:
        return {}
    return (
        _predict_choices(asked, contents, texts, shares)
        if alone.right_class
        else _predict_labels(kind, alone, asked, texts, shares)
    )


def _class_probabilities(
    alone: PartialInput, asked: Sequence[AskedRow], texts: Sequence[Text], seed: str, tick: Callable[[], None]
) -> "np.ndarray | None":
    """The probabilities of every text's classes, or of being the right one; None where a fold is left nothing."""
    import numpy as np

    keys = (*alone.wrong_classes, alone.right_class) if alone.right_class else alone.keys
    classes = np.array([keys.index(each.text.label) if each.text.label in keys else -1 for each in texts])
    if alone.right_class:
        classes = np.where(classes < 0, -1, (classes == len(keys) - 1).astype(np.int64))
    folds = np.array([draw(seed, "artefact-fold", each.text.group) % FOLDS for each in texts])
    drawn = np.array([draw(seed, "artefact-order", f"{asked[each.row].id}:{each.place}") for each in texts])
    order = np.argsort(drawn, kind="stable")
    words = (
        [f"#{texts[n].place}", *tokens(texts[n].text.text)] if alone.reveals_position else tokens(texts[n].text.text)
        for n in order.tolist()
    )
    try:
        found = cross_validated(
            features_of(words),
            classes[order],
            folds[order],
            2 if alone.right_class else len(keys),
            tick,
            precision="float64",
        )
    except ValueError:
        return None
    shares = np.empty_like(found)
    shares[order] = found
    return shares


def _predict_labels(
    kind: Kind, alone: PartialInput, asked: Sequence[AskedRow], texts: Sequence[Text], shares: "np.ndarray"
) -> dict[str, Answer]:
    """Of rows with one text each: how probable each label is."""
    found: dict[str, Answer] = {}
    for each, share in zip(texts, shares.tolist(), strict=True):
        told = {kind.export.spell(key): float(value) for key, value in zip(alone.keys, share, strict=True)}
        found[asked[each.row].id] = {LABEL: max(told, key=lambda label: told[label]), PROBABILITIES: told}
    return found


def _predict_choices(
    asked: Sequence[AskedRow], contents: Mapping[str, Content], texts: Sequence[Text], shares: "np.ndarray"
) -> dict[str, Answer]:
    """Of rows with several texts: the odds of each of being the right one; of equal ones the first is the answer."""
    odds: dict[int, dict[str, float]] = {}
    for each, (wrong, right) in zip(texts, shares.tolist(), strict=True):
        row = asked[each.row]
        key = str(contents[row.id]["options"][each.place]["key"])
        if key in row.options:
            odds.setdefault(each.row, {})[key] = right / max(wrong, 1e-9)
    found: dict[str, Answer] = {}
    for row_at, told in odds.items():
        whole = sum(told.values())
        shown = {key: value / whole for key, value in told.items()}
        found[asked[row_at].id] = {LABEL: max(shown, key=lambda key: shown[key]), PROBABILITIES: shown}
    return found
