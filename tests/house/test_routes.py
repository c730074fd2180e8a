"""Who may what: every address of the site × method × role × own, foreign and missing, from one table (A02);
and what holds for every answer: foreign looks like missing, nothing is cached, no markup of people's comes alive."""

import re
from collections.abc import Iterable
from typing import Any

import pytest
from django.db import connection, transaction
from django.http import HttpResponse
from django.test import Client

from tests.house.table import Row, addresses, family_of, own_addresses, rows
from tests.house.things import ROLES, XSS, Things
from tests.house.world import World

pytestmark = pytest.mark.django_db
TABLE = rows()
OURS = [row for row in TABLE if not family_of(row.route)]
GETS = [row for row in OURS if row.method == "GET"]
POSTS = [row for row in OURS if row.method == "POST"]
# Addresses that answer machines: no pages.
PLAIN = {"healthz", "readyz"}
# The pages whose first look takes something: a seat, or the time of the first look. Looking again only prolongs it.
SITS = {"vote", "rate"}
# Things of one person: a colleague's is as good as none, also to leads.
PERSONAL = {"share", "seat", "own_item", "answer", "rating"}


def _named(table: Iterable[Row]) -> Any:
    return pytest.mark.parametrize("row", table, ids=lambda row: row.id)


def send(row: Row, client: Client, things: Things, extra: str = "", **more: str) -> HttpResponse:
    """The answer to a row's request; what it wrote is taken back."""
    point = transaction.savepoint()
    try:
        return row.send(client, things, extra, **more)
    finally:
        transaction.savepoint_rollback(point)


def bytes_of(answer: HttpResponse) -> tuple[int, dict[str, str], bytes]:
    """An answer without what differs between two equal ones: the request's id, its second, the masked form token."""
    varying = ("X-Request-ID", "Content-Length", "Expires")
    headers = {name: value for name, value in answer.items() if name not in varying}
    sealed = rb'((?:csrfmiddlewaretoken|name="shown)" value=|X-CSRFToken": )"[^"]*"'
    content = re.sub(sealed, rb"\1", answer.content)
    return answer.status_code, headers, content


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

    with override_settings(ROOT_URLCONF="tests.house.one_more_url"):
        assert [a.name for a in own_addresses()] == ["forgotten"]


@_named(TABLE)
def test_who_may(world: World, row: Row) -> None:
    wrong = []
    for role in ROLES:
        client = world.client(role)
        for target, expected in zip(("own", "foreign", "missing"), row.expected[role], strict=True):
            if expected == "-" or (target == "missing" and not row.names_more):
                continue
            status = send(row, client, getattr(world, target)).status_code
            if str(status) != expected:
                wrong.append(f"{role} {target}: {status}, not {expected}")
    assert wrong == []


@_named([row for row in OURS if "slug" in row.args])
def test_foreign_looks_like_missing(world: World, row: Row) -> None:
    """Another project and none at all; another's token and none at all: the same bytes, and 404 for who may try."""
    for role in ("anon", "writer", "validator", "lead", "removed"):
        client = world.client(role)
        foreign = bytes_of(send(row, client, world.foreign))
        if role != "anon":
            assert foreign == bytes_of(send(row, client, world.nothing)), role
            assert foreign[0] == 404
        if not row.names_more or role == "anon":
            continue
        missing = bytes_of(send(row, client, world.missing))
        assert bytes_of(send(row, client, world.alien)) == missing, role
        if PERSONAL & set(row.args.values()):
            assert bytes_of(send(row, client, world.others)) == missing, role


@_named(OURS)
def test_other_methods_are_refused(world: World, row: Row) -> None:
    known = {other.method for other in TABLE if other.route == row.route}
    for role in ("anon", "writer", "administrator"):
        client = world.client(role)
        for method in {"GET", "POST", "PUT", "PATCH", "DELETE"} - known:
            point = transaction.savepoint()
            answer = client.generic(method, row.url(world.own))
            transaction.savepoint_rollback(point)
            assert answer.status_code in (302, 403, 404, 405), (role, method)
            if answer.status_code == 302:
                assert answer["Location"].startswith("/accounts/login/")


# --- what nothing may change ------------------------------------------------------------


def everything() -> dict[str, str]:
    """What stands in every table, as one sum each; but for sessions, which every visit writes."""
    with connection.cursor() as cursor:
        tables = [t for t in connection.introspection.table_names(cursor) if t != "django_session"]
        sums = {}
        for table in tables:
            rows = f"SELECT md5(coalesce(string_agg(t::text, '|' ORDER BY t::text), '')) FROM {table} t"  # noqa: S608
            cursor.execute(rows)
            sums[table] = cursor.fetchone()[0]
    return sums


