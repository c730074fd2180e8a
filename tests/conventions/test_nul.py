"""No text that the database cannot hold breaks a page: every field of every form and address is sent a NUL."""

import inspect
import re
from collections.abc import Iterator
from functools import partial
from urllib.parse import parse_qsl, urlencode

import pytest
from django import forms
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import resolve

from tests.conventions.table import Row, family_of, read_whole, rows
from tests.conventions.visits import rolled_back
from tests.conventions.world import World

pytestmark = pytest.mark.django_db
OWN = [row for row in rows() if not family_of(row.route)]
NAME = re.compile(r"""(?:GET|POST|sent|asked|raw|posted)(?:\.get|\.getlist|\.pop)?[(\[]["'](\w+)["']""")
NUL = "a\0b"


def names(url: str) -> tuple[set[str], set[str]]:
    """What the view of an address reads itself; and what its module reads anywhere, with the forms that it names."""
    view = inspect.unwrap(resolve(url).func)
    module = inspect.getmodule(view)
    assert module is not None
    found = set(NAME.findall(inspect.getsource(module)))
    for each in vars(module).values():
        if inspect.isclass(each) and issubclass(each, forms.BaseForm):
            found |= {*each.base_fields}  # type: ignore[attr-defined]
    own = set(NAME.findall(inspect.getsource(view)))
    return own, found - own


def requests(row: Row, world: World) -> Iterator[list[tuple[str, str]]]:
    """A row's request with a NUL in one field after the other, and in all that its module may read."""
    url, filled = row.request(world.own)
    fields = parse_qsl(filled, keep_blank_values=True) if row.method == "POST" else []
    for place, (name, value) in enumerate(fields):
        yield [*fields[:place], (name, value + NUL), *fields[place + 1 :]]
    own, rest = names(url)
    for name in sorted(own - {name for name, _ in fields}):
        yield [*fields, (name, NUL)]
    if rest:
        yield [*fields, *((name, NUL) for name in sorted(rest - {name for name, _ in fields}))]


def answered(row: Row, client: Client, url: str, fields: list[tuple[str, str]]) -> int:
    if row.method == "GET":
        return read_whole(client.get(f"{url}?{urlencode(fields)}")).status_code
    return client.post(url, urlencode(fields), content_type="application/x-www-form-urlencoded").status_code


ROLES = ("administrator", "lead", "validator", "writer")


def role_of(row: Row) -> str | None:
    """Whoever the row's request is answered to."""
    return next((role for role in ROLES if row.expected[role][0] not in ("403", "404", "-")), None)


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_nul_in_any_field_is_refused_by_no_crash(world: World, method: str) -> None:
    broken, tried = [], 0
    for row in OWN:
        role = role_of(row)
        if role is None or row.method != method:
            continue
        client, url = world.client(role), row.url(world.own)
        client.raise_request_exception = False
        for fields in requests(row, world):
            tried += 1
            status = rolled_back(partial(answered, row, client, url, fields))
            if status >= 500:
                broken.append((row.id, [name for name, value in fields if NUL in value]))
    assert tried > 150
    assert broken == []


@pytest.mark.parametrize(("route", "role"), [("vote_pass", "validator"), ("write_skip", "writer")])
def test_words_with_a_nul_are_refused_by_the_action(world: World, route: str, role: str) -> None:
    """Whatever the database: SQLite would store them."""
    (row,) = [each for each in OWN if each.route == route]
    url, filled = row.request(world.own)
    fields = [*parse_qsl(filled), ("words", NUL)]
    with CaptureQueriesContext(connection) as told:
        assert rolled_back(partial(answered, row, world.client(role), url, fields)) == 422
    assert not [each for each in told.captured_queries if each["sql"].startswith("UPDATE")]
