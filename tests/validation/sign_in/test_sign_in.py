"""Sign-in through an OpenID provider that runs: who gets in, what connects, what groups give and take."""

import re
import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.totp.internal.auth import TOTP, format_hotp_value, generate_totp_secret, hotp_value
from allauth.socialaccount.models import SocialAccount
from django.core.cache import cache
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from annotation.core.models.member import Annotator, Event
from annotation.core.models.user import User
from tests import factory, openid
from tests.openid import Provider

pytestmark = pytest.mark.django_db
MAIN = re.compile("<main.*</main>", re.S)


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Provider]:
    with openid.provider(tmp_path_factory.mktemp("openid")) as made:
        yield made


@pytest.fixture
def provider(running: Provider) -> Iterator[Provider]:
    cache.clear()
    with openid.with_institution(running.institution()):
        yield running
    cache.clear()


def who(client: Client) -> str:
    """The address of whoever is signed in; empty for nobody."""
    key = client.session.get("_auth_user_id")
    return User.objects.get(pk=key).email if key else ""


def roles(user: User) -> set[str]:
    place = Annotator.objects.filter(user=user, left_at=None).first()
    names = ("writer", "validator", "lead", "reviewer")
    return {name for name in names if place is not None and getattr(place, f"is_{name}")}


def test_groups_give_an_account_and_roles_and_take_them_again(provider: Provider, client: Client) -> None:
    project = factory.project("kuis")
    provider.knows("ana", groups=["writers"], picture="https://uni.example/ana.jpg")
    assert provider.sign_in(client, "ana").status_code == 302
    user = User.objects.get(email="ana@uni.example")
    assert (who(client), user.name, user.has_usable_password()) == (user.email, "Ana", False)
    assert roles(user) == {"writer", "reviewer"}
    account = SocialAccount.objects.get(user=user)
    # Of what is told nothing is kept but what the groups give.
    given = ["kuis:reviewer", "kuis:writer"]
    assert (account.uid, account.extra_data) == ("ana", {"given": given, "wanted": given})
    assert 11 * 3600 < client.session.get_expiry_age() <= 12 * 3600
    event = Event.objects.get(verb="groups_applied")
    assert event.data == {"given": given, "taken": [], "refused": []}
    # Signing in again with the same groups changes nothing; what was taken by hand stays taken.
    Annotator.objects.filter(user=user).update(is_reviewer=False)
    provider.sign_in(Client(), "ana")
    assert roles(user) == {"writer"}
    # A group more: what it gives comes to the rest.
    provider.knows("ana", groups=["writers", "leads"])
    provider.sign_in(Client(), "ana")
    assert roles(user) == {"writer", "lead"}
    # All groups gone: the place ends, the pseudonym and what was done under it stay.
    provider.knows("ana", groups=[])
    assert provider.sign_in(Client(), "ana").status_code == 302
    place = Annotator.objects.get(project=project, user=user)
    assert place.left_at is not None
    assert Event.objects.filter(verb="left", project=project, data__annotator=place.pseudonym).exists()


def test_roles_that_were_given_by_hand_stay(provider: Provider, client: Client) -> None:
    project = factory.project("kuis")
    provider.knows("ana", groups=["writers"])
    provider.sign_in(client, "ana")
    user = User.objects.get()
    Annotator.objects.filter(project=project, user=user).update(is_validator=True)
    provider.knows("ana", groups=[])
    provider.sign_in(Client(), "ana")
    assert roles(user) == {"validator"}


def test_what_was_held_before_a_group_gave_it_too_stays(provider: Provider, client: Client) -> None:
    project, other = factory.project("kuis"), factory.user(administrator=True)
    provider.knows("ana", groups=["writers"])
    provider.sign_in(client, "ana")
    user = User.objects.get(email__startswith="ana")
    User.objects.filter(pk=user.pk).update(is_administrator=True)
    for groups in (["writers", "admins"], ["writers", "admins"], []):
        provider.knows("ana", groups=groups)
        provider.sign_in(Client(), "ana")
    user.refresh_from_db()
    assert user.is_administrator
    assert other.is_administrator
    assert Annotator.objects.get(project=project, user=user).left_at is not None


def test_administrators_by_group(provider: Provider, client: Client) -> None:
    provider.knows("ana", groups=["admins"])
    provider.sign_in(client, "ana")
    user = User.objects.get()
    assert user.is_administrator
    provider.knows("ana", groups=[])
    page = client.get(provider.sign_in(client, "ana")["Location"]).content.decode()
    user.refresh_from_db()
    assert user.is_administrator  # the only one
    assert "administrator, which could not be" in page
    factory.user(administrator=True)
    provider.sign_in(Client(), "ana")
    user.refresh_from_db()
    assert not user.is_administrator


def test_a_role_that_cannot_be_given_is_said_and_the_rest_is_given(provider: Provider, client: Client) -> None:
    """There is no project `kuis` yet: who signs in gets in, and the role later."""
    provider.knows("ana", groups=["leads", "admins"])
    page = client.get(provider.sign_in(client, "ana")["Location"]).content.decode()
    assert "kuis:lead" in page
    assert "no project of that short name" in page
    user = User.objects.get()
    assert user.is_administrator
    factory.project("kuis")
    provider.sign_in(Client(), "ana")
    assert roles(user) == {"lead"}


