"""The languages that the text rules know: one file each, found by walking this folder."""

import importlib
import pkgutil
from functools import cache

from annotation.text.languages.base import Language

__all__ = ["Language", "get", "known"]


@cache
def known() -> dict[str, Language]:
    """Give every language that has a file, by each of its codes."""
    found: dict[str, Language] = {}
    for module in pkgutil.iter_modules(__path__):
        language = getattr(importlib.import_module(f"{__name__}.{module.name}"), "LANGUAGE", None)
        if language is not None:
            found |= dict.fromkeys((language.code, *language.aliases), language)
    return found


@cache
def get(code: str) -> Language:
    """Find a language by its code; a region, script or register behind `-` or `_` is left aside."""
    main = code.replace("_", "-").partition("-")[0].casefold()
    return known().get(main) or Language(main)
