"""Samples of items with known truth, for the intervals of model-assisted figures; run it for the table in the docs.

`python -m tests.validation.insights.assisted_runs` prints it (about ten minutes, one process).
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from validation.insights.rules.assisted import Checked, cross_fitted, means

ITEMS, SEED = 2000, 2026
SHARES, SIZES = (0.7, 0.96), (50, 100, 400)
# What a model says of an item, from what is true of it (1 or 0).
MODELS = {
    "useless": lambda random, true: (random.random(len(true)) < 0.7).astype(float),
    "anti-correlated": lambda random, true: np.where(random.random(len(true)) < 0.85, 1 - true, true),
    "90 % right": lambda random, true: np.where(random.random(len(true)) < 0.9, true, 1 - true),
    "score": lambda random, true: np.clip(0.15 + 0.7 * true + random.normal(0, 0.12, len(true)), 0, 1),
}
FORMS = ("equal", "varying q", "adaptive q", "strata", "sources", "cross-fit")


class Cell(NamedTuple):
    """What was found over all runs: how often the intervals cover the truth, and how wide they are on average."""

    covered: float
    covered_assisted: float
    width: float
    width_assisted: float

    @property
    def ratio(self) -> float:
        """The width with the model, as a share of that without it."""
        return self.width_assisted / self.width


def measure(form: str, model: str, share: float, size: int, runs: int) -> Cell:
    """Run one cell: about `size` of the items are checked each time."""
    rows = []
    for true, sample in _samples(form, model, share, size, runs):
        try:
            found, actual = means(sample), true.mean()
        except ValueError:  # no item of a small stratum was drawn: there is no figure then
            continue
        # Where fewer than ten sources were drawn there is no interval.
        for one in (found.classic, found.assisted):
            if one.low is not None and one.high is not None:
                rows.append((one.low <= actual <= one.high, one.high - one.low))
    covered, width = np.array(rows, float).reshape(-1, 2, 2).mean(axis=0).T
    return Cell(*covered, *width)


def _samples(form: str, model: str, share: float, size: int, runs: int) -> Iterator[tuple[Any, Checked]]:
    random = np.random.default_rng([SEED, FORMS.index(form), list(MODELS).index(model), round(100 * share), size])
    place, rate = np.arange(ITEMS), size / ITEMS
    for _ in range(runs):
        group = random.integers(0, 3, ITEMS)
        chance = share + np.array([-0.08, 0.0, 0.05])[group] * (1 - share) / 0.3
        if form == "sources":
            chance = chance + np.repeat(random.normal(0, 0.1 * (1 - share) / 0.3, ITEMS // 5), 5)
        true = (random.random(ITEMS) < np.clip(chance, 0, 1)).astype(float)
        predicted = np.asarray(MODELS[model](random, true), float)
        q, stratum, unit = np.full(ITEMS, rate), np.zeros(ITEMS, np.int64), place
        drawn = random.random(ITEMS)
        if form == "varying q":
            q = random.uniform(0.5, 1.5, ITEMS) * rate
        elif form == "strata":
            q, stratum = np.array([0.5, 1, 1.5])[group] * rate, group
        elif form == "sources":
            unit = place // 5
            drawn = drawn[unit]
        elif form == "adaptive q":
            q = _adaptive(drawn, true, rate)
        checked = drawn < q
        value = np.where(checked, true, np.nan)
        if form == "cross-fit":
            predicted = cross_fitted(value, [group, np.digitize(predicted, (0.25, 0.5, 0.75))], place // 5 % 5, 1 / q)
        yield true, Checked(value, predicted, 1 / q, stratum, unit)


def _adaptive(drawn: Any, true: Any, rate: float) -> Any:
    """As audits: the probability of the next one rises with what the audits before it found, and falls again."""
    found, q = 0.0, np.empty(len(drawn))
    for n, (place, right) in enumerate(zip(drawn.tolist(), true.tolist(), strict=True)):
        q[n] = min(1.0, rate * (0.6 + 0.8 * min(found, 1.0)))
        found = 0.98 * found + (place < q[n] and not right)
    return q


def main() -> None:
    """Print the table."""
    print("| sample | model | share | " + " | ".join(f"n = {size}" for size in SIZES) + " |")
    print("|---|---|---|" + "---|" * len(SIZES))
    for form in FORMS:
        for model in MODELS:
            for share in SHARES:
                cells = [measure(form, model, share, size, 2000) for size in SIZES if is_measured(form, size)]
                shown = [
                    f"{100 * cell.covered:.1f}, {100 * cell.covered_assisted:.1f}; {cell.ratio:.2f}" for cell in cells
                ]
                shown = ["–"] * (len(SIZES) - len(shown)) + shown
                print(f"| {form} | {model} | {share} | " + " | ".join(shown) + " |", flush=True)


def is_measured(form: str, size: int) -> bool:
    """Fifty items of whole sources are ten draws: too few for an interval in half of the runs."""
    return form != "sources" or size > 50


if __name__ == "__main__":
    main()
