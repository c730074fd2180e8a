"""Accounts over HTTP: log-in, log-out, reset, second factor, sign-up; and the attacks on them."""

import re
import time
from collections.abc import Iterator
from typing import Any

import pytest
import time_machine
from allauth.account.models import EmailAddress
from allauth.mfa.adapter import get_adapter as mfa_adapter
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from django.apps import apps
from django.contrib import admin
from django.core import mail
from django.core.cache import cache
from django.test import Client, override_settings
from django.urls import reverse

from annotation.actions import user_activate, user_create
from annotation.admin_site import ReadOnlyAdmin
from annotation.models import Event, User

pytestmark = pytest.mark.django_db
PASSWORD = "kopi-tubruk-17"
NO_MAIL = {
    "EMAIL_BACKEND": "django.core.mail.backends.dummy.EmailBackend",
    "ACCOUNT_EMAIL_VERIFICATION": "optional",
}


@pytest.fixture(autouse=True)
def _no_old_limits() -> Iterator[None]:
    cache.clear()
    yield
    cache.clear()


@pytest.fixture
def person() -> User:
    return user_create(email="aska@example.org", password=PASSWORD, name="Ana")


def log_in(client: Client, email: str = "aska@example.org", password: str = PASSWORD, **extra):
    return client.post(reverse("account_login"), {"login": email, "password": password}, **extra)


def logged_in(client: Client) -> bool:
    return "_auth_user_id" in client.session and client.get(reverse("account_email")).status_code == 200


def test_log_in_and_out(person: User, client: Client) -> None:
    assert client.get(reverse("account_email")).status_code == 302
    before = client.session.session_key
    answer = log_in(client)
    assert (answer.status_code, answer["Location"]) == (302, "/")
    assert logged_in(client)
    assert client.session.session_key != before
    assert client.get(reverse("account_logout")).status_code == 200
    assert logged_in(client)
    client.post(reverse("account_logout"))
    assert client.get(reverse("account_email")).status_code == 302


@pytest.mark.parametrize(
    "spelling", ["ASKA@Example.ORG", "as\N{KELVIN SIGN}a@example.org", " aska@ｅxample.org "]
)
def test_one_account_per_mailbox(person: User, client: Client, spelling: str) -> None:
    """A20: other case or other code points of the same address are the same account."""
    assert log_in(client, spelling).status_code == 302
    client.post(reverse("account_logout"))
    with override_settings(MUFAKAT_OPEN_SIGNUP=True):
        client.post(
            reverse("account_signup"),
            {"email": spelling, "password1": "teh-botol-99x", "password2": "teh-botol-99x"},
        )
    assert User.objects.count() == 1
    from django.db import IntegrityError, transaction

    with transaction.atomic(), pytest.raises(IntegrityError):
        User.objects.create(email="ASKA@example.org")


def test_sign_up_is_closed(client: Client) -> None:
    fields = {"email": "x@example.org", "password1": PASSWORD, "password2": PASSWORD}
    assert 'name="password1"' not in client.get(reverse("account_signup")).content.decode()
    client.post(reverse("account_signup"), fields)
    assert not User.objects.exists()


@override_settings(MUFAKAT_OPEN_SIGNUP=True)
def test_sign_up_takes_nothing_but_its_fields(client: Client) -> None:
    """A21, A22; and with mandatory verification nobody is in before the link of the mail was opened."""
    client.post(
        reverse("account_signup"),
        {
            "email": "New@example.org",
            "name": "New",
            "password1": PASSWORD,
            "password2": PASSWORD,
            "is_administrator": "1",
            "is_active": "1",
            "id": "7",
            "email_verified": "1",
        },
    )
    user = User.objects.get()
    assert (user.email, user.name, user.is_administrator) == ("new@example.org", "New", False)
    assert not EmailAddress.objects.get().verified
    assert "_auth_user_id" not in client.session
    link = re.search(r"http://testserver(/accounts/confirm-email/\S+)", str(mail.outbox[0].body))
    assert link is not None
    assert client.get(link[1]).status_code == 200
    assert not EmailAddress.objects.get().verified
    answer = client.post(link[1])
    assert EmailAddress.objects.get().verified
    assert not User.objects.get().has_usable_password()
    choose_password(client, answer["Location"])
    assert log_in(client, "new@example.org").status_code == 302
    assert logged_in(client)


