"""Projects over the API: who sees which, made and changed as on the pages."""

from typing import Any

import pytest
from django.core.cache import cache

from annotation.core.models.project import Project
from tests import factory
from tests.api import assert_refused, script

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _no_limits_of_others() -> None:
    cache.clear()


def test_everybody_sees_their_own() -> None:
    one, two = factory.project("one"), factory.project("two")
    writer = factory.member(one, "writer", "validator")
    boss = factory.user(administrator=True)
    assert script(writer.user).pages("projects") == [
        {
            "slug": "one",
            "name": "one",
            "description": "",
            "kind": "nli",
            "preset": "indonli-expert",
            "language": "id",
            "created_at": one.created_at.isoformat().replace("+00:00", "Z"),
            "closed_at": None,
            "roles": ["writer", "validator"],
            "pseudonym": "W01",
        }
    ]
    assert [one["slug"] for one in script(boss).pages("projects", limit=1)] == ["one", "two"]
    assert [one["slug"] for one in script(boss, projects=["two"]).pages("projects")] == ["two"]
    assert_refused(script(writer.user).get("projects/two"), 404, "not_found")
    assert_refused(script(boss, projects=["two"]).get("projects/one"), 404, "not_found")
    assert script(writer.user).get("projects/one").json()["roles"] == ["writer", "validator"]
    assert two.slug == "two"


@pytest.mark.parametrize("count", [1, 30])
def test_as_many_statements_for_one_as_for_many(count: int, django_assert_num_queries: Any) -> None:
    user = factory.user()
    for _ in range(count):
        factory.member(factory.project(), "writer", account=user)
    asking = script(user)
    asking.get("projects")
    with django_assert_num_queries(3):
        assert len(asking.get("projects", {"limit": 1000}).json()["results"]) == count


def test_made_from_a_preset_once_a_key() -> None:
    boss = script(factory.user(administrator=True))
    body = {"slug": "pasar", "name": "Pasar pagi", "preset": "indonli-lay"}
    first = boss.post("projects", body, Idempotency_Key="one")
    again = boss.post("projects", body, Idempotency_Key="one")
    assert (first.status_code, again.status_code) == (201, 201)
    assert first.json() == again.json()
    assert again["Idempotent-Replayed"] == "true"
    assert_refused(
        boss.post("projects", {**body, "slug": "lain"}, Idempotency_Key="one"), 422, "idempotency_key_reused"
    )
    assert_refused(boss.post("projects", body), 409, "slug_taken")
    assert_refused(boss.post("projects", {**body, "slug": "x", "preset": "none"}), 400, "preset_unknown")
    assert_refused(boss.post("projects", {**body, "slug": "x", "protocol": {"name": "fixed"}}), 400, "protocol_wrong")
    assert_refused(script(factory.user()).post("projects", body), 403, "forbidden")
    assert Project.objects.get().name == "Pasar pagi"


def test_a_refusal_is_answered_again_too_and_another_key_is_another_request() -> None:
    boss = script(factory.user(administrator=True))
    factory.project("pasar")
    body = {"slug": "pasar", "name": "Pasar", "preset": "indonli-lay"}
    assert_refused(boss.post("projects", body, Idempotency_Key="one"), 409, "slug_taken")
    Project.objects.update(slug="other")
    assert_refused(boss.post("projects", body, Idempotency_Key="one"), 409, "slug_taken")
    assert boss.post("projects", body, Idempotency_Key="two").status_code == 201
    assert_refused(boss.post("projects", body, Idempotency_Key="a" * 201), 400, "idempotency_key_wrong")


def test_settings_are_changed_as_on_the_page() -> None:
    project = factory.project("one")
    lead = factory.member(project, "lead")
    boss = script(factory.user(administrator=True))
    stands = boss.get("projects/one/settings").json()
    sent = {
        "version": stands["version"],
        "settings": {"per_label": 3, "sample_share": 0.25, "check_first": True},
    }
    changed = boss.post("projects/one/settings", sent).json()
    assert (changed["settings"]["per_label"], changed["settings"]["check_first"]) == (3, True)
    assert (changed["sample_share"], changed["settings"]["spacing"]) == (
        "0.2500",
        stands["settings"]["spacing"],
    )
    assert_refused(boss.post("projects/one/settings", sent), 409, "stale")
    fresh = {"version": changed["version"]}
    for settings, code in (
        ({"per_label": 0}, "setting_wrong"),
        ({"no_such": 1}, "setting_unknown"),
        ({"tags": "x"}, "setting_wrong"),
    ):
        answer = boss.post("projects/one/settings", {**fresh, "settings": settings})
        assert_refused(answer, 400, code)
        assert answer.json()["field"] == f"settings.{next(iter(settings))}"
    assert_refused(script(lead.user).get("projects/one/settings"), 403, "forbidden")
    project.refresh_from_db()
    assert project.rules.per_label == 3


def test_versions_of_protocol_and_guidelines() -> None:
    project = factory.project("one")
    lead, writer = factory.member(project, "lead"), factory.member(project, "writer")
    boss = script(factory.user(administrator=True))
    (first,) = boss.pages("projects/one/protocol-versions")
    version = boss.get("projects/one/settings").json()["version"]
    made = boss.post("projects/one/protocol-versions", {"version": version, "rules": {**first["rules"], "quorum": 2}})
    assert (made.status_code, made.json()["n"]) == (201, 2)
    assert_refused(
        boss.post("projects/one/protocol-versions", {"version": version, "rules": first["rules"]}),
        409,
        "stale",
    )
    assert [one["n"] for one in script(lead.user).pages("projects/one/protocol-versions")] == [1, 2]
    assert_refused(script(writer.user).get("projects/one/protocol-versions"), 403, "forbidden")
    text = {"role": "writing", "text": "# Tulis\n"}
    assert script(lead.user).post("projects/one/guideline-versions", text).json()["n"] == 2
    assert_refused(script(writer.user).post("projects/one/guideline-versions", text), 403, "forbidden")
    read = script(writer.user).pages("projects/one/guideline-versions", role="writing")
    assert [(one["n"], one["text"] == "# Tulis\n") for one in read] == [(1, False), (2, True)]


def test_closed_and_opened_again() -> None:
    factory.project("one")
    boss = script(factory.user(administrator=True))
    version = boss.get("projects/one/settings").json()["version"]
    assert boss.post("projects/one:close", {"version": version, "closed": True}).json()["closed_at"]
    assert_refused(boss.post("projects/one:close", {"version": version, "closed": False}), 409, "stale")
