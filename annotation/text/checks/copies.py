"""Texts that are there already: the source, one of its sentences, another text of the set (domain.md §4)."""

from collections.abc import Iterator

from annotation.text.checks.base import BLOCK, Check, Hit, SetContext, SlotText
from annotation.text.checks.examples import PREMISE, example
from annotation.text.gettext import gettext_noop


def _copy_of_source(context: SetContext) -> Iterator[Hit]:
    about = context.about
    for slot in context.written:
        if slot.same not in about.same:
            continue
        if slot.same == about.same:
            yield slot.key, gettext_noop("This repeats the source text word for word."), {}
        elif slot.same in about.sentences:
            yield slot.key, gettext_noop("This repeats a sentence of the source text word for word."), {}


def _copy_of_other(context: SetContext) -> Iterator[Hit]:
    first: dict[str, str] = {}
    for slot in context.written:
        other = first.setdefault(slot.same, slot.key)
        if other != slot.key:
            yield (
                slot.key,
                gettext_noop("This repeats another text of the set (%(other)s)."),
                {"other": other},
            )


_OWN = ("e", "Rina membeli ikan.")

COPY_OF_SOURCE = Check(
    id="copy_of_source",
    title=gettext_noop("Copy of the source"),
    catches=gettext_noop(
        "A text that is the source or one of its sentences, but for case, blanks and outer marks."
    ),
    level=BLOCK,
    find=_copy_of_source,
    good=(example(_OWN), example(("e", "Ia pulang naik becak."))),
    bad=(
        example(("e", PREMISE)),
        example(("e", PREMISE.upper().rstrip("."))),
        example(_OWN, ("c", "ia pulang naik  becak bersama adiknya!")),
        example(("n", "Ia pulang naik be\u200bcak bersama adiknya.")),
    ),
)
COPY_OF_OTHER = Check(
    id="copy_of_other",
    title=gettext_noop("Copy of another text of the set"),
    catches=gettext_noop("Two texts of a set that are the same, but for case, blanks and outer marks."),
    level=BLOCK,
    find=_copy_of_other,
    good=(
        example(_OWN, ("c", "Rina membeli ayam.")),
        example(("e", ""), ("c", "")),
        example(("e", "!"), ("c", "?")),
    ),
    bad=(
        example(_OWN, ("c", "“rina membeli IKAN”")),
        example(_OWN, SlotText("s2", "n", "Rina  membeli ikan")),
    ),
)