def choose_password(client: Client, where: str, password: str = PASSWORD) -> None:
    form = client.get(where, follow=True)
    client.post(form.request["PATH_INFO"], {"password1": password, "password2": password})


def test_where_no_mail_leaves_one_is_in_at_once(client: Client) -> None:
    with override_settings(MUFAKAT_OPEN_SIGNUP=True, **NO_MAIL):
        fields = {"email": "new@example.org", "password1": PASSWORD, "password2": PASSWORD}
        client.post(reverse("account_signup"), fields)
        assert logged_in(client)


@override_settings(**NO_MAIL)
@pytest.mark.parametrize("route", ["account_reset_password", "account_reset_password_done"])
def test_where_no_mail_leaves_no_page_says_that_a_link_is_on_its_way(client: Client, route: str) -> None:
    page = client.get(reverse(route)).text
    assert "No mail leaves this site" in page
    assert "is on its way" not in page
    assert "is sent there" not in page


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:99"])
def test_links_in_messages_lead_to_the_configured_address(person: User, client: Client, host: str) -> None:
    """Whoever asks for somebody else's reset link chooses the Host of the request, and not where the link leads."""
    client.post(reverse("account_reset_password"), {"email": person.email}, headers={"host": host})
    message = mail.outbox[-1]
    assert "http://testserver/accounts/password/reset/key/" in message.body
    client.post(reverse("account_reset_password"), {"email": "nobody@example.org"}, headers={"host": host})
    with override_settings(MUFAKAT_OPEN_SIGNUP=True):
        for email in ("new@example.org", person.email):
            client.post(reverse("account_signup"), {"email": email}, headers={"host": host})
    assert len(mail.outbox) == 4
    for message in mail.outbox:
        assert host not in f"{message.subject} {message.body}"
        assert "http://testserver/accounts/" in message.body


def _reset_link() -> str:
    found = re.search(r"http://testserver(/accounts/password/reset/key/\S+)", str(mail.outbox[-1].body))
    assert found is not None
    return found[1]


def test_password_reset(person: User, client: Client) -> None:
    """The link works once; sessions of before end (A28)."""
    other = Client()
    log_in(other)
    assert logged_in(other)
    client.post(reverse("account_reset_password"), {"email": "Aska@example.org"})
    link = _reset_link()
    form = client.get(link, follow=True)
    fields = {"password1": "rendang-padang-8", "password2": "rendang-padang-8"}
    client.post(form.request["PATH_INFO"], fields)
    person.refresh_from_db()
    assert person.check_password("rendang-padang-8")
    assert other.get(reverse("account_email")).status_code == 302
    again = Client()
    form = again.get(link, follow=True)
    again.post(form.request["PATH_INFO"], {"password1": "soto-betawi-12", "password2": "soto-betawi-12"})
    person.refresh_from_db()
    assert person.check_password("rendang-padang-8")


def test_password_change_ends_other_sessions(person: User, client: Client) -> None:
    other = Client()
    log_in(other)
    log_in(client)
    fields = {"oldpassword": PASSWORD, "password1": "rendang-padang-8", "password2": "rendang-padang-8"}
    client.post(reverse("account_change_password"), fields)
    assert other.get(reverse("account_email")).status_code == 302
    assert log_in(Client()).status_code == 200
    assert any("password" in message.subject.lower() for message in mail.outbox)


def test_new_address_needs_the_password_again(person: User, client: Client) -> None:
    log_in(client)
    answer = client.post(reverse("account_email"), {"email": "new@example.org", "action_add": "1"})
    assert answer.status_code == 302
    assert "reauthenticate" in answer["Location"]
    assert EmailAddress.objects.count() == 1
    client.post(reverse("account_reauthenticate"), {"password": PASSWORD})
    client.post(reverse("account_email"), {"email": "new@example.org", "action_add": "1"})
    person.refresh_from_db()
    assert person.email == "aska@example.org"
    link = re.search(r"http://testserver(/accounts/confirm-email/\S+)", str(mail.outbox[-1].body))
    assert link is not None
    client.post(link[1])
    person.refresh_from_db()
    assert person.email == "new@example.org"
    assert list(EmailAddress.objects.values_list("email", "verified")) == [("new@example.org", True)]


