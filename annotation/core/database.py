"""The database's clock, row locks and plain statements, the same call on PostgreSQL and on SQLite."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

from django.db import DEFAULT_DB_ALIAS, IntegrityError, connection, connections, models
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.utils.dateparse import parse_datetime

Row = TypeVar("Row", bound=models.Model)


def now() -> datetime:
    """What the database's clock says: leases and ages never use a web machine's."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SELECT statement_timestamp()")
            moment: datetime = cursor.fetchone()[0]
            return moment
        cursor.execute("SELECT strftime('%%Y-%%m-%%d %%H:%%M:%%f', 'now')", [])
        parsed = parse_datetime(cursor.fetchone()[0])
        assert parsed is not None  # noqa: S101 - SQLite's own format
        return parsed.replace(tzinfo=UTC)  # and not in the reader's zone, which is the current one in a page


def fetch_rows(statement: str, params: Sequence[Any], using: str = DEFAULT_DB_ALIAS) -> list[tuple[Any, ...]]:
    """Run one statement that the ORM cannot say, its values as parameters, and give its rows."""
    with connections[using].cursor() as cursor:
        cursor.execute(statement, params)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
        return rows


def seconds_from_now(seconds: float) -> models.expressions.CombinedExpression:
    """`seconds` from now by the database's clock, as an expression for an update."""
    return Now() + timedelta(seconds=seconds)


def locked(rows: QuerySet[Row], *, skip: bool = False) -> QuerySet[Row]:
    """Lock the rows of the queryset's own table; SQLite holds the whole file already (IMMEDIATE).

    Not their keys: a row that only refers to a locked one (a vote to its project) is stored without waiting, and
    without a deadlock with somebody who holds the project and waits for the item.
    """
    if connection.features.has_select_for_update_of:
        return rows.select_for_update(of=("self",), skip_locked=skip, no_key=True)
    return rows.select_for_update()


def is_duplicate(error: IntegrityError) -> bool:
    """Whether a row was refused because another one has its key, and not for anything else that the database asks."""
    if connection.vendor == "postgresql":
        return getattr(error.__cause__, "sqlstate", "") == "23505"  # unique_violation
    return str(error).startswith("UNIQUE constraint failed")
