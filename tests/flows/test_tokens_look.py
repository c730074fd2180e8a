"""API tokens and the API's documentation in a browser: axe at both widths and schemes, as wide as the screen."""

from collections.abc import Callable

import pytest
from django.urls import reverse
from playwright.sync_api import Page

from annotation.api.models import ApiToken
from annotation.api.tokens import token_create
from tests import factory
from tests.flows.looks import assert_for_everybody

pytestmark = pytest.mark.django_db(transaction=True)


def test_pages_look_right_and_a_token_is_made_without_a_script(page_of: Callable[..., Page]) -> None:
    user = factory.user()
    factory.member(factory.project("a-project-with-a-rather-long-short-name"), "writer", account=user)
    page = page_of(user, 360, False, javascript=False)
    page.goto(reverse("my_tokens"))
    page.get_by_role("textbox", name="Name").fill("Nightly import")
    page.get_by_label("read: lists").check()
    page.get_by_role("button", name="Make a token").click()
    page.get_by_label("Password").fill(factory.PASSWORD)
    page.get_by_role("button", name="Go on").click()
    shown = page.get_by_label("The token").input_value()
    assert shown.startswith(f"muf_{ApiToken.objects.get(user=user).pk}_")
    again = page_of(user)
    again.goto(reverse("my_tokens"))
    token_create(user=user, name="W" * 80, scopes=["read", "annotate", "manage", "release"])
    again.reload()
    assert_for_everybody(again, "tokens")
    again.goto(reverse("api_docs"))
    assert_for_everybody(again, "api-docs")
