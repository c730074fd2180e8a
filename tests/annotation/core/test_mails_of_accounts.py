"""The mails of sign-in are ours: each has a short subject, one link of the site, and the reader's language."""

from pathlib import Path

import allauth
import pytest
from allauth.account.adapter import get_adapter
from allauth.core import context
from django.core import mail
from django.test import RequestFactory
from django.utils import translation

from tests import factory
from tests.conventions import sources

pytestmark = pytest.mark.django_db

# Of features that are off here: codes by mail in place of passwords and links.
OFF = {"account/email/login_code", "account/email/password_reset_code"}
LIBRARY, OURS = Path(allauth.__file__).parent / "templates", sources.ROOT / "templates"
SENT = sorted(
    str(path.relative_to(LIBRARY)).removesuffix("_message.txt")
    for path in LIBRARY.rglob("email/*_message.txt")
    if path.name != "base_message.txt"
)
VALUES = {
    **dict.fromkeys(("email", "from_email", "to_email", "deleted_email"), "ana@example.org"),
    **dict.fromkeys(("password_reset_url", "activate_url", "signup_url"), "http://elsewhere/accounts/x/"),
    "provider": "Campus",
}


@pytest.mark.parametrize("prefix", [one for one in SENT if one not in OFF])
@pytest.mark.parametrize("language", ["en", "id", "su"])
def test_a_mail_of_sign_in_is_ours(prefix: str, language: str) -> None:
    assert (OURS / f"{prefix}_message.txt").is_file()
    assert (OURS / f"{prefix}_subject.txt").is_file()
    user = factory.user("ana@example.org", language=language)
    with context.request_context(RequestFactory().get("/")):
        adapter = get_adapter()
        if "base_notification" in (OURS / f"{prefix}_message.txt").read_text():
            adapter.send_notification_mail(prefix, user, VALUES)
        else:
            adapter.send_mail(prefix, user.email, {**VALUES, "user": user})
    (message,) = mail.outbox
    subject = message.subject.removeprefix("[testserver] ")
    lines = message.body.strip().splitlines()
    assert 5 < len(subject) < 50
    assert [line for line in lines if line.startswith("http")] == [
        line for line in lines if line.startswith("http://testserver/accounts/")
    ]
    assert sum(line.startswith("http") for line in lines) == 1
    with translation.override(language):
        assert lines[-1] == translation.gettext("Mufakat on %(site)s") % {"site": "testserver"}
    assert lines[0], "the first sentence says what happened"
    assert "\n\n\n" not in message.body


def test_nothing_of_the_library_is_left() -> None:
    """A mail that a later version of the library adds has to be written here too."""
    assert {one for one in SENT if (OURS / f"{one}_message.txt").is_file()} == set(SENT) - OFF
