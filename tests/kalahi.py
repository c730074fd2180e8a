"""Validators who choose the best response so and so often, drawn by a seed: nobody's votes were ever published."""

from collections.abc import Mapping, Sequence

from annotation.rules.draws import draw, order
from exports.rules.kalahi_csv import KalahiRow, responses_of
from validation.rules.best_choice import Judged

WHO = ("V01", "V02", "V03")
# The paper's Table 4: how many prompts had their best response chosen by 3, 2, 1 of 3.
PUBLISHED = {3: 111, 2: 31, 1: 8}


def simulate(
    rows: Sequence[KalahiRow], seed: str, best: Mapping[int, int] = PUBLISHED, who: Sequence[str] = WHO
) -> list[Judged]:
    """Let `best[n]` prompts have n people choose the best; who dissents, and what for, is drawn."""
    times = [n for n, prompts in best.items() for _ in range(prompts)]
    drawn = order(seed, "simulated", [row.prompt_variation_id for row in rows])
    right = dict(zip(drawn, times, strict=True))
    return [_choose(row, right[row.prompt_variation_id], seed, who) for row in rows]


def _choose(row: KalahiRow, right: int, seed: str, who: Sequence[str]) -> Judged:
    key, responses = row.prompt_variation_id, responses_of(row)
    (best,) = (each.key for each in responses if each.role == "best")
    others = [each.key for each in responses if each.role == "irrelevant"]
    choices = {}
    for place, name in enumerate(order(seed, f"dissent:{key}", who)):
        other = others[draw(seed, f"other:{key}", name) % len(others)]
        choices[name] = best if place < right else other
    return Judged(key, best, (best, *others), choices)
