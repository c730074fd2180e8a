"""What the site answers in the small world, asked once however many tests look at it; and what a request changed."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TypeVar

from django.core.cache import cache
from django.db import connection, transaction
from django.http import HttpResponse
from django.test import Client

from tests.conventions.named_objects import Things
from tests.conventions.table import Row
from tests.conventions.world import World

Answered = TypeVar("Answered")
# Every visit may write it.
SESSIONS = "annotation_browsersession"
# PostgreSQL counts what a transaction does to each table, also what is taken back; emptying one gives it a new file.
COUNTED = """
SELECT relname, relfilenode, pg_stat_get_xact_tuples_inserted(oid), pg_stat_get_xact_tuples_updated(oid),
       pg_stat_get_xact_tuples_deleted(oid)
FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace
"""


def rolled_back(act: Callable[[], Answered]) -> Answered:
    """What an act gives; what it wrote is taken back."""
    point = transaction.savepoint()
    try:
        return act()
    finally:
        transaction.savepoint_rollback(point)


def send(row: Row, client: Client, things: Things, extra: str = "", **more: str) -> HttpResponse:
    """The answer to a row's request; what it wrote is taken back."""
    return rolled_back(lambda: row.send(client, things, extra, **more))


def comparable_bytes(answer: HttpResponse) -> tuple[int, dict[str, str], bytes]:
    """An answer without what differs between two equal ones: the request's id, its second, for how many of them
    something has been due or a process was seen (readyz), the masked form token."""
    varying = ("X-Request-ID", "Content-Length", "Expires")
    headers = {name: value for name, value in answer.items() if name not in varying}
    sealed = rb'((?:csrfmiddlewaretoken|name="shown)" value=|X-CSRFToken": )"[^"]*"'
    content = re.sub(sealed, rb"\1", answer.content)
    content = re.sub(rb'("(?:oldest_due|decider_seen|worker_seen)_seconds": )-?\d+', rb"\1", content)
    return answer.status_code, headers, content


def tables_written(act: Callable[[], Answered]) -> tuple[Answered, set[str]]:
    """What an act gives, and the tables to which it wrote; but for sessions. Nothing is taken back."""
    before = _counted()
    given = act()
    after = _counted()
    return given, {name for name, counts in after.items() if before.get(name) != counts} - {SESSIONS}


def _counted() -> dict[str, tuple[int, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(COUNTED)
        return {name: tuple(counts) for name, *counts in cursor.fetchall()}


def changed_tables(act: Callable[[], Answered]) -> tuple[Answered, set[str]]:
    """What an act gives, and the tables in which something else stands after it; which is taken back."""

    def done() -> tuple[Answered, dict[str, str]]:
        given, written = tables_written(act)
        return given, _sums(written)

    given, after = rolled_back(done)
    before = _sums(after)
    return given, {name for name in after if after[name] != before[name]}


def _sums(tables: Iterable[str]) -> dict[str, str]:
    """What stands in each table, as one sum."""
    found = {}
    with connection.cursor() as cursor:
        for table in tables:
            rows = f"SELECT md5(coalesce(string_agg(t::text, '|' ORDER BY t::text), '')) FROM {table} t"  # noqa: S608
            cursor.execute(rows)
            found[table] = cursor.fetchone()[0]
    return found


@dataclass
class Visits:
    """The answers to one row's plain requests, each in the world as it was built: asked once, whoever looks at them."""

    world: World
    row: Row
    _answers: dict[tuple[str, str, str], HttpResponse] = field(default_factory=dict)
    _requests: dict[str, tuple[str, str]] = field(default_factory=dict)
    _changed: dict[str, set[str]] = field(default_factory=dict)

    def answer(self, role: str, target: str) -> HttpResponse:
        """To this role, at one of the world's Things by name: own, foreign, missing, … Where they are not named by
        the address, one request is the same as the other, and its answer too."""
        things = getattr(self.world, target)
        key = (role, *self._request(target))
        if key not in self._answers:
            if self.row.method == "GET" and key[1:] == self._request("own"):
                answer = self._look(role)
            else:
                answer = send(self.row, self.world.client(role), things)
            self._answers[key] = HttpResponse(answer.content, status=answer.status_code, headers=answer.headers)
        return self._answers[key]

    def _request(self, target: str) -> tuple[str, str]:
        """What is asked at these things, whoever asks."""
        if target not in self._requests:
            self._requests[target] = self.row.request(getattr(self.world, target))
        return self._requests[target]

    def changed_by_looking(self, role: str) -> set[str]:
        """The tables in which something else stands after this role looked at its page, twice where it was shown."""
        self.answer(role, "own")
        return self._changed[role]

    def _look(self, role: str) -> HttpResponse:
        client = self.world.client(role)

        def look() -> HttpResponse:
            answer = self.row.send(client, self.world.own)
            if answer.status_code == 200:
                self.row.send(client, self.world.own)
            return answer

        shown, self._changed[role] = changed_tables(look)
        return shown


Check = Callable[[Visits], list[str]]


def wrong_with(world: World, row: Row, checks: Iterable[Check]) -> dict[str, list[str]]:
    """Everything that is wrong with a row, by the name of the check that says so."""
    visits, wrong = Visits(world, row), {}
    for check in checks:
        cache.clear()
        if found := check(visits):
            wrong[check.__name__] = found
    return wrong
