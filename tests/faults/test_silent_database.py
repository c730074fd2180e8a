"""A PostgreSQL that stands still (SIGSTOP): its connections stay, and nothing is ever answered."""

import http.client
import json
import os
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import psycopg
import pytest

from tests import pooler, services
from tests.faults import site
from tests.wait import wait_until

THREADS = 4
BEAT = (
    "INSERT INTO annotation_heartbeat VALUES ('decider', '2999-01-01'), ('worker', '2999-01-01') "
    "ON CONFLICT (name) DO NOTHING"
)


@pytest.fixture
def postgres() -> Iterator[services.Postgres]:
    server = services.start_postgres()
    yield server
    tell(server, signal.SIGCONT)
    server.remove()


def tell(server: services.Postgres, what: signal.Signals) -> None:
    """All processes of the server: the first one, which takes connections, and those that serve them, while they do."""
    assert server.process is not None
    first = psutil.Process(server.process.pid)
    for each in (first, *first.children(recursive=True)):
        with suppress(psutil.NoSuchProcess):
            each.send_signal(what)


def ask(port: int, path: str) -> tuple[int, Any]:
    """Status and, of JSON, content; with the cookie of a session, so that a page asks the database whose it is."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=150)
    try:
        connection.request("GET", path, headers={"Cookie": f"sessionid={'a' * 32}"})
        answer = connection.getresponse()
        content = answer.read()
        told = json.loads(content) if answer.headers["Content-Type"] == "application/json" else None
        return answer.status, told
    finally:
        connection.close()


@pytest.fixture(params=["direct", "pooled"])
def env(request: pytest.FixtureRequest, postgres: services.Postgres, tmp_path: Path) -> Iterator[dict[str, str]]:
    """A production site on this PostgreSQL, or on the pooler before it, which takes connections all the same."""
    made = site.environment(postgres.url(), os.environ["REDIS_URL"], tmp_path, "production")
    site.manage(made, "migrate", "-v", "0")
    if request.param == "direct":
        yield made
        return
    between = pooler.start_pooler(postgres.url(), size=2 * THREADS)
    yield {**made, "DATABASE_URL": between.url(), "DATABASE_POOLED": "1"}
    between.remove()


@pytest.mark.timeout(600)
def test_nobody_waits_for_a_silent_database(env: dict[str, str], postgres: services.Postgres, tmp_path: Path) -> None:
    """Requests end in 503, on old connections and on new ones; afterwards none of them holds a thread, and when the
    server goes on all is as it was."""
    with psycopg.connect(postgres.url(), autocommit=True) as connection:
        connection.execute(BEAT)
    web = site.Web(env, tmp_path, workers=1).start()
    try:
        with ThreadPoolExecutor(4 * THREADS) as people:
            opened = list(people.map(lambda _: ask(web.port, "/")[0], range(THREADS)))
            assert opened == [302] * THREADS
            assert ask(web.port, "/readyz")[0] == 200
            tell(postgres, signal.SIGSTOP)
            # More than there are threads, and of those some have a connection already.
            statuses = list(people.map(lambda _: ask(web.port, "/")[0], range(4 * THREADS)))
        assert statuses == [503] * 4 * THREADS
        assert ask(web.port, "/healthz") == (200, None)
        assert ask(web.port, "/readyz") == (503, {"ready": False, "database": False})
        tell(postgres, signal.SIGCONT)
        wait_until(lambda: ask(web.port, "/readyz")[0] == 200, what="the site to find its database again")
        assert ask(web.port, "/")[0] == 302
        assert "Logging error" not in web.log.read_text()
    finally:
        web.kill()


@pytest.mark.timeout(600)
def test_a_server_that_is_only_slow_is_waited_for(postgres: services.Postgres) -> None:
    """A statement that takes longer than the server may be silent goes on as long as the server answers elsewhere."""
    from config.postgresql.base import Connection

    with Connection.opened(conninfo=postgres.url(), silence_seconds=0.5, connect_timeout=60) as connection:
        assert connection.execute("SELECT pg_sleep(2), 'done'").fetchall()[0][1] == "done"
