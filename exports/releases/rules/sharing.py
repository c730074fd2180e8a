"""How gold is shared out among train, dev and test: by share or by number, and stratum by stratum where asked.

Pure. Groups that stay together are taken in drawn order. A group's `sizes` say how many of its items are of each
stratum (a label, a kind of text, a writer); `pinned` groups go where the rules send one of their items by name.

Tenths (mCSQA §3.4): a tenth of each level to dev, a tenth to test, the rest to train; groups that stay together are
taken in drawn order, and dev and test are as near their tenths as whole groups allow, never above them.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from annotation.core.rules.draws import draw
from exports.releases.rules.settings import DEV, NONE, TEST, TRAIN, SplitRules

Sizes = Mapping[int, Mapping[str, int]]
# Of splits that are equally far below what they are to have, the first of these takes the next group.
DEALING_ORDER = (DEV, TEST, TRAIN)


def is_by_number(rules: SplitRules) -> bool:
    """Whether dev and test have a number of items each, and train what is left of gold."""
    return rules.dev_size > 0 or rules.test_size > 0


def split_sizes(rules: SplitRules) -> dict[str, int]:
    """What each split is to have: items where that is said by number (train is no part of it), else percent."""
    if is_by_number(rules):
        return {DEV: rules.dev_size, TEST: rules.test_size}
    rest = 100 - rules.dev_percent - rules.train_percent
    return {DEV: rules.dev_percent, TEST: rest, TRAIN: rules.train_percent}


def only_split(rules: SplitRules) -> str:
    """The split that takes all gold; empty where several do."""
    if is_by_number(rules):
        return ""
    having = [split for split, share in split_sizes(rules).items() if share]
    return having[0] if len(having) == 1 else ""


def assign_splits(rules: SplitRules, sizes: Sizes, pinned: Mapping[int, str]) -> dict[int, str]:
    """Give every group its split, by its drawn place."""
    deal = _by_number if is_by_number(rules) else _by_share
    return (_by_stratum if rules.stratify != NONE else deal)(rules, sizes, pinned)


def _by_share(rules: SplitRules, sizes: Sizes, pinned: Mapping[int, str]) -> dict[int, str]:
    """To whichever is furthest below its share, read as filled part of the share; dev where they are even."""
    share, sole = split_sizes(rules), only_split(rules)
    open_to = [split for split in DEALING_ORDER if share.get(split)]
    filled = dict.fromkeys(DEALING_ORDER, 0)
    dealt: dict[int, str] = {}
    for group in sorted(sizes):
        split = pinned.get(group) or sole
        if not split:
            split = min(open_to, key=lambda name: Fraction(filled[name], share[name]))
        dealt[group] = split
        filled[split] += sum(sizes[group].values())
    return dealt


def _by_number(rules: SplitRules, sizes: Sizes, pinned: Mapping[int, str]) -> dict[int, str]:
    """As by share, but never above its number: a group that has no room in dev or test goes to train.

    What the rules send somewhere by name takes its room first, and is all that can pass a number.
    """
    room = split_sizes(rules)
    filled = dict.fromkeys(DEALING_ORDER, 0)
    for group, split in pinned.items():
        filled[split] += sum(sizes[group].values())
    dealt: dict[int, str] = dict(pinned)
    for group in sorted(sizes.keys() - pinned.keys()):
        n = sum(sizes[group].values())
        fits = [split for split, most in room.items() if most and filled[split] + n <= most]
        split = min(fits, key=lambda name: Fraction(filled[name], room[name]), default=TRAIN)
        dealt[group] = split
        filled[split] += n
    return dealt


def _by_stratum(rules: SplitRules, sizes: Sizes, pinned: Mapping[int, str]) -> dict[int, str]:
    """A proportional quota of every stratum (largest remainder), filled as evenly as groups allow."""
    wanted = stratum_quotas(rules, sizes)
    left = {split: dict(quota) for split, quota in wanted.items()}
    total = {split: sum(quota.values()) for split, quota in wanted.items()}
    capped, sole = is_by_number(rules), only_split(rules)
    dealt: dict[int, str] = {}
    # Where a number must not be passed, what goes somewhere by name takes its room first.
    for group in sorted(sizes, key=lambda group: (capped and group not in pinned, group)):
        held = sizes[group]
        n = sum(held.values())
        open_to = [split for split in wanted if not capped or split == TRAIN or n <= total[split]]
        split = pinned.get(group) or sole
        if not split:
            split = max(open_to, key=lambda name: _emptiness(held, left[name], wanted[name]))
        dealt[group] = split
        total[split] -= n
        for stratum, count in held.items():
            left[split][stratum] -= count
    return dealt


def stratum_quotas(rules: SplitRules, sizes: Sizes) -> dict[str, dict[str, int]]:
    """How many items of each stratum each split is to have, in the order in which equal ones take."""
    totals: dict[str, int] = {}
    for held in sizes.values():
        for stratum, n in held.items():
            totals[stratum] = totals.get(stratum, 0) + n
    whole = sum(totals.values())
    parts = _wanted_parts(rules, whole)
    wanted: dict[str, dict[str, int]] = {}
    left = totals
    for place, split in enumerate(parts):
        last = place == len(parts) - 1
        # Only the last takes what is left as it is: the others have their part of it, stratum by stratum.
        name = "stratum" if place == 0 else f"stratum-{split}"
        took = left if last else largest_remainder(parts[split], left, rules.seed, name)
        wanted[split] = dict(took)
        left = {stratum: n - took[stratum] for stratum, n in left.items()}
    return wanted


def _wanted_parts(rules: SplitRules, whole: int) -> dict[str, int]:
    """How many items each split is to have of `whole`; the last takes what is left."""
    weights = split_sizes(rules)
    if is_by_number(rules):
        dev = min(weights[DEV], whole)
        test = min(weights[TEST], whole - dev)
        return {DEV: dev, TEST: test, TRAIN: whole - dev - test}
    if not weights[TRAIN]:
        weights.pop(TRAIN)
    return largest_remainder(whole, weights, rules.seed, "quota")


def _emptiness(held: Mapping[str, int], left: Mapping[str, int], wanted: Mapping[str, int]) -> Fraction:
    """How far a split is below its quotas, seen by the strata of one group."""
    return sum((n * Fraction(left[name], wanted[name] or 1) for name, n in held.items()), Fraction(0))


def largest_remainder(total: int, weights: Mapping[str, int], seed: str, purpose: str) -> dict[str, int]:
    """Share `total` out by weight: whole parts first, the rest by largest remainder; equal ones are drawn."""
    whole = sum(weights.values())
    if whole == 0:
        return dict.fromkeys(weights, 0)
    parts = {name: total * weight // whole for name, weight in weights.items()}
    rest = total - sum(parts.values())
    by_remainder = sorted(weights, key=lambda name: (-(total * weights[name] % whole), draw(seed, purpose, name), name))
    for name in by_remainder[:rest]:
        parts[name] += 1
    return parts


class TiedGroups:
    """What has to stay together, found from pairs that do: the smallest drawn place of all that hang together."""

    def __init__(self) -> None:
        self._above: dict[int, int] = {}

    def __bool__(self) -> bool:
        return bool(self._above)

    def root(self, place: int) -> int:
        """The smallest place that this one hangs together with; itself where it hangs alone."""
        above = self._above
        found = place
        while (up := above.get(found, found)) != found:
            found = up
        while above.get(place, place) != found:
            above[place], place = found, above[place]
        return found

    def tie(self, one: int, other: int) -> None:
        """These two hang together."""
        low, high = sorted((self.root(one), self.root(other)))
        self._above.setdefault(low, low)
        self._above[high] = low

    def members(self) -> Iterable[int]:
        """Every place that was tied to another."""
        return self._above


PARTS_OF_A_WHOLE = 10
# What a group holds: for each level, in order of their names, how many questions.
LevelCounts = tuple[int, ...]


def assign_tenths(groups: Mapping[int, Mapping[str, int]]) -> dict[int, str]:
    """Give each group, by its drawn place, its split; `groups` hold how many questions of each level they have.

    How many groups of which sort go to dev and to test is settled first, then each takes the first ones drawn.
    """
    levels = sorted({level for held in groups.values() for level in held})
    sorts = {group: tuple(held.get(level, 0) for level in levels) for group, held in groups.items()}
    there = Counter(sorts.values())
    wanted = [sum(sort[place] * n for sort, n in there.items()) // PARTS_OF_A_WHOLE for place in range(len(levels))]
    left = {split: dict[LevelCounts, int]() for split in (DEV, TEST)}
    for split in (DEV, TEST):
        taken = _choose_groups(wanted, there)
        there, left[split] = there - Counter(taken), taken
    return {group: _next_split(left, sorts[group]) for group in sorted(groups)}


def _next_split(left: Mapping[str, dict[LevelCounts, int]], sort: LevelCounts) -> str:
    """The split that takes the next group of a sort: dev while it wants some, then test, then train."""
    for split, wants in left.items():
        if wants.get(sort, 0):
            wants[sort] -= 1
            return split
    return TRAIN


def _choose_groups(wanted: Sequence[int], there: Mapping[LevelCounts, int]) -> dict[LevelCounts, int]:
    """How many groups of each sort come nearest to what is wanted: in proportion first, then what fills the rest."""
    taken = {sort: n // PARTS_OF_A_WHOLE for sort, n in there.items()}
    rest = [want - sum(sort[place] * n for sort, n in taken.items()) for place, want in enumerate(wanted)]
    more = _best_filling(tuple(rest), {sort: n - taken[sort] for sort, n in there.items()})
    return {sort: n + more.get(sort, 0) for sort, n in taken.items()}


def _best_filling(rest: LevelCounts, there: Mapping[LevelCounts, int]) -> dict[LevelCounts, int]:
    """The groups that leave the least of `rest` open, of all ways to fill it; the first one found of equal ones."""
    ways: dict[LevelCounts, dict[LevelCounts, int]] = {rest: {}}
    for sort in sorted(there, reverse=True):
        for open_, way in list(ways.items()):
            for n in range(1, there[sort] + 1):
                still = tuple(want - n * has for want, has in zip(open_, sort, strict=True))
                if min(still) < 0:
                    break
                ways.setdefault(still, {**way, sort: n})
    return ways[min(ways, key=lambda still: (sum(still), still))]
