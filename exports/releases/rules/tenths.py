"""A tenth of each level to dev, a tenth to test, the rest to train (mCSQA §3.4; domain.md §9).

Groups that stay together (a question set, or one question) are taken in drawn order. A tenth is rounded down, level
by level. Where groups hold several questions, dev and test are as near their tenths as whole groups allow, and never
above them.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from exports.releases.rules.settings import DEV, TEST, TRAIN

PART = 10
# What a group holds: for each level, in order of their names, how many questions.
Sort = tuple[int, ...]


def tenths(groups: Mapping[int, Mapping[str, int]]) -> dict[int, str]:
    """Give each group, by its drawn place, its split; `groups` hold how many questions of each level they have.

    How many groups of which sort go to dev and to test is settled first, then each takes the first ones drawn.
    """
    levels = sorted({level for held in groups.values() for level in held})
    sorts = {group: tuple(held.get(level, 0) for level in levels) for group, held in groups.items()}
    there = Counter(sorts.values())
    wanted = [sum(sort[place] * n for sort, n in there.items()) // PART for place in range(len(levels))]
    left = {split: dict[Sort, int]() for split in (DEV, TEST)}
    for split in (DEV, TEST):
        taken = _taken(wanted, there)
        there, left[split] = there - Counter(taken), taken
    return {group: _next(left, sorts[group]) for group in sorted(groups)}


def _next(left: Mapping[str, dict[Sort, int]], sort: Sort) -> str:
    """The split that takes the next group of a sort: dev while it wants some, then test, then train."""
    for split, wants in left.items():
        if wants.get(sort, 0):
            wants[sort] -= 1
            return split
    return TRAIN


def _taken(wanted: Sequence[int], there: Mapping[Sort, int]) -> dict[Sort, int]:
    """How many groups of each sort come nearest to what is wanted: in proportion first, then what fills the rest."""
    taken = {sort: n // PART for sort, n in there.items()}
    rest = [want - sum(sort[place] * n for sort, n in taken.items()) for place, want in enumerate(wanted)]
    more = _filling(tuple(rest), {sort: n - taken[sort] for sort, n in there.items()})
    return {sort: n + more.get(sort, 0) for sort, n in taken.items()}


def _filling(rest: Sort, there: Mapping[Sort, int]) -> dict[Sort, int]:
    """The groups that leave the least of `rest` open, of all ways to fill it; the first one found of equal ones."""
    ways: dict[Sort, dict[Sort, int]] = {rest: {}}
    for sort in sorted(there, reverse=True):
        for open_, way in list(ways.items()):
            for n in range(1, there[sort] + 1):
                still = tuple(want - n * has for want, has in zip(open_, sort, strict=True))
                if min(still) < 0:
                    break
                ways.setdefault(still, {**way, sort: n})
    return ways[min(ways, key=lambda still: (sum(still), still))]
