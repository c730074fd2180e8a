"""Shares with their intervals: exact (Clopper and Pearson 1934), from the beta distribution's quantiles."""

from functools import lru_cache
from math import comb

STEPS = 60


def _probability_at_most(right: int, n: int, share: float) -> float:
    """How likely at most so many of n are right where this share is."""
    return sum(comb(n, k) * share**k * (1 - share) ** (n - k) for k in range(right + 1))


@lru_cache(maxsize=4096)
def upper_bound(right: int, n: int, confidence: float = 0.9) -> float:
    """The one-sided exact upper bound of a share: the largest under which so few right ones are not unlikely.

    Clopper and Pearson (1934), by bisection; 1.0 where nothing was asked or all was right.
    """
    if right >= n:
        return 1.0
    low, high = right / n, 1.0
    for _ in range(STEPS):
        middle = (low + high) / 2
        if _probability_at_most(right, n, middle) > 1 - confidence:
            low = middle
        else:
            high = middle
    return low


def lower_bound(right: int, n: int, confidence: float = 0.9) -> float:
    """The one-sided exact lower bound of a share; 0.0 where nothing was asked."""
    return 1 - upper_bound(n - right, n, confidence) if n else 0.0


def interval(right: int, n: int, confidence: float = 0.9) -> tuple[float, float] | None:
    """The exact two-sided interval of a share; None where nothing was asked."""
    side = (1 + confidence) / 2
    return (lower_bound(right, n, side), upper_bound(right, n, side)) if n else None
