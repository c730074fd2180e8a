"""What a model's answers score: figures with intervals, by group, confusion, and against other models. For jobs only.

Pure: rows and answers in, what is stored as a result out. Of hidden answers only figures over all rows come out, as
round as pages show them: from all their digits, or from a figure over rows that a file picks, labels can be read.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from math import ceil
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from exports.predictions.comparisons import P_VALUES, with_holm
from exports.predictions.rules import (
    GROUPS,
    LABEL,
    MARGINS,
    MC,
    PROBABILITIES,
    SOFT,
    SOFT_MEASURES,
    TEXT,
    Answer,
    AskedRow,
)
from exports.scoring import measures, open_ended, texts
from exports.scoring.free_answers import CHRF
from exports.scoring.open_ended import FreeAnswer, Similarity
from validation.consensus.completion import full_scores
from validation.insights.rules.clusters import number_sources

if TYPE_CHECKING:
    from validation.insights.rules.tallies import Ints

ACCURACY, F1, MC1, MC2 = "accuracy", "macro_f1", "mc1", "mc2"
# Soft measures need so many labels of people on an item.
FEWEST_LABELS = 5
# A percentage has one digit on pages, another figure three (annotation.ui.tables): as shares they are the same.
SHOWN_PLACES = 3
# A confusion of more labels than these is no table.
MOST_LABELS = 20


class Other(NamedTuple):
    """Another model's file: its number, the model, what it scored by the row's id, whether it is a baseline."""

    n: int
    model: str
    outcomes: Mapping[str, float]
    baseline: bool = False


def outcomes_of(asked: Iterable[AskedRow], given: Mapping[str, Answer]) -> dict[str, float]:
    """What each answered row scored: 1 or 0 for a label, else MC1, or chrF++ of a text (its margin to a prompt)."""
    return {each.id: _outcome(each, given[each.id]) for each in asked if each.id in given}


def _outcome(each: AskedRow, answer: Answer) -> float:
    if each.reference:
        return texts.chrf_of_text(each.reference, answer[TEXT])
    if MC in answer:
        return float(answer[MC][0])
    return float(answer[LABEL] == each.gold) if LABEL in answer else float(answer[MARGINS][CHRF])


def with_margins(
    asked: Iterable[AskedRow], given: Mapping[str, Answer], scorers: Mapping[str, Similarity]
) -> dict[str, Answer]:
    """The answers, those that are texts to prompts with the margin of each measure."""
    rows = [each for each in asked if each.targets is not None and TEXT in given.get(each.id, ())]
    free = [FreeAnswer(given[each.id][TEXT], each.responses(1), each.responses(0)) for each in rows]
    found = {name: open_ended.margins(free, scorer) for name, scorer in scorers.items()} if free else {}
    told = {each.id: {name: values[n] for name, values in found.items()} for n, each in enumerate(rows)}
    return {id: {**answer, MARGINS: told[id]} if id in told else answer for id, answer in given.items()}


def figures(
    asked: Sequence[AskedRow],
    given: Mapping[str, Answer],
    labels: Sequence[str],
    sources: Mapping[str, int],
    *,
    hidden: bool = False,
) -> dict[str, dict[str, Any]]:
    """The figures of these rows that their answers allow, by name; of hidden ones those that all rows allow.

    `sources` has the source of rows that have one, by their ids.
    """
    if hidden:
        common = set.intersection(*(set(given[each.id]) for each in asked))
        given = {each.id: {name: given[each.id][name] for name in common} for each in asked}
    found: dict[str, measures.MeasuredFigure] = {}
    answers = [(each, given[each.id]) for each in asked]
    if labelled := [(each, answer[LABEL]) for each, answer in answers if LABEL in answer]:
        pairs = [(each.gold, label) for each, label in labelled]
        found |= measures.label_measures(pairs, labels, source_codes([each for each, _ in labelled], sources))
    if written := [(each, answer[TEXT]) for each, answer in answers if each.reference]:
        codes = source_codes([each for each, _ in written], sources)
        found |= texts.text_measures([(each.reference, text) for each, text in written], codes)
    if scored := [(each, answer[MC]) for each, answer in answers if MC in answer]:
        codes = source_codes([each for each, _ in scored], sources)
        for n, name in enumerate((MC1, MC2)):
            found[name] = measures.mean_measure([float(mc[n]) for _, mc in scored], codes)
    if free := [(each, answer[MARGINS]) for each, answer in answers if MARGINS in answer]:
        codes = source_codes([each for each, _ in free], sources)
        found |= open_ended.margin_measures({name: [told[name] for _, told in free] for name in free[0][1]}, codes)
    found |= _soft_figures(answers, sources)
    return {name: measured._asdict() for name, measured in found.items()}


def source_codes(asked: Sequence[AskedRow], sources: Mapping[str, int]) -> "Ints":
    """A code of each row's source; a row without one is a source of its own."""
    import numpy as np

    return number_sources(np.array([sources.get(each.id, 0) for each in asked], np.int64))


