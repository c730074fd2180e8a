"""Many rows at once: COPY on PostgreSQL, `executemany` on SQLite. The caller owns the transaction.

Columns that are not named get the field's default; those with a default of the database's own, and nullable ones,
are left to it. Nothing is validated here, so callers hand over what they have checked.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any

import orjson
from django.db import connection, models
from django.db.models.expressions import RawSQL

from annotation.jobs.database import fetch


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


def _constants(model: type[models.Model], names: Sequence[str]) -> dict[str, Any]:
    """The defaults of the columns that the rows do not bring."""
    return {
        field.attname: field.get_default()
        for field in model._meta.concrete_fields
        if field.attname not in names
        and not field.primary_key
        and not field.null
        and field.db_default is models.NOT_PROVIDED
    }


def _converters(fields: Sequence["models.Field[Any, Any]"]) -> list[tuple[int, Callable[[Any], Any]]]:
    """What has to be turned into the database's form, by its place in the row."""
    found: list[tuple[int, Callable[[Any], Any]]] = []
    for place, field in enumerate(fields):
        if isinstance(field, models.JSONField):
            found.append((place, _plain_json))
        elif isinstance(field, models.DateTimeField) and connection.vendor != "postgresql":
            found.append((place, connection.ops.adapt_datetimefield_value))
    return found


def bulk_insert(model: type[models.Model], names: Sequence[str], rows: Iterable[Sequence[Any]]) -> int:
    """Insert rows of these columns (attribute names such as `project_id`); how many there were."""
    constants = _constants(model, names)
    by_name = {field.attname: field for field in model._meta.concrete_fields}
    named, other = [by_name[name] for name in names], [by_name[name] for name in constants]
    converters, tail = _converters(named), list(constants.values())
    for place, convert in _converters(other):
        tail[place] = convert(tail[place])

    def made() -> Iterator[list[Any]]:
        for row in rows:
            values = [*row, *tail]
            for place, convert in converters:
                values[place] = convert(values[place])
            yield values

    first = next(whole := made(), None)
    if first is None:
        return 0
    quote = connection.ops.quote_name
    columns = ", ".join(quote(str(field.column)) for field in (*named, *other))
    table, n = quote(model._meta.db_table), 1
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            # COPY passes Django's cursor by: a broken constraint has to become Django's IntegrityError here.
            with connection.wrap_database_errors, cursor.copy(f"COPY {table} ({columns}) FROM STDIN") as copy:
                copy.write_row(first)
                for values in whole:
                    copy.write_row(values)
                    n += 1
            return n
        places = ", ".join(["%s"] * len(first))
        listed = [first, *whole]
        cursor.executemany(f"INSERT INTO {table} ({columns}) VALUES ({places})", listed)  # noqa: S608 - model names
        return len(listed)


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
        asked = "(SELECT %s::bigint AS whole, unnest(%s::text[]) AS value) AS asked"
        statement = f"SELECT {wanted} FROM {asked}, LATERAL {each}".replace("= %s", "= asked.whole")  # noqa: S608
        return fetch(statement, [within[1], list(values)])
    statement = f"SELECT {wanted} FROM json_each(%s) AS asked CROSS JOIN {own}"  # noqa: S608
    return fetch(statement, [_plain_json(list(values)), within[1]])


def any_of(values: Collection[str] | Collection[int]) -> RawSQL:
    """A thousand values for `field__in=`, as one parameter that is joined with the table.

    As a list of a thousand parameters the planner, once it keeps a plan, reads the whole table for each of them.
    """
    listed: list[Any] = list(values)
    if connection.vendor == "postgresql":
        kind = "bigint" if listed and isinstance(listed[0], int) else "text"
        return RawSQL(f"SELECT unnest(%s::{kind}[])", [listed])  # noqa: S611 - one of two words
    return RawSQL("SELECT value FROM json_each(%s)", [_plain_json(listed)])
