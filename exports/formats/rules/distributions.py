"""Label distributions: of each item all votes on its released text beside the one gold label (ChaosNLI's form).

Pure. What counts for gold and what came beyond the decision is one person's word alike; a vote on an earlier text, or
one that was taken back or voided, is not of this text. The author's label stands beside the votes, not among them.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from exports.releases.rules.rows import EXTRA

_BESIDE = (
    "label",
    "label_source",
    "gold_label",
    "author_label",
    "answer_creator",
    "answerKey",
    "best_answer",
)


def by_item(votes: Iterable[Mapping[str, Any]], key: str) -> Iterator[tuple[str, list[Mapping[str, Any]]]]:
    """The votes of each item, as they stand together in their file."""
    for item, mine in groupby(votes, lambda vote: str(vote[key])):
        yield item, list(mine)


def distribution(
    row: Mapping[str, Any], votes: Sequence[Mapping[str, Any]], labels: Sequence[str], key: str
) -> dict[str, Any] | None:
    """How often each label was given; `labels` are counted even where nobody gave them. None without a vote."""
    mine = [vote for vote in votes if vote["counted"] or vote["not_counted_because"] == EXTRA]
    given = Counter(str(vote["label"]) for vote in mine)
    if not mine:
        return None
    counts = dict.fromkeys(labels, 0) | {label: given[label] for label in sorted(given)}
    return {
        key: row[key],
        **{name: row[name] for name in _BESIDE if name in row},
        "label_count": counts,
        "votes": len(mine),
        "entropy": entropy(list(counts.values())),
        "unsure": _marked(mine, "unsure"),
        "ambiguous": _marked(mine, "ambiguous"),
        "split": row.get("split", ""),
    }


def _marked(votes: Sequence[Mapping[str, Any]], name: str) -> int | None:
    """How many votes are marked so; None where that is not known of one."""
    marks = [vote[name] for vote in votes]
    return None if None in marks else sum(marks)


def entropy(counts: Sequence[int]) -> float:
    """In bits, to four places: 0 where all say the same."""
    whole = sum(counts)
    found = -math.fsum(n / whole * math.log2(n / whole) for n in counts if n)
    return abs(round(found, 4))
