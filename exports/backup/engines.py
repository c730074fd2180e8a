"""The two databases: how each is put into one file while people work, and read back into an empty place."""

import hashlib
import os
import re
import shutil
import sqlite3
import subprocess
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connection, transaction
from psycopg.conninfo import make_conninfo

from exports.backup.rules import ArchiveRefused
from validation.voting import triggers as guards

_CONNECTION = (
    *("host", "port", "user", "dbname", "service", "passfile"),
    *("sslmode", "sslrootcert", "sslcert", "sslkey"),
)


# Rows and a hash of each table: what a restored database is compared by. The hash is the sum of the rows' SHA-256
# modulo 2^256, so no order and no collation matters; it finds what got lost or altered, not what somebody forged.
Tables = dict[str, dict[str, Any]]


# Who is signed in now: a copy of these would sign in whoever has it.
SESSION_TABLES = ("annotation_browsersession", "django_session")


class BackupFailed(Exception):
    """It could not be made or read back; the message says why."""


class Postgres:
    """pg_dump and pg_restore of the server's own major version: another one has lost people their data."""

    name = "postgresql"

    def server(self) -> str:
        """The version of what runs the database."""
        connection.ensure_connection()
        return str(connection.connection.info.parameter_status("server_version")).split()[0]

    def dump(self, path: Path) -> Tables:
        """Write one consistent state to a file; its hashes are of the same state."""
        program = self._program("pg_dump")
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            cursor.execute("SELECT pg_export_snapshot()")
            snapshot = cursor.fetchone()[0]
            flags = ["--format=custom", f"--snapshot={snapshot}", f"--file={path}"]
            flags += [f"--exclude-table-data=*.{table}" for table in SESSION_TABLES]
            self._run(program, *flags)
            return postgres_tables()

    def is_empty(self) -> bool:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT NOT EXISTS (SELECT 1 FROM pg_class WHERE relnamespace = current_schema()::regnamespace)"
            )
            return bool(cursor.fetchone()[0])

    def restore(self, path: Path) -> None:
        """Read a dump into the empty database, whole or not at all."""
        self._run(self._program("pg_restore"), "--exit-on-error", "--single-transaction", str(path))

    def tables(self) -> Tables:
        with transaction.atomic():
            return postgres_tables()

    def _run(self, program: Path, *flags: str) -> None:
        """Run it on this connection's database; whatever it says on a failure is passed on."""
        given = connection.get_connection_params()
        # What libpq knows in every version; a newer one than the program's may add words that it does not.
        address = make_conninfo("", **{key: given[key] for key in _CONNECTION if given.get(key)})
        command = [
            str(program),
            "--no-owner",
            "--no-privileges",
            "--no-password",
            f"--dbname={address}",
            *flags,
        ]
        password = {"PGPASSWORD": given["password"]} if given.get("password") else {}
        env = {**os.environ, **password}
        done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
        if done.returncode:
            words = done.stderr.strip().splitlines()
            raise BackupFailed(f"{program.name} ended with {done.returncode}: {' '.join(words[-3:])}")

    def _program(self, name: str) -> Path:
        major = self.server().split(".")[0]
        folders = [settings.PG_BINDIR, f"/usr/lib/postgresql/{major}/bin", f"/usr/pgsql-{major}/bin"]
        for folder in [*folders, *os.get_exec_path()]:
            program = Path(folder) / name if folder else None
            if program is not None and os.access(program, os.X_OK) and _major(program) == major:
                return program
        raise BackupFailed(
            f"There is no {name} of PostgreSQL {major} here: install postgresql-client-{major}, or say in "
            "PG_BINDIR where it is."
        )


def _major(program: Path) -> str:
    shown = subprocess.run([program, "--version"], capture_output=True, text=True, check=False).stdout
    number = re.search(r"\b(\d+)(?:\.\d+)?", shown)
    return number.group(1) if number else ""


