"""What the suite stands on is there, is real, and ends with it."""

import os
import shutil
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import psycopg
import pytest
import redis

from tests import services
from tests.wait import wait_until


def test_postgres_survives_a_crash() -> None:
    cluster = services.start_postgres(fsync=True)
    with psycopg.connect(cluster.url()) as connection:
        assert connection.execute("SHOW fsync").fetchone() == ("on",)
        connection.execute("CREATE TABLE kept (n int)")
        connection.execute("INSERT INTO kept VALUES (1)")
    cluster.kill()
    assert not services.port_answers(cluster.port)
    cluster.start()
    with psycopg.connect(cluster.url()) as connection:
        assert connection.execute("SELECT n FROM kept").fetchone() == (1,)
    cluster.remove()
    assert not cluster.folder.exists()


def test_redis_comes_back_on_its_port() -> None:
    server = services.start_redis()
    server.kill()
    assert not services.port_answers(server.port)
    server.start()
    with redis.Redis.from_url(server.url()) as client:
        assert client.config_get("maxmemory-policy") == {"maxmemory-policy": "noeviction"}
    server.remove()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a child that its parent was killed")
def test_services_end_with_a_killed_starter() -> None:
    program = textwrap.dedent("""
        import sys
        from tests import services
        for service in (services.start_postgres(), services.start_redis()):
            print(service.port, service.folder, flush=True)
        sys.stdin.read()
    """)
    with subprocess.Popen(
        [sys.executable, "-c", program],
        cwd=services.ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as starter:
        assert starter.stdout is not None
        started = [starter.stdout.readline().split() for _ in range(2)]
        ports = [int(port) for port, _ in started]
        assert [services.port_answers(port) for port in ports] == [True, True]
        starter.send_signal(signal.SIGKILL)
        starter.wait()
    wait_until(lambda: not any(services.port_answers(port) for port in ports), what="the services to end")
    for _, folder in started:
        # Its own mark is the last file that PostgreSQL takes away, after it has stopped listening.
        wait_until(lambda: not Path(folder, "data", "postmaster.pid").exists(), what="the last file")  # noqa: B023
        shutil.rmtree(folder)


def test_what_is_late_is_killed(tmp_path: Path) -> None:
    process = services.Process(["sleep", "600"], tmp_path / "late.log")
    with pytest.raises(AssertionError, match="sleep to be ready"):
        process.wait_for(lambda: False, deadline=0)
    assert not process.alive()


def test_wait_until_says_what_did_not_come() -> None:
    with pytest.raises(AssertionError, match=r"the moon \(last value 0\)"):
        wait_until(lambda: 0, deadline=0, what="the moon")


def test_the_environment_names_the_services() -> None:
    assert os.environ["DATABASE_URL"].startswith("postgres://")
    assert os.environ["REDIS_URL"].startswith("redis://")
    assert os.access(os.environ["CHROMIUM_PATH"], os.X_OK)
