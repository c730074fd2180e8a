"""Sign-in through an OpenID provider in a browser: in, a takeover that fails, connecting, out; looks of the pages."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from allauth.socialaccount.models import SocialAccount
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotation.core.models.user import User
from tests import factory, openid
from tests.conftest import Pages
from tests.flows.looks import assert_for_everybody
from tests.openid import Provider

pytestmark = pytest.mark.django_db(transaction=True)
# The provider's pages ask another host for their style sheet, which no test reaches.
NO_STYLE = ("ERR_NAME_NOT_RESOLVED", "status of 403", "status of 401", "favicon")


@pytest.fixture
def provider(tmp_path: Path, open_page: Pages) -> Iterator[Provider]:
    with openid.provider(tmp_path) as running, openid.with_institution(running.institution()):
        yield running
    # Its own pages, and what they ask for: the site's ask nobody else.
    open_page.foreign.clear()


@pytest.fixture
def page_there(open_page: Pages, provider: Provider) -> Callable[[], Page]:
    return lambda: open_page(allow=NO_STYLE)


def at_provider(page: Page, subject: str) -> None:
    """Give a subject on the provider's form, and come back."""
    page.get_by_placeholder("sub").fill(subject)
    page.get_by_role("button", name="Authorize").click()


def sign_in(page: Page, subject: str) -> None:
    page.goto(reverse("account_login"))
    page.get_by_role("button", name=f"Sign in with {openid.NAME}").click()
    at_provider(page, subject)


def test_in_a_takeover_connecting_and_out(page_there: Callable[[], Page], provider: Provider) -> None:
    factory.project("kuis")
    owner = factory.user("owner@uni.example")
    provider.knows("ana", groups=["writers"])
    page = page_there()
    page.goto(reverse("account_login"))
    assert_for_everybody(page, "sign-in-institution")
    sign_in(page, "ana")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    assert page.url.endswith("/")
    assert User.objects.filter(email="ana@uni.example").exists()
    # Out: said that the institution's own session goes on, and ended there too.
    page.get_by_text("Account", exact=True).click()
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", name="You are signed out here")).to_be_visible()
    assert_for_everybody(page, "signed-out-institution")
    page.get_by_role("link", name=f"Sign out at {openid.NAME}").click()
    page.wait_for_url(f"{provider.issuer}/oauth2/end_session**")
    # Somebody else who says that the owner's address is theirs.
    provider.knows("eve", groups=["admins"], email=owner.email)
    thief = page_there()
    sign_in(thief, "eve")
    expect(thief.get_by_role("heading", name="No account is connected")).to_be_visible()
    assert_for_everybody(thief, "not-connected")
    thief.goto("/")
    expect(thief.get_by_role("heading", name="Sign in", exact=True)).to_be_visible()
    # The owner connects theirs, by keyboard, and is asked for the password once more.
    provider.knows("owner", groups=["writers"])
    mine = page_there()
    mine.goto(reverse("account_login"))
    mine.get_by_label("Email").fill(owner.email)
    mine.get_by_label("Password").fill(factory.PASSWORD)
    mine.keyboard.press("Enter")
    mine.wait_for_url(lambda url: url.count("/") == 3)
    mine.goto(reverse("mfa_index"))
    mine.get_by_role("link", name="Connect or disconnect").press("Enter")
    assert_for_everybody(mine, "connections-empty")
    mine.get_by_role("button", name=f"Connect to {openid.NAME}").press("Enter")
    at_provider(mine, "owner")
    mine.get_by_label("Password").fill(factory.PASSWORD)
    mine.keyboard.press("Enter")
    expect(mine.get_by_text("connected", exact=True)).to_be_visible()
    assert_for_everybody(mine, "connections")
    assert SocialAccount.objects.get(uid="owner").user == owner
    # Shut out here, they stay out, whatever the institution says.
    User.objects.filter(pk=owner.pk).update(is_active=False)
    out = page_there()
    sign_in(out, "owner")
    expect(out.get_by_role("heading", name="This account is switched off")).to_be_visible()
    # Who broke it off can begin again.
    out.goto(reverse("socialaccount_login_cancelled"))
    assert_for_everybody(out, "cancelled")
    out.get_by_role("main").get_by_role("link", name="Sign in").click()
    expect(out.get_by_role("button", name=f"Sign in with {openid.NAME}")).to_be_visible()