def test_deactivated_is_out_at_once(person: User, client: Client) -> None:
    """A27: the session, the reset link of before, and the password."""
    boss = user_create(email="boss@example.org", password=PASSWORD, administrator=True)
    log_in(client)
    client.post(reverse("account_reset_password"), {"email": person.email})
    Client().post(reverse("account_reset_password"), {"email": person.email})
    link = _reset_link()
    user_activate(user_id=person.pk, active=False, by=boss)
    assert client.get(reverse("account_email")).status_code == 302
    fresh = Client()
    form = fresh.get(link, follow=True)
    fields = {"password1": "rendang-padang-8", "password2": "rendang-padang-8"}
    fresh.post(form.request["PATH_INFO"], fields)
    for password in (PASSWORD, "rendang-padang-8"):
        log_in(fresh, password=password)
        assert fresh.get(reverse("account_email")).status_code == 302
    assert list(Event.objects.filter(verb="user_deactivated").values_list("actor", flat=True)) == [boss.pk]


def _bare(html: str) -> str:
    """Without what differs between two equal answers: the masked token, and the address that was typed."""
    html = re.sub(r'(csrfmiddlewaretoken" value=|X-CSRFToken": )"[^"]*"', r"\1", html)
    return html.replace("aska@example.org", "X").replace("who@example.org", "X")


@pytest.mark.parametrize("route", ["account_login", "account_reset_password", "account_signup"])
def test_nobody_learns_who_has_an_account(person: User, route: str) -> None:
    """A29: the same status, headers and body for a known and an unknown address."""
    answers = []
    with override_settings(MUFAKAT_OPEN_SIGNUP=True):
        for address in ("aska@example.org", "who@example.org"):
            fields = {
                "login": address,
                "email": address,
                "password": "wrong",
                "password1": "rendang-padang-8",
                "password2": "rendang-padang-8",
            }
            answer = Client().post(reverse(route), fields, follow=True)
            # Expires is the second of the answer; a length follows from the address that was typed.
            varying = ("X-Request-ID", "Content-Length", "Expires")
            headers = {k: v for k, v in answer.items() if k not in varying}
            answers.append((answer.status_code, answer.redirect_chain, headers, _bare(answer.text)))
    assert answers[0] == answers[1]


def test_guesses_are_limited_and_lock_nobody_out(person: User, client: Client) -> None:
    """A30, A55: a forged X-Forwarded-For changes nothing, and the owner gets in from elsewhere meanwhile."""
    for n in range(8):
        log_in(client, password="wrong", headers={"X-Forwarded-For": f"10.0.0.{n}"})
    assert log_in(client).status_code == 200
    assert "_auth_user_id" not in client.session
    assert log_in(Client(), REMOTE_ADDR="192.0.2.7").status_code == 302
    statuses = {log_in(client, "b@example.org", f"wrong{n}").status_code for n in range(30)}
    assert 429 in statuses
    assert log_in(Client(), headers={"X-Forwarded-For": "192.0.2.9"}).status_code == 429


def guess(n: int, network: str = "198.51.100", **more: Any) -> Any:
    return log_in(Client(), password=f"wrong{n}", REMOTE_ADDR=f"{network}.{n}", **more)


def test_guesses_from_many_addresses_are_limited_for_the_account(person: User) -> None:
    """Whoever has ten thousand addresses has one account's worth of guesses; the owner is not locked out."""
    home = "192.0.2.7"
    assert log_in(Client(), REMOTE_ADDR=home).status_code == 302
    for n in range(50):
        guess(n)
    for fresh in ("203.0.113.1", "203.0.113.2"):
        assert log_in(Client(), REMOTE_ADDR=fresh).status_code == 200
    assert log_in(Client(), REMOTE_ADDR=home).status_code == 302
    # A new place: by the link of the mail.
    client = Client(REMOTE_ADDR="203.0.113.3")
    client.post(reverse("account_reset_password"), {"email": person.email})
    choose_password(client, _reset_link(), "rendang-padang-8")
    assert log_in(client, password="rendang-padang-8").status_code == 302


