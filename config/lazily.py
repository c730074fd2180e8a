"""Modules of libraries that are imported when they are first used, by Python's own LazyLoader."""

import sys
from importlib.util import LazyLoader, find_spec, module_from_spec


def imported(name: str) -> None:
    """Import a module when an attribute of it is first asked for, by those who import it from its package."""
    spec = find_spec(name)
    if name in sys.modules or spec is None or spec.loader is None:
        return
    spec.loader = LazyLoader(spec.loader)
    module = sys.modules[name] = module_from_spec(spec)
    package, _, last = name.rpartition(".")
    setattr(sys.modules[package], last, module)
    spec.loader.exec_module(module)
