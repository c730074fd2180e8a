"""The formats of a release: the registry walks its own folder; another format is one more file with a WRITER."""

import importlib
import pkgutil
from functools import cache

from exports.releases.writers.base import Sink, Writer

__all__ = ["Sink", "Writer", "all_writers", "get"]


@cache
def _walked() -> dict[str, Writer]:
    found: dict[str, Writer] = {}
    for module in pkgutil.iter_modules(__path__):
        writer = getattr(importlib.import_module(f"{__name__}.{module.name}"), "WRITER", None)
        if writer is not None:
            found[writer.slug] = writer
    return found


def all_writers() -> list[Writer]:
    """Every writer, in order of its slug."""
    return [_walked()[slug] for slug in sorted(_walked())]


def get(slug: str) -> Writer:
    """The writer of that format; KeyError where there is none."""
    return _walked()[slug]
