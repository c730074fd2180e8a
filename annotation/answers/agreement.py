"""Krippendorff's alpha for any answer type: 1 - observed / expected distance over all pairs of answers (2011).

The distance is that of the level: nominal and interval differences, the ordinal one from how often points are chosen,
MASI for sets (Passonneau 2006), 1 - token F1 for passages and texts. Alpha with such a distance: Artstein and Poesio
2008, §2.6. Kept exact to floating point and free of order: answers are counted by their canonical JSON.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import combinations
from typing import NamedTuple

from annotation.answers.base import Answer, AnswerType, Question

# So many different answers are compared each with each for the expected distance; of more, evenly drawn ones.
MOST_DISTINCT = 1500
Distance = Callable[[Answer, Answer], float]


class Agreement(NamedTuple):
    """Alpha, None where it is not defined; the mean distance between two answers of an item, on a scale in points; over
    how many."""

    alpha: float | None
    distance: float | None
    items: int
    answers: int
    level: str


def agreement(kind: AnswerType, question: Question, units: Iterable[Sequence[Answer]]) -> Agreement:
    """Alpha of one question: a unit has the answers to one item, None where somebody gave none.

    Identical answers on every item give 1; where all items have the same one there is no chance to correct for, and
    alpha is not defined, as everywhere else (validation/insights/rules/agreement.py).
    """
    names: dict[str, Answer] = {}
    counted: list[Counter[str]] = []
    for unit in units:
        tally: Counter[str] = Counter()
        for answer in unit:
            if answer is not None:
                name = json.dumps(answer, sort_keys=True, ensure_ascii=False)
                names[name] = answer
                tally[name] += 1
        if tally.total() > 1:
            counted.append(tally)
    total = sum(counted, Counter[str]())
    answers = total.total()
    if not counted:
        return Agreement(None, None, 0, 0, kind.level)
    apart = _distance(kind, question, names, total)
    observed = sum(_distance_within(tally, apart) / (tally.total() - 1) for tally in counted) / answers
    expected = _expected_distance(total, apart)
    alpha = 1 - observed / expected if expected else None
    plain = _points_between(question, names) if kind.level == "ordinal" else apart
    of_items = (_distance_within(tally, plain) / (tally.total() * (tally.total() - 1)) for tally in counted)
    return Agreement(alpha, sum(of_items) / len(counted), len(counted), answers, kind.level)


def _points_between(question: Question, names: dict[str, Answer]) -> Callable[[str, str], float]:
    """How many points two answers by name are apart: as people read a scale, and unlike what alpha weighs."""
    place = {key: n for n, key in enumerate(question.keys)}
    return lambda one, other: abs(place[names[one]] - place[names[other]])


def _distance(
    kind: AnswerType, question: Question, names: dict[str, Answer], total: Counter[str]
) -> Callable[[str, str], float]:
    """The distance between two answers by name, each computed once."""
    known: dict[tuple[str, str], float] = {}
    ordinal = (
        _ordinal_distance(question, {names[name]: count for name, count in total.items()})
        if kind.level == "ordinal"
        else None
    )

    def apart(one: str, other: str) -> float:
        pair = (one, other) if one < other else (other, one)
        if pair not in known:
            first, second = names[pair[0]], names[pair[1]]
            known[pair] = ordinal(first, second) if ordinal else kind.distance(question, first, second)
        return known[pair]

    return apart


def _ordinal_distance(question: Question, counts: dict[str, int]) -> Distance:
    """Krippendorff's ordinal difference, squared: the answers between two points, and half of those at them."""
    below, seen = {}, 0
    for key in question.keys:
        below[key] = seen + counts.get(key, 0) / 2
        seen += counts.get(key, 0)

    def apart(one: Answer, other: Answer) -> float:
        return float((below[one] - below[other]) ** 2)

    return apart


def _distance_within(tally: Counter[str], apart: Callable[[str, str], float]) -> float:
    """The sum of distances over the ordered pairs of answers to one item."""
    return 2 * sum(n * m * apart(one, other) for (one, n), (other, m) in combinations(sorted(tally.items()), 2))


def _expected_distance(total: Counter[str], apart: Callable[[str, str], float]) -> float:
    """The mean distance over all pairs of answers, whatever item they are of."""
    listed = sorted(total.items())
    if len(listed) > MOST_DISTINCT:
        listed = listed[:: -(-len(listed) // MOST_DISTINCT)]
    answers = sum(count for _, count in listed)
    pairs = sum(n * m * apart(one, other) for (one, n), (other, m) in combinations(listed, 2))
    return 2 * pairs / (answers * (answers - 1)) if answers > 1 else 0.0
