"""The components that pages are made of, in every state: nothing that axe finds in any look, nothing too wide."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page

from tests import factory
from tests.flows.looks import faults_in_all_looks

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.urls("tests.flows.gallery")]


@pytest.mark.parametrize("address", ["/gallery/", "/gallery/?empty=1"], ids=["plain", "with errors"])
def test_every_component_in_every_look(page_of: Callable[..., Page], open_page: Any, address: str) -> None:
    page = page_of(factory.user())
    page.goto(address)
    assert faults_in_all_looks(page, address, every=True) == []
    assert page.locator(".label").count() > 10
    assert page.locator(".field").count() >= 8
