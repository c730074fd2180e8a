"""Where heavy readings of jobs read: a streaming replica of the database, where there is one and it keeps up.

DATABASE_REPLICA_URL names it. Only what is of a moment anyway reads there, and asks for it by name: never a vote, a
permission, or what is read back because it was written. Before a reading the replica must have replayed all that the
primary had written when the reading began, which no clock is needed for and which an idle primary changes nothing
about; it is given DATABASE_REPLICA_LAG seconds. A replica that cannot do so, is away or breaks costs nothing but the
primary's time: the reading is done there.
"""

import time
from collections.abc import Callable
from typing import TypeVar

import structlog
from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, DatabaseError, InterfaceError, connections

from annotation.core.database import fetch_rows
from annotation.jobs.queue import record_heartbeat

T = TypeVar("T")
log = structlog.get_logger("replica")
ALIAS = "replica"
# The heartbeat that says when the primary was read in its place.
PASSED_OVER = "replica_passed_over"
POLL_SECONDS = 0.05
_PRIMARY_STATE = "SELECT pg_current_wal_lsn()::text, (SELECT system_identifier FROM pg_control_system())"
_REPLICA_STATE = """SELECT pg_is_in_recovery(), (SELECT system_identifier FROM pg_control_system()),
    pg_wal_lsn_diff(%s::pg_lsn, pg_last_wal_replay_lsn())::bigint"""


def is_configured() -> bool:
    """Whether a replica is named at all."""
    return ALIAS in connections


def read(function: Callable[[str], T]) -> T:
    """What `function` gives of this alias: the replica's, or the primary's where that is behind or away.

    `function` begins anew on the primary where the replica breaks meanwhile (a server that ends, a statement that
    recovery cancelled): it must be able to.
    """
    if not is_configured():
        return function(DEFAULT_DB_ALIAS)
    why = "it was not asked"
    try:
        why = _reason_not_to_read()
        if not why:
            return function(ALIAS)
    except (DatabaseError, InterfaceError) as error:
        # Django notes at each connection that an error came from it.
        if not why and not connections[ALIAS].errors_occurred:
            raise
        why = type(error.__cause__ or error).__name__
    finally:
        connections[ALIAS].close()
    log.warning("replica_passed_over", why=why)
    record_heartbeat(PASSED_OVER)
    return function(DEFAULT_DB_ALIAS)


def _reason_not_to_read() -> str:
    """Why the replica is not read, once it had its time; empty where it has all that the primary has now."""
    ((position, system),) = fetch_rows(_PRIMARY_STATE, [])
    until = time.monotonic() + settings.MUFAKAT_REPLICA_SECONDS
    while True:
        in_recovery, there, behind = _replica_state(position)
        if not in_recovery:
            return "it is not a replica"
        if there != system:
            return "it is a replica of another server"
        if behind is not None and behind <= 0:
            return ""
        if time.monotonic() >= until:
            return "it is behind"
        time.sleep(POLL_SECONDS)


def lag() -> int | None:
    """How many bytes of WAL the replica has to replay yet; None where it is away, or none of this server's."""
    ((position, system),) = fetch_rows(_PRIMARY_STATE, [])
    try:
        in_recovery, there, behind = _replica_state(position)
    except (DatabaseError, InterfaceError):
        return None
    finally:
        connections[ALIAS].close()
    return max(behind, 0) if in_recovery and there == system and behind is not None else None


def _replica_state(position: str) -> tuple[bool, int, int | None]:
    """Whether it is a replica, of which server, and how many bytes before this position (none known: None)."""
    ((in_recovery, system, behind),) = fetch_rows(_REPLICA_STATE, [position], ALIAS)
    return in_recovery, system, behind
