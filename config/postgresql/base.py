"""Django's backend for PostgreSQL, whose waits for a silent server come to an end.

A server that stands still (stopped, or with a disk that does not answer) keeps its connections: the system goes on
acknowledging what is sent, so that neither TCP keepalives nor `statement_timeout`, which is the server's own, end a
wait. With the option `silence_seconds` a wait without a sign of the server asks it by another connection: a server that
answers there is only slow; where it does not, the wait ends in an OperationalError. For some seconds all who ask then
are told so at once, so that the threads of a web server stay free. Without the option a wait has no end.

Who is asked is asked for an answer to a statement: a pooler lets in whoever comes while the server behind it is silent.
"""

from collections import defaultdict
from collections.abc import Generator
from time import monotonic
from typing import Any, Self

import psycopg
from django.db.backends.postgresql import base
from psycopg.abc import PQGen

# After a server was found silent: how long it is not asked again.
AGAIN_SECONDS = 5.0


class _Silence:
    """What this process knows of a server: until when it counts as silent."""

    until = 0.0

    def check(self) -> None:
        """Raise OperationalError where the server was found silent a moment ago."""
        if monotonic() < self.until:
            raise psycopg.OperationalError("the database was silent a moment ago")

    def begin(self, seconds: float) -> None:
        """Count it as silent for so long."""
        self.until = monotonic() + seconds

    def end(self) -> None:
        """It answered."""
        self.until = 0.0


silences: defaultdict[tuple[Any, Any], _Silence] = defaultdict(_Silence)


class Connection(psycopg.Connection[Any]):
    """A connection that asks elsewhere when its server says nothing, and gives up where it is silent there too."""

    silence_seconds = 0.0
    silence: _Silence
    given: dict[str, Any] | None = None  # how another one is made; None: it is that other one

    @classmethod
    def opened(cls, *, silence_seconds: float = 0, **given: Any) -> Self:
        """As psycopg.connect; where the server was found silent, by one thread at a time."""
        if not silence_seconds:
            return cls.connect(**given)
        silence = silences[given.get("host"), given.get("port")]
        silence.check()
        if silence.until:
            silence.begin(AGAIN_SECONDS + 2 * silence_seconds)
        try:
            made = cls._asked(silence_seconds, given) if silence.until else cls.connect(**given)
        except psycopg.errors.ConnectionTimeout:
            silence.begin(AGAIN_SECONDS)
            raise
        except psycopg.Error:
            silence.end()
            raise
        silence.end()
        made.silence_seconds, made.silence, made.given = silence_seconds, silence, given
        return made

    @classmethod
    def _asked(cls, seconds: float, given: dict[str, Any]) -> Self:
        """A connection whose server answered a statement. Raises ConnectionTimeout where it gave no answer."""
        made = cls.connect(**given)
        made.silence_seconds = seconds
        made.execute("SELECT 1")
        made.rollback()
        return made

    def wait(self, gen: PQGen[Any], interval: float = 0.1, timeout: float | None = None) -> Any:
        """As psycopg waits, which wakes ten times a second."""
        if self.silence_seconds:
            gen = self._watched(gen)
        return super().wait(gen, interval=interval, timeout=timeout)

    def _watched(self, gen: PQGen[Any]) -> Generator[Any, Any, Any]:
        """The same steps; where nothing became ready for long, the server is asked whether it is there."""
        try:
            if self.given is not None:
                self.silence.check()
        except psycopg.OperationalError:
            self.pgconn.finish()
            raise
        try:
            state, heard = next(gen), monotonic()
            while True:
                ready = yield state
                if ready:
                    heard = monotonic()
                elif monotonic() - heard > self.silence_seconds:
                    self._ask()
                    heard = monotonic()
                state = gen.send(ready)
        except StopIteration as done:
            return done.value

    def _ask(self) -> None:
        """Ask by another connection; where that gets no answer either, this one is given up."""
        if self.given is None:
            self.pgconn.finish()
            raise psycopg.errors.ConnectionTimeout("the database is silent")
        try:
            self._asked(self.silence_seconds, self.given).close()
        except psycopg.errors.ConnectionTimeout as error:
            self.silence.begin(AGAIN_SECONDS)
            self.pgconn.finish()
            raise psycopg.OperationalError("the database is silent") from error
        except psycopg.Error:
            return  # it refuses, and so it is there


class _Driver:
    """psycopg, but for the connections that it makes."""

    connect = staticmethod(Connection.opened)

    def __getattr__(self, name: str) -> Any:
        return getattr(psycopg, name)


class DatabaseWrapper(base.DatabaseWrapper):
    """Django's, with connections of our own."""

    Database: Any = _Driver()
