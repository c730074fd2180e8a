"""Tokens: made after giving one's password again, shown once, hashed, limited, revoked at once; never in a log."""

import logging
import re
import time
from datetime import timedelta
from typing import Any

import pytest
from allauth.account.internal.flows import login
from django.core.cache import cache
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from annotation.api import rules
from annotation.api.models import ApiToken
from annotation.api.tokens import token_create, token_revoke
from annotation.core.actions.accounts import user_activate
from annotation.core.database import seconds_from_now
from annotation.core.errors import Conflict, Invalid, NotFound
from annotation.core.models.user import User
from tests import factory
from tests.api import Script, assert_refused, script
from tests.race import run_at_once
from validation.people.actions import account_delete
from validation.sign_in.rules import Institution

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _no_limits_of_others() -> None:
    cache.clear()


def test_only_the_hash_is_stored_and_it_works() -> None:
    user = factory.user()
    made = token_create(user=user, name=" nightly ", scopes=["release", "read"])
    assert made.token.name == "nightly"
    assert made.token.scopes == ["read", "release"]
    assert made.text.startswith(f"muf_{made.token.pk}_")
    secret = made.text.split("_", 2)[2]
    assert made.token.secret_hash == rules.secret_digest(secret)
    assert (made.token.expires_at - made.token.at).days == rules.DEFAULT_DAYS
    with connection.cursor() as cursor:
        cursor.execute("SELECT t::text FROM annotation_apitoken t")
        assert secret not in cursor.fetchone()[0]
    answer = Script(made.text).get("me")
    assert answer.json()["email"] == user.email
    assert answer.json()["token"]["name"] == "nightly"
    assert answer["X-Request-ID"]


@pytest.mark.parametrize(
    ("sent", "field", "code"),
    [
        ({"name": " "}, "name", "token_name_missing"),
        ({"name": "a\0"}, "name", "text_not_storable"),
        ({"scopes": []}, "scopes", "token_scopes_wrong"),
        ({"scopes": ["read", "all"]}, "scopes", "token_scopes_wrong"),
        ({"days": 0}, "days", "token_days_wrong"),
        ({"days": 366}, "days", "token_days_wrong"),
        ({"projects": []}, "projects", "token_projects_wrong"),
        ({"projects": ["others"]}, "projects", "token_projects_wrong"),
    ],
)
def test_what_a_token_cannot_be(sent: dict[str, Any], field: str, code: str) -> None:
    factory.project("others")
    with pytest.raises(Invalid) as refusal:
        token_create(user=factory.user(), **({"name": "a", "scopes": ["read"]} | sent))
    assert (refusal.value.field, refusal.value.code) == (field, code)


def test_the_database_holds_what_must_be_true() -> None:
    made = token_create(user=factory.user(), name="a", scopes=["read"]).token
    for values, name in (
        ({"expires_at": made.at}, "api_token_expires_after_it_was_made"),
        (
            {"secret_hash": token_create(user=factory.user(), name="b", scopes=["read"]).token.secret_hash},
            "api_token_hash_once",
        ),
    ):
        with pytest.raises(IntegrityError, match=name), transaction.atomic():
            ApiToken.objects.filter(pk=made.pk).update(**values)


def test_at_most_ten_work_at_once() -> None:
    user = factory.user()
    for _ in range(rules.MOST_TOKENS):
        token_create(user=user, name="a", scopes=["read"])
    first = ApiToken.objects.order_by("pk")[0]
    with pytest.raises(Conflict):
        token_create(user=user, name="a", scopes=["read"])
    token_revoke(user=user, token_id=first.pk)
    token_create(user=user, name="a", scopes=["read"])


@pytest.mark.django_db(transaction=True)
def test_at_most_ten_also_when_made_at_once() -> None:
    user = factory.user()
    for _ in range(rules.MOST_TOKENS - 1):
        token_create(user=user, name="a", scopes=["read"])
    made = run_at_once([lambda: token_create(user=user, name="a", scopes=["read"])] * 6)
    assert sorted(type(one).__name__ for one in made) == ["Conflict"] * 5 + ["NewToken"]


def _revoked(user: User, token: ApiToken) -> None:
    token_revoke(user=user, token_id=token.pk)


def _over(user: User, token: ApiToken) -> None:
    ApiToken.objects.filter(pk=token.pk).update(at=seconds_from_now(-100), expires_at=seconds_from_now(-1))


def _shut_out(user: User, token: ApiToken) -> None:
    user_activate(user_id=user.pk, active=False, by=factory.user(administrator=True))


def _deleted(user: User, token: ApiToken) -> None:
    account_delete(user=user, password=factory.PASSWORD)
    assert not ApiToken.objects.exists()


@pytest.mark.parametrize("end", [_revoked, _over, _shut_out, _deleted])
def test_it_stops_working_with_the_next_request(end: Any) -> None:
    user = factory.user()
    made = token_create(user=user, name="a", scopes=["read"])
    asking = Script(made.text)
    assert asking.get("me").status_code == 200
    end(user, made.token)
    answer = asking.get("me")
    assert_refused(answer, 401, "token_wrong")
    assert answer["WWW-Authenticate"] == "Bearer"


