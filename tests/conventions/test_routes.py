"""Who may what: every address of the site × method × role × own, foreign and missing, from one table (A02);
and what holds for every answer: foreign looks like missing, nothing is cached, no markup of people's comes alive.

A row's plain requests are sent once, and every check looks at their answers (tests/conventions/visits.py).
What requests can bring beside what the table sends is in test_routes_forged.py.
"""

import re

import pytest
from django.http import HttpResponse

from tests.conventions.named_objects import ROLES, XSS
from tests.conventions.table import Row, addresses, family_of, own_addresses, row_params, rows
from tests.conventions.visits import Visits, comparable_bytes, rolled_back, send, wrong_with
from tests.conventions.world import World

pytestmark = pytest.mark.django_db
TABLE = rows()
# The pages whose first look takes something: an assignment, or the time of the first look. Looking again only
# prolongs it.
SITS = {"vote"}
TAKEN = {"validation_assignment", "annotation_item", "validation_cursor"}
# Things of one person: a colleague's is as good as none, also to leads.
PERSONAL = {"allocation", "assignment", "own_item", "own_item_key", "answer"}


# --- the table ------------------------------------------------------------------------


def test_every_address_has_a_row() -> None:
    named = {row.route for row in TABLE}
    families = {family_of(route) for route in named}
    assert [a.pattern for a in own_addresses() if a.name not in named] == []
    assert {a.family for a in addresses() if a.family} <= families


def test_every_row_has_an_address() -> None:
    known = {address.name for address in addresses()}
    assert [row.id for row in TABLE if row.route not in known] == []
    assert len({(row.route, row.method) for row in TABLE}) == len(TABLE)
    assert {row.method for row in TABLE} <= {"GET", "POST"}


def test_an_address_without_a_row_is_noticed() -> None:
    from django.test import override_settings

    with override_settings(ROOT_URLCONF="tests.conventions.extra_url"):
        assert [a.name for a in own_addresses()] == ["forgotten"]


# --- what is asked of every row -----------------------------------------------------------


def who_may(visits: Visits) -> list[str]:
    """A02: the statuses that the table says."""
    wrong = []
    for role in ROLES:
        for target, expected in zip(("own", "foreign", "missing"), visits.row.expected[role], strict=True):
            if expected == "-" or (target == "missing" and not visits.row.names_more):
                continue
            status = visits.answer(role, target).status_code
            if str(status) != expected:
                wrong.append(f"{role} {target}: {status}, not {expected}")
    return wrong


def foreign_looks_like_missing(visits: Visits) -> list[str]:
    """Another project and none at all; another's token and none at all: the same bytes, and 404 for who may try."""
    if family_of(visits.row.route) or "slug" not in visits.row.args:
        return []
    wrong = []
    for role in ("writer", "validator", "lead", "removed"):
        foreign, nothing = (comparable_bytes(visits.answer(role, target)) for target in ("foreign", "nothing"))
        if foreign != nothing or foreign[0] != 404:
            wrong.append(f"{role} foreign: {foreign}, not {nothing}")
        if not visits.row.names_more:
            continue
        missing = comparable_bytes(visits.answer(role, "missing"))
        personal = PERSONAL & set(visits.row.args.values())
        for target in ("alien", "others") if personal else ("alien",):
            found = comparable_bytes(visits.answer(role, target))
            if found != missing:
                wrong.append(f"{role} {target}: {found}, not {missing}")
    return wrong


def looking_changes_nothing(visits: Visits) -> list[str]:
    """A33."""
    if not _is_page(visits.row):
        return []
    may = TAKEN if visits.row.route in SITS else set()
    changed = {role: visits.changed_by_looking(role) - may for role in ROLES}
    return [f"{role} changed {sorted(tables)}" for role, tables in changed.items() if tables]


def _is_page(row: Row) -> bool:
    return row.method == "GET" and not family_of(row.route)


ASKED = (
    "expand=votes&fields=gold&include=author&format=api&ordering=gold,agreement,-vote_count&votes__label=e"
    "&gold__startswith=e&author__user__email__startswith=a&project__created_by__password__regex=^m&_connector=OR"
    "&_negated=1&votes__label=n"
)


def query_strings_ask_for_nothing_more(visits: Visits) -> list[str]:
    """A10, A11, A13: unknown parameters are refused, or the answer is what it is without them.

    Of the roles that get the same bytes without them, one asks: on each row the next.
    """
    row, own = visits.row, visits.world.own
    if not _is_page(row):
        return []
    wrong = []
    alike: dict[str, list[str]] = {}
    for role in ROLES:
        alike.setdefault(repr(comparable_bytes(visits.answer(role, "own"))), []).append(role)
    for roles in alike.values():
        role = roles[TABLE.index(row) % len(roles)]
        client = visits.world.client(role)
        plain, asked = (
            comparable_bytes(visits.answer(role, "own")),
            comparable_bytes(send(row, client, own, ASKED)),
        )
        refused = asked[0] == (302 if plain[0] == 302 else 400)
        if not refused and (plain[0] == 302 or asked != plain):
            wrong.append(f"{role}: {asked}, not {plain}")
    return wrong


