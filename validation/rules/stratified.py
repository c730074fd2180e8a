"""Draws by label: of each its share, or of each as many as of any other. Pure, and the same anywhere."""

from collections import defaultdict
from collections.abc import Mapping

from annotation.rules.draws import draw, order
from exports.rules.sharing import largest_remainder


def _by_label(labels: Mapping[str, str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for key, label in labels.items():
        found[label].append(key)
    return dict(sorted(found.items()))


def _taken(seed: str, purpose: str, strata: Mapping[str, list[str]], parts: Mapping[str, int]) -> list[str]:
    chosen = [
        key
        for label, keys in strata.items()
        for key in order(seed, f"{purpose}:{label}", keys)[: parts[label]]
    ]
    return order(seed, purpose, chosen)


def proportional(seed: str, purpose: str, labels: Mapping[str, str], size: int) -> list[str]:
    """So many of these keys, of each label its share (largest remainder), in drawn order; all where there are fewer."""
    strata = _by_label(labels)
    weights = {label: len(keys) for label, keys in strata.items()}
    parts = largest_remainder(min(size, len(labels)), weights, seed, purpose)
    return _taken(seed, purpose, strata, parts)


def even(seed: str, purpose: str, labels: Mapping[str, str], size: int) -> list[str]:
    """So many of these keys, of each label as many as of any other as far as there are; what is left over is drawn."""
    strata = _by_label(labels)
    parts = dict.fromkeys(strata, 0)
    for _ in range(min(size, len(labels))):
        room = [label for label, keys in strata.items() if parts[label] < len(keys)]
        least = min(room, key=lambda label: (parts[label], draw(seed, purpose, label), label))
        parts[least] += 1
    return _taken(seed, purpose, strata, parts)
