"""Crashes under load, with a ledger of what was acknowledged (make test-faults). Each prints its figures."""

import contextlib
import sqlite3
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests import binaries, services
from tests.faults import site
from tests.wait import wait_until

pytestmark = [pytest.mark.faults, pytest.mark.timeout(1800)]
WRITERS = 8


class Rig:
    """A production site on a PostgreSQL that keeps its promises (fsync on) and a Redis of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.postgres = services.start_postgres(fsync=True)
        self.redis = services.start_redis()
        self.env = site.environment(self.postgres.url(), self.redis.url(), folder / "data", "production")
        self.env["PG_BINDIR"] = str(binaries.postgres_bindir())
        self.processes: list[services.Process] = []

    def rows(self, statement: str) -> Sequence[Sequence[Any]]:
        with psycopg.connect(self.postgres.url()) as connection:
            return connection.execute(statement).fetchall()

    def count(self, statement: str) -> int:
        return int(self.rows(statement)[0][0])

    def web(self) -> site.Web:
        started = site.Web(self.env, self.folder).start()
        assert started.process is not None
        self.processes.append(started.process)
        return started

    def worker(self) -> services.Process:
        process = services.start_worker(self.folder / "worker.log", env=self.env)
        self.processes.append(process)
        return process

    def beat(self) -> services.Process:
        flags = ["--schedule", str(self.folder / "beat"), "--pidfile", "", "-l", "WARNING"]
        command = [sys.executable, "-m", "celery", "-A", "config", "beat", *flags]
        process = services.Process(command, self.folder / "beat.log", env=self.env)
        self.processes.append(process)
        return process

    def nothing_due(self) -> bool:
        return self.count("SELECT COUNT(*) FROM annotation_item WHERE due_at IS NOT NULL") == 0

    def is_sound(self) -> None:
        site.manage(self.env, "runjobs", "--once")
        site.manage(self.env, "check_integrity")

    def close(self) -> None:
        for process in self.processes:
            process.kill()
        self.redis.remove()
        self.postgres.remove()


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Rig]:
    made = Rig(tmp_path)
    yield made
    made.close()


def crowd_of(web: site.Web, world: dict[str, Any]) -> site.Crowd:
    return site.Crowd([site.Voter(web.port, world["slug"], session) for session in world["sessions"]])


def print_figures(name: str, **figures: object) -> None:
    told = ", ".join(f"{key.replace('_', ' ')} {value}" for key, value in figures.items())
    print(f"\n{name}: {told}", file=sys.__stdout__, flush=True)


def test_database_crashes_under_eight_writers(rig: Rig) -> None:
    """F12, F14: three crashes; no acknowledged vote is lost; a connection fails once at the most afterwards."""
    world = site.seed(rig.env, people=WRITERS, pairs=3000)
    web = rig.web()
    late: list[int] = []
    with crowd_of(web, world) as crowd:
        crowd.more(300)
        for _ in range(3):
            rig.postgres.kill()
            wait_until(lambda: crowd.statuses()[503] > 0, 30, "the site to say that it is away")
            rig.postgres.start()
            before = crowd.statuses()[503]
            crowd.more(300)
            late.append(crowd.statuses()[503] - before)
    statuses = crowd.statuses()
    stored = site.check_ledger(rig.rows, crowd.tokens())
    rig.is_sound()
    print_figures("F12 F14", acknowledged=crowd.acked, stored=stored, lost=0, statuses=dict(statuses), late_503=late)
    assert set(statuses) <= {200, 409, 503}
    assert max(late) <= 2 * WRITERS, "a request and a connection each may meet the end of the recovery once"


def test_web_killed_and_ended_under_load(rig: Rig) -> None:
    """F06, F07: kill -9 of the web server, and SIGTERM in the middle of requests; clients send again."""
    world = site.seed(rig.env, people=WRITERS, pairs=2000)
    web = rig.web()
    with crowd_of(web, world) as crowd:
        for end in (web.kill, web.stop, web.kill):
            crowd.more(200)
            end()
            web.start()
            assert web.process is not None
            rig.processes.append(web.process)
        crowd.more(200)
    stored = site.check_ledger(rig.rows, crowd.tokens())
    rig.is_sound()
    broken = sum(voter.broken for voter in crowd.voters)
    print_figures("F06 F07", acknowledged=crowd.acked, stored=stored, lost=0, cut_off=broken)
    assert set(crowd.statuses()) <= {200, 409}


def test_redis_goes_and_comes_back(rig: Rig) -> None:
    """F08, F10, F11: Redis killed, flushed and full under load; no vote notices, all is decided."""
    import redis

    world = site.seed(rig.env, people=4, pairs=4000, votes=1)
    web, workers, beat = rig.web(), [rig.worker()], rig.beat()
    back: list[float] = []

    def decided(since: float) -> None:
        workers[-1].wait_for(rig.nothing_due, 60)
        back.append(round(time.monotonic() - since, 1))

    with crowd_of(web, world) as crowd:
        crowd.more(100)
        rig.redis.kill()
        crowd.more(100)
        rig.redis.start()
    decided(time.monotonic())
    with redis.Redis.from_url(rig.redis.url()) as client:
        with crowd_of(web, world) as second:
            second.more(50)
            client.flushall()
            second.more(50)
        decided(time.monotonic())
        with crowd_of(web, world) as third:
            third.more(50)
            client.config_set("maxmemory", "1")
            third.more(50)
            client.config_set("maxmemory", "0")
        since = time.monotonic()

        def supervised() -> bool:
            # Celery may end on `OOM command not allowed` (exit 1); systemd and compose then start it again.
            if not workers[-1].alive():
                workers.append(rig.worker())
            return rig.nothing_due()

        wait_until(supervised, 90, "what came in while Redis was full to be decided")
        back.append(round(time.monotonic() - since, 1))
    for each in (crowd, second, third):
        assert set(each.statuses()) == {200}
    stored = site.check_ledger(rig.rows, [*crowd.tokens(), *second.tokens(), *third.tokens()])
    rig.is_sound()
    print_figures(
        "F08 F10 F11",
        votes=stored,
        decided_after_return=f"{back} s",
        workers_ended_by_a_full_redis=len(workers) - 1,
    )
    assert workers[-1].alive()
    assert beat.alive()


def test_a_backlog_drains_beside_the_votes(rig: Rig) -> None:
    """F27: 10,000 items fall due at once; votes go on; without beat the rings suffice, without rings beat does."""
    world = site.seed(rig.env, people=4, pairs=1500, votes=1)
    web, worker = rig.web(), rig.worker()
    with crowd_of(web, world) as crowd:
        crowd.more(100)
    wait_until(rig.nothing_due, 30, "the rings alone to have all decided")
    other = site.fill(rig.env, people=1, pairs=10_000)
    with psycopg.connect(rig.postgres.url(), autocommit=True) as connection:
        due = connection.execute(
            "UPDATE annotation_item SET due_at = statement_timestamp() "
            "WHERE project_id = (SELECT id FROM annotation_project WHERE slug = %s)",
            [other["slug"]],
        ).rowcount
    started, beats = time.monotonic(), [rig.beat()]
    with crowd_of(web, world) as second:
        second.more(100)
        wait_until(rig.nothing_due, 300, "the backlog to drain")
    seconds = time.monotonic() - started
    site.check_ledger(rig.rows, [*crowd.tokens(), *second.tokens()])
    rig.is_sound()
    print_figures("F27", due=due, drained_in=f"{seconds:.1f} s", votes_meanwhile=second.acked)
    assert due == 10_000
    assert {*crowd.statuses(), *second.statuses()} == {200}
    assert worker.alive()
    assert beats[0].alive()


def test_sqlite_under_ten_writers_and_kills(tmp_path: Path) -> None:
    """F37: the embedded mode: ten voters, kill -9 of everything, a backup taken meanwhile; nothing lost or locked."""
    database = tmp_path / "site.sqlite3"
    env = site.environment(f"sqlite:///{database}", "", tmp_path / "data", "embedded")
    world = site.seed(env, people=10, pairs=1500)
    web = site.Web(env, tmp_path)
    runner_log = tmp_path / "runner.log"

    def start_runner() -> services.Process:
        return services.Process([sys.executable, "manage.py", "runjobs"], runner_log, env=env)

    web.start()
    runner = start_runner()
    with crowd_of(web, world) as crowd:
        for _ in range(3):
            crowd.more(150)
            web.kill()
            runner.kill()
            runner = start_runner()
            web.start()
        backup = threading.Thread(target=site.manage, args=(env, "backup", str(tmp_path / "live.tar")))
        backup.start()
        crowd.more(150)
        backup.join(60)
    web.stop()
    runner.stop()

    def rows(statement: str) -> Sequence[Sequence[Any]]:
        with contextlib.closing(sqlite3.connect(database)) as connection:
            return connection.execute(statement).fetchall()

    stored = site.check_ledger(rows, crowd.tokens())
    site.manage(env, "check_integrity")
    site.manage(env, "check_backup", str(tmp_path / "live.tar"))
    logs = web.log.read_text() + runner_log.read_text()
    print_figures("F37", acknowledged=crowd.acked, stored=stored, lost=0, statuses=dict(crowd.statuses()))
    assert set(crowd.statuses()) <= {200, 409}
    assert "OperationalError" not in logs
    assert "locked" not in logs
    assert "runner_tick" not in logs
