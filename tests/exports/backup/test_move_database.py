"""`manage.py move_database`: the demo on SQLite goes to PostgreSQL, every table and key equal."""

import json
import secrets
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest

from annotation.core import schema
from tests.faults import site


@pytest.fixture
def target(process_env: dict[str, str]) -> Iterator[str]:
    """The address of an empty database on the suite's server."""
    server = process_env["DATABASE_URL"].rsplit("/", 1)[0]
    name = f"moved_{secrets.token_hex(4)}"
    with psycopg.connect(f"{server}/postgres", autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE template0")
        yield f"{server}/{name}"
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


def everything(env: dict[str, str]) -> dict[tuple[str, str], Any]:
    """Every row of every table as Django writes it down, by its model and key."""
    rows = json.loads(site.manage(env, "dumpdata").stdout)
    found = {(row["model"], str(row["pk"])): row["fields"] for row in rows}
    assert len(found) == len(rows)
    return found


def counts(database: sqlite3.Connection | psycopg.Connection[Any], tables: list[str]) -> dict[str, int]:
    return {name: len(database.execute(f'SELECT 1 FROM "{name}"').fetchall()) for name in tables}  # noqa: S608


@pytest.mark.timeout(900)  # the demo takes some minutes where others keep the machine busy
def test_the_demo_moves_whole(tmp_path: Path, migrated_sqlite: Path, target: str) -> None:
    file = tmp_path / "a.sqlite3"
    shutil.copy(migrated_sqlite, file)
    here = site.environment(f"sqlite:///{file}", "", tmp_path / "data", "embedded")
    there = {**here, "DATABASE_URL": target}
    site.manage(here, "load_demo")
    with closing(sqlite3.connect(file)) as opened:
        last = dict(opened.execute("SELECT name, seq FROM sqlite_sequence"))
        listed = {name for (name,) in opened.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        tables = sorted(listed - {"sqlite_sequence", "django_migrations", schema.TABLE})
        before = counts(opened, tables)
    assert before["annotation_item"] > 100
    said = site.manage(here, "move_database", target).stdout
    assert f"{len(tables)} tables, {sum(before.values())} rows: all are there" in said
    assert "take these folders of DATA_DIR along: imports, media, releases." in said
    with psycopg.connect(target) as moved:
        assert counts(moved, tables) == before
        for table in ("annotation_item", "validation_vote", "annotation_user"):
            (key,) = moved.execute("SELECT nextval(pg_get_serial_sequence(%s, 'id'))", [table]).fetchone() or (0,)
            assert key == last[table] + 1
    assert everything(there) == everything(here)
    assert "0 breaches" in site.manage(there, "check_integrity").stdout
    again = site.manage(here, "move_database", target, check=False)
    assert (again.returncode, "not empty" in again.stderr, "Traceback" in again.stderr) == (2, True, False)


@pytest.mark.timeout(600)  # it may be the first to ask for both databases
def test_what_cannot_be_moved_is_said(tmp_path: Path, migrated_sqlite: Path, target: str) -> None:
    """From PostgreSQL, into others' tables, to nobody, and what PostgreSQL does not take: exit 2, and nothing there."""
    file = tmp_path / "a.sqlite3"
    shutil.copy(migrated_sqlite, file)
    here = site.environment(f"sqlite:///{file}", "", tmp_path / "data", "embedded")

    def refused(env: dict[str, str], url: str) -> str:
        done = site.manage(env, "move_database", url, check=False)
        assert (done.returncode, "Traceback" in done.stderr) == (2, False), done.stderr
        return done.stderr

    assert "is not SQLite" in refused({**here, "DATABASE_URL": target}, target)
    assert "PostgreSQL says" in refused(here, target + "_that_is_not_there")
    with psycopg.connect(target, autocommit=True) as other:
        other.execute("CREATE TABLE theirs (n int)")
        assert "is not empty" in refused(here, target)
        other.execute("DROP TABLE theirs")
        with closing(sqlite3.connect(file)) as opened:
            opened.execute("INSERT INTO annotation_heartbeat VALUES ('one' || char(0), '2026-01-01 00:00:00')")
            opened.commit()
        assert "PostgreSQL says" in refused(here, target)
        assert counts(other, ["annotation_heartbeat"]) == {"annotation_heartbeat": 0}
