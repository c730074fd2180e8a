"""Texts that are there already: the source, one of its sentences, another text of the set (domain.md §4)."""

from collections.abc import Iterator

from annotation.text.checks.base import BLOCK, FindingHit, SetContext, check
from annotation.text.gettext import gettext_noop


@check(BLOCK, gettext_noop("Copy of the source"))
def copy_of_source(context: SetContext) -> Iterator[FindingHit]:
    """A text that is the source or one of its sentences, but for case, blanks and outer marks."""
    about = context.parsed_source
    for slot in context.filled_slots:
        if slot.comparison_form not in about.comparison_form:
            continue
        if slot.comparison_form == about.comparison_form:
            yield slot.key, gettext_noop("This repeats the source text word for word."), {}
        elif slot.comparison_form in about.sentences:
            yield slot.key, gettext_noop("This repeats a sentence of the source text word for word."), {}


@check(BLOCK, gettext_noop("Copy of another text of the set"))
def copy_of_other(context: SetContext) -> Iterator[FindingHit]:
    """Two texts of a set that are the same, but for case, blanks and outer marks."""
    first: dict[str, str] = {}
    for slot in context.filled_slots:
        other = first.setdefault(slot.comparison_form, slot.key)
        if other != slot.key:
            yield (
                slot.key,
                gettext_noop("This repeats another text of the set (%(other)s)."),
                {"other": other},
            )