def with_soft(asked: Iterable[AskedRow], answers: Mapping[str, Answer]) -> dict[str, Answer]:
    """The answers, those with probabilities with the measures against people's labels where the protocol stops early.

    Only disputed rows have all labels then: every row counts by the estimate of what all labels would have given
    (validation.consensus.completion), with how many rows it stands for.
    """
    rows = {row.id: row for row in asked if row.stops_early and PROBABILITIES in answers.get(row.id, ())}
    soft = {id: {SOFT: _estimated_measures(row, answers[id][PROBABILITIES])} for id, row in rows.items()}
    return {id: {**answer, **soft.get(id, {})} for id, answer in answers.items()}


def _estimated_measures(row: AskedRow, model: Mapping[str, float]) -> tuple[float, dict[str, float]] | None:
    """How many rows it stands for, and the measures of all its labels; None where nothing can be estimated."""
    stopped = row.stopped
    if stopped is None or stopped.protocol.votes_at_most + (stopped.author is not None) < FEWEST_LABELS:
        return None
    sums = dict.fromkeys(SOFT_MEASURES, 0.0)
    scores = full_scores(stopped, row.options)
    for counts, score in scores or ():
        people = Counter(dict(zip(row.options, counts, strict=True)))
        people.update([stopped.author] if stopped.author is not None else [])
        for name, value in measures.soft_label_measures(people, model).items():
            sums[name] += score * value
    return (stopped.weight, sums) if scores is not None else None


def _soft_figures(
    answers: Sequence[tuple[AskedRow, Answer]], sources: Mapping[str, int]
) -> dict[str, measures.MeasuredFigure]:
    """Probabilities against the distributions of people's labels, over rows for which so many labels were asked."""
    estimates = [(row, *answer[SOFT]) for row, answer in answers if answer.get(SOFT) is not None]
    if estimates:
        codes = source_codes([row for row, _, _ in estimates], sources)
        weights = [weight for _, weight, _ in estimates]
        return {
            name: measures.weighted_measure([sums[name] for _, _, sums in estimates], weights, codes)
            for name in SOFT_MEASURES
        }
    soft = [
        (row, measures.soft_label_measures(row.people, answer[PROBABILITIES]))
        for row, answer in answers
        if PROBABILITIES in answer and SOFT not in answer and sum(row.people.values()) >= FEWEST_LABELS
    ]
    codes = source_codes([row for row, _ in soft], sources)
    return {
        name: measures.mean_measure([values[name] for _, values in soft], codes)
        for name in (SOFT_MEASURES if soft else ())
    }


def confusion(asked: Iterable[AskedRow], given: Mapping[str, Answer]) -> dict[str, dict[str, int]]:
    """How often each label was said where another is right; empty is no answer."""
    counts = Counter((each.gold, given[each.id][LABEL]) for each in asked if LABEL in given[each.id])
    found: dict[str, dict[str, int]] = {}
    for (right, predicted), n in sorted(counts.items()):
        found.setdefault(right, {})[predicted] = n
    return found


def by_group(
    asked: Sequence[AskedRow], given: Mapping[str, Answer], labels: Sequence[str], sources: Mapping[str, int]
) -> list[dict[str, Any]]:
    """The figures of each group of rows, in the order of `GROUPS`; a grouping with one value is left out."""
    found = []
    for name in GROUPS:
        members: dict[str, list[AskedRow]] = {}
        for each in asked:
            for value in each.groups.get(name, ()):
                members.setdefault(value, []).append(each)
        for value, rows in sorted(members.items()) if len(members) > 1 else ():
            # Of one label alone an F1 says what accuracy says.
            kept = () if name == "label" else labels
            found.append({"by": name, "value": value, "figures": figures(rows, given, kept, sources)})
    return found


