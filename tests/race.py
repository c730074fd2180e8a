"""Threads that meet at a barrier, each with a database connection of its own."""

import threading
from collections.abc import Callable, Sequence
from typing import Any

from django.db import connections

MEET_SECONDS = 60


def together(calls: Sequence[Callable[[], Any]]) -> list[Any]:
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
