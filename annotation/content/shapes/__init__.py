"""Where the contents of items are stored, by the few shapes that kinds share: one file a shape, found by walking."""

import importlib
import pkgutil
from functools import cache

from annotation.content.shapes.base import Shape

__all__ = ["Shape", "get"]


@cache
def _registry() -> dict[str, Shape]:
    found: dict[str, Shape] = {}
    for module in pkgutil.iter_modules(__path__):
        shape = getattr(importlib.import_module(f"{__name__}.{module.name}"), "SHAPE", None)
        if shape is not None:
            found[shape.name] = shape
    return found


def get(name: str) -> Shape:
    """The shape of that name; KeyError where there is none."""
    return _registry()[name]
