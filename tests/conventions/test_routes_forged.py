"""What requests of every route can bring beside what the table sends: other methods, no token of the form, fields
that no form has, another host, addresses to be sent on to (A03, A04, A21, A22, A33, A35, A36).

What one middleware or decorator answers alike for all routes and roles is asked of every route, of every role, and of
each pair of a role and a variant (`in_turn`), but not of every route by every role in every variant.
"""

import re
from collections.abc import Sequence
from typing import Any, TypeVar

import pytest
from django.db import connection

from tests.conventions.named_objects import ROLES
from tests.conventions.table import Row, family_of, row_params, rows
from tests.conventions.visits import Visits, changed_tables, rolled_back, send, tables_written, wrong_with
from tests.conventions.world import World

pytestmark = pytest.mark.django_db
TABLE = rows()
OURS = [row for row in TABLE if not family_of(row.route)]
# Addresses that answer machines: no pages.
PLAIN = {"healthz", "readyz"}
Variant = TypeVar("Variant")


def in_turn(variants: Sequence[Variant], row: Row, role: str) -> Variant:
    """The variant of this role on this row: on the next row, or of the next role, it is the next one."""
    return variants[(OURS.index(row) + ROLES.index(role)) % len(variants)]


def other_methods_are_refused(visits: Visits) -> list[str]:
    row, own = visits.row, visits.world.own
    known = {other.method for other in TABLE if other.route == row.route}
    wrong = []
    for role in ("anon", "writer", "administrator"):
        client = visits.world.client(role)
        never: tuple[str, ...] = ("PUT", "PATCH", "DELETE")
        if role != "administrator":
            never = (in_turn(never, row, role),)
        for method in sorted({"GET", "POST", *never} - known):
            answer = rolled_back(lambda: client.generic(method, row.url(own)))  # noqa: B023 - called at once
            sent_on = answer.get("Location", "")
            refused = (302, 403, 404, 405, *([401] if row.is_api else []))
            if answer.status_code not in refused:
                wrong.append(f"{role} {method}: {answer.status_code}")
            if answer.status_code == 302 and not sent_on.startswith("/accounts/login/"):
                wrong.append(f"{role} {method}: on to {sent_on}")
    return wrong


# --- the form's token -------------------------------------------------------------------

ORIGINS = ("https://evil-testserver", "https://testserver.evil", "null")


def _right_token(world: World) -> str:
    """The cookie that the page for logging in sets."""
    client = world.client("anon", csrf=True)
    client.get("/accounts/login/")
    return client.cookies["csrftoken"].value


# A mail program that unsubscribes has no cookie (RFC 8058): the signed link says whose it is.
SENT_BY_MAIL_PROGRAMS = {"notices_off"}


def nothing_is_sent_without_the_forms_token(visits: Visits) -> list[str]:
    """A33: no token, and in turn a wrong one and a right one from another site's page."""
    if visits.row.method != "POST" or visits.row.route in SENT_BY_MAIL_PROGRAMS:
        return []
    token = _right_token(visits.world)
    wrong, changed = changed_tables(
        lambda: [what for role in ROLES for what in _without_the_token(visits, role, token)]
    )
    return [*wrong, *([f"changed {sorted(changed)}"] if changed else [])]


def _without_the_token(visits: Visits, role: str, token: str) -> list[str]:
    """Which requests of a role were not refused, and which answers are open to another site."""
    row, own = visits.row, visits.world.own
    client = visits.world.client(role, csrf=True)
    wrong = []

    def ask(name: str, sent: str, **more: str) -> None:
        answer = row.send(client, own, sent, **more)
        # Who is unknown to the API is refused before the token of a form would be looked at.
        if answer.status_code != 403 and not (row.is_api and answer.status_code == 401):
            wrong.append(f"{role} {name}: {answer.status_code}")
        if "Access-Control-Allow-Origin" in answer:
            wrong.append(f"{role} {name}: open to other sites")

    ask("no token", "")
    origin = in_turn((None, *ORIGINS), row, role)
    if origin is None:
        ask("a wrong token", "csrfmiddlewaretoken=" + "x" * 32)
    else:
        client.cookies["csrftoken"] = token
        ask(origin, f"csrfmiddlewaretoken={token}", HTTP_ORIGIN=origin)
    return wrong


def test_the_token_is_right(world: World) -> None:
    """What refuses it above is the other site's page alone."""
    row = next(row for row in OURS if row.id == "POST project_new")
    token = _right_token(world)
    client = world.client("administrator", csrf=True)
    client.cookies["csrftoken"] = token
    given = {"": 302, **dict.fromkeys(ORIGINS, 403)}
    for origin, expected in given.items():
        more = {"HTTP_ORIGIN": origin} if origin else {}
        answer = send(row, client, world.own, f"csrfmiddlewaretoken={token}", **more)
        assert answer.status_code == expected, origin


# --- fields that no form has --------------------------------------------------------------

