"""The registry of kinds: walks its own folder; a sixth kind is one more file that defines KIND."""

import importlib
import pkgutil
from functools import cache

from .base import Kind, Label, Slot, TextField

__all__ = ["Kind", "Label", "Slot", "TextField", "all_kinds", "get", "register", "unregister"]

_extra: dict[str, Kind] = {}


@cache
def _walked() -> dict[str, Kind]:
    found: dict[str, Kind] = {}
    for module in pkgutil.iter_modules(__path__):
        kind = getattr(importlib.import_module(f"{__name__}.{module.name}"), "KIND", None)
        if kind is not None:
            found[kind.slug] = kind
    return found


def all_kinds() -> list[Kind]:
    """Every kind, in order of its slug."""
    kinds = {**_walked(), **_extra}
    return [kinds[slug] for slug in sorted(kinds)]


def get(slug: str) -> Kind:
    """The kind of that slug; KeyError where there is none."""
    kind = _extra.get(slug) or _walked().get(slug)
    if kind is None:
        raise KeyError(f"no kind is called {slug!r}; there are {', '.join(sorted(_walked()))}")
    return kind


def register(kind: Kind) -> None:
    """Add a kind from outside the folder (a plug-in, or a test's toy kind)."""
    _extra[kind.slug] = kind


def unregister(slug: str) -> None:
    _extra.pop(slug, None)
