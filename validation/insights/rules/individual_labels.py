"""Individual labels against gold and against the author: the figures of IndoNLI's Table 3.

The same counts as those of `savings.Funnel`, over items that come grouped: how many were decided with just these
labels. "Individual" is over all counted labels, the author's included where it counts, items without gold in the
denominator (data of the paper: 92.7 % on the expert half that is published with its rounds).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple


class DecidedItems(NamedTuple):
    """Items that the votes came to an end on alike.

    `author` is the author's label (None: nobody's), `author_votes` whether it is one of the votes, `counted_labels`
    the labels of the counted votes, `gold` None where they made none, `times` how many items these are.
    """

    author: str | None
    author_votes: bool
    counted_labels: Sequence[str]
    gold: str | None
    times: int = 1


@dataclass(frozen=True, slots=True)
class IndividualCounts:
    """Counts over decided items; `labels` is the denominator of the first two, `items` that of the rest.

    `authored` counts the items with an author's label: only these can be compared with it.
    """

    items: int = 0
    gold: int = 0
    authored: int = 0
    labels: int = 0
    is_gold: int = 0
    authored_labels: int = 0
    is_author: int = 0
    gold_is_author: int = 0
    gold_differs: int = 0

    @property
    def no_gold(self) -> int:
        """Items whose votes ended without gold."""
        return self.items - self.gold


def count_individual_labels(groups: Iterable[DecidedItems]) -> IndividualCounts:
    """Count labels that are gold, and labels that are the author's."""
    names = tuple(IndividualCounts.__slots__)
    sums = dict.fromkeys(names, 0)
    for group in groups:
        for name, n in zip(names, _counts_of(group), strict=True):
            sums[name] += n * group.times
    return IndividualCounts(**sums)


def _counts_of(group: DecidedItems) -> tuple[int, ...]:
    author, gold = group.author, group.gold
    voices = [*((author,) if group.author_votes and author is not None else ()), *group.counted_labels]
    authored = author is not None
    both = authored and gold is not None
    return (
        1,
        int(gold is not None),
        int(authored),
        len(voices),
        voices.count(gold) if gold is not None else 0,
        len(voices) if authored else 0,
        voices.count(author) if author is not None else 0,
        int(both and gold == author),
        int(both and gold != author),
    )
