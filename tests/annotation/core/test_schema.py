"""A database of another schema is recognised and described in one sentence, on both databases."""

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from annotation.core import schema
from config import migrated

FIRST = ("annotation", "0001_initial")


# As if the first migration had been another one when this database was made.
OTHER_DIGEST = f"UPDATE {schema.TABLE} SET digest = 'another' WHERE app = 'annotation' AND name = '0001_initial'"  # noqa: S608


@pytest.mark.django_db
def test_the_migrated_database_is_one_of_this_version() -> None:
    assert schema.schema_fault() == ""


@pytest.mark.django_db
@pytest.mark.parametrize("table", ["with another digest", "without digests", "without the table"])
def test_equal_names_do_not_hide_another_schema(table: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(migrated, "_seen", [])
    with connection.cursor() as cursor:
        if table == "with another digest":
            cursor.execute(OTHER_DIGEST)
        else:
            cursor.execute(f"{'DELETE FROM' if table == 'without digests' else 'DROP TABLE'} {schema.TABLE}")
    assert "annotation.0001_initial" in schema.schema_fault()
    assert not migrated.is_migrated()
    with pytest.raises(CommandError, match=r"made by another version of Mufakat.*annotation\.0001_initial"):
        call_command("migrate", verbosity=0)


@pytest.mark.django_db
def test_a_database_that_went_another_way_is_refused() -> None:
    """It lacks a migration of ours and has one that this version does not know."""
    recorder = MigrationRecorder(connection)
    last = max(key for key in recorder.applied_migrations() if key[0] == "annotation")
    recorder.record_unapplied(*last)
    assert schema.schema_fault() == schema.BEHIND
    recorder.record_applied("annotation", "0099_of_somebody_else")
    assert "annotation.0099_of_somebody_else" in schema.schema_fault()


@pytest.mark.django_db
def test_a_database_of_a_version_to_come_serves_on() -> None:
    """The old code goes on while the new one has migrated already."""
    MigrationRecorder(connection).record_applied("annotation", "0099_of_a_version_to_come")
    assert schema.schema_fault() == ""


def manage(url: str, tmp_path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "DATABASE_URL": url, "REDIS_URL": "", "MUFAKAT_DATA_DIR": str(tmp_path)}
    env["DJANGO_SETTINGS_MODULE"] = "config.settings.embedded"
    command = [sys.executable, "manage.py", *arguments]
    return subprocess.run(command, cwd=settings.BASE_DIR, env=env, capture_output=True, text=True, check=False)


def test_commands_say_it_in_one_sentence_on_sqlite(tmp_path: Path, migrated_sqlite: Path) -> None:
    file = tmp_path / "other.sqlite3"
    file.write_bytes(migrated_sqlite.read_bytes())
    with sqlite3.connect(file) as database:
        database.execute(OTHER_DIGEST)
        database.execute("DROP TABLE annotation_project")
    for arguments in (
        ["migrate"],
        ["serve", "--port", "0"],
        ["create_project", "a", "--preset", "kalahi", "--name", "A"],
    ):
        done = manage(f"sqlite:///{file}", tmp_path, *arguments)
        assert done.returncode == 1, arguments
        assert "Traceback" not in done.stderr, arguments
        assert done.stderr.strip().splitlines()[-1].startswith("CommandError: This database was made by another"), done


@pytest.mark.django_db(transaction=True)
def test_commands_say_it_in_one_sentence_on_postgresql(tmp_path: Path, process_env: dict[str, str]) -> None:
    with psycopg.connect(process_env["DATABASE_URL"], autocommit=True) as server:
        name = f"{connection.settings_dict['NAME']}_other"
        server.execute(f'CREATE DATABASE "{name}"')
        try:
            url = process_env["DATABASE_URL"].replace(str(connection.settings_dict["NAME"]), name)
            with psycopg.connect(url, autocommit=True) as other:
                other.execute("CREATE TABLE django_migrations (id serial, app text, name text, applied timestamptz)")
                other.execute("INSERT INTO django_migrations (app, name) VALUES (%s, %s)", FIRST)
            done = manage(url, tmp_path, "migrate")
        finally:
            server.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
    assert done.returncode == 1
    assert done.stderr.strip().splitlines()[-1].startswith("CommandError: This database was made by another"), done
    assert "Traceback" not in done.stderr
