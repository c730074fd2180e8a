"""The part of an item that is read without its source.

From a hypothesis without its premise, or from choices without their question, nobody should be able to tell more than
chance gives; words and lengths from which one can are artefacts of the writing (IndoNLI §5.2).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class PartialText:
    """One text of an item as it is read alone: the class that it is of, and what it was made from.

    `group` is what items of one source share: none of them is told by what was learnt from another.
    """

    text: str
    label: str
    source: str
    group: str


@dataclass(frozen=True)
class PartialInput:
    """How a kind's items are read alone.

    `name` is what is read alone, `classes` are the keys and names of what there is to be told. `texts` gives an
    item's texts from its content and its label (gold, or the author's where there is none); none where there is
    nothing to tell. Where an item has several texts, `right_class` is the class of the one that has to be picked among
    those of the classes `wrong_classes`, and the class of a text is a matter of its option; else each item has one
    text, whose class is the item's label. `default_class` is the class of options without a role;
    `reveals_position` says that where an option stands is told along, since whoever reads the set sees it.
    """

    name: str
    classes: tuple[tuple[str, str], ...]
    texts: Callable[[Mapping[str, Any], str], tuple[PartialText, ...]]
    right_class: str = ""
    wrong_classes: tuple[str, ...] = ()
    default_class: str = ""
    reveals_position: bool = False

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of its classes, in their order."""
        return tuple(key for key, _ in self.classes)

    def role(self, label: str) -> str | None:
        """The role of the options of a class; None where classes are labels."""
        return ("" if label == self.default_class else label) if self.right_class else None


def options_by_role(content: Mapping[str, Any], plain: str) -> tuple[PartialText, ...]:
    """The options of an item, each in the class that its role names; `plain` is that of options without one."""
    source, group = (
        str(content.get("question", "")),
        str(content.get("context") or content.get("concept", "")),
    )
    return tuple(
        PartialText(str(option["text"]), str(option.get("role") or plain), source, group)
        for option in content.get("options", ())
    )
