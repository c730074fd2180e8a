"""Which writer gets which premises (domain.md §4: shares of 100–120, all kinds of sentence class spread evenly)."""

from collections import Counter
from collections.abc import Sequence

from annotation.rules.draws import draw, order

PURPOSE = "share"
Source = tuple[str, str, str]


def spread(premises: Sequence[Source], writers: Sequence[str], size: int, seed: str) -> dict[str, list[str]]:
    """Deal premises (key, sentence class, group) to writers, at most `size` to each, in each writer's order of work.

    No premise goes to two. Writers differ by at most one in all and in each class, where the premises do not
    suffice or do not come out even; what is dealt has the classes in the pool's proportion, and premises of one
    group (a document) go to different writers as far as there are any. The order in which anything is given
    changes nothing.
    """
    shares: dict[str, list[str]] = {writer: [] for writer in writers}
    if not shares:
        return shares
    chosen = _chosen(premises, max(0, size) * len(shares), seed)
    # Dealt in turn, class after class and group after group: each run of equals is spread over all.
    chosen.sort(key=lambda each: (each[1], draw(seed, PURPOSE, each[2]), each[2], _place(seed, each)))
    turns = order(seed, PURPOSE, shares)
    for number, (key, _, _) in enumerate(chosen):
        shares[turns[number % len(turns)]].append(key)
    return {writer: order(seed, PURPOSE, keys) for writer, keys in shares.items()}


def _place(seed: str, premise: Source) -> tuple[int, str]:
    return draw(seed, PURPOSE, premise[0]), premise[0]


def _chosen(premises: Sequence[Source], wanted: int, seed: str) -> list[Source]:
    """Draw as many premises as are wanted, of each class its share (largest remainder, then by name)."""
    if wanted >= len(premises):
        return list(premises)
    sizes = Counter(sentence_class for _, sentence_class, _ in premises)
    quota = {name: count * wanted // len(premises) for name, count in sizes.items()}
    by_remainder = sorted(sizes, key=lambda name: (-(sizes[name] * wanted % len(premises)), name))
    for name in by_remainder[: wanted - sum(quota.values())]:
        quota[name] += 1
    chosen = []
    for premise in sorted(premises, key=lambda each: _place(seed, each)):
        if quota[premise[1]]:
            quota[premise[1]] -= 1
            chosen.append(premise)
    return chosen
