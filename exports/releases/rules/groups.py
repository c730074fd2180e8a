"""What keeps items of a release together in one split (domain.md §9, ruling 17), and how many rows share it still.

What they share is a matter of the shape of their contents (`Shape.together`).
Splits stand in the order train, dev, test, then others by name; rows are counted in the later of two.
"""

from collections import defaultdict
from collections.abc import Hashable, Mapping
from itertools import combinations
from typing import Any

from exports.releases.rules.settings import SPLITS, SplitRules


def dealing_key(rules: SplitRules, key: str, set_key: str) -> str:
    """By what an item is drawn where tenths are dealt: its set, where the rules keep it together, else itself."""
    return f"set:{set_key}" if rules.keep_sets and set_key else key


class SharedCounts:
    """Rows by split and by what they share."""

    def __init__(self) -> None:
        self._rows: defaultdict[str, dict[Hashable, int]] = defaultdict(dict)

    def add(self, split: str, source: Hashable, n: int = 1) -> None:
        """Count rows of a split that have this source."""
        rows = self._rows[split]
        rows[source] = rows.get(source, 0) + n

    def counts(self) -> dict[str, Any]:
        """`rows` of later splits that share their source with an earlier one, `of` how many; and by pair of splits."""
        names = [name for name in SPLITS if name in self._rows]
        names += sorted(self._rows.keys() - set(names))
        found: dict[str, Any] = {"rows": 0, "of": 0, "pairs": []}
        for place, name in enumerate(names[1:], start=1):
            earlier = [self._rows[other] for other in names[:place]]
            rows = self._rows[name]
            found["of"] += sum(rows.values())
            found["rows"] += sum(n for source, n in rows.items() if any(source in other for other in earlier))
        for one, other in combinations(names, 2):
            rows, first = self._rows[other], self._rows[one]
            both = sum(n for source, n in rows.items() if source in first)
            found["pairs"].append({"splits": [one, other], "rows": both, "of": sum(rows.values())})
        return found


def shares_at_most(counts: Mapping[str, Any], most_percent: int) -> bool:
    """Whether a release of these counts shares no more than so many percent of the rows of its later splits."""
    shared = counts.get("shared", {"rows": 0, "of": 0})
    return bool(100 * shared["rows"] <= most_percent * shared["of"])