def compare_with_others(
    mine: Mapping[str, float],
    others: Iterable[Other],
    asked: Sequence[AskedRow],
    sources: Mapping[str, int],
    seed: str,
) -> list[dict[str, Any]]:
    """This model less each other one, over the same rows (all of a split); p-values also corrected for all of them."""
    ids, codes = [each.id for each in asked], source_codes(asked, sources)
    return with_holm(
        {
            "n": other.n,
            "model": other.model,
            "baseline": other.baseline,
            **measures.compare_models(
                [mine[id] for id in ids], [other.outcomes[id] for id in ids], codes, f"{seed}:{other.model}"
            )._asdict(),
        }
        for other in others
        if all(id in other.outcomes for id in ids)
    )


def results(
    asked: Sequence[AskedRow],
    given: Mapping[str, Answer],
    others: Sequence[Other],
    *,
    labels: Sequence[str],
    seed: str,
    hidden: Sequence[str] = (),
    missing: Mapping[str, str] | None = None,
    sources: Mapping[str, int] = MappingProxyType({}),
    over: str = "",
) -> dict[str, Any]:
    """What is stored of a file: by split its figures, groups, confusion, and other models; of `hidden` ones sums.

    `sources` has the source of each row that has one: intervals and tests take its rows together. `over` says which
    votes figures against distributions of labels rest on. `missing` are measures of free answers that could not be
    computed, with the reason.
    """
    mine, found = outcomes_of(asked, given), {}
    given = with_soft(asked, given)
    for split in dict.fromkeys(each.split for each in asked):
        rows = [each for each in asked if each.split == split and each.id in given]
        if not rows:
            continue
        known = labels if {each.gold for each in rows} <= set(labels) else ()
        summary: dict[str, Any] = {
            "rows": len(rows),
            "unanswered": sum("" in (given[each.id].get(LABEL), given[each.id].get(TEXT)) for each in rows),
            "figures": figures(rows, given, known, sources, hidden=split in hidden),
            "against": compare_with_others(mine, others, rows, sources, seed),
        }
        if over and summary["figures"].keys() & set(SOFT_MEASURES):
            summary["soft_over"] = over
        if missing and any(MARGINS in given[each.id] for each in rows):
            summary["missing"] = dict(missing)
        if split not in hidden:
            summary["frequent"] = _majority_figures(rows) if known else None
            summary["groups"] = by_group(rows, given, known, sources)
            summary["confusion"] = confusion(rows, given) if 0 < len(known) <= MOST_LABELS else {}
        found[split] = _as_shown(summary) if split in hidden else summary
    return {"splits": found}


def _as_shown(told: Any) -> Any:
    """The same with every number as round as pages show it."""
    if isinstance(told, dict):
        return {name: _p_as_shown(value) if name in P_VALUES else _as_shown(value) for name, value in told.items()}
    if isinstance(told, list):
        return [_as_shown(value) for value in told]
    return round(told, SHOWN_PLACES) if isinstance(told, float) else told


def _p_as_shown(p: float | None) -> float | None:
    """Rounded up: no p-value is 0."""
    return p if p is None else ceil(p * 10**SHOWN_PLACES) / 10**SHOWN_PLACES


def _majority_figures(asked: Sequence[AskedRow]) -> dict[str, Any]:
    """What the most frequent label alone would get right (IndoNLI, Table 6: majority)."""
    (label, n), *_ = Counter(each.gold for each in asked).most_common(1)
    return {"label": label, "share": n / len(asked)}


def missed_by_all_models(asked: Iterable[AskedRow], models: Sequence[Mapping[str, float]]) -> list[str]:
    """The rows that every model got wrong and on whose label all people agreed: suspects of a broken gold label."""
    return [each.id for each in asked if each.agreed and models and all(one.get(each.id) == 0 for one in models)]


def are_right_or_wrong(outcomes: Collection[float]) -> bool:
    """Whether a file gave labels, which are right or wrong; how good a text is lies between."""
    return bool(outcomes) and set(outcomes) <= {0, 1}
