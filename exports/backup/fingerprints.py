"""A number of rows and a hash for each table: what a restored database is compared by.

The hash is the sum of the rows' SHA-256 modulo 2^256, so no order and no collation matters; columns are taken by
name. It finds what got lost or altered, not what somebody forged.
"""

import hashlib
import sqlite3
from collections.abc import Iterable
from contextlib import closing
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
    quote, found, inspected = connection.ops.quote_name, {}, connection.introspection
    with connection.cursor() as cursor:
        columns = {
            name: sorted(column.name for column in inspected.get_table_description(cursor, name))
            for name in sorted(inspected.table_names(cursor))
        }
    for name, names in columns.items():
        chosen = ", ".join(map(quote, names))
        statement = f"COPY (SELECT {chosen} FROM {quote(name)}) TO STDOUT"  # noqa: S608 - names of the catalogue
        with connection.connection.cursor() as plain, plain.copy(statement) as copy:
            found[name] = _sum(map(bytes, copy))
    return found


def of_sqlite(path: str) -> Tables:
    """Every table of a SQLite file that nobody writes to, but for SQLite's own."""
    found: Tables = {}
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as opened:
        opened.text_factory = bytes
        tables = "SELECT CAST(name AS BLOB) FROM sqlite_master WHERE type = 'table'"
        names = opened.execute(tables + " AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'")
        for name in sorted(bytes(name).decode() for (name,) in names):
            columns = sorted(row[1].decode() for row in opened.execute(f"PRAGMA table_info({_quoted(name)})"))
            chosen = ", ".join(map(_quoted, columns))
            rows = opened.execute(f"SELECT {chosen} FROM {_quoted(name)}")  # noqa: S608 - names of the catalogue
            found[name] = _sum(repr(row).encode() for row in rows)
    return found


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
