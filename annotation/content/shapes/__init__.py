"""Where the contents of items are stored, by the few shapes that kinds share: one file a shape, found by walking."""

import importlib
import pkgutil
from functools import cache

from annotation import kinds
from annotation.content.shapes.base import Shape

__all__ = ["Shape", "get", "names"]


@cache
def _registry() -> dict[str, Shape]:
    """File name to shape."""
    modules = {each.name: importlib.import_module(f"{__name__}.{each.name}") for each in pkgutil.iter_modules(__path__)}
    return {name: module.SHAPE for name, module in modules.items() if hasattr(module, "SHAPE")}


def names() -> list[str]:
    """The names of all shapes."""
    return list(_registry())


def get(shape: kinds.Shape) -> Shape:
    """How contents of this shape are stored; KeyError where no file has its name."""
    return _registry()[shape.name]
