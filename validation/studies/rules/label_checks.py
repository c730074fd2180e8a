"""What a label check says: which labels of the source survive in the target's language."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

KEPT, CHANGED, NO_GOLD, WAITING = "kept", "changed", "no_gold", "waiting"


class JudgedLabel(NamedTuple):
    """A row: the source's label and the votes' (empty where they made none); `is_complete` once the votes are in."""

    key: str
    source: str
    gold: str
    is_complete: bool

    @property
    def outcome(self) -> str:
        if not self.is_complete:
            return WAITING
        if not self.gold:
            return NO_GOLD
        return KEPT if self.gold == self.source else CHANGED


class Report(NamedTuple):
    """Counts of outcomes, and how often which source label became which: (source, gold), gold empty without one.

    `survived` is the share of rows with gold whose gold is the source's label; None while there is none.
    """

    counts: Counter[str]
    pairs: Counter[tuple[str, str]]

    @property
    def settled(self) -> int:
        return self.counts[KEPT] + self.counts[CHANGED]

    @property
    def survived(self) -> float | None:
        return self.counts[KEPT] / self.settled if self.settled else None


def report(rows: Sequence[JudgedLabel]) -> Report:
    """Sum up; rows that still wait are counted and enter no pair."""
    return Report(
        Counter(row.outcome for row in rows),
        Counter((row.source, row.gold) for row in rows if row.is_complete),
    )
