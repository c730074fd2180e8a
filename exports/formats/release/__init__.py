"""Further forms of a release, besides its JSON Lines: the registry reads this folder; each form is one file."""

import importlib
import pkgutil
from functools import cache

from exports.formats.release.base import Form, Part, ReleaseFiles, write_forms

__all__ = ["Form", "Part", "ReleaseFiles", "all_forms", "get", "named_forms", "write_forms"]


@cache
def _registry() -> dict[str, Form]:
    result: dict[str, Form] = {}
    for module in pkgutil.iter_modules(__path__):
        form = getattr(importlib.import_module(f"{__name__}.{module.name}"), "FORM", None)
        if form is not None:
            result[form.slug] = form
    return result


def all_forms() -> list[Form]:
    """Every form, in the order in which they are written: a later one may describe the files of the earlier."""
    return sorted(_registry().values(), key=lambda form: (form.order, form.slug))


def get(slug: str) -> Form:
    """The form of that slug; KeyError where there is none."""
    return _registry()[slug]


def named_forms(named: str) -> list[Form]:
    """The forms that a release's rule names, with blanks between them: every one where it is empty."""
    wanted = set(named.split())
    return [form for form in all_forms() if not wanted or form.slug in wanted]
