"""`manage.py generate`, and the built-in runner, on both databases."""

import io
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from annotation.content.models.item import Item
from annotation.generation.models import GenerationRun
from tests import llm_server, machine, services
from tests.annotation.generation.test_generation_server import says
from tests.wait import wait_until

PREPARE = """
import sys
from tests import machine
of = machine.a_machine_project("made", settings={"batch_size": 2})
machine.question_sets(of, 5)
machine.a_server_endpoint(of, sys.argv[1], name="local", seconds=2)
"""
BEGIN = """
from annotation.models import Endpoint, Project
from tests import machine
machine.begin_run(Project.objects.get(slug="made"), endpoint=Endpoint.objects.get(), name="second", makes_items=False)
"""
FACTS = """
import json, sys
from django.core.management import call_command
from annotation.models import *
runs = [[run.n, run.state, run.reason, run.candidates.exclude(state="making").count()]
        for run in GenerationRun.objects.order_by("n")]
items = sorted(Item.objects.values_list("key", "sampled", "stage"))
call_command("check_integrity", stdout=sys.stderr)
print(json.dumps({"runs": runs, "items": items}))
"""


@pytest.fixture
def server() -> Iterator[llm_server.Server]:
    with llm_server.serving(answer=says) as serving:
        yield serving


def told(*args: str) -> str:
    out = io.StringIO()
    call_command("generate", *args, stdout=out)
    return out.getvalue()


@pytest.mark.django_db(transaction=True)
def test_from_the_command_line(server: llm_server.Server) -> None:
    of = machine.a_machine_project("made", settings={"batch_size": 2})
    machine.question_sets(of, 5)
    machine.a_server_endpoint(of, server.url, name="local")
    args = ("made", "--endpoint", "local")
    said = told(*args, "--name", "first", "--count", "3")
    assert said.splitlines()[-4:] == ["run 1: done", "kept: 9", "dropped: 0", "making: 0"]
    assert "batches done: 2 of 2" in said
    assert Item.objects.count() == 9
    said = told(*args, "--name", "second", "--fresh", "--seed", "x", "--endpoint", "answering=local", "--no-items")
    assert "kept: 6" in said
    assert Item.objects.count() == 9
    assert GenerationRun.objects.get(n=2).seed == "x"


@pytest.mark.django_db(transaction=True)
def test_what_it_refuses_and_how_it_goes_on(server: llm_server.Server) -> None:
    of = machine.a_machine_project("made")
    machine.question_sets(of, 1)
    machine.a_server_endpoint(of, server.url, name="local")
    for args, words in (
        (("none",), "There is no project 'none'"),
        (("made", "--endpoint", "other"), "There is no endpoint 'other'"),
        (("made", "--endpoint", "question="), "names no endpoint"),
        (("made", "--endpoint", "local", "--name", " "), "Give the run a name"),
        (("made",), "A step has no endpoint"),
        (("made", "--name", "first", "--recipe", "none"), "no such way"),
        (("made", "--resume", "7"), "There is no run 7"),
    ):
        with pytest.raises(CommandError, match=words):
            told(*args)
    server.misdeed_of = lambda seen: "401"
    with pytest.raises(CommandError) as refused:
        told("made", "--endpoint", "local")
    assert refused.value.returncode == 1
    assert GenerationRun.objects.get().name == "run 1"
    server.misdeed_of = lambda seen: ""
    assert "kept: 3" in told("made", "--resume", "1")
    with pytest.raises(CommandError, match="This run is over"):
        told("made", "--resume", "1")


class Embedded:
    """A site on an SQLite file, without a broker."""

    def __init__(self, folder: Path, tables: Path) -> None:
        shutil.copy(tables, folder / "made.sqlite3")
        env = {name: value for name, value in os.environ.items() if name not in ("REDIS_URL", "DATABASE_URL")}
        self.folder = folder
        self.env = env | {
            "DJANGO_SETTINGS_MODULE": "config.settings.embedded",
            "DATABASE_URL": f"sqlite:///{folder / 'made.sqlite3'}",
            "DATA_DIR": str(folder),
            "SECRET_KEY": "only-for-this-test-0123456789abcdefghijklmnopqrstuvwxyz",
            "LOG_LEVEL": "WARNING",
            "ENDPOINT_HOSTS_ALLOWED": "127.0.0.1:*",
        }

    def manage(self, *args: str) -> str:
        return self._run("manage.py", *args)

    def python(self, program: str, *args: str) -> str:
        return self._run("-c", f"import django; django.setup()\n{program}", *args)

    def _run(self, *args: str) -> str:
        done = subprocess.run(
            [sys.executable, *args],
            cwd=services.ROOT,
            env=self.env,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout[-1000:] + done.stderr[-3000:]
        return done.stdout

    def second_is(self) -> str:
        """The state of the second run, read beside the runner."""
        with closing(sqlite3.connect(self.folder / "made.sqlite3", timeout=30)) as file:
            row = file.execute("SELECT state FROM annotation_generationrun WHERE n = 2").fetchone()
            return str(row[0])

    def facts(self) -> dict[str, list[list[object]]]:
        found: dict[str, list[list[object]]] = json.loads(self.python(FACTS))
        return found


@pytest.mark.timeout(600)  # it may be the first to ask for both databases
def test_on_sqlite_by_the_command_and_by_the_built_in_runner(
    server: llm_server.Server, tmp_path: Path, migrated_sqlite: Path
) -> None:
    site = Embedded(tmp_path, migrated_sqlite)
    site.python(PREPARE, server.url)
    said = site.manage("generate", "made", "--name", "first", "--endpoint", "local")
    assert said.splitlines()[-4:] == ["run 1: done", "kept: 15", "dropped: 0", "making: 0"]
    # The same again is answered from what was kept; the runner does it alone.
    asked = len(server.seen)
    site.python(BEGIN)
    log = tmp_path / "runner.log"
    runner = services.Process([sys.executable, "manage.py", "runjobs", "--interval", "0.1"], log, env=site.env)
    try:
        wait_until(lambda: site.second_is() != "running" or not runner.alive(), 90, "the run")
    finally:
        runner.stop()
    found = site.facts()
    assert found["runs"] == [[1, "done", "", 15], [2, "done", "", 15]], runner.tail()
    assert len(server.seen) == asked == 50
    assert len(found["items"]) == 15


@pytest.mark.django_db(transaction=True)
def test_it_waits_as_long_as_an_endpoint_needs(server: llm_server.Server) -> None:
    of = machine.a_machine_project("made", settings={"batch_size": 2})
    machine.question_sets(of, 2)
    machine.a_server_endpoint(of, server.url, name="local", seconds=1)
    server.misdeeds = ["500", "torn", "cut"]
    said = told("made", "--endpoint", "local", "--name", "first")
    assert "run 1: done" in said
    assert "making: 0" in said