def test_nobody_revokes_anothers() -> None:
    made = token_create(user=factory.user(), name="a", scopes=["read"])
    with pytest.raises(NotFound):
        token_revoke(user=factory.user(), token_id=made.token.pk)
    assert_refused(script(factory.user(), "read").post(f"tokens/{made.token.pk}:revoke"), 404, "not_found")


def test_failures_are_counted_by_address_and_stop_no_token_that_works() -> None:
    user = factory.user()
    good = script(user, "read")
    wrong = [Script("muf_1_wrong").get("me").status_code for _ in range(25)]
    assert set(wrong[:20]) == {401}
    assert set(wrong[20:]) == {429}
    limited = Script("muf_1_wrong").get("me")
    assert_refused(limited, 429, "too_many_requests")
    assert 0 < int(limited["Retry-After"]) <= 60
    assert good.get("me").status_code == 200


def test_too_many_requests_of_one_token(settings: Any) -> None:
    settings.MUFAKAT_API_A_MINUTE = 3
    user = factory.user()
    one, other = script(user, "read"), script(user, "read")
    statuses = [one.get("me").status_code for _ in range(8)]
    assert statuses[:3] == [200] * 3
    # A minute may begin between two of them.
    assert 429 in statuses
    assert other.get("me").status_code == 200


def test_scopes_and_projects_bound_a_token() -> None:
    user = factory.user()
    here, there = factory.project("here"), factory.project("there")
    factory.member(here, "writer", account=user)
    factory.member(there, "writer", account=user)
    assert [one["slug"] for one in script(user, "read").get("me").json()["projects"]] == ["here", "there"]
    assert [one["slug"] for one in script(user, "read", projects=["here"]).get("me").json()["projects"]] == ["here"]
    assert_refused(script(user, "annotate").get("tokens"), 403, "scope_missing")


def test_use_is_noted_once_a_minute() -> None:
    user = factory.user()
    asking = script(user, "read")
    asking.get("me")
    first = ApiToken.objects.get().used_at
    assert first is not None
    with CaptureQueriesContext(connection) as told:
        asking.get("me")
    assert not [one for one in told.captured_queries if one["sql"].startswith("UPDATE")]
    ApiToken.objects.update(used_at=seconds_from_now(-61))
    asking.get("me")
    again = ApiToken.objects.get().used_at
    assert again is not None
    assert again > first


def test_a_token_is_in_no_log(caplog: pytest.LogCaptureFixture) -> None:
    user = factory.user()
    asking = script(user, "read")
    with caplog.at_level(logging.DEBUG):
        asking.get("me")
        asking.get("nowhere")
        Script(asking.text + "x").get("me")
        asking.post("tokens/1:revoke", b"{", kind="application/json")
    assert asking.text.split("_", 2)[2] not in caplog.text


def test_a_token_in_the_address_is_no_token() -> None:
    asking = script(factory.user(), "read")
    assert Client().get(f"/api/v1/me?token={asking.text}").status_code == 401


# --- the page ----------------------------------------------------------------------------


def test_made_on_a_page_after_giving_the_password_again() -> None:
    user, client = factory.user(), Client()
    factory.member(factory.project("here"), "writer", account=user)
    client.force_login(user)
    page = reverse("my_tokens")
    assert "You have no token." in client.get(page).content.decode()
    sent = {"name": "Nightly", "scopes": ["read", "manage"], "projects": ["here"], "days": "30"}
    answer = client.post(page, sent)
    assert answer.status_code == 302
    assert "reauthenticate" in answer["Location"]
    assert not ApiToken.objects.exists()
    done = client.post(f"{reverse('account_reauthenticate')}?next={page}", {"password": factory.PASSWORD})
    token = ApiToken.objects.get()
    assert (token.name, token.scopes, token.projects) == ("Nightly", ["read", "manage"], ["here"])
    assert f"muf_{token.pk}_" in done.content.decode()
    shown = client.get(page).content.decode()
    assert "Nightly" in shown
    assert "muf_" not in shown.replace("muf_…", "")
    assert client.post(page, {"name": "", "days": "30"}).status_code == 422
    assert client.post(reverse("my_token_revoke", args=[token.pk])).status_code == 302
    assert "You have no token." in client.get(page).content.decode()


def test_the_eleventh_is_refused_with_what_was_typed() -> None:
    user, client = factory.user(), Client()
    client.force_login(user)
    client.post(reverse("account_reauthenticate"), {"password": factory.PASSWORD})
    for _ in range(10):
        token_create(user=user, name="a", scopes=["read"])
    answer = client.post(reverse("my_tokens"), {"name": "Eleventh", "scopes": ["read"], "days": "30"})
    assert answer.status_code == 409
    assert "Eleventh" in answer.content.decode()


