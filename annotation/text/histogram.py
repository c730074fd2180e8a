"""How whole numbers are spread, from how often each occurs: lengths of a million texts are a few hundred counts."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil, sqrt


@dataclass(frozen=True)
class Spread:
    """Mean and standard deviation (of the population) as IndoNLI's Table 4 has them, median, shortest and longest."""

    n: int
    mean: float
    sd: float
    median: float
    least: int
    most: int


def spread(counts: Mapping[int, int]) -> Spread | None:
    """The spread of values that occur so often; None of nothing."""
    n = sum(counts.values())
    if not n:
        return None
    total = sum(value * times for value, times in counts.items())
    squares = sum(value * value * times for value, times in counts.items())
    # n² times the variance is a whole number: nothing is lost before the root.
    return Spread(
        n,
        total / n,
        sqrt(n * squares - total * total) / n,
        (_value_at(counts, (n - 1) // 2) + _value_at(counts, n // 2)) / 2,
        min(value for value, times in counts.items() if times),
        max(value for value, times in counts.items() if times),
    )


def _value_at(counts: Mapping[int, int], place: int) -> int:
    """The value at a place of the sorted whole, counted from 0."""
    passed = 0
    for value in sorted(counts):
        passed += counts[value]
        if place < passed:
            return value
    raise IndexError(place)


def bins(counts: Mapping[int, int], most: int) -> list[tuple[int, int, int]]:
    """Counts in at most so many bins of equal width: first and last value of each, and how many lie there."""
    there = [value for value, times in counts.items() if times]
    if not there:
        return []
    low, high = min(there), max(there)
    width = ceil((high - low + 1) / most)
    heights = [0] * ((high - low) // width + 1)
    for value in there:
        heights[(value - low) // width] += counts[value]
    return [(low + n * width, low + n * width + width - 1, times) for n, times in enumerate(heights)]
