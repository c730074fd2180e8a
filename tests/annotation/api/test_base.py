"""What all resources share: problems, fields, cursors, keys that are done once, the schema."""

import orjson
import pytest
from django.conf import settings
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from annotation.api import pages
from annotation.api.models import ApiToken
from annotation.api.tokens import token_create
from tests import factory
from tests.api import Script, assert_refused, script

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _no_limits_of_others() -> None:
    cache.clear()


def test_refusals_are_problems() -> None:
    asking = script(factory.user())
    assert_refused(Script().get("me"), 401, "not_authenticated")
    assert_refused(asking.get("nowhere"), 404, "not_found")
    assert_refused(asking.post("me"), 405, "method_not_allowed")
    assert_refused(asking.get("me", {"expand": "votes"}), 400, "field_unknown")
    assert_refused(asking.get("tokens", {"limit": "0"}), 400, "field_min_value")
    assert_refused(asking.get("tokens", {"cursor": "!"}), 400, "field_cursor")
    assert_refused(asking.get("tokens", {"fields": "name,secret_hash"}), 400, "fields_unknown")


@pytest.fixture
def maker() -> Client:
    """A browser whose owner has just given the password."""
    client = Client()
    client.force_login(factory.user())
    client.post(reverse("account_reauthenticate"), {"password": factory.PASSWORD})
    return client


@pytest.mark.parametrize(
    ("body", "kind", "status", "code", "field"),
    [
        (b"{", "application/json", 400, "body_unreadable", ""),
        (b"\xff", "application/json", 400, "body_unreadable", ""),
        (b"[" * 100_000, "application/json", 400, "body_unreadable", ""),
        (b"name=a", "application/x-www-form-urlencoded", 415, "media_type_wrong", ""),
        (b"[]", "application/json", 400, "field_invalid", ""),
        (b'{"name": "a"}', "application/json", 400, "field_required", "scopes"),
        (b'{"name": "a", "scopes": ["all"]}', "application/json", 400, "field_invalid_choice", "scopes.0"),
        (b'{"name": "a", "scopes": ["read"], "user": 1}', "application/json", 400, "field_unknown", "user"),
        (
            b'{"name": "a\\u0000", "scopes": ["read"]}',
            "application/json",
            400,
            "field_null_characters_not_allowed",
            "name",
        ),
    ],
)
def test_a_body_that_cannot_be(maker: Client, body: bytes, kind: str, status: int, code: str, field: str) -> None:
    answer = maker.post("/api/v1/tokens", body, content_type=kind)
    assert_refused(answer, status, code)
    assert answer.json().get("field", "") == field
    assert not ApiToken.objects.exists()


def test_fields_and_cursors() -> None:
    user = factory.user()
    asking = Client()
    asking.force_login(user)
    token_create(user=user, name="test", scopes=["read"])
    for number in range(6):
        token_create(user=user, name=f"t{number}", scopes=["read"])
    page = asking.get("/api/v1/tokens?limit=3&fields=name").json()
    assert page["results"] == [{"name": "test"}, {"name": "t0"}, {"name": "t1"}]
    ApiToken.objects.filter(name="t1").delete()
    late = token_create(user=user, name="late", scopes=["read"])
    rest = asking.get("/api/v1/tokens", {"limit": 100, "fields": "name", "cursor": page["next"]}).json()
    assert [one["name"] for one in rest["results"]] == ["t2", "t3", "t4", "t5", late.token.name]
    assert rest["next"] is None


# --- the schema ---------------------------------------------------------------------------


def test_the_schema_is_what_the_resources_declare() -> None:
    from annotation.api import openapi

    assert pages.SCHEMA_FILE.read_bytes() == openapi.as_json(), "run manage.py api_schema"
    assert (settings.BASE_DIR / "docs" / "openapi.yaml").read_bytes() == openapi.as_yaml()


def test_every_address_of_the_api_is_in_the_schema() -> None:
    from tests.conventions.table import own_addresses

    told = orjson.loads(pages.SCHEMA_FILE.read_bytes())
    served = [one.pattern for one in own_addresses() if one.pattern.startswith("api/v1/")]
    assert len(served) - 1 == len(told["paths"])
    operations = [one for path in told["paths"].values() for one in path.values()]
    names = [one["operationId"] for one in operations]
    assert len(set(names)) == len(names)
    assert all(one["summary"] for one in operations)


def test_the_documentation_is_drawn_once_for_each_language() -> None:
    pages._operations_in.cache_clear()
    drawn = [Client().get(reverse("api_docs"), headers={"Accept-Language": code}) for code in ("en", "id", "en", "id")]
    fields = [any(each.name == "annotation/api/partials/fields.html" for each in one.templates) for one in drawn]
    assert fields == [True, True, False, False]
    assert [b"In the address" in one.content for one in drawn] == [True, False, True, False]


def test_the_documentation_is_drawn_from_it() -> None:
    answer = Client().get(reverse("api_docs"))
    text = answer.content.decode()
    told = orjson.loads(pages.SCHEMA_FILE.read_bytes())
    assert all(path in text for path in told["paths"])
    assert "script-src 'self'" in answer["Content-Security-Policy"]
    assert Client().get(reverse("api_schema")).json() == told