def test_no_token_makes_another() -> None:
    user = factory.user()
    body = {"name": "more", "scopes": ["read"]}
    assert_refused(script(user).post("tokens", body), 403, "scope_missing")
    client = Client()
    client.force_login(user)
    assert_refused(client.post("/api/v1/tokens", body, content_type="application/json"), 403, "token_by_session")
    client.post(reverse("account_reauthenticate"), {"password": factory.PASSWORD})
    made = client.post("/api/v1/tokens", body, content_type="application/json")
    assert made.status_code == 201
    assert Script(made.json()["token"]).get("me").status_code == 200


def test_a_token_lists_and_revokes_only_itself() -> None:
    user = factory.user()
    other = token_create(user=user, name="other", scopes=["manage"]).token
    asking = script(user, "read")
    own = ApiToken.objects.exclude(pk=other.pk).get()
    assert [row["id"] for row in asking.get("tokens").json()["results"]] == [own.pk]
    assert asking.post(f"tokens/{other.pk}:revoke").status_code == 404
    assert ApiToken.objects.live().count() == 2
    assert asking.post(f"tokens/{own.pk}:revoke").status_code == 200
    assert list(ApiToken.objects.live()) == [other]


NEW_PASSWORD = "perahu-kertas-di-sungai-7"


@pytest.mark.parametrize("way", ["changed on its page", "reset by mail", "set at the machine"])
def test_a_new_password_ends_tokens(way: str, client: Client, mailoutbox: list[Any]) -> None:
    user = factory.user("owner@example.org")
    asking = script(user, "read")
    twice = {"password1": NEW_PASSWORD, "password2": NEW_PASSWORD}
    if way == "changed on its page":
        client.force_login(user)
        client.post(reverse("account_change_password"), {"oldpassword": factory.PASSWORD, **twice})
    elif way == "reset by mail":
        client.post(reverse("account_reset_password"), {"email": user.email})
        link = re.search(r"https?://[^/\s]+(/accounts/password/reset/key/\S+)", mailoutbox[0].body)
        assert link is not None
        client.post(client.get(link[1]).headers["Location"], twice)
    else:
        user.set_password(NEW_PASSWORD)
        user.save()
    assert User.objects.get().check_password(NEW_PASSWORD)
    assert asking.get("me").status_code == 401


@pytest.mark.parametrize(
    ("only", "password", "days", "works"),
    [
        (False, True, 400, True),
        (False, False, 29, True),
        (False, False, 31, False),
        (False, False, None, False),
        (True, True, 31, False),
        (True, True, 29, True),
    ],
)
def test_tokens_of_an_institutions_people_need_a_recent_sign_in(
    settings: Any, only: bool, password: bool, days: int | None, works: bool
) -> None:
    settings.MUFAKAT_INSTITUTION = Institution(
        issuer="https://id.example.org", client_id="mufakat", secret="", name="Uni", only=only
    )
    user = factory.user()
    if not password:
        user.set_unusable_password()
    user.last_login = None if days is None else timezone.now() - timedelta(days=days)
    user.save()
    assert script(user, "read").get("me").status_code == (200 if works else 401)


def test_whom_an_institution_signs_in_must_have_done_so_just_now(client: Client) -> None:
    user = factory.user()
    user.set_unusable_password()
    user.save()
    client.force_login(user)
    sent = {"name": "Nightly", "scopes": ["read"], "days": "30"}
    answer = client.post(reverse("my_tokens"), sent)
    assert (answer.status_code, ApiToken.objects.count()) == (422, 0)
    assert "Nightly" in answer.content.decode()
    assert_refused(client.post("/api/v1/tokens", sent, content_type="application/json"), 403, "token_by_session")
    session = client.session
    session[login._AUTHENTICATION_METHODS_USER_SESSION_KEY] = str(user.pk)
    session[login.AUTHENTICATION_METHODS_SESSION_KEY] = [{"method": "socialaccount", "at": time.time()}]
    session.save()
    assert client.post(reverse("my_tokens"), sent).status_code == 200
    assert ApiToken.objects.get().name == "Nightly"


def test_a_session_needs_the_forms_token() -> None:
    user = factory.user()
    made = token_create(user=user, name="a", scopes=["read"]).token
    client = Client(enforce_csrf_checks=True)
    client.force_login(user)
    assert client.get("/api/v1/me").json()["token"] is None
    address, kind = f"/api/v1/tokens/{made.pk}:revoke", "application/json"
    assert_refused(client.post(address, content_type=kind), 403, "csrf")
    client.get(reverse("my_tokens"))
    forms = {"X-CSRFToken": client.cookies["csrftoken"].value}
    assert client.post(address, content_type=kind, headers=forms).status_code == 200


def test_made_at_the_machine(capsys: pytest.CaptureFixture[str]) -> None:
    user = factory.user("script@example.org")
    call_command("create_token", "Script@example.org", scope=["read", "annotate"], days=7)
    assert Script(capsys.readouterr().out.strip()).get("me").json()["email"] == user.email
    for wrong in (["nobody@example.org"], ["script@example.org", "--days", "400"]):
        with pytest.raises(CommandError):
            call_command("create_token", *wrong)
