"""What every test or run paid for again and does not need to: lists of static files, models of migrations that nobody
looks at, the emptying of empty tables."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.conf import settings
from django.db import connection, transaction
from django.test import TransactionTestCase
from whitenoise.middleware import WhiteNoiseMiddleware

from annotation.core import schema

# What Django makes with the tables stands there before the first test and is never changed by one.
KEPT_TABLES = frozenset({"django_migrations", schema.TABLE, "django_content_type", "auth_permission"})
# So many rows are deleted, all told, or so many bytes taken; then everything is truncated once, so that no table keeps
# dead rows for long: those of tests that were rolled back too.
MOST_DELETED = 3_000
MOST_BYTES = 16 * 2**20
# A page that is left may still be sending something. Where its request and the emptying wait for each other the request
# gives way, which nobody waits for any more: it looks for a deadlock after a second, and this not before it is there.
LATE_DEADLOCK_CHECK = """
SELECT set_config('deadlock_timeout', '10min', false) FROM pg_roles WHERE rolname = current_user AND rolsuper
"""
SIZES = """
SELECT name, pg_total_relation_size(quote_ident(name)::regclass) FROM unnest(%s::text[]) name
WHERE pg_relation_size(quote_ident(name)::regclass) > 0
"""


@contextmanager
def static_files_once() -> Iterator[None]:
    """A test client builds the middleware anew, which looks at every static file: several milliseconds a client."""
    look: Callable[[Any], None] = WhiteNoiseMiddleware.add_files_from_finders
    found: dict[tuple[object, ...], dict[str, Any]] = {}

    def remembered(self: Any) -> None:
        where = (self.static_prefix, self.max_age, self.charset, str(settings.STATICFILES_DIRS))
        if where not in found:
            before = dict(self.files)
            look(self)
            found[where] = {url: file for url, file in self.files.items() if url not in before}
        else:
            self.files.update(found[where])

    WhiteNoiseMiddleware.add_files_from_finders = remembered
    try:
        yield
    finally:
        WhiteNoiseMiddleware.add_files_from_finders = look


@contextmanager
def empty_by_deleting() -> Iterator[None]:
    """After a test with transactions of its own Django truncates every table, and makes what comes with them anew.

    That is a new file for each table and each index, a quarter of a second, where most tests left some hundred rows
    in some twenty tables. Here those are deleted, behind the same locks, so that whoever still writes is waited for.
    """
    emptied = TransactionTestCase._fixture_teardown  # type: ignore[attr-defined]
    deleted = 0

    def teardown(self: Any) -> None:
        nonlocal deleted
        postgres = connection.vendor == "postgresql"
        if postgres:
            with connection.cursor() as cursor:
                cursor.execute(LATE_DEADLOCK_CHECK)
        rows = _delete() if postgres else None
        deleted = MOST_DELETED if rows is None else deleted + rows
        if deleted >= MOST_DELETED:
            emptied(self)
            deleted = 0

    TransactionTestCase._fixture_teardown = teardown  # type: ignore[attr-defined]
    try:
        yield
    finally:
        TransactionTestCase._fixture_teardown = emptied  # type: ignore[attr-defined]


def _delete() -> int | None:
    """Delete all rows of the system's tables; how many there were, None where they are too many to be deleted."""
    quote = connection.ops.quote_name
    tables = [name for name in connection.introspection.table_names() if name not in KEPT_TABLES]
    named = {name: quote(name) for name in tables}
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"LOCK TABLE {', '.join(named.values())} IN ACCESS EXCLUSIVE MODE")
        # Most tables have no page at all since they were truncated; others are full of what tests took back.
        cursor.execute(SIZES, [tables])
        used = dict(cursor.fetchall())
        if sum(used.values()) >= MOST_BYTES:
            return None
        counts = " UNION ALL ".join(
            f"SELECT '{name}', count(*) FROM (SELECT 1 FROM {named[name]} LIMIT {MOST_DELETED}) t"  # noqa: S608
            for name in used
        )
        if not counts:
            return 0
        cursor.execute(counts)
        held = {name: count for name, count in cursor.fetchall() if count}
        if sum(held.values()) >= MOST_DELETED:
            return None
        # Whoever refers to whom is looked at when the transaction ends: the order does not matter.
        for name in held:
            cursor.execute(f"DELETE FROM {named[name]}")  # noqa: S608 - the system's own tables
    return int(sum(held.values()))
