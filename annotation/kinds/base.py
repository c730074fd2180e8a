"""What a kind is: one frozen object that forms, pages, jobs and exports read; none of them names a kind."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from annotation.rules.settings import ProjectSettings


def gettext_noop(text: str) -> str:
    """Mark for translation without Django; templates translate."""
    return text


@dataclass(frozen=True)
class Label:
    """A label that authors give and validators choose: never told apart by colour alone."""

    key: str
    name: str
    letter: str
    shape: str
    help: str = ""


@dataclass(frozen=True)
class Slot:
    """A place for one text in the set that a writer submits whole."""

    key: str
    label: str
    name: str


@dataclass(frozen=True)
class TextField:
    """A text that is judged: its name in the content, and what people call it."""

    key: str
    name: str
    shared: bool = False


@dataclass(frozen=True)
class Kind:
    """The sort of item (domain.md §1).

    `shape` names the storage that kinds share ("pair": a Premise with its Hypothesis). `texts` are shown to
    validators in this order; a shared one belongs to the source. `slots` gives the set to write. `checks` are ids
    of annotation.rules.checks. `export_row` turns one frozen row (a plain mapping, see exports.rules.rows) into
    the field's own column names; `spellings` are the labels in published files, where that is not their key.
    """

    slug: str
    name: str
    shape: str
    source_name: str
    source_plural: str
    item_name: str
    item_plural: str
    labels: tuple[Label, ...]
    aliases: Mapping[str, str]
    texts: tuple[TextField, ...]
    slots: Callable[[ProjectSettings], tuple[Slot, ...]]
    checks: tuple[str, ...]
    question: str
    export_row: Callable[[Mapping[str, Any]], dict[str, Any]]
    error_types: tuple[tuple[str, str], ...] = field(default=())
    spellings: Mapping[str, str] = field(default_factory=dict)

    @property
    def label_keys(self) -> tuple[str, ...]:
        return tuple(label.key for label in self.labels)

    def label(self, key: str) -> Label | None:
        return next((label for label in self.labels if label.key == key), None)

    def spell(self, label: str) -> str:
        """A label as published files write it; `-` where there is none."""
        return self.spellings.get(label, label) or "-"

    def read_label(self, text: str) -> str | None:
        """A published spelling (`entailment`, `E`) to the key, or None where it is no label of this kind."""
        return self.aliases.get(text.strip().casefold())
