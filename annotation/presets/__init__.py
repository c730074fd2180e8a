"""The presets that a project can be created from; every module of this folder with a PRESET is one."""

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from annotation.presets.base import GUIDELINES, Part, Preset, guideline_text

__all__ = ["GUIDELINES", "Part", "Preset", "all_presets", "find", "get", "guideline_text"]


@cache
def _registry() -> dict[str, Preset]:
    """Slug to preset, in the order of the slugs, found by walking this folder."""
    found: dict[str, Preset] = {}
    for module in iter_modules(__path__):
        preset = getattr(import_module(f"{__name__}.{module.name}"), "PRESET", None)
        if not isinstance(preset, Preset):
            continue
        if preset.slug in found:
            raise ValueError(f"two presets are called {preset.slug}")
        found[preset.slug] = preset
    return dict(sorted(found.items()))


def get(slug: str) -> Preset:
    """The preset of this slug. Raises KeyError, naming those that exist."""
    try:
        return _registry()[slug]
    except KeyError:
        raise KeyError(f"no preset {slug!r}; there are: {', '.join(_registry())}") from None


def find(slug: str) -> Preset | None:
    """The preset of this slug; None where there is none, as for teams' own tasks."""
    return _registry().get(slug)


def all_presets() -> tuple[Preset, ...]:
    """Every preset, ordered by slug."""
    return tuple(_registry().values())
