"""P-values of tests by permutation, and Holm's correction where several are looked at."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

# So many permutations: the smallest p is one of ten thousand.
PERMUTATIONS = 9999
# Labels are dealt anew fewer times, item by item.
DEALT = 999
_AT_ONCE = 4_000_000
# Sums that differ by less are equal.
_NEAR = 1e-9


def sign_flip_p(sums: "np.ndarray", seed: str) -> float:
    """Two-sided p of no difference: how often the sum is as far from 0 where each source's is turned round at random.

    Approximate randomisation of pairs (Noreen 1989), (1 + as extreme) / (1 + permutations): never 0.
    """
    import numpy as np

    from validation.insights.rules.generators import generator

    random = generator(seed, "sign-flips")
    sizes, times = np.unique(np.abs(sums)[sums != 0], return_counts=True)
    if not len(sizes):
        return 1.0
    bound = abs(float(sums.sum())) * (1 - _NEAR) - _NEAR
    step, extreme = max(1, _AT_ONCE // len(sizes)), 0
    for begin in range(0, PERMUTATIONS, step):
        # Of equal sums it matters only how many are turned round.
        turned = random.binomial(times, 0.5, size=(min(step, PERMUTATIONS - begin), len(sizes)))
        extreme += int((np.abs((times - 2 * turned) @ sizes) >= bound).sum())
    return (1 + extreme) / (1 + PERMUTATIONS)


def permuted_shares(
    said: "np.ndarray", true: "np.ndarray", seed: str, tick: Callable[[], None] = lambda: None
) -> "np.ndarray":
    """The shares that are right where labels are dealt to items at random: chance, given how often each is said."""
    import numpy as np

    from validation.insights.rules.generators import generator

    random, found = generator(seed, "permuted-labels"), np.empty(DEALT)
    for n in range(DEALT):
        tick()
        found[n] = (said == random.permutation(true)).mean()
    return found


def exceeding_p(share: float, permuted: "np.ndarray") -> float:
    """One-sided p: how often chance is as good, (1 + as good) / (1 + permutations)."""
    return float(1 + (permuted >= share - _NEAR).sum()) / (1 + len(permuted))


def holm(ps: Sequence[float]) -> list[float]:
    """P-values corrected by Holm (1979): the chance of any false finding among them is held."""
    found, highest = [0.0] * len(ps), 0.0
    for rank, place in enumerate(sorted(range(len(ps)), key=lambda place: ps[place])):
        highest = max(highest, min(1.0, (len(ps) - rank) * ps[place]))
        found[place] = highest
    return found
