"""Where people are signed in: listed, ended everywhere, and forgotten by the browser's cache."""

import pytest
from django.test import Client
from django.urls import reverse

from annotation.core.models.user import User
from tests import factory
from tests.annotation.api.test_tokens import NEW_PASSWORD

pytestmark = pytest.mark.django_db

PHONE = "Mozilla/5.0 (Linux; Android 9; SM-J530F) AppleWebKit/537.36 Chrome/92.0.4515.131 Mobile Safari/537.36"


def signed_in(user: User, agent: str) -> Client:
    client = Client(headers={"User-Agent": agent})
    answer = client.post(reverse("account_login"), {"login": user.email, "password": factory.PASSWORD})
    assert answer.status_code == 302
    return client


def test_people_see_and_end_their_sessions() -> None:
    user, other = factory.user(), factory.user()
    here, phone, colleague = signed_in(user, "Firefox/128.0"), signed_in(user, PHONE), signed_in(other, "")
    page = here.get(reverse("my_tokens")).content.decode()
    assert page.index("Firefox") < page.index("this browser") < page.index("Chrome · Android")
    assert page.count("<tr") == 3
    answer = here.post(reverse("my_sessions_end"))
    assert (answer.status_code, answer.headers["Clear-Site-Data"]) == (302, '"cache"')
    assert here.get(reverse("home")).status_code == phone.get(reverse("home")).status_code == 302
    assert colleague.get(reverse("home")).status_code == 200


def test_a_session_that_a_new_password_ended_is_not_listed() -> None:
    user = factory.user()
    here, phone = signed_in(user, "Firefox/128.0"), signed_in(user, PHONE)
    twice = {"password1": NEW_PASSWORD, "password2": NEW_PASSWORD}
    here.post(reverse("account_change_password"), {"oldpassword": factory.PASSWORD, **twice})
    assert phone.get(reverse("home")).status_code == 302
    again = Client(headers={"User-Agent": "Firefox/128.0"})
    again.post(reverse("account_login"), {"login": user.email, "password": NEW_PASSWORD})
    assert "Android" not in again.get(reverse("my_tokens")).content.decode()


def test_signing_out_clears_the_cache_and_nothing_else_does() -> None:
    user = factory.user()
    client = signed_in(user, "Firefox/128.0")
    assert "Clear-Site-Data" not in client.get(reverse("home")).headers
    assert client.post(reverse("account_logout")).headers["Clear-Site-Data"] == '"cache"'
    assert "Clear-Site-Data" not in client.get(reverse("account_login")).headers
