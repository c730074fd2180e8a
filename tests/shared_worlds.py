"""Worlds that stand while one test after the other asks for them: made once, and as they were made for each of them.

    @pytest.fixture
    def made(standing: Standing) -> Staged:
        return standing(staged, slug="own")

The first test makes the world in a transaction that is never committed. Each test works on a copy of what the maker
returned, behind a savepoint, and what it wrote is taken back. A test that asks for another world, or for none, finds
a database without this one: whichever order tests come in, none sees what another one's world has.
"""

import copy
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, ParamSpec, TypeVar

from django.core.cache import cache
from django.db import connection, transaction

P = ParamSpec("P")
T = TypeVar("T")
Key = tuple[Any, ...]


class SharedWorlds:
    """The one world that stands, if any: `standing(maker, *args, **named)` gives it, made or as it was made.

    Called before anything else touches the database, and once in a test: what was written before it would be lost.
    """

    def __init__(self, unblock: Callable[[], Any]) -> None:
        self._unblock = unblock
        self._key: Key | None = None
        self._made: Any = None
        self._world: transaction.Atomic | None = None
        self._test: ExitStack | None = None
        self._in_test = False

    def __call__(self, make: Callable[P, T], *args: P.args, **named: P.kwargs) -> T:
        assert self._test is not None, "standing worlds are for tests that ask for the fixture `standing`"
        assert not self._in_test, "one world a test"
        self._test.enter_context(self._unblock())
        key = (make, args, tuple(sorted(named.items())))
        if key != self._key or not _is_alive():
            self.end()
            self._world = _enter_transaction()
            self._made = make(*args, **named)
            connection.check_constraints()
            self._key = key
        cache.clear()
        self._test.enter_context(_rolled_back())
        self._in_test = True
        made: T = copy.deepcopy(self._made)
        return made

    @contextmanager
    def test(self) -> Iterator[None]:
        """One test: the database is closed to it until it has asked for its world."""
        self._in_test = False
        try:
            with ExitStack() as self._test:
                yield
        finally:
            self._test = None
            if self._key is None:  # its maker failed
                self.end()

    def end(self) -> None:
        """No world stands any more."""
        world, self._world, self._key, self._made = self._world, None, None, None
        if world is not None:
            with self._unblock():
                transaction.set_rollback(True)
                world.__exit__(None, None, None)
                cache.clear()


def _enter_transaction() -> transaction.Atomic:
    """A transaction that the system takes for none, as it does the one about every test."""
    atomic = transaction.atomic()
    atomic._from_testcase = True  # type: ignore[attr-defined]
    atomic.__enter__()
    return atomic


@contextmanager
def _rolled_back() -> Iterator[None]:
    """What is written inside is taken back at the end, when what refers to nothing has been told."""
    atomic = _enter_transaction()
    try:
        yield
        if not connection.needs_rollback:
            connection.check_constraints()
    finally:
        transaction.set_rollback(True)
        atomic.__exit__(None, None, None)
        cache.clear()


def _is_alive() -> bool:
    """Whether the transaction of the world is still the one that it was made in."""
    return connection.in_atomic_block and not connection.needs_rollback and connection.is_usable()
