"""The quiz: which items an attempt asks, and how it is marked. Pure."""

from collections.abc import Collection, Mapping, Sequence

from annotation.core.rules.draws import order

ATTEMPTS = 2


def drawn(bank: Sequence[str], used: Collection[str], *, count: int, secret: str, person: str) -> list[str]:
    """The items of an attempt, drawn for this person from those that no earlier attempt of theirs asked.

    Fewer than `count` where there are not so many.
    """
    return order(secret, f"quiz:{person}", [key for key in bank if key not in set(used)])[:count]


def right_of(answers: Mapping[str, str], accepted: Mapping[str, Collection[str]]) -> int:
    """How many answers are among those that are accepted."""
    return sum(answers.get(item) in labels for item, labels in accepted.items())


def is_ready(bank: int, *, count: int) -> bool:
    """Whether there are items enough for two attempts that share none."""
    return count > 0 and bank >= ATTEMPTS * count
