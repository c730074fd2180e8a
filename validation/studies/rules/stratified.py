"""Draws by label: of each its share, or of each as many as of any other. Pure, and the same anywhere."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Protocol, TypeVar

from annotation.core.rules.draws import FirstDrawn, draw, order
from exports.releases.rules.sharing import largest_remainder


class Labelled(Protocol):
    """A row that can be drawn: its key and gold label."""

    @property
    def key(self) -> str: ...

    @property
    def gold(self) -> str: ...


Row = TypeVar("Row", bound=Labelled)


def draw_proportionally(
    seed: str, purpose: str, counts: Mapping[str, int], rows: Iterable[Row], size: int
) -> list[Row]:
    """So many of these rows, of each label its share (largest remainder), in drawn order; all where there are fewer.

    `counts` says how many there are of each label. The rows come by once, and no more are kept than are drawn.
    """
    parts = largest_remainder(min(size, sum(counts.values())), counts, seed, purpose)
    heads: dict[str, FirstDrawn[Row]] = {label: FirstDrawn(seed, f"{purpose}:{label}", n) for label, n in parts.items()}
    for row in rows:
        # A label that was not counted came in meanwhile: it has no share.
        if row.gold in heads:
            heads[row.gold].offer(row.key, row)
    chosen = {row.key: row for head in heads.values() for row in head.rows()}
    return [chosen[key] for key in order(seed, purpose, chosen)]


def _by_label(labels: Mapping[str, str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for key, label in labels.items():
        found[label].append(key)
    return dict(sorted(found.items()))


def draw_evenly(seed: str, purpose: str, labels: Mapping[str, str], size: int) -> list[str]:
    """So many of these keys, of each label as many as of any other as far as there are; what is left over is drawn."""
    strata = _by_label(labels)
    parts = dict.fromkeys(strata, 0)
    for _ in range(min(size, len(labels))):
        room = [label for label, keys in strata.items() if parts[label] < len(keys)]
        least = min(room, key=lambda label: (parts[label], draw(seed, purpose, label), label))
        parts[least] += 1
    chosen = [key for label, keys in strata.items() for key in order(seed, f"{purpose}:{label}", keys)[: parts[label]]]
    return order(seed, purpose, chosen)
