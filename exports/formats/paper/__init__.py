"""Forms of a plain dump: the registry walks its own folder; another form is one more file with FORMATS."""

import importlib
import pkgutil
from functools import cache

from annotation.kinds import Kind
from exports.formats.paper.base import DumpedItem, Format, FormFault, Piece

__all__ = ["DumpedItem", "FormFault", "Format", "Piece", "all_formats", "formats_for_kind", "get"]


@cache
def _registry() -> dict[str, Format]:
    result: dict[str, Format] = {}
    for module in pkgutil.iter_modules(__path__):
        for form in getattr(importlib.import_module(f"{__name__}.{module.name}"), "FORMATS", ()):
            result[form.slug] = form
    return result


def all_formats() -> list[Format]:
    """Every form, in order of its slug."""
    return [_registry()[slug] for slug in sorted(_registry())]


def formats_for_kind(kind: Kind) -> list[Format]:
    """The forms in which items of this kind can be written."""
    return [form for form in all_formats() if kind.file_format in form.file_formats]


def get(slug: str) -> Format:
    """The form of that slug; KeyError where there is none."""
    return _registry()[slug]
