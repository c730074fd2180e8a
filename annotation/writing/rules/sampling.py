"""Which pairs are validated (domain.md §10, ruling 16; IndoNLI §3.2: 30 % of the lay set)."""

from collections.abc import Sequence
from fractions import Fraction
from math import ceil

from annotation.core.rules.draws import fraction, order

PURPOSE = "sample"


def sampled(seed: str, key: str, share: float) -> bool:
    """Say whether a pair is validated, whatever the order of work; 0 takes none and 1 takes all."""
    return fraction(seed, PURPOSE, key) < share


def top_up(seed: str, keys: Sequence[str], share: float) -> list[str]:
    """Take the given share of the keys, rounded up, in the order of the draw.

    What `sampled` took stands at the front of that order, so a lead only ever adds to a sample.
    """
    # The written decimal, not its nearest float: 0.07 of 100 is 7, not 8.
    wanted = ceil(Fraction(str(share)) * len(keys))
    return order(seed, PURPOSE, keys)[: max(0, wanted)]
