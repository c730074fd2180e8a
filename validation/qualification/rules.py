"""The quiz: which items an attempt asks, and how it is marked. Pure."""

from collections.abc import Collection, Mapping, Sequence

from annotation.answers import Answer
from annotation.core.rules.draws import order
from annotation.core.rules.settings import Quiz
from validation.quality.rules import accepted as known
from validation.quality.rules.accepted import Accepted


def draw_items(bank: Sequence[str], used: Collection[str], *, count: int, secret: str, person: str) -> list[str]:
    """The items of an attempt, drawn for this person from those that no earlier attempt of theirs asked.

    Fewer than `count` where there are not so many.
    """
    return order(secret, f"quiz:{person}", [key for key in bank if key not in set(used)])[:count]


ItemAnswer = str | Mapping[str, Answer]
"""A label, or the answers to several questions."""


def is_right(answered: ItemAnswer, accepted: Accepted) -> bool:
    """Whether the answer to one item is among those that are accepted."""
    label, answers = (answered, {}) if isinstance(answered, str) else ("", answered)
    return known.is_right(accepted, label, answers)


def count_right(answers: Mapping[str, ItemAnswer], accepted: Mapping[str, Accepted]) -> int:
    """How many answers are among those that are accepted."""
    return sum(is_right(answers.get(item, ""), right) for item, right in accepted.items())


def items_needed(quiz: Quiz) -> int:
    """The items with which all attempts of a person can be made, no two of which share one."""
    return quiz.attempts * quiz.questions


def is_ready(bank: int, quiz: Quiz) -> bool:
    """Whether there are items enough for the quiz to begin."""
    return quiz.questions > 0 and bank >= items_needed(quiz)