@pytest.mark.parametrize(
    ("claims", "why"),
    [
        ({}, "no group gives a role"),
        ({"groups": ["writers"], "email": "owner@uni.example"}, "the address has an account"),
        ({"groups": ["writers"], "email": "OWNER@uni.example"}, "the address has an account"),
        ({"groups": ["writers"], "email_verified": False}, "the address is not confirmed"),
        ({"groups": ["writers"], "email_verified": "false"}, "that is no confirmation either"),
        ({"groups": ["writers"], "email": ""}, "there is no address"),
        (
            {"groups": ["admins"], "email": "owner@uni.example"},
            "not even an administrator's group takes it over",
        ),
    ],
)
def test_who_is_unknown_gets_the_same_page(
    provider: Provider, client: Client, claims: dict[str, Any], why: str
) -> None:
    """An equal address connects nothing, and the page does not tell whether there is an account."""
    factory.project("kuis")
    owner = factory.user("owner@uni.example")
    provider.knows("eve", **claims)
    answer = provider.sign_in(client, "eve")
    assert (answer.status_code, who(client)) == (403, ""), why
    assert "No account is connected" in answer.content.decode()
    assert list(User.objects.all()) == [owner]
    assert not SocialAccount.objects.exists()
    other = Client()
    provider.knows("eva")
    told = [MAIN.search(page.content.decode()) for page in (answer, provider.sign_in(other, "eva"))]
    assert len({found and found[0] for found in told} - {None}) == 1


def test_connecting_asks_for_the_password_and_then_signs_in(provider: Provider, client: Client) -> None:
    user = factory.user("ana@example.org")
    provider.knows("ana", email="quite.another@uni.example", groups=[])
    client.force_login(user)
    asked = provider.sign_in(client, "ana", "connect")
    assert asked["Location"] == reverse("account_reauthenticate")
    assert not SocialAccount.objects.exists()
    wrong = client.post(reverse("account_reauthenticate"), {"password": "not-it-at-all"})
    assert wrong.status_code == 200
    assert not SocialAccount.objects.exists()
    client.post(reverse("account_reauthenticate"), {"password": factory.PASSWORD})
    assert SocialAccount.objects.get().user == user
    assert Event.objects.get(verb="institution_connected").actor == user
    # The address of the account stays its own.
    assert list(EmailAddress.objects.values_list("email", flat=True)) == ["ana@example.org"]
    again = Client()
    provider.sign_in(again, "ana")
    assert who(again) == "ana@example.org"


def test_a_subject_is_connected_once(provider: Provider, client: Client) -> None:
    first, second = factory.user(), factory.user()
    SocialAccount.objects.create(user=first, provider=provider.institution().provider_id, uid="ana")
    provider.knows("ana")
    client.force_login(second)
    provider.sign_in(client, "ana", "connect")
    answer = client.post(reverse("account_reauthenticate"), {"password": factory.PASSWORD}, follow=True)
    assert "belongs to another account" in answer.content.decode()
    assert SocialAccount.objects.get().user == first


def test_disconnecting_keeps_nobody_what_groups_give(provider: Provider, client: Client) -> None:
    user = factory.user()
    account = SocialAccount.objects.create(
        user=user, provider=provider.institution().provider_id, uid="ana", extra_data={"given": ["kuis:lead"]}
    )
    client.force_login(user)
    where = reverse("socialaccount_connections")
    refused = client.post(where, {"account": account.pk})
    assert "stays connected" in refused.content.decode()
    SocialAccount.objects.update(extra_data={"given": []})
    client.post(where, {"account": account.pk})
    client.post(reverse("account_reauthenticate"), {"password": factory.PASSWORD})
    client.post(where, {"account": account.pk})
    assert not SocialAccount.objects.exists()


def test_who_was_shut_out_stays_out(provider: Provider, client: Client) -> None:
    user = factory.user()
    User.objects.update(is_active=False)
    SocialAccount.objects.create(user=user, provider=provider.institution().provider_id, uid="ana")
    provider.knows("ana", groups=["admins"])
    assert provider.sign_in(client, "ana")["Location"] == reverse("account_inactive")
    user.refresh_from_db()
    assert (who(client), user.is_administrator) == ("", False)


def test_the_same_subject_of_another_issuer_is_somebody_else(running: Provider, client: Client) -> None:
    user = factory.user()
    other = running.institution(issuer="https://sso.example.org")
    SocialAccount.objects.create(user=user, provider=other.provider_id, uid="ana")
    running.knows("ana")
    with openid.with_institution(running.institution()):
        assert running.sign_in(client, "ana").status_code == 403


def test_a_provider_that_names_another_issuer_is_not_believed(running: Provider, client: Client) -> None:
    """Its address with a slash more: it says that its issuer is the one without."""
    institution = running.institution(issuer=running.issuer + "/")
    with openid.with_institution(institution):
        answer = client.post(reverse("openid_connect_login", args=[institution.provider_id]))
    assert (answer.status_code, "The sign-in failed" in answer.content.decode()) == (401, True)


