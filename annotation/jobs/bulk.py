"""Many rows at once: COPY on PostgreSQL, `executemany` on SQLite. The caller owns the transaction.

Columns that are not named get the field's default; those with a default of the database's own, and nullable ones,
are left to it. Nothing is validated here, so callers hand over what they have checked.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

import orjson
from django.db import connection, models
from django.db.models.expressions import RawSQL


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
    made, converters, tail = [], _converters(named), list(constants.values())
    for place, convert in _converters(other):
        tail[place] = convert(tail[place])
    for row in rows:
        values = [*row, *tail]
        for place, convert in converters:
            values[place] = convert(values[place])
        made.append(values)
    if not made:
        return 0
    quote = connection.ops.quote_name
    columns = ", ".join(quote(str(field.column)) for field in (*named, *other))
    table = quote(model._meta.db_table)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            # COPY passes Django's cursor by: a broken constraint has to become Django's IntegrityError here.
            with connection.wrap_database_errors, cursor.copy(f"COPY {table} ({columns}) FROM STDIN") as copy:
                for row in made:
                    copy.write_row(row)
        else:
            places = ", ".join(["%s"] * (len(named) + len(other)))
            cursor.executemany(f"INSERT INTO {table} ({columns}) VALUES ({places})", made)  # noqa: S608 - model names
    return len(made)


def any_of(values: Collection[str] | Collection[int]) -> RawSQL:
    """A thousand values for `field__in=`, as one parameter that is joined with the table.

    As a list of a thousand parameters the planner, once it keeps a plan, reads the whole table for each of them.
    """
    listed: list[Any] = list(values)
    if connection.vendor == "postgresql":
        kind = "bigint" if listed and isinstance(listed[0], int) else "text"
        return RawSQL(f"SELECT unnest(%s::{kind}[])", [listed])  # noqa: S611 - one of two words
    return RawSQL("SELECT value FROM json_each(%s)", [_plain_json(listed)])