FORGED = (
    "id=1&pk=1&user=1&author=1&annotator=1&project=1&item=1&assignment=1&created_at=2001-01-01&at=2001-01-01"
    "&is_gold=1&gold=n&gold_from=lead&stage=excluded&weight=9&status=settled&surplus=1&imported=1&author_label=n"
    "&is_staff=1&is_superuser=1&is_administrator=1&is_active=0&email_verified=1&email=evil@example.org&groups=1"
    "&has_led=1&left_at=&created_by=1&kind=x&seed=x&votes_n=99&sampled=1&pays=1&amount=99&units=99&currency=USD&rate=1"
)
COLUMNS = {
    "annotation_user": "CASE WHEN deleted_at IS NULL THEN email END, is_active, is_administrator",
    "annotation_annotator": "user_id, pseudonym, is_writer, is_validator, is_lead, is_reviewer, "
    "has_led, left_at IS NULL",
    # By its name: the number of a project that was made and rolled back is not given again.
    "annotation_item": "(SELECT slug FROM annotation_project p WHERE p.id = project_id), author_id, gold, gold_from, "
    "stage, author_label, votes_n, sampled",
    "annotation_project": "slug, kind, seed, created_by_id, pays",
    "annotation_rate": "project_id, target_id, action, unit, amount, currency, by_id",
    "annotation_ledgerentry": "annotator_id, rate_id, key, n, units, amount",
    "annotation_adjustment": "annotator_id, key, words, answer, units, answered_by_id",
    "annotation_about": "project_id, licence, citation, threshold, statement::text",
    "annotation_consentversion": "project_id, n, text, asks_again, by_id",
    "annotation_demographics": "annotator_id, ethnicity, gender, least",
    "annotation_approval": 'project_id, "end", by_id',
    "validation_vote": "item_id, annotator_id, label, surplus, imported, n, epoch",
    "annotation_allocation": "premise_id, writer_id, state",
    "validation_study": "(SELECT slug FROM annotation_project p WHERE p.id = project_id), derived_from_id, kind, n, "
    "seed",
}


def _standing() -> dict[str, list[tuple[Any, ...]]]:
    with connection.cursor() as cursor:
        found = {}
        for table, columns in COLUMNS.items():
            cursor.execute(f"SELECT {columns} FROM {table} ORDER BY {columns}")  # noqa: S608
            found[table] = cursor.fetchall()
    return found


def fields_that_no_form_has_change_nothing(visits: Visits) -> list[str]:
    """A03, A04, A21, A22: what is stored is what the same request stores without them."""
    if visits.row.method != "POST":
        return []
    sent = {part.split("=")[0] for part in visits.row.data.split("&")} | own_fields(visits.row)
    extra = "&".join(part for part in FORGED.split("&") if part.split("=")[0] not in sent)
    wrong = []
    for role in ROLES:
        status, forged = _stored(visits, role, extra)
        # Refused as the table has the plain request refused (test_routes sends that one), and nothing was written.
        if forged is None and status in REFUSED and str(status) == visits.row.expected[role][0]:
            continue
        _, plain = _stored(visits, role, "")
        # The API refuses a body with a field that it does not know.
        if forged is None and (plain is None or visits.row.is_api):
            continue
        plain, forged = plain or _standing(), forged or _standing()
        other = [table for table in COLUMNS if forged[table] != plain[table]]
        wrong += [f"{role} {table}: {forged[table]}, not {plain[table]}" for table in other]
    return wrong


REFUSED = (401, 403, 404, 405)


def _stored(visits: Visits, role: str, more: str) -> tuple[int, dict[str, list[tuple[Any, ...]]] | None]:
    """The status of a request and what stands after it; None where it wrote nothing: what stood there before."""
    client = visits.world.client(role)

    def after() -> tuple[int, dict[str, list[tuple[Any, ...]]] | None]:
        answer, written = tables_written(lambda: visits.row.send(client, visits.world.own, more))
        return answer.status_code, _standing() if written else None

    return rolled_back(after)


def own_fields(row: Row) -> set[str]:
    """Names of FORGED that are real fields of a route's form."""
    return {"project_new": {"seed"}}.get(row.route, set())


# --- hosts and redirects --------------------------------------------------------------------


def forged_hosts(visits: Visits) -> list[str]:
    """A36: another host is refused on every page, and a forwarded one is not listened to."""
    row, world = visits.row, visits.world
    if row.method != "GET" or row.route in PLAIN:
        return []
    client = world.client("administrator")
    wrong = []
    if (status := send(row, client, world.own, HTTP_HOST="evil.example").status_code) != 400:
        wrong.append(f"another host: {status}")
    if b"evil.example" in send(row, client, world.own, HTTP_X_FORWARDED_HOST="evil.example").content:
        wrong.append("a forwarded host is named")
    return wrong


ELSEWHERE = ("//evil.example", "/\\evil.example", "https:evil.example", "javascript:alert(1)")


def redirects_stay_here(visits: Visits) -> list[str]:
    """A35."""
    row, wrong = visits.row, []
    for role in [role for role in ROLES if row.expected[role][0] == "302"]:
        client = visits.world.client(role)
        # Who is not signed in is sent to sign in by one decorator; a row sends on by its own view.
        strangers = role in ("anon", "deactivated")
        for target in (in_turn(ELSEWHERE, row, role),) if strangers else ELSEWHERE:
            answer = send(row, client, visits.world.own, f"next={target}")
            there = answer.get("Location", "")
            here = re.match(r"/(?![/\\])", there) and "evil" not in there.split("?")[0]
            if answer.status_code != 302 or not here:
                wrong.append(f"{role} {target}: {answer.status_code} {there}")
    return wrong


CHECKS = (
    other_methods_are_refused,
    nothing_is_sent_without_the_forms_token,
    fields_that_no_form_has_change_nothing,
    forged_hosts,
    redirects_stay_here,
)


@row_params(OURS)
def test_nothing_more_is_listened_to(world: World, row: Row) -> None:
    assert wrong_with(world, row, CHECKS) == {}
