"""Many rows at once: COPY on PostgreSQL, `executemany` on SQLite. The caller owns the transaction.

Columns that are not named get the field's default; those with a default of the database's own, and nullable ones,
are left to it. Nothing is validated here, so callers hand over what they have checked.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from contextlib import ExitStack
from itertools import islice, repeat
from typing import Any

import orjson
from django.db import connection, models
from django.db.models.expressions import RawSQL

from annotation.core.database import fetch_rows

# So many rows are turned at once.
CHUNK = 5000


def _plain_json(value: Any) -> str:
    return orjson.dumps(value).decode()


def reserve_ids(model: type[models.Model], count: int) -> list[int]:
    """Take primary keys for rows to be inserted, so that rows of other tables can name them before they are."""
    table = model._meta.db_table
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(
                "SELECT nextval(name) FROM (SELECT pg_get_serial_sequence(%s, %s)::regclass AS name OFFSET 0) AS own,"
                " generate_series(1, %s)",
                [table, model._meta.pk.column, count],
            )
            return [row[0] for row in cursor.fetchall()]
        # Inside a transaction that holds the file: nobody takes the same ones.
        cursor.execute("SELECT seq FROM sqlite_sequence WHERE name = %s", [table])
        found = cursor.fetchone()
        last = found[0] if found else 0
        return list(range(last + 1, last + 1 + count))


def _default_values(model: type[models.Model], names: Sequence[str]) -> dict[str, Any]:
    """The defaults of the columns that the rows do not bring."""
    return {
        field.attname: field.get_default()
        for field in model._meta.concrete_fields
        if field.attname not in names
        and not field.primary_key
        and not field.null
        and field.db_default is models.NOT_PROVIDED
    }


def _copy_column(field: "models.Field[Any, Any]", values: Sequence[Any]) -> Sequence[str]:
    """A column in the text form of COPY: whole columns, as a call for each value takes as long as the database."""
    while isinstance(field, models.ForeignKey):
        field = field.target_field
    texts = values
    if isinstance(field, models.JSONField):
        texts = [orjson.dumps(value).decode() for value in values]
    elif not isinstance(field, (models.CharField, models.TextField)):
        return [_NULL if value is None else str(value) for value in values]
    if None not in texts and not _ESCAPED.search("".join(texts)):
        return texts
    return [_NULL if text is None else _ESCAPED.sub(_escape, text) for text in texts]


def _escape(mark: re.Match[str]) -> str:
    return _ESCAPES[mark.group()]


_NULL = r"\N"
_ESCAPES = {"\\": r"\\", "\t": r"\t", "\n": r"\n", "\r": r"\r"}
_ESCAPED = re.compile(r"[\\\t\n\r]")


def _sqlite_column(field: "models.Field[Any, Any]", values: Sequence[Any]) -> Sequence[Any]:
    """A column as SQLite keeps it."""
    if isinstance(field, models.JSONField):
        return [_plain_json(value) for value in values]
    if isinstance(field, models.DateTimeField):
        return [connection.ops.adapt_datetimefield_value(value) for value in values]
    return values


def bulk_insert(model: type[models.Model], names: Sequence[str], rows: Iterable[Sequence[Any]]) -> int:
    """Insert rows of these columns (attribute names such as `project_id`); how many there were."""
    rest = iter(rows)
    chunk = list(islice(rest, CHUNK))
    if not chunk:
        return 0
    constants = _default_values(model, names)
    by_name = {field.attname: field for field in model._meta.concrete_fields}
    fields = [by_name[name] for name in (*names, *constants)]
    quote, n = connection.ops.quote_name, 0
    columns = ", ".join(quote(str(field.column)) for field in fields)
    table, postgresql = quote(model._meta.db_table), connection.vendor == "postgresql"
    turned = _copy_column if postgresql else _sqlite_column
    tail = [repeat(turned(by_name[name], [value])[0]) for name, value in constants.items()]
    with connection.cursor() as cursor, ExitStack() as stack:
        if postgresql:
            # COPY passes Django's cursor by: a broken constraint has to become Django's IntegrityError here.
            stack.enter_context(connection.wrap_database_errors)
            copy = stack.enter_context(cursor.copy(f"COPY {table} ({columns}) FROM STDIN"))
        while chunk:
            whole = (turned(field, values) for field, values in zip(fields, zip(*chunk, strict=True), strict=False))
            made = zip(*whole, *tail, strict=False)
            if postgresql:
                copy.write("\n".join(map("\t".join, made)) + "\n")
            else:
                places = ", ".join(["%s"] * len(fields))
                cursor.executemany(f"INSERT INTO {table} ({columns}) VALUES ({places})", list(made))  # noqa: S608
            n += len(chunk)
            chunk = list(islice(rest, CHUNK))
    return n


def look_up(
    model: type[models.Model],
    within: tuple[str, int],
    column: str,
    values: Collection[str],
    columns: Sequence[str],
) -> list[tuple[Any, ...]]:
    """`columns` of the rows `within` something whose `column` has one of these values: each is looked up in the index.

    In a table that is being filled statistics are behind, and for a join the planner would read it whole.
    """
    wanted = ", ".join(f"own.{name}" for name in columns)
    own = f"{model._meta.db_table} AS own WHERE own.{within[0]} = %s AND own.{column} = asked.value"
    if connection.vendor == "postgresql":
        # OFFSET: what stands in brackets is not joined, but done for each value. A column for the one number: of a new
        # project the planner would suppose that it has hardly a row, and take any index that begins with it.
        each = f"(SELECT {wanted} FROM {own} OFFSET 0) AS own"  # noqa: S608 - names of models
        asked = "(SELECT %s::bigint AS whole, json_array_elements_text(%s) AS value) AS asked"
        statement = f"SELECT {wanted} FROM {asked}, LATERAL {each}".replace("= %s", "= asked.whole")  # noqa: S608
        return fetch_rows(statement, [within[1], _plain_json(list(values))])
    statement = f"SELECT {wanted} FROM json_each(%s) AS asked CROSS JOIN {own}"  # noqa: S608
    return fetch_rows(statement, [_plain_json(list(values)), within[1]])


def any_of(values: Collection[str] | Collection[int]) -> RawSQL | list[Any]:
    """A thousand values for `field__in=`, as one parameter that is joined with the table; none stay an empty list.

    As a list of a thousand parameters the planner, once it keeps a plan, reads the whole table for each of them.
    """
    listed: list[Any] = list(values)
    if not listed:
        return listed  # nothing says of which type they would be
    if connection.vendor == "postgresql":
        kind = "bigint" if isinstance(listed[0], int) else "text"
        return RawSQL(f"SELECT unnest(%s::{kind}[])", [listed])  # noqa: S611 - one of two words
    return RawSQL("SELECT value FROM json_each(%s)", [_plain_json(listed)])
