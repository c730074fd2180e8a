"""mcq-judged: machine-written questions of which people judge whether the given answer follows (mCSQA §3.3)."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from . import mcq
from .base import Label, Slot, SlotIn, TextField, gettext_noop, option_field

YES, NO = "yes", "no"
LABELS = (
    Label(YES, gettext_noop("Yes, it follows"), "Y", "circle"),
    Label(NO, gettext_noop("No"), "N", "square"),
)
ALIASES = {"yes": YES, "y": YES, "true": YES, "1": YES, "no": NO, "n": NO, "false": NO, "0": NO}


def own_texts(content: Mapping[str, Any]) -> tuple[TextField, ...]:
    """The question, its choices, and the answer that is judged."""
    choices = (
        TextField(option_field(str(option["key"])), str(option["key"])) for option in content["options"]
    )
    return (TextField("question", gettext_noop("Question")), *choices)


def author_label(slot: Slot, written: SlotIn) -> str:
    """Whoever wrote it means the answer to follow."""
    return YES if mcq.author_label(slot, written) else ""


KIND = replace(
    mcq.KIND,
    slug="mcq-judged",
    name=gettext_noop("Questions whose given answer is judged"),
    labels=LABELS,
    aliases=ALIASES,
    own_options=False,
    shuffled=False,
    marks=(),
    own_texts=own_texts,
    author_label=author_label,
    question=gettext_noop("Does the given answer follow from the question?"),
)
