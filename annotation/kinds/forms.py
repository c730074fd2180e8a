"""What writers' forms and item texts are made of: slots, fields, groups of fields, texts by name."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Slot:
    """A place for one item in the set that a writer submits whole; `label` is empty where the writer chooses it."""

    key: str
    label: str
    name: str


@dataclass(frozen=True)
class Source:
    """What a writer starts from, as kinds read it: a premise, or a concept in its category (`group`).

    `parallel` is the wording of the same concept in another language's project.
    """

    key: str
    text: str
    group: str = ""
    parallel: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class SlotIn:
    """What a writer put into one slot: the main text, and the other fields of the kind's form by name, as typed."""

    text: str = ""
    one_sentence: bool = False
    tags: Sequence[str] = field(default=())
    more: Mapping[str, str] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """As drafts keep it; `more` only where the kind has further fields."""
        plain: dict[str, Any] = {
            "text": self.text,
            "one_sentence": self.one_sentence,
            "tags": list(self.tags),
        }
        return plain | ({"more": dict(self.more)} if self.more else {})

    @classmethod
    def from_dict(cls, raw: Mapping[str, Any]) -> "SlotIn":
        """Read what `to_dict` gave; anything else in it is ignored."""
        tags, more = raw.get("tags", ()), raw.get("more", {})
        return cls(
            text=str(raw.get("text", "")),
            one_sentence=bool(raw.get("one_sentence")),
            tags=tuple(str(tag) for tag in tags) if isinstance(tags, (list, tuple)) else (),
            more={str(k): str(v) for k, v in more.items()} if isinstance(more, Mapping) else {},
        )

    @property
    def is_blank(self) -> bool:
        return not self.text.strip() and not any(value.strip() for value in self.more.values())


@dataclass(frozen=True)
class FormField:
    """A further field of a writer's form, beside the main text.

    `widget`: `line` and `area` are texts, `option` is a text that can be chosen (drawn in one list with the picks),
    `pick` names one of the options (its value is the option's key), `choice` is one of `choices`. Options of one
    `group` are drawn as one list; a pick of a group is among its options. Fields of the group `second` are the
    translations into the project's second language, drawn apart. `source` is the text that a field says in another
    language, drawn beside it; `contained_in` is the field whose text this one has to be a part of.
    """

    key: str
    name: str
    widget: str = "line"
    help: str = ""
    choices: tuple[tuple[str, str], ...] = ()
    required: bool = True
    group: str = ""
    source: str = ""
    contained_in: str = ""


@dataclass(frozen=True)
class FieldGroup:
    """A group of a form's fields: what people call it, and what belongs into it, shown beside its fields."""

    key: str
    name: str
    help: str = ""


@dataclass(frozen=True)
class TextField:
    """A text of an item: its name in the content, and what people call it.

    A `shared` one belongs to the source and to every item made from it. One that is not `shown` is for leads only,
    one that is `derived` is made from the others and corrected by them. One `is_shared_in_family` belongs to every
    item of its family that has it (the context of prompts): it is corrected for all of them (ruling 7).
    """

    key: str
    name: str
    shared: bool = False
    shown: bool = True
    derived: bool = False
    is_shared_in_family: bool = False


class KeyRefused(ValueError):
    """An item can be given no key: `code` is the rule's reason."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


Keyed = tuple[str, Mapping[str, Any]]
