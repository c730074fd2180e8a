"""The registry of recipes: walks its own folder; every module with a RECIPE is one."""

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from annotation.generation.rules.recipes.base import Recipe


@cache
def _registry() -> dict[str, Recipe]:
    modules = (import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__))
    recipes = [module.RECIPE for module in modules if hasattr(module, "RECIPE")]
    registry = {recipe.slug: recipe for recipe in sorted(recipes, key=lambda each: each.slug)}
    if len(registry) < len(recipes):
        raise ValueError(f"two recipes have one slug: {[recipe.slug for recipe in recipes]}")
    return registry


def get(slug: str) -> Recipe:
    """The recipe of this slug. Raises KeyError, naming those that exist."""
    try:
        return _registry()[slug]
    except KeyError:
        raise KeyError(f"no recipe {slug!r}; there are: {', '.join(_registry())}") from None


def all_recipes() -> tuple[Recipe, ...]:
    """Every recipe, ordered by slug."""
    return tuple(_registry().values())
