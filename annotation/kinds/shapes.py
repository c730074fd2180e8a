"""What kinds of one storage have in common, without the storage itself, which is annotation/content/shapes/NAME.py."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from annotation.kinds.forms import SlotIn, Source, TextField
from annotation.kinds.parts import Authoring, Presentation, SourcePart
from annotation.text.gettext import gettext_noop


@dataclass(frozen=True, eq=False)
class Shape:
    """A shape of contents: the parts that kinds of it begin from, and what releases do with them.

    `file_format` is how imports and dumps hold items (validation/imports/FORM.py, exports/formats/paper/).
    `grouping_texts` are the texts of a content by which its release keeps items in one split, the first that says
    something; the first names it. `is_aligned`: releases hold rows of every target side by side, not splits.
    `hub_tasks` are the Hugging Face hub's words for what is done with rows. `opens_on_import`: imports open items
    without votes at once, since nothing but votes is asked for.
    """

    name: str
    file_format: str
    source: SourcePart
    presentation: Presentation = field(default_factory=Presentation)
    grouping_texts: tuple[str, ...] = ()
    is_aligned: bool = False
    hub_tasks: tuple[str, ...] = ()
    opens_on_import: bool = False

    def group_text(self, content: Mapping[str, Any]) -> str:
        """The text that an item shares with those that stay with it; empty where it has none."""
        return next((text for name in self.grouping_texts if (text := str(content.get(name, "")))), "")


# What a published file says of a pair beside its texts; it stays with the pair until somebody corrects it.
PUBLISHED_COLUMNS = ("data_split", "annotator_type")


def _pair_content(source: Source, written: SlotIn) -> dict[str, Any]:
    """A pair as revisions keep it; tags only where there are some."""
    pair: dict[str, Any] = {"premise": source.text, "hypothesis": written.text}
    return pair | ({"tags": list(written.tags)} if written.tags else {})


def _pair_form_values(content: Mapping[str, Any]) -> SlotIn:
    """The form's fields of a stored pair; that it is one sentence was settled when it was submitted."""
    return SlotIn(str(content.get("hypothesis", "")), True, tuple(content.get("tags", ())))


PAIR = Shape(
    "pair",
    "pairs",
    SourcePart(gettext_noop("premise"), gettext_noop("premises")),
    Presentation(
        texts=(
            TextField("premise", gettext_noop("Premise"), shared=True),
            TextField("hypothesis", gettext_noop("Hypothesis")),
        )
    ),
    grouping_texts=("premise",),
    hub_tasks=("text-classification",),
    opens_on_import=True,
)
PAIR_AUTHORING = Authoring(content_from_slot=_pair_content, slot_from_content=_pair_form_values)
QA = Shape(
    "qa",
    "questions",
    SourcePart(
        gettext_noop("concept"),
        gettext_noop("concepts"),
        {
            "not-understood": gettext_noop("I do not know this concept"),
            "not-my-field": gettext_noop("It is not part of life where I live"),
            "broken": gettext_noop("The concept is misspelt or in another language"),
            "too-little": gettext_noop("I find no question about it that has one right answer"),
        },
    ),
    grouping_texts=("concept", "question"),
    hub_tasks=("question-answering", "multiple-choice"),
)
UNITS = Shape(
    "units",
    "translations",
    SourcePart(
        gettext_noop("text"),
        gettext_noop("texts"),
        {"too-little": gettext_noop("It can be read in several ways, and what is meant changes the translation")},
    ),
    is_aligned=True,
    hub_tasks=("translation",),
)
TASK = Shape(
    "task",
    "tasks",
    SourcePart(gettext_noop("source"), gettext_noop("sources")),
    grouping_texts=("group",),
    opens_on_import=True,
)
