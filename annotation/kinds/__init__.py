"""The registry of kinds: walks its own folder; another kind is one more file that defines KIND."""

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import fields
from functools import cache

from annotation.answers import Label
from annotation.core.rules.settings import QUIZ_SETTINGS, ProjectSettings
from annotation.kinds.base import Kind
from annotation.kinds.forms import FieldGroup, FormField, KeyRefused, Slot, SlotIn, Source
from annotation.kinds.shapes import Shape
from annotation.kinds.texts import (
    FIELD_PREFIX,
    OPTION_PREFIX,
    WHY_PREFIX,
    field_name,
    option_field,
    text_at,
    with_text,
)

__all__ = [
    "FIELD_PREFIX",
    "OPTION_PREFIX",
    "WHY_PREFIX",
    "FieldGroup",
    "FormField",
    "KeyRefused",
    "Kind",
    "Label",
    "Shape",
    "Slot",
    "SlotIn",
    "Source",
    "add_finder",
    "all_kinds",
    "field_name",
    "get",
    "judging_kind",
    "kinds_by_slug",
    "option_field",
    "settings_of",
    "text_at",
    "with_text",
]


@cache
def kinds_by_slug() -> dict[str, Kind]:
    """Slug to kind, in order of the slug; two kinds of one slug raise ValueError."""
    found: dict[str, Kind] = {}
    for module in pkgutil.iter_modules(__path__):
        kind = getattr(importlib.import_module(f"{__name__}.{module.name}"), "KIND", None)
        if kind is None:
            continue
        if kind.slug in found:
            raise ValueError(f"two kinds are called {kind.slug!r}")
        found[kind.slug] = kind
    return dict(sorted(found.items()))


def all_kinds() -> list[Kind]:
    """Every kind, in order of its slug."""
    return list(kinds_by_slug().values())


FindKind = Callable[[str], Kind | None]
_finders: list[FindKind] = []


def add_finder(find: FindKind) -> None:
    """Have `get` ask this for a slug that no file here has: the kinds that teams describe themselves."""
    _finders.append(find)


def get(slug: str) -> Kind:
    """The kind of that slug; KeyError where there is none."""
    try:
        return kinds_by_slug()[slug]
    except KeyError:
        for find in _finders:
            if (kind := find(slug)) is not None:
                return kind
        raise KeyError(f"no kind is called {slug!r}; there are {', '.join(kinds_by_slug())}") from None


def judging_kind(shape: str) -> Kind | None:
    """The kind whose labels rows of a source set of this shape carry; None where people vote on no such rows."""
    return next(
        (kind for kind in all_kinds() if kind.source.judged_row_shape and kind.source.judged_row_shape == shape),
        None,
    )


# Settings that say something of writers and what they are given, or of sets that rest before voting.
WRITER_SETTINGS = (
    *("typing", "max_words", "per_document", "offer_minutes", "idle_days", "sample_unit"),
    *("writer_native_language", "writer_years"),
    *("writer_quiz_questions", "writer_quiz_right", "writer_quiz_attempts"),
)


def settings_of(kind: Kind) -> tuple[str, ...]:
    """The project settings that mean something for a kind: those of all kinds, and those that it lists itself.

    A quiz that nobody could pass would keep everybody out: there is none where no answer can be known. Nor are there
    gold questions then, unless people judge apart: those are asked their own questions once more.
    """
    some = {name for each in (*all_kinds(), kind) for name in each.settings}
    if not kind.can_ask_gold:
        some.update(QUIZ_SETTINGS)
    if not (kind.can_ask_gold or kind.excludes_family_contributors):
        some.add("gold_questions")
    if not kind.has_writers:
        some.update(WRITER_SETTINGS)
    names = (field.name for field in fields(ProjectSettings))
    return tuple(name for name in names if name not in some or name in kind.settings)
