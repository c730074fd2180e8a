"""Which writer gets which premises (domain.md §4: shares of 100–120, all kinds of sentence class spread evenly) and
which concepts (domain.md §5: each to two writers, 50 of a category to each)."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from annotation.core.rules.draws import draw, order

PURPOSE = "share"
Source = tuple[str, str, str]


def spread_premises(premises: Sequence[Source], writers: Sequence[str], size: int, seed: str) -> dict[str, list[str]]:
    """Deal premises (key, sentence class, group) to writers, at most `size` to each, in each writer's order of work.

    No premise goes to two. Writers differ by at most one in all and in each class, where the premises do not
    suffice or do not come out even; what is dealt has the classes in the pool's proportion, and premises of one
    group (a document) go to different writers as far as there are any. The order in which anything is given
    changes nothing.
    """
    shares: dict[str, list[str]] = {writer: [] for writer in writers}
    if not shares:
        return shares
    chosen = _draw_by_class(premises, max(0, size) * len(shares), seed)
    # Dealt in turn, class after class and group after group: each run of equals is spread over all.
    chosen.sort(key=lambda each: (each[1], draw(seed, PURPOSE, each[2]), each[2], _place(seed, each)))
    turns = order(seed, PURPOSE, shares)
    for number, (key, _, _) in enumerate(chosen):
        shares[turns[number % len(turns)]].append(key)
    return {writer: order(seed, PURPOSE, keys) for writer, keys in shares.items()}


def _place(seed: str, premise: Source) -> tuple[int, str]:
    return draw(seed, PURPOSE, premise[0]), premise[0]


def _draw_by_class(premises: Sequence[Source], wanted: int, seed: str) -> list[Source]:
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


Topic = tuple[str, str]
HadConcepts = Mapping[str, Collection[str]]


def deal_concepts(
    concepts: Sequence[Topic],
    writers: Sequence[str],
    *,
    each: Mapping[str, int] | int,
    quota: int,
    seed: str,
    had: HadConcepts | None = None,
    held: Mapping[Topic, int] | None = None,
) -> dict[str, list[str]]:
    """Deal concepts (key, category) to writers, each to `each` different ones (id-csqa §4.2: 2, and 50 a category).

    `had` says who was given a concept before (they are not given it again), `held` how many concepts of a category
    a writer has in hand (writer, category); `each` may say for every concept how many writers it still lacks. No
    writer comes to hold more than `quota` of a category. As much is dealt as these rules allow, and of all such
    deals one in which the writers of each category are as even as can be. The order of what is given changes nothing.
    """
    deal = _ConceptAllocation(order(seed, PURPOSE, set(writers)), had or {}, held or {}, quota)
    for key, category in sorted(set(concepts), key=lambda each: (each[1], draw(seed, PURPOSE, each[0]), each[0])):
        for _ in range(each if isinstance(each, int) else each.get(key, 0)):
            if not deal.give(key, category):
                break
    return {writer: order(seed, f"{PURPOSE}:{writer}", deal.given(writer)) for writer in writers}


class _ConceptAllocation:
    """A deal under way. Each gift goes to the writer with the least of those whom it can reach, where others hand
    on what they were dealt on the way: so the deal stays the evenest one at every step (Harvey et al. 2006,
    semi-matchings)."""

    def __init__(self, turns: Sequence[str], had: HadConcepts, held: Mapping[Topic, int], quota: int) -> None:
        self.turns, self.had, self.quota = turns, had, quota
        self.load = Counter(held)
        self.total = Counter[str]()
        for (writer, _), count in held.items():
            self.total[writer] += count
        self.dealt: dict[Topic, list[str]] = {}

    def given(self, writer: str) -> list[str]:
        return [key for (name, _), keys in self.dealt.items() if name == writer for key in keys]

    def _takers(self, key: str, category: str, met: Collection[str]) -> list[str]:
        """Who may be given the concept, and was not met yet."""
        before = self.had.get(key, ())
        return [
            writer
            for writer in self.turns
            if writer not in met and writer not in before and key not in self.dealt.get((writer, category), ())
        ]

    def give(self, key: str, category: str) -> bool:
        """Deal one concept once; False where nobody can take it."""
        # Whom a gift can reach, and how: from whom they would take which concept ("" from the pile).
        way: dict[str, Topic] = dict.fromkeys(self._takers(key, category, ()), ("", key))
        for writer in (waiting := list(way)):
            for other in self.dealt.get((writer, category), ()):
                reached = self._takers(other, category, way)
                way |= dict.fromkeys(reached, (writer, other))
                waiting += reached
        open_ones = [writer for writer in way if self.load[writer, category] < self.quota]
        if not open_ones:
            return False
        taker = min(open_ones, key=lambda writer: (self.load[writer, category], self.total[writer]))
        self.load[taker, category] += 1
        self.total[taker] += 1
        while taker:
            giver, concept = way[taker]
            self.dealt.setdefault((taker, category), []).append(concept)
            if giver:
                self.dealt[giver, category].remove(concept)
            taker = giver
        return True
