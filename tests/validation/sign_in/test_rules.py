"""Institutions and what their groups give: tables, without a database."""

from typing import Any

import pytest

from validation.sign_in.rules import Institution, InvalidSetting, by_project, groups_of, roles_by_group

GOOD: dict[str, Any] = {
    "issuer": "https://sso.example.org/realms/a",
    "client_id": "c",
    "secret": "s",
    "name": "N",
}


def test_another_issuer_is_another_provider() -> None:
    one, other = (
        Institution(**{**GOOD, "issuer": issuer})
        for issuer in ("https://sso.example.org/realms/a", "https://sso.example.org/realms-a")
    )
    assert one.provider_id != other.provider_id
    assert one.provider_id.startswith("sso.example.org-")
    assert one.origin == "https://sso.example.org"


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"issuer": "http://sso.example.org"}, "must begin with https"),
        ({"issuer": "sso.example.org"}, "must be an address"),
        ({"issuer": "https://a.example/?x=1"}, "must be an address"),
        ({"issuer": "https://me:pw@a.example/"}, "must be an address"),
        ({"client_id": ""}, "OIDC_CLIENT_ID"),
        ({"secret": ""}, "OIDC_CLIENT_SECRET_FILE"),
        ({"scopes": ("email",)}, "OIDC_SCOPES"),
        ({"hours": 0}, "OIDC_SESSION_HOURS"),
    ],
)
def test_what_cannot_be_used_is_named(wrong: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidSetting, match=words):
        Institution(**{**GOOD, **wrong}).checked()


def test_on_this_machine_a_provider_needs_no_tls() -> None:
    assert Institution(**{**GOOD, "issuer": "http://localhost:9400"}).checked()


@pytest.mark.parametrize(
    ("claims", "claim", "groups"),
    [
        ({"groups": ["a", "b"]}, "groups", ["a", "b"]),
        ({"groups": "a"}, "groups", ["a"]),
        ({}, "groups", []),
        ({"groups": None}, "groups", []),
        ({"groups": [1, {"x": 2}, "a"]}, "groups", ["a"]),
        ({"realm_access": {"roles": ["a"]}}, "realm_access.roles", ["a"]),
        ({"https://uni.example/groups": ["a"]}, "https://uni.example/groups", ["a"]),
        ({"realm_access": ["a"]}, "realm_access.roles", []),
    ],
)
def test_groups_of_claims(claims: dict[str, Any], claim: str, groups: list[str]) -> None:
    assert groups_of(claims, claim) == groups


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "not JSON"),
        ("[]", "must map groups"),
        ('{"g": "kuis:lead"}', "must map groups"),
        ('{"g": ["kuis"]}', "must be 'administrator'"),
        ('{"g": ["kuis:boss"]}', "must be 'administrator'"),
        ('{"g": [":lead"]}', "must be 'administrator'"),
        ('{"g": [1]}', "must be 'administrator'"),
    ],
)
def test_a_mapping_that_cannot_be_used_is_refused(text: str, words: str) -> None:
    with pytest.raises(InvalidSetting, match=words):
        roles_by_group(text)


def test_what_groups_give() -> None:
    roles = roles_by_group('{"a b": ["kuis:lead", "administrator"], "c": ["kuis:lead", "uji:writer"]}')
    institution = Institution(**GOOD, roles=roles)
    assert institution.granted(["a b", "c", "unknown"]) == ["administrator", "kuis:lead", "uji:writer"]
    assert institution.granted([]) == []
    assert list(by_project(institution.granted(["c"]))) == [
        ("kuis", frozenset({"lead"})),
        ("uji", frozenset({"writer"})),
    ]
    assert roles_by_group("") == {}
