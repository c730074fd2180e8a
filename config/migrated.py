"""Whether the database has all that this version needs; before that no page, no decision and no job is begun."""

import time
from functools import cache
from pathlib import Path
from pkgutil import iter_modules

import structlog
from django.apps import apps
from django.db import DatabaseError, InterfaceError, connection
from django.db.migrations.recorder import MigrationRecorder

log = structlog.get_logger("migrated")
AGAIN_SECONDS = 1
_seen: list[bool] = []


def is_migrated() -> bool:
    """Whether every migration of this version was applied.

    Checked until it holds, then remembered by this process: a schema does not go back under it. Not in a cache
    that processes share, where the old version would answer for the new one, and which may be down itself.
    """
    if not _seen and _migrations() <= MigrationRecorder(connection).applied_migrations().keys():
        _seen.append(True)
    return bool(_seen)


@cache
def _migrations() -> frozenset[tuple[str, str]]:
    """App and name of every migration of this version, by the names of their files: none is loaded."""
    folders = ((app.label, str(Path(app.path) / "migrations")) for app in apps.get_app_configs())
    return frozenset((label, each.name) for label, folder in folders for each in iter_modules([folder]))


def wait_until_migrated() -> None:
    """Return when every migration of this version was applied; a database that is away is waited for as well."""
    told = False
    while not _is_database_ready():
        if not told:
            log.warning("waits_for_migrations")
            told = True
        time.sleep(AGAIN_SECONDS)
    connection.close()  # what is forked from here opens its own


def _is_database_ready() -> bool:
    try:
        return is_migrated()
    except (DatabaseError, InterfaceError):
        connection.close()
        return False
