"""Statements beside the work: a thread asks the database for the next page while this one makes rows of the last.

On the same connection, and one after another, so that it is all the same to the database, and works within a
transaction too. While it is open nobody else may use the connection: what else is to be said goes through `tell`.
"""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import Any, ParamSpec, TypeVar

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.backends.base.base import BaseDatabaseWrapper

P = ParamSpec("P")
T = TypeVar("T")


class Aside:
    """Runs what it is asked and told in order; an error is raised where its answer is taken, or at the end."""

    def __init__(self) -> None:
        self.connection: BaseDatabaseWrapper = connections[DEFAULT_DB_ALIAS]
        self.told: list[Future[Any]] = []

    def ask(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Begin something whose answer is needed later."""
        return self.pool.submit(function, *args, **kwargs)

    def tell(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> None:
        """Begin something without an answer; errors of what was told before are raised here."""
        while self.told and self.told[0].done():
            self.told.pop(0).result()
        self.told.append(self.ask(function, *args, **kwargs))

    def __enter__(self) -> "Aside":
        self.connection.inc_thread_sharing()
        self.pool = ThreadPoolExecutor(1, initializer=_share, initargs=(self.connection,))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Wait for what is under way; of what is not begun nothing is done where an error came."""
        try:
            self.pool.shutdown(wait=True, cancel_futures=kind is not None)
        finally:
            self.connection.dec_thread_sharing()
        if kind is None:
            for told in self.told:
                told.result()


def _share(connection: BaseDatabaseWrapper) -> None:
    """In the thread beside: use the connection of the one that opened it."""
    connections[DEFAULT_DB_ALIAS] = connection
