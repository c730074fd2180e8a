"""The registry of kinds: walks its own folder; a sixth kind is one more file that defines KIND."""

import importlib
import pkgutil
from functools import cache

from .base import (
    OPTION,
    FormField,
    Keyed,
    KeyRefused,
    Kind,
    Label,
    Slot,
    SlotIn,
    Source,
    TextField,
    option_field,
    text_at,
    with_text,
)

__all__ = [
    "OPTION",
    "FormField",
    "KeyRefused",
    "Keyed",
    "Kind",
    "Label",
    "Slot",
    "SlotIn",
    "Source",
    "TextField",
    "all_kinds",
    "get",
    "option_field",
    "text_at",
    "walked",
    "with_text",
]


@cache
def walked() -> dict[str, Kind]:
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
    return list(walked().values())


def get(slug: str) -> Kind:
    """The kind of that slug; KeyError where there is none."""
    try:
        return walked()[slug]
    except KeyError:
        raise KeyError(f"no kind is called {slug!r}; there are {', '.join(walked())}") from None