def test_a_provider_that_is_away_is_said(client: Client) -> None:
    with openid.with_institution(Provider("http://localhost:9").institution()):
        where = reverse("openid_connect_login", args=[Provider("http://localhost:9").institution().provider_id])
        assert client.post(where).status_code == 401
        assert client.get(where).status_code == 405


def test_a_way_back_that_nobody_began_is_refused(provider: Provider, client: Client) -> None:
    """A forged link to the way back signs nobody in: the state is that of another session."""
    provider.knows("eve", groups=["writers"])
    named = {"provider_id": provider.institution().provider_id}
    sent = Client().post(reverse("openid_connect_login", kwargs=named))
    back = httpx.post(sent["Location"], data={"sub": "eve"}).headers["Location"]
    assert client.get(back.removeprefix("http://testserver")).status_code == 401
    assert who(client) == ""


def test_where_the_institution_is_the_only_way_passwords_open_nothing(running: Provider, client: Client) -> None:
    user = factory.user("ana@example.org")
    with openid.with_institution(running.institution(only=True)):
        page = client.get(reverse("account_login")).content.decode()
        assert 'type="password"' not in page
        client.post(reverse("account_login"), {"login": user.email, "password": factory.PASSWORD})
        assert who(client) == ""
        assert client.get(reverse("account_signup")).status_code == 200
        assert "invitation" in client.get(reverse("account_signup")).content.decode()


def test_without_an_institution_its_addresses_are_not_there(client: Client) -> None:
    assert client.get(reverse("institution_signed_out")).status_code == 404
    assert client.get(reverse("institution_sign_out")).status_code == 404
    assert client.post(reverse("openid_connect_login", args=["x"])).status_code == 404


def test_whoever_has_no_password_can_still_delete_their_account(provider: Provider, client: Client) -> None:
    factory.user(administrator=True)
    provider.knows("ana", groups=["admins"])
    provider.sign_in(client, "ana")
    client.post(reverse("my_deletion"), {"comments": "clear"})
    assert not User.objects.filter(email="ana@uni.example").exists()
    assert not SocialAccount.objects.exists()


def test_the_command_looks_at_the_provider_and_connects(
    provider: Provider, client: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("institution")
    told = capsys.readouterr().out
    named = provider.institution().provider_id
    assert f"http://testserver/accounts/institution/{named}/login/callback/" in told
    assert provider.issuer in told
    user = factory.user("ana@example.org")
    for wrong in (("nobody@example.org", "ana"), ("", ""), ("ana@example.org", "")):
        with pytest.raises(CommandError):
            call_command("institution", "connect", *wrong)
    call_command("institution", "connect", "ana@example.org", "ana")
    provider.knows("ana")
    provider.sign_in(client, "ana")
    assert who(client) == user.email
    with (
        openid.with_institution(provider.institution(issuer=f"{provider.issuer}/")),
        pytest.raises(CommandError),
    ):
        call_command("institution")


def test_who_has_a_second_factor_here_is_asked_for_it_and_only_then_roles_come(
    provider: Provider, client: Client
) -> None:
    factory.project("kuis")
    user, secret = factory.user(), generate_totp_secret()
    TOTP.activate(user, secret)
    SocialAccount.objects.create(user=user, provider=provider.institution().provider_id, uid="ana")
    provider.knows("ana", groups=["leads"])
    assert provider.sign_in(client, "ana")["Location"] == reverse("mfa_authenticate")
    assert (who(client), roles(user)) == ("", set())
    code = format_hotp_value(hotp_value(secret, int(time.time()) // 30))
    client.post(reverse("mfa_authenticate"), {"code": code})
    assert (who(client), roles(user)) == (user.email, {"lead"})
    assert client.session.get_expiry_age() <= 12 * 3600


def test_a_fault_is_logged_by_its_class_alone(client: Client, caplog: pytest.LogCaptureFixture) -> None:
    away = Provider("http://localhost:9").institution()
    with openid.with_institution(away):
        client.post(reverse("openid_connect_login", args=[away.provider_id]))
    (line,) = (text for record in caplog.records if "institution_failed" in (text := str(record.msg)))
    assert "ConnectionError" in line
    assert "localhost" not in line


def test_who_breaks_it_off_is_told_so_and_signed_in_nowhere(provider: Provider, client: Client) -> None:
    """As OAuth 2.0 (RFC 6749, 4.1.2.1) has it: the error with the state."""
    named = [provider.institution().provider_id]
    sent = client.post(reverse("openid_connect_login", args=named))
    state = parse_qs(urlsplit(sent["Location"]).query)["state"][0]
    back = reverse("openid_connect_callback", args=named)
    answer = client.get(back, {"error": "access_denied", "state": state}, follow=True)
    assert "You did not sign in" in answer.content.decode()
    # Any other error, or one of somebody else's sign-in, failed.
    assert client.get(back, {"error": "access_denied", "state": state}).status_code == 401
    assert client.get(back, {"error": "server_error", "state": "x"}).status_code == 401
    assert who(client) == ""
