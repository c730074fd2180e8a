"""Everything of an SQLite database into PostgreSQL: every table, row and key as it is, or nothing at all."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import psycopg
from django.apps import apps
from django.conf import settings
from django.db import connection, models, transaction
from django.db.migrations.recorder import MigrationRecorder
from psycopg import sql

from annotation.core import schema
from exports.backup import full_backup

AT_ONCE = 2000
_MIGRATIONS_TABLE = "django_migrations"
Model = type[models.Model]


class MoveRefused(Exception):
    """Nothing was moved; the message says why."""


class MovedDataDiffers(Exception):
    """What arrived is not what was sent; nothing stays there."""


def move(url: str) -> dict[str, int]:
    """Move all rows to the PostgreSQL of this address; how many there are in each table.

    Tables are made there by `migrate`. Then all is copied and read again in one transaction, in which nobody writes
    here. Raises MoveRefused or Differs.
    """
    if connection.vendor != "sqlite":
        raise MoveRefused("The database here is not SQLite; take manage.py backup and restore.")
    if full_backup.count_pending_migrations():
        raise MoveRefused("Migrations are pending here: run manage.py migrate first.")
    try:
        with psycopg.connect(url) as target:
            _check_empty(target)
        _migrate(url)
        with psycopg.connect(url) as target, transaction.atomic():
            return _move_tables(target)
    except psycopg.Error as error:
        raise MoveRefused(f"PostgreSQL says: {(str(error).strip().splitlines() or [''])[0]}") from error


def _check_empty(target: psycopg.Connection[Any]) -> None:
    """No tables, or those that `migrate` makes, in which nobody has worked."""
    rows = target.execute("SELECT tablename FROM pg_tables WHERE schemaname = current_schema()")
    tables = {name for (name,) in rows}
    if tables and _MIGRATIONS_TABLE not in tables:
        raise MoveRefused("The database there is not empty.")
    for table in ("annotation_user", "annotation_project"):
        if table in tables and target.execute(_table_query("SELECT 1 FROM {} LIMIT 1", table)).fetchone():
            raise MoveRefused("The database there is not empty: somebody works with it.")


def _migrate(url: str) -> None:
    command = [sys.executable, str(settings.BASE_DIR / "manage.py"), "migrate", "--no-input", "-v", "0"]
    env = {**os.environ, "DATABASE_URL": url}
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    if done.returncode:
        output = done.stderr.strip().splitlines() or [""]
        raise MoveRefused(f"Tables could not be made there: {output[-1]}")


def _move_tables(target: psycopg.Connection[Any]) -> dict[str, int]:
    result = sorted(apps.get_models(include_auto_created=True), key=lambda model: model._meta.db_table)
    tables = [model for model in result if model._meta.managed and not model._meta.proxy]
    _check_known(tables, target)
    names = sql.SQL(", ").join(sql.Identifier(model._meta.db_table) for model in tables)
    target.execute(sql.SQL("TRUNCATE {}").format(names))
    counts = {model._meta.db_table: _copy(model, target) for model in tables}
    for model in tables:
        _compare(model, target)
        _next_key(model, target)
    return counts


def _check_known(tables: Sequence[Model], target: psycopg.Connection[Any]) -> None:
    """Every table here belongs to a model, and both databases are of the same version."""
    with connection.cursor() as cursor:
        here = set(connection.introspection.table_names(cursor))
    unknown = here - {model._meta.db_table for model in tables} - {_MIGRATIONS_TABLE, schema.TABLE}
    if unknown:
        raise MoveRefused(f"Tables that no model has: {', '.join(sorted(unknown))}.")
    applied = target.execute(_table_query("SELECT app, name FROM {}", _MIGRATIONS_TABLE)).fetchall()
    if set(applied) != set(MigrationRecorder(connection).applied_migrations()):
        raise MoveRefused("The migrations there are not those of here.")


def _fields(model: Model) -> list["models.Field[Any, Any]"]:
    return [field for field in model._meta.concrete_fields if not field.generated]


def _rows(model: Model) -> Iterator[tuple[Any, ...]]:
    """The rows of here as Python has them, in the order of their keys."""
    names = [field.attname for field in _fields(model)]
    return model._base_manager.order_by("pk").values_list(*names).iterator(chunk_size=AT_ONCE)


def _table_query(statement: str, table: str, **more: sql.Composable) -> sql.Composed:
    return sql.SQL(statement).format(sql.Identifier(table), **more)


def _columns(model: Model) -> sql.Composed:
    return sql.SQL(", ").join(sql.Identifier(str(field.column)) for field in _fields(model))


def _copy(model: Model, target: psycopg.Connection[Any]) -> int:
    structured = [place for place, field in enumerate(_fields(model)) if isinstance(field, models.JSONField)]
    statement, n = (
        _table_query("COPY {} ({columns}) FROM STDIN", model._meta.db_table, columns=_columns(model)),
        0,
    )
    with target.cursor() as cursor, cursor.copy(statement) as copy:
        for row in _rows(model):
            n, values = n + 1, list(row)
            for place in structured:
                values[place] = None if values[place] is None else json.dumps(values[place])
            copy.write_row(values)
    return n


def _compare(model: Model, target: psycopg.Connection[Any]) -> None:
    """Read what arrived, beside what is here, row by row."""
    key, table = model._meta.pk, model._meta.db_table
    # SQLite orders texts by their bytes, PostgreSQL by its language.
    order = sql.Identifier(str(key.column)) + sql.SQL(' COLLATE "C"' if isinstance(key, models.CharField) else "")
    statement = _table_query("SELECT {columns} FROM {} ORDER BY {order}", table, columns=_columns(model), order=order)
    with target.cursor(name="moved") as cursor:
        cursor.itersize = AT_ONCE
        cursor.execute(statement)
        here, there = _rows(model), iter(cursor)
        for row in here:
            if next(there, None) != row:
                raise MovedDataDiffers(table)
        if next(there, None) is not None:
            raise MovedDataDiffers(table)


def _next_key(model: Model, target: psycopg.Connection[Any]) -> None:
    """Keys go on behind the last one that was ever given here, also where its row is gone."""
    key, table = model._meta.pk, model._meta.db_table
    if not isinstance(key, models.AutoField | models.BigAutoField):
        return
    with connection.cursor() as cursor:
        cursor.execute("SELECT seq FROM sqlite_sequence WHERE name = %s", [table])
        last = cursor.fetchone()
    if last and last[0]:
        target.execute("SELECT setval(pg_get_serial_sequence(%s, %s), %s)", [table, str(key.column), last[0]])
