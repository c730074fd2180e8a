"""Whether a set is whole: every text there, as many as asked for, short enough, tagged where tags are asked."""

from collections.abc import Iterator

from annotation.text.checks.base import (
    BLOCK,
    WHOLE_SET,
    Check,
    Hit,
    SetContext,
    SlotText,
)
from annotation.text.checks.examples import asked, example
from annotation.text.gettext import gettext_noop
from annotation.text.tokens import WORD

MOST_CHARACTERS = 4_000
_MANY = gettext_noop("This text has %(count)s characters; at most %(most)s are taken.")


def _empty(context: SetContext) -> Iterator[Hit]:
    for slot in context.slots:
        if not WORD.search(slot.text):
            yield slot.key, gettext_noop("Nothing is written here yet."), {}


def _too_long(context: SetContext) -> Iterator[Hit]:
    setting = context.settings.get("max_characters", MOST_CHARACTERS)
    most = setting if isinstance(setting, int) else MOST_CHARACTERS
    for slot in context.slots:
        if len(slot.text) > most:
            yield slot.key, _MANY, {"count": len(slot.text), "most": most}
        for option, text in slot.options:
            if len(text) > most:
                yield slot.key, _MANY, {"option": option, "count": len(text), "most": most}


def _per_label(context: SetContext) -> Iterator[Hit]:
    given = [slot.label for slot in context.slots]
    for label in context.labels:
        count = given.count(label)
        if count != context.per_label:
            message = gettext_noop(
                "The label %(label)s is given to %(count)s texts; it has to be %(wanted)s."
            )
            yield WHOLE_SET, message, {"label": label, "count": count, "wanted": context.per_label}


def _tags_missing(context: SetContext) -> Iterator[Hit]:
    if context.settings.get("tags") != "required":
        return
    for slot in context.written:
        if not slot.tags:
            yield slot.key, gettext_noop("Choose at least one phenomenon for this text."), {}


_FIRST, _SECOND, _THIRD = ("e", "Rina membeli ikan."), ("n", "Ikan itu mahal."), ("c", "Rina membeli ayam.")
_TAGGED = SlotText("s1", "e", "Rina membeli ikan.", tags=("MORPH",))

EMPTY = Check(
    id="empty",
    title=gettext_noop("Nothing written"),
    catches=gettext_noop("A text without a letter or digit: empty, blanks, or marks alone."),
    level=BLOCK,
    find=_empty,
    good=(example(_FIRST), example(("n", "5"))),
    bad=(example(("e", "")), example(("e", " \n\u200b")), example(_FIRST, ("c", "…"))),
)
TOO_LONG = Check(
    id="too_long",
    title=gettext_noop("Too long"),
    catches=gettext_noop("A text of more characters than are taken (4,000, or `max_characters`)."),
    level=BLOCK,
    find=_too_long,
    good=(
        example(("e", "a" * MOST_CHARACTERS)),
        example(_FIRST, settings={"max_characters": len(_FIRST[1])}),
        example(_FIRST, settings={"max_characters": "many"}),
    ),
    bad=(
        example(("e", "a" * (MOST_CHARACTERS + 1))),
        example(_FIRST, settings={"max_characters": len(_FIRST[1]) - 1}),
        asked("Naik apa?", "Becak dayung", settings={"max_characters": 10}),
    ),
)
PER_LABEL = Check(
    id="per_label",
    title=gettext_noop("Not as many for each label as asked for"),
    catches=gettext_noop("A set with more or fewer texts of a label than the project asks for."),
    level=BLOCK,
    find=_per_label,
    good=(example(_FIRST, _SECOND, _THIRD), example(_FIRST, _SECOND, per_label=2, labels=())),
    bad=(example(_FIRST, _SECOND), example(_FIRST, _SECOND, _THIRD, _THIRD), example(_FIRST, per_label=2)),
)
TAGS_MISSING = Check(
    id="tags_missing",
    title=gettext_noop("No phenomenon chosen"),
    catches=gettext_noop("A text without any phenomenon tag in a project that requires them."),
    level=BLOCK,
    find=_tags_missing,
    good=(
        example(_FIRST),
        example(_FIRST, settings={"tags": "optional"}),
        example(_TAGGED, settings={"tags": "required"}),
    ),
    bad=(example(_TAGGED, _SECOND, settings={"tags": "required"}),),
)
