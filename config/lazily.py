"""Modules of libraries that are imported when they are first used."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import module_from_spec
from types import ModuleType
from typing import Any


def import_lazily(name: str, *, without: Sequence[str] = ()) -> None:
    """Import a module when an attribute of it is first asked for; `without` are optional libraries that it may not see.

    Its package is not imported either: that may be what imports it. So Python's LazyLoader does not do: it imports the
    module when somebody only names it, unless its package knows it already.
    """
    spec = _find_spec(name)
    if name in sys.modules or spec is None:
        return
    module = sys.modules[name] = module_from_spec(spec)
    module.__class__ = _LazyModule
    _hidden_by_module[name] = without


_hidden_by_module: dict[str, Sequence[str]] = {}


class _LazyModule(ModuleType):
    """A module that is there by name alone; what Python's import asks of it, its spec and path, it has."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or self.__spec__ is None or self.__spec__.loader is None:
            raise AttributeError(name)
        self.__class__ = ModuleType  # type: ignore[assignment]
        with _hide_modules(_hidden_by_module[self.__name__]):
            self.__spec__.loader.exec_module(self)
        return getattr(self, name)


@contextmanager
def _hide_modules(names: Sequence[str]) -> Iterator[None]:
    """As if these were not installed."""
    there = {each: sys.modules.get(each) for each in names}
    sys.modules.update(dict.fromkeys(names))  # type: ignore[arg-type]
    try:
        yield
    finally:
        for each, module in there.items():
            if module is None:
                del sys.modules[each]
            else:
                sys.modules[each] = module


def _find_spec(name: str) -> ModuleSpec | None:
    package, _, _ = name.rpartition(".")
    above = _find_spec(package) if package else None
    return PathFinder.find_spec(name, above.submodule_search_locations if above else None)
