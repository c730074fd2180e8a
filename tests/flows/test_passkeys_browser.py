"""Passkeys in a browser with a device of its own (WebAuthn): added, in place of a code, in place of the password."""

from collections.abc import Callable

import pytest
from allauth.mfa.models import Authenticator
from django.test import override_settings
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotation.core.models.member import Event
from tests import factory
from tests.conftest import Pages
from tests.flows.looks import assert_for_everybody

pytestmark = pytest.mark.django_db(transaction=True)


def with_device(page: Page) -> Callable[[bool], None]:
    """Give the browser a device that holds passkeys; what comes back says whether its owner agrees from now on."""
    session = page.context.new_cdp_session(page)
    session.send("WebAuthn.enable")
    options = {
        "protocol": "ctap2",
        "transport": "internal",
        "hasResidentKey": True,
        "hasUserVerification": True,
    }
    made = session.send("WebAuthn.addVirtualAuthenticator", {"options": {**options, "isUserVerified": True}})

    def agrees(verified: bool) -> None:
        named = {"authenticatorId": made["authenticatorId"], "isUserVerified": verified}
        session.send("WebAuthn.setUserVerified", named)

    return agrees


def sign_in(page: Page, email: str) -> None:
    page.goto(reverse("account_login"))
    page.get_by_label("Email").fill(email)
    page.get_by_label("Password").fill(factory.PASSWORD)
    page.keyboard.press("Enter")


def sign_out(page: Page) -> None:
    page.goto(reverse("account_logout"))
    page.get_by_role("main").get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", name="Sign in", exact=True)).to_be_visible()


@override_settings(MUFAKAT_PASSKEYS=True)
def test_a_passkey_from_adding_to_removing(open_page: Pages) -> None:
    # A passkey belongs to a name, and an address of numbers is none.
    open_page.origin = open_page.origin.replace("127.0.0.1", "localhost")
    user = factory.user("ana@example.org")
    page = open_page()
    agrees = with_device(page)
    sign_in(page, user.email)
    page.wait_for_url(lambda url: url.count("/") == 3)
    page.goto(reverse("mfa_add_webauthn"))
    page.get_by_label("Password").fill(factory.PASSWORD)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Add a passkey")).to_be_visible()
    assert_for_everybody(page, "passkey-add")
    page.get_by_label("It is enough alone").check()
    page.get_by_role("button", name="Add", exact=True).press("Enter")
    expect(page.get_by_role("heading", name="Recovery codes")).to_be_visible()
    assert Authenticator.objects.filter(user=user, type="webauthn").count() == 1
    assert Event.objects.filter(actor=user, verb="passkey_added").exists()
    page.goto(reverse("mfa_list_webauthn"))
    assert_for_everybody(page, "passkeys")
    # In place of the code.
    sign_out(page)
    sign_in(page, user.email)
    expect(page.get_by_role("heading", name="One more step")).to_be_visible()
    assert_for_everybody(page, "passkey-step")
    page.get_by_role("button", name="Use a passkey").press("Enter")
    page.wait_for_url(lambda url: url.count("/") == 3)
    # In place of the password; a device whose owner does not agree gives nothing, and that is said.
    sign_out(page)
    assert_for_everybody(page, "passkey-login")
    agrees(False)
    page.get_by_role("button", name="Sign in with a passkey").click()
    expect(page.get_by_role("alert")).to_contain_text("The device gave no passkey")
    agrees(True)
    page.get_by_role("button", name="Sign in with a passkey").click()
    page.wait_for_url(lambda url: url.count("/") == 3)
    expect(page.get_by_text("Account", exact=True)).to_be_visible()
    # Removed, it opens nothing any more.
    page.goto(reverse("mfa_list_webauthn"))
    page.get_by_role("link", name="Remove").click()
    page.get_by_role("link", name="Use a security key").click()
    page.get_by_role("button", name="Use a passkey").click()
    page.get_by_role("main").get_by_role("button", name="Remove").click()
    expect(page.get_by_text("You have no passkey yet.")).to_be_visible()
    sign_out(page)
    with page.expect_response(lambda answer: answer.request.method == "POST"):
        page.get_by_role("button", name="Sign in with a passkey").click()
    page.wait_for_load_state("load")
    expect(page.get_by_role("heading", name="Sign in", exact=True)).to_be_visible()
    page.goto("/")
    expect(page.get_by_role("heading", name="Sign in", exact=True)).to_be_visible()


def test_where_they_are_not_offered_nothing_speaks_of_them(open_page: Pages) -> None:
    page = open_page()
    page.goto(reverse("account_login"))
    assert "asskey" not in page.content()
