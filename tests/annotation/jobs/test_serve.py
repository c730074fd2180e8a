"""`manage.py serve`: what it starts ends with it, whoever ends first; a taken port is said plainly."""

import signal
import socket
import sqlite3
import subprocess
import sys
import urllib.request
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import psutil
import pytest
from django.core.management import CommandError, call_command

from tests import services

SLEEPER = [sys.executable, "-c", "import time; time.sleep(600)"]
WITH_GRANDCHILD = [sys.executable, "-c", f"import subprocess; subprocess.run({SLEEPER!r})"]


def supervisor(*commands: list[str]) -> subprocess.Popen[str]:
    """A process that supervises `commands` and prints `up` when it watches them."""
    program = f"""
import sys
from annotation.jobs.supervise import Supervisor
sys.exit(Supervisor({commands!r}).run(lambda: True, lambda: print("up", flush=True)))
"""
    return subprocess.Popen([sys.executable, "-c", program], cwd=services.ROOT, stdout=subprocess.PIPE, text=True)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_all(number: signal.Signals, wait_until: Callable[..., Any]) -> None:
    with supervisor(SLEEPER, WITH_GRANDCHILD) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline() == "up\n"
        tree = psutil.Process(parent.pid)
        wait_until(lambda: len(tree.children(recursive=True)) == 3, what="the grandchild")
        started = tree.children(recursive=True)
        parent.send_signal(number)
        assert parent.wait(60) == 0
        # What was killed is gone when the system comes to it: a grandchild is waited for by nobody.
        wait_until(lambda: gone(started), what="all to end")


@pytest.mark.parametrize(("code", "expected"), [(0, 1), (3, 3)])
def test_one_that_ends_by_itself_ends_the_other(code: int, expected: int) -> None:
    with supervisor(SLEEPER, [sys.executable, "-c", f"raise SystemExit({code})"]) as parent:
        assert parent.wait(60) == expected


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a child that its parent was killed")
def test_a_killed_supervisor_leaves_nothing(wait_until: Callable[..., Any]) -> None:
    with supervisor(SLEEPER, SLEEPER) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline() == "up\n"
        started = psutil.Process(parent.pid).children(recursive=True)
        parent.kill()
        parent.wait()
        wait_until(lambda: gone(started), what="the children to end")


def test_a_taken_port_is_said() -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(CommandError, match=rf"Port {port} .* is taken"):
            call_command("serve", port=port)


@pytest.mark.timeout(600)  # it makes all tables, and may be the first to ask for those of the tests
def test_serve_answers_and_ends(
    tmp_path: Path, process_env: dict[str, str], wait_until: Callable[..., Any], migrated_sqlite: Path
) -> None:
    """The whole command on SQLite with the built-in job runner, as `make run` starts it; it makes the tables itself,
    and they are those that the tests make by a shorter way."""
    port, database = services.free_port(), tmp_path / "served.sqlite3"
    env = {
        **process_env,
        "DJANGO_SETTINGS_MODULE": "config.settings.embedded",
        "DATABASE_URL": f"sqlite:///{database}",
        "DATA_DIR": str(tmp_path),
        "REDIS_URL": "",
    }
    command = [sys.executable, "manage.py", "serve", "--port", str(port)]
    process = services.Process(command, tmp_path / "serve.log", env=env, stop_signal=signal.SIGINT)
    process.wait_for(lambda: f"http://127.0.0.1:{port}/" in process.tail(), 240)
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=60) as answer:
        assert answer.status == 200
    enqueue = "from annotation.jobs import queue; queue.enqueue(kind='unheard-of', project=None, by=None, args={})"
    subprocess.run([sys.executable, "manage.py", "shell", "-c", enqueue], cwd=services.ROOT, env=env, check=True)
    wait_until(lambda: job_states(database) == ["failed"], what="the job runner to take the job")
    started = psutil.Process(process.pid).children(recursive=True)
    process.stop()
    assert process.child.returncode == 0, process.tail()
    wait_until(lambda: gone(started), what="all to end")
    assert not services.port_answers(port)
    assert tables(database) == tables(migrated_sqlite)


def tables(database: Path) -> dict[str, list[tuple[str, ...]]]:
    """Every table and index as it was made, and the migrations that made them."""
    with closing(sqlite3.connect(database)) as connection:
        made = connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY type, name").fetchall()
        steps = connection.execute("SELECT app, name FROM django_migrations ORDER BY id").fetchall()
    assert made
    return {"tables": made, "migrations": steps}


def job_states(database: Path) -> list[str]:
    with closing(sqlite3.connect(database)) as connection:
        return [state for (state,) in connection.execute("SELECT state FROM annotation_job")]


def gone(processes: list[psutil.Process]) -> bool:
    """Ended, or waiting only to be counted by the system."""
    return all(services.has_ended(process) for process in processes)