class Sqlite:
    """VACUUM INTO: one consistent state, also while others write. Copying the file would miss what is in the WAL."""

    name = "sqlite"

    def server(self) -> str:
        return sqlite3.sqlite_version

    def dump(self, path: Path) -> Tables:
        with connection.cursor() as cursor:
            cursor.execute("VACUUM INTO %s", [str(path)])
        try:
            _empty_sessions(path)
        except sqlite3.Error as error:
            raise BackupFailed(f"The database says: {error}.") from error
        _check_sqlite(path)
        return sqlite_tables(str(path))

    def is_empty(self) -> bool:
        with connection.cursor() as cursor:
            return not connection.introspection.table_names(cursor)

    def restore(self, path: Path) -> None:
        _check_sqlite(path)
        connection.close()
        target = Path(settings.DATABASES["default"]["NAME"])
        part = target.with_name(f".{target.name}.restored")
        shutil.copyfile(path, part)
        with part.open("rb") as file:
            os.fsync(file.fileno())
        for left in ("-wal", "-shm"):
            target.with_name(target.name + left).unlink(missing_ok=True)
        part.replace(target)

    def tables(self) -> Tables:
        connection.close()
        return sqlite_tables(str(settings.DATABASES["default"]["NAME"]))


def engine() -> Postgres | Sqlite:
    """That of the settings."""
    return Postgres() if connection.vendor == "postgresql" else Sqlite()


def _check_sqlite(path: Path) -> None:
    """A whole database of tables, indexes and our own triggers: others, in a file from somebody else, could do harm."""
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as opened:
            opened.execute("PRAGMA trusted_schema = OFF")
            state = opened.execute("PRAGMA integrity_check").fetchone()[0]
            strange = [
                name
                for kind, name, made_by in opened.execute("SELECT type, name, sql FROM sqlite_master")
                if kind not in {"table", "index"} and (kind != "trigger" or guards.SQLITE.get(name) != made_by)
            ]
    except sqlite3.Error as error:
        raise ArchiveRefused(f"The database in it cannot be read: {error}.") from None
    if state != "ok" or strange:
        raise ArchiveRefused("The database in it is damaged, or holds more than tables, indexes and our triggers.")


def _empty_sessions(path: Path) -> None:
    """Delete all sessions of a SQLite file, so that no page of it has their bytes any more."""
    with closing(sqlite3.connect(path)) as opened:
        opened.execute("PRAGMA journal_mode = MEMORY")
        opened.execute("PRAGMA secure_delete = ON")
        there = {name for (name,) in opened.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        for table in there.intersection(SESSION_TABLES):
            opened.execute(f"DELETE FROM {_quoted(table)}")  # noqa: S608 - our own names
        opened.commit()


def _rows_checksum(rows: Iterable[bytes]) -> dict[str, Any]:
    count = total = 0
    for row in rows:
        count += 1
        total += int.from_bytes(hashlib.sha256(row).digest(), "big")
    return {"rows": count, "sha256": f"{total % (1 << 256):064x}"}


def postgres_tables() -> Tables:
    """Every table of the connection's schema, read by COPY in the caller's snapshot."""
    quote, result, inspected = connection.ops.quote_name, {}, connection.introspection
    with connection.cursor() as cursor:
        columns = {
            name: sorted(column.name for column in inspected.get_table_description(cursor, name))
            for name in sorted({*inspected.table_names(cursor)}.difference(SESSION_TABLES))
        }
    for name, names in columns.items():
        chosen = ", ".join(map(quote, names))
        statement = f"COPY (SELECT {chosen} FROM {quote(name)}) TO STDOUT"  # noqa: S608 - names of the catalogue
        with connection.connection.cursor() as plain, plain.copy(statement) as copy:
            result[name] = _rows_checksum(map(bytes, copy))
    return result


def sqlite_tables(path: str) -> Tables:
    """Every table of a SQLite file that nobody writes to, but for SQLite's own."""
    result: Tables = {}
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as opened:
        opened.text_factory = bytes
        tables = "SELECT CAST(name AS BLOB) FROM sqlite_master WHERE type = 'table'"
        names = opened.execute(tables + " AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'")
        for name in sorted({bytes(name).decode() for (name,) in names}.difference(SESSION_TABLES)):
            columns = sorted(row[1].decode() for row in opened.execute(f"PRAGMA table_info({_quoted(name)})"))
            chosen = ", ".join(map(_quoted, columns))
            rows = opened.execute(f"SELECT {chosen} FROM {_quoted(name)}")  # noqa: S608 - names of the catalogue
            result[name] = _rows_checksum(repr(row).encode() for row in rows)
    return result


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
