"""A number of rows and a hash for each table: what a restored database is compared by.

The hash is the sum of the rows' SHA-256 modulo 2^256, so no order and no collation matters; columns are taken by
name. It finds what got lost or altered, not what somebody forged.
"""

import hashlib
import sqlite3
from collections.abc import Iterable
from typing import Any

from django.db import connection

Tables = dict[str, dict[str, Any]]
_WHOLE = 1 << 256


def _sum(rows: Iterable[bytes]) -> dict[str, Any]:
    count = total = 0
    for row in rows:
        count += 1
        total += int.from_bytes(hashlib.sha256(row).digest(), "big")
    return {"rows": count, "sha256": f"{total % _WHOLE:064x}"}


def of_postgres() -> Tables:
    """Every table of the connection's schema, read by COPY in the caller's snapshot."""
    with connection.cursor() as cursor:
        names = connection.introspection.table_names(cursor)
        columns = {
            name: sorted(
                column.name for column in connection.introspection.get_table_description(cursor, name)
            )
            for name in names
        }
    quote, found = connection.ops.quote_name, {}
    for name in sorted(names):
        chosen = ", ".join(map(quote, columns[name]))
        statement = f"COPY (SELECT {chosen} FROM {quote(name)}) TO STDOUT"  # noqa: S608 - names of the catalogue
        with connection.connection.cursor() as plain, plain.copy(statement) as copy:
            found[name] = _sum(map(bytes, copy))
    return found


def of_sqlite(path: str) -> Tables:
    """Every table of a SQLite file that nobody writes to."""
    found: Tables = {}
    opened = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        opened.text_factory = bytes
        for name in sqlite_tables(opened):
            quoted = '"' + name.replace('"', '""') + '"'
            columns = sorted(row[1].decode() for row in opened.execute(f"PRAGMA table_info({quoted})"))
            chosen = ", ".join('"' + column.replace('"', '""') + '"' for column in columns)
            rows = opened.execute(f"SELECT {chosen} FROM {quoted}")  # noqa: S608 - names of the catalogue
            found[name] = _sum(repr(row).encode() for row in rows)
    finally:
        opened.close()
    return found


def sqlite_tables(opened: sqlite3.Connection) -> list[str]:
    """The names of our tables; SQLite's own are left out."""
    rows = opened.execute(
        "SELECT CAST(name AS BLOB) FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
    )
    return sorted(bytes(name).decode() for (name,) in rows)