@_named(GETS)
def test_looking_changes_nothing(world: World, row: Row) -> None:
    """A33."""
    for role in ROLES:
        client = world.client(role)
        before = everything()
        for _ in range(2):
            row.send(client, world.own)
        after = everything()
        if row.route in SITS:
            for table in ("validation_seat", "annotation_item", "validation_cursor", "validation_rating"):
                del before[table], after[table]
        assert after == before, role


@_named(POSTS)
def test_nothing_is_sent_without_the_forms_token(world: World, row: Row) -> None:
    """A33: no token, a wrong one, and a right one from another site's page."""
    for role in ROLES:
        client = world.client(role, csrf=True)
        before = everything()
        assert row.send(client, world.own).status_code == 403, role
        assert row.send(client, world.own, "csrfmiddlewaretoken=" + "x" * 32).status_code == 403
        for origin in ("https://evil-testserver", "https://testserver.evil", "null"):
            client.get("/accounts/login/")
            token = client.cookies["csrftoken"].value if "csrftoken" in client.cookies else "x" * 32
            sent = row.send(client, world.own, f"csrfmiddlewaretoken={token}", HTTP_ORIGIN=origin)
            assert sent.status_code == 403, origin
            assert "Access-Control-Allow-Origin" not in sent
        assert everything() == before


FORGED = (
    "id=1&pk=1&user=1&author=1&annotator=1&project=1&item=1&assignment=1&created_at=2001-01-01&at=2001-01-01"
    "&is_gold=1&gold=n&gold_from=lead&stage=excluded&weight=9&status=settled&surplus=1&imported=1&author_label=n"
    "&is_staff=1&is_superuser=1&is_administrator=1&is_active=0&email_verified=1&email=evil@example.org&groups=1"
    "&has_led=1&left_at=&created_by=1&kind=x&seed=x&votes_n=99&sampled=1&pays=1&amount=99&units=99&currency=USD&rate=1"
)
COLUMNS = {
    "annotation_user": "CASE WHEN deleted_at IS NULL THEN email END, is_active, is_administrator",
    "annotation_annotator": "user_id, pseudonym, is_writer, is_validator, is_lead, is_reviewer, is_rater, is_baseline, "
    "has_led, left_at IS NULL",
    # By its name: the number of a project that was made and rolled back is not given again.
    "annotation_item": "(SELECT slug FROM annotation_project p WHERE p.id = project_id), author_id, gold, gold_from, "
    "stage, author_label, votes_n, sampled",
    "annotation_project": "slug, kind, seed, created_by_id, pays",
    "annotation_rate": "project_id, lane_id, action, unit, amount, currency, by_id",
    "annotation_ledgerentry": "project_id, annotator_id, rate_id, units, amount, currency, by_id",
    "annotation_about": "project_id, licence, citation, threshold, statement::text",
    "annotation_consentversion": "project_id, n, text, asks_again, by_id",
    "annotation_demographics": "annotator_id, ethnicity, gender, least",
    "annotation_payperiod": 'project_id, annotator_id, start, "end", totals::text, by_id',
    "validation_vote": "item_id, annotator_id, label, surplus, imported, n, epoch",
    "annotation_share": "premise_id, writer_id, state",
    "validation_ratingrun": "project_id, name, seed, sample, criteria::text, state, version",
    "validation_comparison": "project_id, n, first_id, second_id, parts::text, seed, ended_at IS NULL",
    "validation_preference": "pair_id, annotator_id, chosen::text, comment",
    "validation_diagnosticset": "project_id, n, seed, by_id",
    "validation_diagnosticrow": "item_id, revision_n, gold, expert_id",
    "validation_diagnosticanswer": "row_id, expert_id, tags::text, standing",
    "exports_baseline": "project_id, n, people, task, seed, by_id, ended_at IS NULL",
    "exports_baselineplace": "annotator_id, replaced_at IS NULL",
    "exports_baselineanswer": "asked_id, annotator_id, label",
    "validation_rating": "generation_id, annotator_id, answers::text, comment, answered_at IS NULL",
}


def _standing() -> dict[str, list[tuple[Any, ...]]]:
    with connection.cursor() as cursor:
        found = {}
        for table, columns in COLUMNS.items():
            cursor.execute(f"SELECT {columns} FROM {table} ORDER BY {columns}")  # noqa: S608
            found[table] = cursor.fetchall()
    return found


