"""The registry of recipes: walks its own folder; every module with a RECIPE is one."""

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from annotation.generation.rules.recipes.base import (
    EASY,
    HARD,
    Answered,
    Ask,
    Frame,
    Outcome,
    Recipe,
    Step,
    Work,
)

__all__ = [
    "EASY",
    "HARD",
    "Answered",
    "Ask",
    "Frame",
    "Outcome",
    "Recipe",
    "Step",
    "Work",
    "all_recipes",
    "get",
]


@cache
def _registry() -> dict[str, Recipe]:
    found: dict[str, Recipe] = {}
    for module in iter_modules(__path__):
        recipe = getattr(import_module(f"{__name__}.{module.name}"), "RECIPE", None)
        if isinstance(recipe, Recipe):
            if recipe.slug in found:
                raise ValueError(f"two recipes are called {recipe.slug}")
            found[recipe.slug] = recipe
    return dict(sorted(found.items()))


def get(slug: str) -> Recipe:
    """The recipe of this slug. Raises KeyError, naming those that exist."""
    try:
        return _registry()[slug]
    except KeyError:
        raise KeyError(f"no recipe {slug!r}; there are: {', '.join(_registry())}") from None


def all_recipes() -> tuple[Recipe, ...]:
    """Every recipe, ordered by slug."""
    return tuple(_registry().values())
