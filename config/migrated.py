"""Whether the database has all that this version needs; before that no page, no decision and no job is begun."""

import time

import structlog
from django.db import DatabaseError, InterfaceError, connection

from annotation.core.schema import has_schema_of_this_version, schema_fault

log = structlog.get_logger("migrated")
AGAIN_SECONDS = 1
_seen: list[bool] = []


def is_migrated() -> bool:
    """Whether the database has the tables of this version.

    Checked until it holds, then remembered by this process: a schema does not go back under it. Not in a cache
    that processes share, where the old version would answer for the new one, and which may be down itself.
    """
    if not _seen and has_schema_of_this_version(connection):
        _seen.append(True)
    return bool(_seen)


def wait_until_migrated() -> None:
    """Return when every migration of this version was applied; a database that is away is waited for as well."""
    logged = ""
    while fault := _database_fault():
        if fault != logged:
            log.warning("waits_for_migrations", reason=fault)
            logged = fault
        time.sleep(AGAIN_SECONDS)
    connection.close()  # what is forked from here opens its own


def _database_fault() -> str:
    try:
        return "" if is_migrated() else schema_fault()
    except (DatabaseError, InterfaceError):
        connection.close()
        return "The database does not answer."
