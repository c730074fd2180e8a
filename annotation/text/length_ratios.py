"""How long translations of a pair of languages usually are, learnt from accepted ones (domain.md §7).

What is compared is the logarithm of characters of the translation over characters of the source: half and double are
equally far from equal. The robust z-score puts the median in the place of the mean and the median absolute deviation,
scaled to agree with the standard deviation of a normal distribution, in its place, so that a few wrong lengths among
the accepted ones do not hide the next.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import log
from statistics import median
from typing import Any

LEAST_ROWS = 30
_NORMAL = 1.4826
# Accepted texts of exactly one proportion would make any other infinitely unusual.
_LEAST_SPREAD = 0.05


def length_ratio(source: str, text: str) -> float | None:
    """The logarithm of the proportion of lengths; None where one side is empty."""
    left, right = len(source.strip()), len(text.strip())
    return log(right / left) if left and right else None


@dataclass(frozen=True)
class UsualRatio:
    """The middle of `rows` proportions, and their spread in units of a standard deviation."""

    rows: int
    middle: float
    spread: float

    @classmethod
    def of(cls, values: Iterable[float]) -> "UsualRatio":
        """Learn from at least one proportion."""
        ratios = list(values)
        middle = median(ratios)
        spread = _NORMAL * median(abs(value - middle) for value in ratios)
        return cls(len(ratios), middle, max(spread, _LEAST_SPREAD))


@dataclass(frozen=True)
class LengthStatistics:
    """What is usual for one target: over all fields, and by role (a choice varies more than a premise)."""

    all: UsualRatio | None = None
    roles: Mapping[str, UsualRatio] = field(default_factory=dict)

    @property
    def rows(self) -> int:
        return self.all.rows if self.all else 0

    def score(self, role: str, source: str, text: str) -> float | None:
        """The robust z-score of a translation's length; None where too few of its role were accepted, or all."""
        ratio = length_ratio(source, text)
        usual = self.roles.get(role, self.all)
        if usual is not None and usual.rows < LEAST_ROWS:
            usual = self.all
        if ratio is None or usual is None or usual.rows < LEAST_ROWS:
            return None
        return (ratio - usual.middle) / usual.spread

    def to_json(self) -> dict[str, Any]:
        """As a row keeps it."""
        return {name: [usual.rows, usual.middle, usual.spread] for name, usual in self._named()}

    def _named(self) -> list[tuple[str, UsualRatio]]:
        return [*([("", self.all)] if self.all else []), *sorted(self.roles.items())]

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> "LengthStatistics":
        """Read what `to_json` gave."""
        usual = {name: UsualRatio(int(n), float(mid), float(wide)) for name, (n, mid, wide) in raw.items()}
        return cls(usual.pop("", None), usual)


def learn_lengths(pairs: Iterable[tuple[str, str, str]]) -> LengthStatistics:
    """Learn from accepted translations: role, source, text. Pairs with an empty side teach nothing."""
    by_role: dict[str, list[float]] = defaultdict(list)
    for role, source, text in pairs:
        ratio = length_ratio(source, text)
        if ratio is not None:
            by_role[role].append(ratio)
    values = [value for each in by_role.values() for value in each]
    return LengthStatistics(
        UsualRatio.of(values) if values else None,
        {role: UsualRatio.of(each) for role, each in sorted(by_role.items())},
    )
