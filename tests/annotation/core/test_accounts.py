"""Accounts over HTTP: log-in, log-out, reset, second factor, sign-up; and the attacks on them."""

import re
from collections.abc import Iterator

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.core.cache import cache
from django.test import Client, override_settings
from django.urls import reverse

from annotation.core.actions.accounts import user_activate, user_create
from annotation.core.models.member import Event
from annotation.core.models.user import User

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


@pytest.mark.parametrize("spelling", ["ASKA@Example.ORG", "as\N{KELVIN SIGN}a@example.org", " aska@ｅxample.org "])
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
    assert "This site cannot send e-mail" in page
    assert "sent you" not in page
    assert "we send you" not in page


def test_who_signs_up_where_nobody_must_confirm_an_address_is_not_told_to_ask_for_it(client: Client) -> None:
    with override_settings(MUFAKAT_OPEN_SIGNUP=True, **NO_MAIL):
        fields = {"email": "new@example.org", "password1": PASSWORD, "password2": PASSWORD}
        page = client.post(reverse("account_signup"), fields, follow=True)
    assert page.status_code == 200
    assert "administrator" not in page.text.partition('id="messages"')[2].partition("</div>")[0]


@override_settings(**NO_MAIL)
def test_where_no_mail_leaves_no_confirmation_is_said_to_be_sent(person: User, client: Client) -> None:
    log_in(client)
    fields = {"email": "new@example.org", "action_add": "1"}
    client.post(reverse("account_email"), fields)
    client.post(reverse("account_reauthenticate"), {"password": PASSWORD})
    page = client.post(reverse("account_email"), fields, follow=True).text
    assert "This site cannot send e-mail" in page
    assert "sent" not in page.partition('id="messages"')[2].partition("</div>")[0]


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