def test_right_passwords_from_many_addresses_are_no_guesses(person: User) -> None:
    for n in range(60):
        assert log_in(Client(), REMOTE_ADDR=f"198.51.100.{n}").status_code == 302


def test_an_ipv6_network_is_one_address(person: User) -> None:
    """A /64 is what one subscriber has: each address of it by itself would be no limit."""
    for n in range(6):
        log_in(Client(), password="wrong", REMOTE_ADDR=f"2001:db8:0:1::{n + 1:x}")
    assert log_in(Client(), REMOTE_ADDR="2001:db8:0:1::ffff").status_code == 200
    assert log_in(Client(), REMOTE_ADDR="2001:db8:0:2::1").status_code == 302


def test_the_trusted_proxy_tells_the_address(person: User, client: Client) -> None:
    """With one trusted proxy the last address counts, whatever a client wrote before it."""
    with override_settings(ALLAUTH_TRUSTED_PROXY_COUNT=1):
        for n in range(8):
            log_in(client, password="wrong", headers={"X-Forwarded-For": f"10.0.0.{n}, 192.0.2.1"})
        assert log_in(client, headers={"X-Forwarded-For": "10.1.1.1, 192.0.2.1"}).status_code == 200
        assert log_in(client, headers={"X-Forwarded-For": "192.0.2.2"}).status_code == 302


@pytest.mark.parametrize(
    "target",
    [
        "//evil.example",
        "/\\evil.example",
        "https:evil.example",
        "https://evil.example/",
        "javascript:alert(1)",
    ],
)
@pytest.mark.parametrize("route", ["account_login", "account_logout", "account_signup"])
def test_next_stays_here(person: User, client: Client, route: str, target: str) -> None:
    """A35."""
    if route == "account_logout":
        log_in(client)
    fields = {
        "login": person.email,
        "password": PASSWORD,
        "email": "new@example.org",
        "password1": PASSWORD,
        "password2": PASSWORD,
        "next": target,
    }
    with override_settings(MUFAKAT_OPEN_SIGNUP=True, **NO_MAIL):
        answer = client.post(f"{reverse(route)}?next={target}", fields)
    assert (answer.status_code, answer["Location"]) == (302, "/")


@pytest.mark.parametrize("headers", [{"Host": "evil.example"}, {"X-Forwarded-Host": "evil.example"}])
def test_forged_host(person: User, client: Client, headers: dict[str, str]) -> None:
    """A36: no mail carries a link to another host."""
    answer = client.post(reverse("account_reset_password"), {"email": person.email}, headers=headers)
    assert answer.status_code == (400 if "Host" in headers else 302)
    assert all("evil" not in message.body for message in mail.outbox)


