"""A validator's agreement with gold as they may see it themselves: one figure, from many items on."""

from collections.abc import Sequence

# The figure moves in steps of so many items: moving with each one, it would tell what became of that item.
STEP = 10


def own_agreement(agreed: Sequence[bool], start: int) -> int | None:
    """The share of one's votes that gold agrees with, in whole percent; None below `start` settled items.

    `agreed` is in the order in which the items were settled (domain.md §2: one figure, from 20 settled items on).
    """
    first = max(start, 1)
    if len(agreed) < first:
        return None
    counted = agreed[: max(len(agreed) // STEP * STEP, first)]
    return round(100 * sum(counted) / len(counted))
