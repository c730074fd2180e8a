"""Threads that meet at a barrier, each with a database connection of its own."""

import threading
from collections.abc import Callable, Sequence
from typing import Any

import psycopg
from django.db import connections

from tests.conftest import database_url

MEET_SECONDS = 60
_WAITING = """SELECT count(*) FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
  WHERE NOT l.granted AND a.datname = current_database()"""


def waiting_for_locks() -> int:
    """How many wait for a lock in this database; the server has others, whose tests wait too.

    Asked on a connection of its own: who is there is told once in a transaction, and whoever came later is not seen.
    """
    with psycopg.connect(database_url(), autocommit=True) as watching:
        found = watching.execute(_WAITING).fetchone()
    assert found is not None
    return int(found[0])


def run_at_once(calls: Sequence[Callable[[], Any]]) -> list[Any]:
    """Run the calls at the same instant; each result, or the exception that it raised, in the order given."""
    barrier = threading.Barrier(len(calls))
    results: list[Any] = [None] * len(calls)

    def one(place: int, call: Callable[[], Any]) -> None:
        try:
            barrier.wait(MEET_SECONDS)
            results[place] = call()
        except Exception as error:
            results[place] = error
        finally:
            connections.close_all()

    threads = [threading.Thread(target=one, args=(place, call)) for place, call in enumerate(calls)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(MEET_SECONDS)
        assert not thread.is_alive(), "a call did not come back"
    return results