def _totp(secret: str, ahead: int = 0) -> str:
    return format_hotp_value(hotp_value(secret, int(time.time()) // 30 + ahead))


def test_second_factor_with_recovery_codes(person: User, client: Client) -> None:
    log_in(client)
    client.post(reverse("account_reauthenticate"), {"password": PASSWORD})
    page = client.get(reverse("mfa_activate_totp"))
    secret = page.context["form"].secret
    assert client.post(reverse("mfa_activate_totp"), {"code": _totp(secret)}).status_code == 302
    assert mfa_adapter().is_mfa_enabled(person)
    codes = client.get(reverse("mfa_view_recovery_codes")).context["unused_codes"]
    fresh = Client()
    assert fresh.get(log_in(fresh)["Location"]).status_code == 200
    assert "_auth_user_id" not in fresh.session
    assert fresh.post(reverse("mfa_authenticate"), {"code": "000000"}).status_code == 200
    assert fresh.post(reverse("mfa_authenticate"), {"code": codes[0]}).status_code == 302
    assert logged_in(fresh)
    again = Client()
    log_in(again)
    again.post(reverse("mfa_authenticate"), {"code": codes[0]})
    assert "_auth_user_id" not in again.session


def test_the_code_that_switched_it_on_is_not_taken_again(person: User, client: Client) -> None:
    """Nor any other one twice, for as long as it is right: its own step, the one before and the one behind."""
    log_in(client)
    client.post(reverse("account_reauthenticate"), {"password": PASSWORD})
    secret = client.get(reverse("mfa_activate_totp")).context["form"].secret
    begin = int(time.time()) // 30 * 30 + 1
    with time_machine.travel(begin, tick=False) as clock:
        first = _totp(secret)
        assert client.post(reverse("mfa_activate_totp"), {"code": first}).status_code == 302
        second = _totp(secret, 1)
        for code, status, later in ((first, 200, 0), (second, 302, 0), (second, 200, 0), (second, 200, 58)):
            clock.move_to(begin + later)
            fresh = Client()
            log_in(fresh)
            assert fresh.post(reverse("mfa_authenticate"), {"code": code}).status_code == status
            assert ("_auth_user_id" in fresh.session) == (status == 302)


@pytest.mark.parametrize(("ahead", "status"), [(1, 302), (3, 200)])
def test_a_phone_whose_clock_is_ahead(person: User, client: Client, ahead: int, status: int) -> None:
    """By half a minute it is one all the same; by more it is not."""
    log_in(client)
    client.post(reverse("account_reauthenticate"), {"password": PASSWORD})
    secret = client.get(reverse("mfa_activate_totp")).context["form"].secret
    answer = client.post(reverse("mfa_activate_totp"), {"code": _totp(secret, ahead)})
    assert answer.status_code == status


def test_the_admin_knows_no_log_in_of_its_own(person: User, client: Client) -> None:
    """A23: the second factor and the limits hold there too; those who are no administrators get nothing."""
    answer = client.post("/admin/login/", {"username": person.email, "password": PASSWORD})
    assert answer["Location"].startswith("/accounts/login/")
    log_in(client)
    assert client.get("/admin/").status_code in (302, 403)
    assert client.get("/admin/annotation/user/").status_code in (302, 403)


OURS = {"annotation.User", "annotation.Project", "annotation.Annotator", "annotation.Event", "annotation.Job"}


def test_only_read_only_admins_are_registered(person: User, client: Client) -> None:
    """Whatever packages register for themselves: addresses, secrets of the second factor and groups stay out."""
    assert {model._meta.label for model in admin.site._registry} == OURS
    assert all(isinstance(each, ReadOnlyAdmin) for each in admin.site._registry.values())
    boss = user_create(email="boss@example.org", password=PASSWORD, administrator=True)
    log_in(client, boss.email)
    for model in apps.get_models():
        url = f"/admin/{model._meta.app_label}/{model._meta.model_name}/"
        listed = model._meta.label in OURS
        assert client.get(url).status_code == (200 if listed else 404), url
        for page in ("add/", f"{boss.pk}/delete/"):
            assert client.get(url + page).status_code in ((302, 403) if listed else (404,)), url + page
        assert client.post(url + "add/", {"name": "x"}).status_code == (403 if listed else 404), url


def test_what_a_package_registers_later_is_left_out_too() -> None:
    admin.site.register(EmailAddress, admin.ModelAdmin)
    admin.site.register(EmailAddress)
    assert not admin.site.is_registered(EmailAddress)


def test_the_admin_only_lets_in_and_out(person: User, client: Client) -> None:
    boss = user_create(email="boss@example.org", password=PASSWORD, administrator=True)
    log_in(client, boss.email)
    url = "/admin/annotation/user/"
    assert client.get(url).status_code == 200
    detail = client.get(f"{url}{person.pk}/change/")
    assert person.password not in detail.text
    assert client.post(f"{url}{person.pk}/change/", {"is_administrator": "on"}).status_code == 403
    assert client.post(f"{url}{person.pk}/delete/", {"post": "yes"}).status_code == 403
    assert client.get(f"{url}add/").status_code == 403
    for lookup in ("password__startswith=m", "places__project__slug=x", "emailaddress__email__startswith=a"):
        assert client.get(f"{url}?{lookup}").status_code == 400
    fields = {"action": "deactivate", "_selected_action": [str(person.pk), str(boss.pk)]}
    client.post(url, {**fields, "form-0-id": str(boss.pk), "form-0-is_administrator": "on"})
    person.refresh_from_db()
    boss.refresh_from_db()
    assert (person.is_active, boss.is_active) == (False, True)
    client.post(url, {"action": "activate", "_selected_action": [str(person.pk)]})
    person.refresh_from_db()
    assert person.is_active
    assert not person.is_administrator
