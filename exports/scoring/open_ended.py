"""Free answers to prompts by how near they are to the prompts' responses (Kalahi §4.2, Table 5).

An answer's margin is its highest similarity to a relevant response less its highest to an irrelevant one; it is on the
relevant side where that is above 0. Both are means over prompts: the paper defines its score as the margin, and what
its table has are shares of 150 prompts. For jobs only.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from exports.scoring import texts
from exports.scoring.free_answers import CHRF, ROUGE_L
from exports.scoring.measures import MeasuredFigure, mean_measure
from validation.insights.rules.tallies import Ints

# How near each of (right, said) is to the other.
Similarity = Callable[[Sequence[tuple[str, str]]], Sequence[float]]
OVERLAPS: Mapping[str, Similarity] = {
    CHRF: lambda pairs: [texts.chrf_of_text(right, said) for right, said in pairs],
    ROUGE_L: lambda pairs: [texts.rouge_l_of_text(right, said) for right, said in pairs],
}


class FreeAnswer(NamedTuple):
    """What a model wrote to a prompt, and the prompt's responses."""

    said: str
    relevant: Sequence[str]
    irrelevant: Sequence[str]


def margins(answers: Sequence[FreeAnswer], similarity: Similarity) -> list[float]:
    """The margin of each answer; all pairs are compared at once, which is what a model is quick at."""
    pairs = [(right, answer.said) for answer in answers for right in (*answer.relevant, *answer.irrelevant)]
    values, found, start = list(similarity(pairs)), [], 0
    for answer in answers:
        middle = start + len(answer.relevant)
        end = middle + len(answer.irrelevant)
        found.append(max(values[start:middle]) - max(values[middle:end]))
        start = end
    return found


def margin_measures(by_measure: Mapping[str, Sequence[float]], source: Ints) -> dict[str, MeasuredFigure]:
    """The mean margin of each measure, and the share of prompts on the relevant side."""
    found = {}
    for name, values in by_measure.items():
        found[f"{name}_margin"] = mean_measure(values, source)
        sides = [float(value > 0) for value in values]
        found[f"{name}_nearer"] = mean_measure(sides, source)
    return found
