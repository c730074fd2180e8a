"""What an app adds to the apps below it: named in its AppConfig by dotted path, imported when it is first used.

An AppConfig has a table for each of these, from a name to a path: `jobs` (the module that handles a kind of job),
`sending_jobs` (the same for a kind that only sends to other people's servers: it has a queue of its own), `rooms`
(whether a room of a project is open to somebody), `steps` (a further step of a project's checklist), `integrity` (a
module with checks of `check_integrity`), `eligibility` (a module that keeps makers and judges apart), `earnings` (an
action that can be paid, as a source of pay), `submitted` (what else is said when something was handed in: words, of the
writer and the key under which it may be paid), `studies` (a kind of study: validation/studies/study_types.py),
`narrows` (what a filter of the review desk asks of items), `watches` (what the sweep looks at every ten minutes),
`public_pages` (what shows votes to everybody: annotation/core/public_pages.py), `given_out` (those of some items, by
their ids, that everybody may have read), `about_notes` (what the page about a project says of its releases),
`withdrawn` (the items of a project that no release from now on holds).
"""

from functools import cache
from importlib import import_module
from typing import Any

from django.apps import apps
from django.utils.module_loading import import_string


@cache
def entries(table: str) -> dict[str, str]:
    """The entries of all apps, in their order."""
    return {name: path for config in apps.get_app_configs() for name, path in getattr(config, table, {}).items()}


def attribute(table: str, name: str) -> Any:
    """What the path of an entry names, or None where no app has the entry."""
    path = entries(table).get(name)
    return path and import_string(path)


@cache
def load(table: str) -> None:
    """Import the modules of a table, each of which registers what it has."""
    for path in entries(table).values():
        import_module(path)
