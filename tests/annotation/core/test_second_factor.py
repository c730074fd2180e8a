"""Leads and administrators without a second factor, where the site asks for one (SECOND_FACTOR_REQUIRED)."""

import pytest
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.test import Client, override_settings
from django.urls import reverse

from annotation.api.tokens import token_create
from annotation.core.models.user import User
from annotation.core.second_factor import SealedFactors
from tests import factory
from validation.sign_in.rules import Institution

pytestmark = pytest.mark.django_db


def person(role: str) -> User:
    """Somebody with this role in the project `kuis`."""
    user = factory.user(administrator=role == "administrator")
    if role != "administrator":
        factory.member(factory.project("kuis"), role, account=user)
    else:
        factory.project("kuis")
    return user


@pytest.mark.parametrize("role", ["writer", "validator", "lead", "administrator"])
@pytest.mark.parametrize("asked", ["", "administrators", "leads"])
def test_who_is_sent_to_set_it_up(client: Client, role: str, asked: str) -> None:
    owed = (asked, role) in {
        ("administrators", "administrator"),
        ("leads", "lead"),
        ("leads", "administrator"),
    }
    client.force_login(person(role))
    with override_settings(MUFAKAT_SECOND_FACTOR=asked):
        for path in (reverse("home"), reverse("project", args=["kuis"])):
            answer = client.get(path)
            assert (answer.status_code, answer.get("Location")) == (
                (302, reverse("second_factor")) if owed else (200, None)
            )
        # What leads there can be opened, and no path beside it goes on.
        assert client.get(reverse("second_factor")).status_code == 403
        assert client.get(reverse("account_email")).status_code == 200
        sent = client.post(reverse("vote_ahead", args=["kuis"]))
        assert (sent.get("Location") == reverse("second_factor")) == owed


def test_pages_of_administrators_that_belong_to_no_project(client: Client) -> None:
    client.force_login(person("administrator"))
    pages = [reverse(name) for name in ("admin:index", "project_new", "endpoints", "audit_log", "audit_file")]
    assert {client.get(page).status_code for page in pages} == {200}
    with override_settings(MUFAKAT_SECOND_FACTOR="administrators"):
        for page in pages:
            assert client.get(page)["Location"] == reverse("second_factor")


def test_the_api_says_what_to_do(client: Client) -> None:
    user = person("lead")
    token = token_create(user=user, name="t", scopes=["read"]).text
    with override_settings(MUFAKAT_SECOND_FACTOR="leads"):
        answer = client.get(reverse("api_members", args=["kuis"]), headers={"Authorization": f"Bearer {token}"})
    assert (answer.status_code, answer.json()["code"]) == (403, "second_factor_owed")
    assert "Two-step sign-in" in answer.json()["detail"]


def test_a_code_or_a_key_is_enough_and_recovery_codes_are_not(client: Client) -> None:
    user = person("lead")
    client.force_login(user)
    with override_settings(MUFAKAT_SECOND_FACTOR="leads"):
        Authenticator.objects.create(user=user, type=Authenticator.Type.RECOVERY_CODES, data={})
        assert client.get("/").status_code == 302
        Authenticator.objects.create(user=user, type=Authenticator.Type.TOTP, data={"secret": "x"})
        assert client.get("/").status_code == 200


@pytest.mark.parametrize(
    ("password", "asks", "let_in"), [(False, True, True), (True, True, False), (False, False, False)]
)
def test_an_institution_that_asks_for_one_is_enough_where_it_is_the_only_way(
    client: Client, password: bool, asks: bool, let_in: bool
) -> None:
    institution = Institution("https://sso.example.org", "c", "s", "N", has_second_factor=asks)
    user = person("lead")
    if not password:
        user.set_unusable_password()
        user.save()
    client.force_login(user)
    with override_settings(MUFAKAT_SECOND_FACTOR="leads", MUFAKAT_INSTITUTION=institution):
        assert client.get("/").status_code == 302
        SocialAccount.objects.create(user=user, provider=institution.provider_id, uid="ana")
        assert client.get("/").status_code == (200 if let_in else 302)


def test_it_costs_a_validator_no_statement_and_a_lead_one(client: Client, django_assert_num_queries) -> None:
    from annotation.core import access

    for role, more in (("validator", 0), ("lead", 1)):
        user = factory.user()
        project = factory.project()
        factory.member(project, role, account=user)
        Authenticator.objects.create(user=user, type=Authenticator.Type.TOTP, data={"secret": "x"})
        with override_settings(MUFAKAT_SECOND_FACTOR="leads"), django_assert_num_queries(1 + more):
            access.membership(user, project.slug)
            # A second time in the same request.
        with override_settings(MUFAKAT_SECOND_FACTOR="leads"), django_assert_num_queries(1):
            access.membership(user, project.slug)


def test_secrets_are_stored_sealed_and_those_of_before_still_work() -> None:
    factors = SealedFactors()
    sealed = factors.encrypt("JBSWY3DPEHPK3PXP")
    assert "JBSWY3DPEHPK3PXP" not in sealed
    assert factors.decrypt(sealed) == factors.decrypt("JBSWY3DPEHPK3PXP") == "JBSWY3DPEHPK3PXP"
    with override_settings(SECRET_KEY="another-" * 8):
        assert factors.decrypt(sealed) not in ("JBSWY3DPEHPK3PXP", factors.decrypt(sealed))
