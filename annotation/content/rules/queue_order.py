"""The order in which pairs are offered to validators (domain.md §10, ruling 11)."""

from annotation.core.rules.draws import draw


def shuffled_position(seed: str, key: str) -> int:
    """Draw an item's place inside its round."""
    return draw(seed, "queue", key)


def priority(round_number: int, aged: bool) -> int:
    """Rank an item among all that wait, highest first: later rounds, and one up for what has waited some days."""
    return round_number + (1 if aged else 0)