@_named(POSTS)
def test_fields_that_no_form_has_change_nothing(world: World, row: Row) -> None:
    """A03, A04, A21, A22: what is stored is what the same request stores without them."""
    for role in ROLES:
        stored = []
        sent = {part.split("=")[0] for part in row.data.split("&")}
        extra = "&".join(
            part for part in FORGED.split("&") if part.split("=")[0] not in sent | own_fields(row)
        )
        for more in ("", extra):
            point = transaction.savepoint()
            row.send(world.client(role), world.own, more)
            stored.append(_standing())
            transaction.savepoint_rollback(point)
        assert stored[0] == stored[1], role


def own_fields(row: Row) -> set[str]:
    """Names of FORGED that are real fields of a route's form."""
    return {"project_new": {"seed"}}.get(row.route, set())


ASKED = (
    "expand=votes&fields=gold&include=author&format=api&ordering=gold,agreement,-vote_count&votes__label=e"
    "&gold__startswith=e&author__user__email__startswith=a&project__created_by__password__regex=^m&_connector=OR"
    "&_negated=1&votes__label=n"
)


@_named(GETS)
def test_query_strings_ask_for_nothing_more(world: World, row: Row) -> None:
    """A10, A11, A13: unknown parameters are refused, or the answer is what it is without them."""
    for role in ROLES:
        client = world.client(role)
        plain, asked = (bytes_of(send(row, client, world.own, extra)) for extra in ("", ASKED))
        if plain[0] == 302:
            assert asked[0] == 302
        else:
            assert asked[0] == 400 or asked == plain, role
        assert client.head(row.url(world.own)).content == b""


# --- what holds for every answer ----------------------------------------------------------

SCRIPT = re.compile(r"<script(?![^>]*\bsrc=)", re.I)
ATTRIBUTE = re.compile(r"<[a-z][^>\"']*(?:\"[^\"]*\"[^>\"']*|'[^']*'[^>\"']*)*\s(on[a-z]+|style)\s*=", re.I)
SCHEME = re.compile(r"(?:href|src|action|formaction)\s*=\s*[\"']?\s*(?:javascript|data|vbscript):", re.I)


def check_page(answer: HttpResponse) -> None:
    """A37, A38: markup that people typed stays words, and the policy allows nothing inline."""
    text = answer.content.decode()
    policy = answer["Content-Security-Policy"]
    assert "unsafe-" not in policy
    assert "script-src 'self'" in policy
    assert "<script>alert" not in text
    assert "<img src=x" not in text
    assert SCRIPT.search(text) is None
    assert ATTRIBUTE.search(text) is None
    assert SCHEME.search(text) is None


@_named(TABLE)
def test_every_answer(world: World, row: Row) -> None:
    """A31, A32, A37–A39: not to be stored, of one type, under the policy; probes of every kind inert."""
    for role in ROLES:
        client = world.client(role)
        for things in (world.own, world.foreign, world.missing):
            answer = send(row, client, things)
            assert "no-store" in answer["Cache-Control"], role
            assert answer["X-Content-Type-Options"] == "nosniff"
            assert "Access-Control-Allow-Origin" not in answer
            if answer["Content-Type"].startswith("text/html") and answer.status_code != 302:
                check_page(answer)


def test_the_check_of_pages_can_fail() -> None:
    policy = {"Content-Security-Policy": "script-src 'self'"}
    good = '<a href="/x" title="a onx= b">x</a><script src="/a.js"></script>'
    check_page(HttpResponse(good, headers=policy))
    for bad in (
        f"<p>{XSS}</p>",
        '<p class="a" onclick="x()">',
        "<p style='color:red'>",
        "<script>1</script>",
        '<a href=" javascript:alert(1)">',
    ):
        with pytest.raises(AssertionError):
            check_page(HttpResponse(bad, headers=policy))


@_named(GETS)
def test_forged_hosts(world: World, row: Row) -> None:
    """A36: another host is refused on every page, and a forwarded one is not listened to."""
    if row.route in PLAIN:
        return
    client = world.client("administrator")
    assert send(row, client, world.own, HTTP_HOST="evil.example").status_code == 400
    assert b"evil.example" not in send(row, client, world.own, HTTP_X_FORWARDED_HOST="evil.example").content


@_named([row for row in OURS if any(own == "302" for own, _, _ in row.expected.values())])
def test_redirects_stay_here(world: World, row: Row) -> None:
    """A35."""
    for role in [role for role in ROLES if row.expected[role][0] == "302"]:
        client = world.client(role)
        for target in ("//evil.example", "/\\evil.example", "https:evil.example", "javascript:alert(1)"):
            answer = send(row, client, world.own, f"next={target}")
            assert answer.status_code == 302, role
            assert re.match(r"/(?![/\\])", answer["Location"]), role
            assert "evil" not in answer["Location"].split("?")[0]
