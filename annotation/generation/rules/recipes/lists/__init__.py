"""What the filters of machine-written questions know about languages: one file each, found by walking this folder."""

import importlib
import pkgutil
from functools import cache

from annotation.generation.rules.recipes.lists.base import Lists

__all__ = ["Lists", "get", "known"]


@cache
def known() -> dict[str, Lists]:
    """Every language that has a file, by each of its codes."""
    found: dict[str, Lists] = {}
    for module in pkgutil.iter_modules(__path__):
        lists = getattr(importlib.import_module(f"{__name__}.{module.name}"), "LISTS", None)
        if isinstance(lists, Lists):
            found |= dict.fromkeys((lists.code, *lists.aliases), lists)
    return found


@cache
def get(code: str) -> Lists:
    """The lists of a language; a region, script or register behind `-` or `_` is left aside. Unknown: empty ones."""
    main = code.replace("_", "-").partition("-")[0].casefold()
    return known().get(main) or Lists(main)
