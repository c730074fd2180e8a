"""What a project says of itself, and who has read what, over the API."""

from typing import Any

import pytest
from django.core.cache import cache

from annotation.datasheet.models import About, ConsentVersion
from tests import factory, translations
from tests.api import Script, assert_refused, script

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _no_limits_of_others() -> None:
    cache.clear()


@pytest.fixture
def boss() -> Script:
    return script(factory.user("boss@example.org", administrator=True))


def test_nothing_said_is_empty_and_what_is_said_has_a_version(boss: Script) -> None:
    path = f"projects/{factory.project().slug}/about"
    first = boss.get(path).json()
    assert (first["licence"], first["statement"], first["version"]) == ("", {}, 0)
    assert not About.objects.exists()
    sent = {"version": 0, "licence": "CC-BY-4.0", "statement": {"language_variety": "Sehari-hari."}}
    said = boss.post(path, sent).json()
    assert (said["licence"], said["statement"], said["version"]) == (
        "CC-BY-4.0",
        {"language_variety": "Sehari-hari."},
        1,
    )
    assert boss.post(path, {"version": 1, "citation": "Kami."}).json()["licence"] == "CC-BY-4.0"
    assert_refused(boss.post(path, sent), 409, "stale")


@pytest.mark.parametrize(
    ("body", "code", "field"),
    [
        ({}, "field_required", "version"),
        ({"version": 0, "homepage": "pasar.example"}, "homepage_wrong", "homepage"),
        ({"version": 0, "statement": {"weather": "a"}}, "section_unknown", "statement"),
        ({"version": 0, "threshold": 0}, "field_min_value", "threshold"),
        ({"version": 0, "mood": "glad"}, "field_unknown", "mood"),
    ],
)
def test_what_cannot_be_said_names_its_field(boss: Script, body: dict[str, Any], code: str, field: str) -> None:
    answer = boss.post(f"projects/{factory.project().slug}/about", body)
    assert_refused(answer, 400, code)
    assert answer.json()["field"] == field
    assert not About.objects.exists()


def test_what_members_agree_to_has_versions(boss: Script) -> None:
    path = f"projects/{factory.project().slug}/consent-versions"
    for n in (1, 2):
        made = boss.post(path, {"text": f"Teks {n}", "asks_again": False, "seen": n - 1})
        assert (made.status_code, made.json()["n"]) == (201, n)
    assert_refused(boss.post(path, {"text": "a", "asks_again": True, "seen": 1}), 409, "stale")
    assert [(row["n"], row["asks_again"]) for row in boss.pages(path)] == [(1, True), (2, False)]
    assert ConsentVersion.objects.count() == 2


def test_members_say_which_guidelines_they_have_read() -> None:
    project = factory.project()
    writer = factory.member(project, "writer")
    path = f"projects/{project.slug}/guideline-versions:read"
    told = script(writer.user).post(path, {"role": "writing", "n": 99}).json()
    assert told == {"read": {"writing": 1}}
    assert_refused(script(writer.user, "read").post(path, {"role": "writing", "n": 1}), 403, "scope_missing")
    assert_refused(script(factory.user()).post(path, {"role": "writing", "n": 1}), 404, "not_found")


def test_who_works_for_which_target() -> None:
    project = translations.a_translation_project()
    first, second = (target.key for target in project.targets.order_by("key")[:2])
    person = translations.member(project, "writer", targets=(first,))
    asking = script(factory.member(project, "lead").user)
    path = f"projects/{project.slug}/members/{person.pk}:targets"
    assert asking.post(path, {"targets": [second], "seen": [first]}).json()["targets"] == [second]
    assert_refused(asking.post(path, {"targets": [first], "seen": [first]}), 409, "targets_stale")
    assert_refused(asking.post(path, {"targets": ["nowhere"]}), 400, "target_unknown")
    plain = factory.project()
    other = factory.member(plain, "writer")
    lead = script(factory.member(plain, "lead").user)
    assert_refused(lead.post(f"projects/{plain.slug}/members/{other.pk}:targets", {"targets": []}), 404, "not_found")


def test_a_region_is_entered_by_administrators(boss: Script) -> None:
    project = factory.project()
    person = factory.member(project, "writer")
    path = f"projects/{project.slug}/members/{person.pk}:region"
    assert boss.post(path, {"region": "Bali"}).json()["region"] == "Bali"
    assert boss.post(path, {"region": ""}).json()["region"] == ""
    assert_refused(script(factory.member(project, "lead").user).post(path, {"region": "Bali"}), 403, "forbidden")


def test_sources_are_given_out() -> None:
    project = factory.project()
    factory.premises(project, 3)
    writer = factory.member(project, "writer")
    asking, path = script(factory.member(project, "lead").user), f"projects/{project.slug}/sources:allocate"
    assert asking.post(path, {"size": 2}).json() == {"given": 2}
    assert asking.post(path, {"size": 5, "to": writer.pseudonym}).json() == {"given": 1}
    assert asking.post(path, {"size": 5}).json() == {"given": 0}
    assert_refused(asking.post(path, {"size": 1, "to": "nobody"}), 400, "writer_wrong")
    assert_refused(asking.post(path, {"size": 0}), 400, "field_min_value")
