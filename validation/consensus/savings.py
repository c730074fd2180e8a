"""What the rounds saved against five votes each, and the funnel of IndoNLI's Tables 2 and 3.

Integers and exact fractions; `percent` rounds half up, once, from the exact fraction (the paper's 34.8 % is 34.747 %
rounded twice). IndoNLI §3.2: with authoring, three rounds need 3N + N2 + N3 annotations where five votes each need
5N; without, 2N + N2 + N3 against 4N.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction

from validation.consensus.engine import EXCLUDED, GOLD, NO_CONSENSUS, OPEN, Decision
from validation.consensus.protocol import Protocol

# What is compared with: the author's label and four more (SNLI, MNLI).
BASELINE_VOTES = 5


@dataclass(frozen=True, slots=True)
class Saving:
    """Annotations used, and what five votes each would have taken."""

    used: int
    fixed_5: int

    @property
    def saved(self) -> int:
        """The annotations that nobody had to make."""
        return self.fixed_5 - self.used

    @property
    def share(self) -> Fraction | None:
        """The part saved; None over no items."""
        return Fraction(self.saved, self.fixed_5) if self.fixed_5 else None


def is_comparable(protocol: Protocol) -> bool:
    """Say whether the comparison means anything: the author counts, and there is more than one round."""
    return protocol.author_counts and len(protocol.rounds) > 1


def compute_saving(protocol: Protocol, entered: Sequence[int], *, authoring: bool) -> Saving:
    """Compare with five votes each, over decided items; `entered` counts them by round, the first round first.

    With `authoring`, the author's label is one of the annotations: 3N + N2 + N3 against 5N in IndoNLI's protocol.
    """
    items = entered[0] if entered else 0
    votes = sum(asked * size for asked, size in zip(entered, protocol.rounds, strict=False))
    return Saving(votes + items * authoring, items * (BASELINE_VOTES - (not authoring)))


def percent(part: int, whole: int, digits: int = 1) -> Decimal | None:
    """Give part of whole in percent, rounded half up from the exact fraction; None of nothing."""
    if not whole:
        return None
    # Half up in integers: the fraction itself may have no finite decimal form.
    rounded = (200 * 10**digits * part + whole) // (2 * whole)
    return Decimal(rounded).scaleb(-digits)


@dataclass(slots=True)
class Funnel:
    """The counts of Tables 2 and 3, taken one decided or open item after another.

    "Individual" is over all counted labels, the author's included, pairs without gold in the denominator. Items that
    are still open stand in the rounds that they entered and in `open`, in no figure of agreement.
    """

    protocol: Protocol
    items: int = 0
    entered_round: Counter[int] = field(default_factory=Counter)
    settled_in_round: Counter[int] = field(default_factory=Counter)
    decided_in_round: Counter[int] = field(default_factory=Counter)
    gold_counts: Counter[str] = field(default_factory=Counter)
    states: Counter[str] = field(default_factory=Counter)
    labels: int = 0
    individual: int = 0
    individual_is_gold: int = 0
    individual_is_author: int = 0
    gold_is_author: int = 0
    gold_differs: int = 0

    def add(self, author: str | None, counted: Sequence[str | None], decision: Decision) -> None:
        """Take in one item: the author's label, the labels of the counted votes, and the decision."""
        self.items += 1
        self.states[decision.state] += 1
        for number in range(1, decision.round + 1):
            self.entered_round[number] += 1
        given = [label for label in (author,) if label is not None]
        self.labels += len(given) + len(counted)
        if decision.state == OPEN:
            return
        self.decided_in_round[decision.round] += 1
        if decision.state == GOLD:
            self._settle(author, decision)
        voices = [*(given if self.protocol.author_counts else ()), *counted]
        self.individual += len(voices)
        if decision.label is not None:
            self.individual_is_gold += voices.count(decision.label)
        if author is not None:
            self.individual_is_author += voices.count(author)

    def _settle(self, author: str | None, decision: Decision) -> None:
        self.settled_in_round[decision.round] += 1
        if decision.label is None:
            return
        self.gold_counts[decision.label] += 1
        if author is not None:
            self.gold_is_author += decision.label == author
            self.gold_differs += decision.label != author

    @property
    def gold(self) -> int:
        """The items with a gold label."""
        return self.states[GOLD]

    @property
    def no_consensus(self) -> int:
        """The items whose rounds ended without one."""
        return self.states[NO_CONSENSUS]

    @property
    def excluded(self) -> int:
        """The items that too many called ambiguous."""
        return self.states[EXCLUDED]

    @property
    def open(self) -> int:
        """The items that wait for votes; `undecided` in a replay."""
        return self.states[OPEN]

    @property
    def decided(self) -> int:
        """The items that the votes came to an end on, with gold, without, or excluded."""
        return self.gold + self.no_consensus + self.excluded

    def by_round(self, counts: Mapping[int, int]) -> dict[int, int]:
        """Lay counts out over every round of the protocol, zeros too."""
        return {number: counts.get(number, 0) for number in range(1, len(self.protocol.rounds) + 1)}

    def cumulative(self) -> dict[int, int]:
        """Count, by round, the items with gold so far (Table 2, "cum-cons", of `decided`)."""
        total, running = 0, {}
        for number, settled in self.by_round(self.settled_in_round).items():
            total += settled
            running[number] = total
        return running

    def saving(self, *, authoring: bool) -> Saving | None:
        """Compare the decided items with five votes each; None where the protocol makes no such comparison."""
        if not is_comparable(self.protocol):
            return None
        ends = self.by_round(self.decided_in_round)
        entered = [sum(count for end, count in ends.items() if end >= number) for number in ends]
        return compute_saving(self.protocol, entered, authoring=authoring)
