"""Every list of the API: a row more costs no statement more, and pages of one row hold each once."""

from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.conventions.table import Row, rows
from tests.conventions.visits import rolled_back
from tests.conventions.world import World

pytestmark = pytest.mark.django_db
READERS = ("administrator", "lead", "writer", "validator")
# At least so many lists have rows enough to say something.
FEWEST = 20


def asked(world: World, client: Client, row: Row, **query: Any) -> Any:
    cache.clear()
    return rolled_back(lambda: client.get(row.url(world.own), query))


def statements(world: World, client: Client, row: Row, limit: int) -> int:
    with CaptureQueriesContext(connection) as found:
        asked(world, client, row, limit=limit)
    return len(found.captured_queries)


def wrong_with(world: World, client: Client, row: Row, whole: list[Any]) -> list[str]:
    wrong, cursor, seen = [], "", list[Any]()
    few, many = (statements(world, client, row, limit) for limit in (1, 1000))
    # What the last page need not ask for may be spared.
    if many > few:
        wrong.append(f"{row.route}: {few} statements for one row, {many} for {len(whole)}")
    while len(seen) <= len(whole):
        page = asked(world, client, row, limit=1, cursor=cursor).json()
        seen += page["results"]
        cursor = page["next"]
        if cursor is None:
            break
    if seen != whole:
        wrong.append(f"{row.route}: pages of one row are not the list")
    return wrong


def test_a_row_more_costs_no_statement_more_and_pages_hold_each_once(world: World) -> None:
    wrong, tried = [], set()
    for role in READERS:
        client = world.client(role)
        for row in rows():
            if not row.is_api or row.method != "GET" or row.expected[role][0] != "200" or row.route in tried:
                continue
            answer = asked(world, client, row)
            body = answer.json() if answer["Content-Type"] == "application/json" else {}
            if "next" in body and len(body["results"]) > 1:
                tried.add(row.route)
                wrong += wrong_with(world, client, row, body["results"])
    assert wrong == []
    assert len(tried) >= FEWEST, sorted(tried)
