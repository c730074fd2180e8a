"""The order in which one person sees an item's options: shuffled, stable for them, telling nothing of the writer's.

On the screen options are called by their place (A is the first); stored are their keys, which are for good
(id-csqa §4.2; domain.md §5). A choice named in a reason, "(B)", is stored by its key too.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from annotation.answers import Label
from annotation.core.rules.draws import draw
from annotation.kinds.base import Kind
from annotation.kinds.texts import OPTION_PREFIX, option_field

# What a vote's answers keep of it: the question is marked, the options that are marked, the order shown; and for
# cultural prompts which response the person would choose for themselves, where that is another one.
QUESTION, OPTIONS, ORDER, PERSONAL = "question", "options", "order", "personal"
# What is said of the question; of choices the keys of those that are marked, and of those where it is not known.
MARKED, UNKNOWN, OPTIONS_UNKNOWN = "ambiguous", "unknown", "options_unknown"
OPTION_REFERENCE = re.compile(r"\((\w+)\)")
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True)
class Order:
    """Which option stands under which letter on one person's screen: letters and keys, both in the order shown.

    `has_item_options`: they are the item's own options; else labels of the kind, and options are called by their keys.
    """

    letters: tuple[str, ...]
    keys: tuple[str, ...]
    has_item_options: bool = True

    def key(self, letter: str) -> str:
        """The option behind a letter; empty where none stands there."""
        return dict(zip(self.letters, self.keys, strict=True)).get(letter, "")

    def letter(self, key: str) -> str:
        """The letter of an option on this screen; empty where it is not there."""
        return dict(zip(self.keys, self.letters, strict=True)).get(key, "")

    @property
    def as_text(self) -> str:
        """The order as a vote keeps it: "CABED", or "I2 R1 I1" where keys are longer than a letter."""
        return ("" if all(len(key) == 1 for key in self.keys) else " ").join(self.keys)

    def with_stored_keys(self, words: str) -> str:
        """A reason as it is stored: each "(B)" that is a letter shown becomes the option's key."""
        return _replace_references(words, dict(zip(self.letters, self.keys, strict=True)))

    def with_shown_letters(self, words: str) -> str:
        """A stored reason as its writer typed it."""
        return _replace_references(words, dict(zip(self.keys, self.letters, strict=True)))

    def stored_field_name(self, name: str) -> str:
        """The name of a text as it is stored: `option-B` as shown becomes `option-D`; `option-` where none is there."""
        return option_field(self.key(name.removeprefix(OPTION_PREFIX))) if self._renames(name) else name

    def shown_field_name(self, name: str) -> str:
        """The name of a text as it is called on the screen."""
        return option_field(self.letter(name.removeprefix(OPTION_PREFIX))) if self._renames(name) else name

    def _renames(self, name: str) -> bool:
        return self.has_item_options and name.startswith(OPTION_PREFIX)


def _replace_references(words: str, names: Mapping[str, str]) -> str:
    return OPTION_REFERENCE.sub(lambda found: f"({names.get(found[1], found[1])})", words)


def order_shown(kind: Kind, content: Mapping[str, Any], *, drawn_with: str, item: str, annotator: str) -> Order:
    """The order for this person: drawn from the project's secret, the item's key and the pseudonym; else as written."""
    keys = kind.question.shuffled_keys(content)
    if not kind.presentation.is_shuffled:
        return Order(keys, keys, kind.question.own_options)
    drawn = sorted(keys, key=lambda key: (draw(drawn_with, "options", f"{item}:{annotator}:{key}"), key))
    return _assign_letters(drawn)


def order_recorded(kind: Kind, content: Mapping[str, Any], recorded: str) -> Order:
    """The order that a vote keeps (`Order.recorded`); the writer's where it keeps none, as imported votes do."""
    keys = kind.question.shuffled_keys(content)
    if not kind.presentation.is_shuffled:
        return Order(keys, keys, kind.question.own_options)
    known = recorded.split() if " " in recorded else list(recorded)
    return _assign_letters(known if sorted(known) == sorted(keys) else keys)


def _assign_letters(keys: Iterable[str]) -> Order:
    """A letter for each place: whatever keys are called, letters tell nothing of them."""
    found = tuple(keys)
    return Order(tuple(LETTERS[: len(found)]), found)


def labels_shown(kind: Kind, content: Mapping[str, Any], order: Order) -> tuple[Label, ...]:
    """The labels as this screen has them: letter and shape by place, the option's text as name."""
    if not kind.question.own_options:
        return kind.question.labels
    texts = {label.key: label.name for label in kind.question.votable_labels(content)}
    places = zip(kind.question.labels, order.letters, order.keys, strict=False)
    return tuple(
        replace(place, key=letter, letter=letter, name=texts[key], is_item_option=True) for place, letter, key in places
    )


def label_shown(kind: Kind, content: Mapping[str, Any], order: Order, key: str) -> Label | None:
    """One option, by its key, as this screen has it."""
    letter = order.letter(key)
    return next((label for label in labels_shown(kind, content, order) if label.key == letter), None)