def a_head_is_answered(visits: Visits) -> list[str]:
    """Once, by whoever is shown the page: as that, or refused. The test client takes the body off, as servers do."""
    row, own = visits.row, visits.world.own
    if not _is_page(row):
        return []
    shown = [role for role in ROLES if visits.answer(role, "own").status_code == 200]
    wrong = []
    for role in shown[-1:]:
        client = visits.world.client(role)
        status = rolled_back(lambda: client.head(row.url(own))).status_code  # noqa: B023 - called at once
        if status not in (200, 405):
            wrong.append(f"{role}: {status}")
    return wrong


SCRIPT = re.compile(r"<script(?![^>]*\bsrc=)", re.I)
ATTRIBUTE = re.compile(r"<[a-z][^>\"']*(?:\"[^\"]*\"[^>\"']*|'[^']*'[^>\"']*)*\s(on[a-z]+|style)\s*=", re.I)
SCHEME = re.compile(r"(?:href|src|action|formaction)\s*=\s*[\"']?\s*(?:javascript|data|vbscript):", re.I)


def wrong_on_page(answer: HttpResponse) -> list[str]:
    """A37, A38: markup that people typed stays words, and the policy allows nothing inline."""
    text = answer.content.decode()
    policy = answer["Content-Security-Policy"]
    found = {
        "unsafe- in the policy": "unsafe-" in policy,
        "scripts of others": "script-src 'self'" not in policy,
        "a script that was typed": "<script>alert" in text,
        "an image that was typed": "<img src=x" in text,
        "a script within": SCRIPT.search(text),
        "a handler or style within": ATTRIBUTE.search(text),
        "an address that is a script": SCHEME.search(text),
    }
    return [name for name, there in found.items() if there]


def every_answer(visits: Visits) -> list[str]:
    """A31, A32, A37–A39: not to be stored, of one type, under the policy; probes of every kind inert."""
    wrong = []
    for role in ROLES:
        for target in ("own", "foreign", "missing"):
            answer = visits.answer(role, target)
            # Bytes under their hash never change; a browser keeps them for whom they were shown to.
            shown = visits.row.route == "media" and answer.status_code == 200
            kept = "private" if shown else "no-store"
            found = {
                "may be stored": kept not in answer["Cache-Control"],
                "of any type": answer["X-Content-Type-Options"] != "nosniff",
                "open to other sites": "Access-Control-Allow-Origin" in answer,
            }
            wrong += [f"{role} {target}: {name}" for name, there in found.items() if there]
            if answer["Content-Type"].startswith("text/html") and answer.status_code != 302:
                wrong += [f"{role} {target}: {name}" for name in wrong_on_page(answer)]
    return wrong


TITLE = re.compile(r"<title>(.*?)· Mufakat</title>", re.S)


def its_title_has_words(visits: Visits) -> list[str]:
    """Each page is called by words, not by a key or short name of the project."""
    if visits.row.route.startswith("admin:"):
        return []  # Django's own pages have their own names
    slug, wrong = visits.world.own.slug, []
    for role in ROLES:
        answer = visits.answer(role, "own")
        if answer.status_code != 200 or b"<html" not in answer.content:
            continue
        title = TITLE.search(answer.content.decode())
        words = title[1].strip() if title else ""
        if words in ("", slug) or not re.search(r"[^\W\d_]{2}", words):
            wrong.append(f"{role}: “{words}”")
    return wrong


CHECKS = (
    who_may,
    foreign_looks_like_missing,
    looking_changes_nothing,
    query_strings_ask_for_nothing_more,
    a_head_is_answered,
    every_answer,
    its_title_has_words,
)


@row_params(TABLE)
def test_answers(world: World, row: Row) -> None:
    assert wrong_with(world, row, CHECKS) == {}


def test_the_check_of_pages_can_fail() -> None:
    policy = {"Content-Security-Policy": "script-src 'self'"}
    good = '<a href="/x" title="a onx= b">x</a><script src="/a.js"></script>'
    assert wrong_on_page(HttpResponse(good, headers=policy)) == []
    for bad in (
        f"<p>{XSS}</p>",
        '<p class="a" onclick="x()">',
        "<p style='color:red'>",
        "<script>1</script>",
        '<a href=" javascript:alert(1)">',
    ):
        assert wrong_on_page(HttpResponse(bad, headers=policy)) != []
