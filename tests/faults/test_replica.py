"""A replica for the readings of insights: a real one, which streams, stands still, is killed, or is somebody else's."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.db import DEFAULT_DB_ALIAS, DatabaseError, connection, connections
from pytest_django.fixtures import Settings
from structlog.testing import capture_logs

from annotation.content.models.item import Item
from annotation.core.database import fetch_rows
from annotation.core.models.project import Project
from annotation.jobs import queue as jobs
from annotation.jobs import replica
from annotation.jobs.models import Heartbeat, Job
from config.postgresql.base import silences
from config.settings import databases
from tests import questions, services
from tests.answers import Row, store_answers
from tests.conventions import sources
from tests.every_answer_type import a_project, registered
from tests.faults import site
from tests.faults.test_metrics import metrics, samples, served
from tests.faults.test_silent_database import tell
from tests.wait import wait_until
from validation.insights import reports as insights
from validation.insights.actions import insights_ask
from validation.insights.models import Insight as Stored
from validation.insights.reports.base import TableRows
from validation.insights.reports.reading import Reading

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.timeout(300)]
HEAVY = ("annotation_item", "validation_vote", "annotation_revision")
IN_RECOVERY = "SELECT pg_is_in_recovery()"


@pytest.fixture(scope="module")
def server(django_db_setup: None) -> Iterator[services.Replica]:
    made = services.start_replica(os.environ["DATABASE_URL"])
    yield made
    made.remove()


@pytest.fixture
def standby(server: services.Replica, settings: Settings) -> Iterator[services.Replica]:
    """The replica, as the alias has it; whatever a test did to it, it streams again for the next one."""
    settings.MUFAKAT_REPLICA_SECONDS = 30
    with named(server.url(database())):
        yield server
    assert server.process is not None
    if server.process.alive():
        tell(server, signal.SIGCONT)
    else:
        server.start()
    silences.clear()
    on(server, "SELECT pg_wal_replay_resume()")


@contextmanager
def named(url: str) -> Iterator[None]:
    """DATABASE_REPLICA_URL while Django runs: its test cases have looked at the aliases before, and let in no other."""
    found = {**connections.settings, replica.ALIAS: databases.replica(url)}
    connections.settings[replica.ALIAS] = connections.configure_settings(found)[replica.ALIAS]
    its: Any = connections[replica.ALIAS]

    def ensure_connection() -> None:
        if its.connection is None:
            with its.wrap_database_errors:
                its.connect()

    its.ensure_connection = ensure_connection
    try:
        yield
    finally:
        connections[replica.ALIAS].close()
        del connections[replica.ALIAS]
        del connections.settings[replica.ALIAS]


def database() -> str:
    return str(connection.settings_dict["NAME"])


def on(server: services.Replica, statement: str) -> None:
    with psycopg.connect(server.url(database()), autocommit=True) as direct:
        direct.execute(statement)


@pytest.fixture
def project() -> Project:
    made = questions.a_question_project("own")
    store_answers(made, [Row("W1", "ABCDE"[n % 5], {"W2": "A", "W3": "ABCDE"[n % 5]}, "food") for n in range(6)])
    return made


def run(project: Project) -> Job:
    return jobs.run_here(insights_ask(project=project, by=None, nightly=True))


def read_where() -> bool:
    """Whether a reading would be done on a replica."""
    return bool(replica.read(lambda using: fetch_rows(IN_RECOVERY, [], using)[0][0]))


def passed_over() -> bool:
    return Heartbeat.objects.filter(name=replica.PASSED_OVER).exists()


def wrapped(monkeypatch: pytest.MonkeyPatch, compute: Callable[[Reading], TableRows]) -> None:
    """The first insight computes by this instead."""
    first, *others = insights.all_insights()
    every = [replace(first, compute=compute), *others]
    monkeypatch.setattr(insights, "applicable_to", lambda project: [each for each in every if each.applies_to(project)])


# --- it is read --------------------------------------------------------------------------------


def test_items_votes_and_texts_are_read_from_the_replica_alone(standby: services.Replica, project: Project) -> None:
    """And what comes of them is what comes of the primary."""
    asked: list[str] = []

    def seen(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if sql.lstrip().startswith(("SELECT", "WITH")):
            asked.append(sql)
        return execute(sql, params, many, context)

    with registered():
        projects = (project, a_project())
        with connection.execute_wrapper(seen):
            assert [run(each).state for each in projects] == [Job.State.DONE] * 2
        heavy = [sql for sql in asked if any(re.search(rf'FROM "?{table}\b', sql) for table in HEAVY)]
        assert heavy == []
        assert not passed_over()
        there = tables()
        Stored.objects.all().delete()
        with without():
            assert [run(each).state for each in projects] == [Job.State.DONE] * 2
    assert there == tables()
    assert {slug for _, slug in there} >= {"agreement", "questions", "sets"}


def tables() -> dict[tuple[int, str], Any]:
    """What is stored of each insight of each project."""
    return {(each.project_id, each.slug): each.tables for each in Stored.objects.all()}


@contextmanager
def without() -> Iterator[None]:
    """No replica is named."""
    kept = connections.settings.pop(replica.ALIAS)
    try:
        yield
    finally:
        connections.settings[replica.ALIAS] = kept


def test_a_reading_waits_until_the_replica_has_all_that_was_written_before(
    standby: services.Replica, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    on(standby, "SELECT pg_wal_replay_pause()")
    questions.a_question_project("later")
    waited: list[float] = []

    def sleep(seconds: float) -> None:
        if not waited:
            on(standby, "SELECT pg_wal_replay_resume()")
        waited.append(seconds)

    monkeypatch.setattr("annotation.jobs.replica.time.sleep", sleep)
    rows = replica.read(lambda using: fetch_rows("SELECT slug, pg_is_in_recovery() FROM annotation_project", [], using))
    assert waited
    assert {*rows} == {("own", True), ("later", True)}


def test_a_write_through_it_is_refused(standby: services.Replica, project: Project) -> None:
    with pytest.raises(DatabaseError, match="read-only transaction"):
        Project.objects.using(replica.ALIAS).filter(pk=project.pk).update(name="changed")


# --- it is passed over -------------------------------------------------------------------------


def pause(server: services.Replica) -> None:
    on(server, "SELECT pg_wal_replay_pause()")


def stop_answering(server: services.Replica) -> None:
    tell(server, signal.SIGSTOP)


@pytest.mark.parametrize("harm", [pause, services.Replica.kill, stop_answering])
def test_the_primary_is_read_where_the_replica_is_behind_away_or_silent(
    standby: services.Replica, settings: Settings, harm: Callable[[services.Replica], None]
) -> None:
    """What was written a moment ago is in it; it is logged, and the metrics know of it."""
    settings.MUFAKAT_REPLICA_SECONDS = 0
    connections[replica.ALIAS].settings_dict["OPTIONS"] |= {"silence_seconds": 1, "connect_timeout": 1}
    harm(standby)
    project = questions.a_question_project("new")
    store_answers(project, [Row("W1", "A", {"W2": "A"}, "food")])
    with capture_logs() as logs:
        assert run(project).state == Job.State.DONE
    assert {each.items for each in Stored.objects.filter(project=project)} == {1}
    assert [each["event"] for each in logs if each["log_level"] == "warning"] == ["replica_passed_over"]
    assert passed_over()


def test_a_replica_that_is_killed_meanwhile_costs_no_insight(
    standby: services.Replica, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    where: list[str] = []

    def compute(reading: Reading) -> TableRows:
        if not where:
            standby.kill()
        where.append(reading.using)
        return insights.all_insights()[0].compute(reading)

    wrapped(monkeypatch, compute)
    job = run(project)
    assert (job.state, job.attempts) == (Job.State.DONE, 1)
    assert where == [replica.ALIAS, DEFAULT_DB_ALIAS]
    assert {each.items for each in Stored.objects.all()} == {6}
    assert passed_over()


def test_an_error_of_the_primary_is_no_fault_of_the_replica(standby: services.Replica) -> None:
    asked: list[str] = []

    def function(using: str) -> None:
        asked.append(using)
        fetch_rows("SELECT nothing", [])

    with pytest.raises(DatabaseError):
        replica.read(function)
    assert asked == [replica.ALIAS]
    assert not passed_over()


def test_a_primary_under_its_name_is_not_read_as_a_replica(db: None) -> None:
    """As after a failover; and nothing can be written there through the alias."""
    with named(os.environ["DATABASE_URL"].rsplit("/", 1)[0] + f"/{database()}"):
        assert not read_where()
        assert replica.lag() is None
        with pytest.raises(DatabaseError, match="read-only transaction"):
            Project.objects.using(replica.ALIAS).update(name="changed")
    assert passed_over()


@pytest.fixture
def others() -> Iterator[tuple[services.Postgres, services.Replica]]:
    """A server that nobody writes to, and its replica."""
    primary = services.start_postgres()
    its = services.start_replica(primary.url())
    yield primary, its
    its.remove()
    primary.remove()


ASK = """
import django
django.setup()
from annotation.jobs import replica
print(replica.lag(), replica.read(lambda using: using))
"""


def test_a_replica_of_an_idle_server_is_read_and_that_of_another_one_is_not(
    others: tuple[services.Postgres, services.Replica], tmp_path: Path
) -> None:
    """However long ago the last transaction was: there is nothing to wait for, and so nothing is waited for."""
    primary, its = others
    with psycopg.connect(primary.url()) as one, psycopg.connect(its.url(), autocommit=True) as other:
        ((position,),) = one.execute("SELECT pg_current_wal_lsn()").fetchall()
        caught_up = "SELECT pg_last_wal_replay_lsn() >= %s::pg_lsn"
        wait_until(lambda: other.execute(caught_up, [position]).fetchone() == (True,), what="it to catch up")
    env = site.environment(primary.url(), "", tmp_path, "production")
    env |= {"DATABASE_REPLICA_URL": its.url(), "DATABASE_REPLICA_LAG": "0"}
    line = [sys.executable, "-c", ASK]
    done = subprocess.run(line, cwd=services.ROOT, env=env, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["0", replica.ALIAS]
    with named(its.url()):
        assert not read_where()
        assert replica.lag() is None
    assert passed_over()


# --- what is said of it ------------------------------------------------------------------------


def test_the_metrics_tell_how_far_behind_it_is_and_when_it_was_passed_over(
    standby: services.Replica, process_env: dict[str, str], tmp_path: Path
) -> None:
    env = {**process_env, "DATABASE_REPLICA_URL": standby.url(database())}
    process, port = metrics(env, tmp_path)
    try:
        found = samples(served(port))
        assert found["mufakat_replica_up"][()] == 1
        assert "mufakat_replica_passed_over_seconds" not in found
        pause(standby)
        jobs.record_heartbeat(replica.PASSED_OVER)
        found = samples(served(port))
        assert found["mufakat_replica_lag_bytes"][()] > 0
        assert found["mufakat_replica_passed_over_seconds"][()] >= 0
        standby.kill()
        found = samples(served(port))
        assert (found["mufakat_database_up"][()], found["mufakat_replica_up"][()]) == (1, 0)
        assert "mufakat_replica_lag_bytes" not in found
    finally:
        process.stop()


def test_a_replica_is_named_beside_its_primary(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_REPLICA_URL", "postgres://u@h/d")
    assert [*databases.databases("postgres://u@h2/d")] == [DEFAULT_DB_ALIAS, replica.ALIAS]


def test_few_read_there() -> None:
    """Nothing of a vote, a permission or a release: whoever is added here reads what is of a moment anyway."""
    found = {
        sources.relative_name(path)
        for path in sources.python_files(*sources.APPS)
        if any(imported == "annotation.jobs.replica" for _, imported in sources.imports(path))
    }
    assert found == {
        "validation/insights/jobs.py",
        "validation/management/commands/compare_sets.py",
        "config/metrics.py",
    }
    assert Item.objects.all().db == DEFAULT_DB_ALIAS
