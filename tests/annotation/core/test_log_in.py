"""Log-in under attack: how often one may guess, from where; and the second factor."""

import time
from typing import Any

import pytest
import time_machine
from allauth.mfa.adapter import get_adapter as mfa_adapter
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from django.test import Client, override_settings
from django.urls import reverse

from annotation.core.actions.accounts import user_create
from annotation.core.models.user import User
from tests.annotation.core.test_accounts import (
    PASSWORD,
    _no_old_limits,
    _reset_link,
    choose_password,
    log_in,
    logged_in,
)

pytestmark = pytest.mark.django_db
__all__ = ["_no_old_limits"]


@pytest.fixture
def person() -> User:
    return user_create(email="aska@example.org", password=PASSWORD, name="Ana")


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
