"""Endpoints and budgets in a browser: axe at both widths and schemes, as wide as the screen, and without a script."""

import os
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotation.core import sealing
from annotation.core.models.user import User
from annotation.generation.models import Endpoint, MachineLimit
from tests import factory, llm_server
from tests.endpoint_runs import an_endpoint
from tests.flows.looks import assert_for_everybody, open_in_each_look

pytestmark = pytest.mark.django_db(transaction=True)
PageOf = Callable[..., Page]


def shoot(page: Page, name: str) -> None:
    """Pictures for people to look at, where a folder is named."""
    if folder := os.environ.get("SCREENSHOTS"):
        for look in open_in_each_look(page):
            page.screenshot(path=Path(folder) / f"{name}-{look}.png", full_page=True)


@pytest.fixture
def boss() -> User:
    return factory.user("boss@example.org", administrator=True)


def test_pages_look_right(boss: User, page_of: PageOf) -> None:
    page = page_of(boss)
    page.goto(reverse("endpoints"))
    assert_for_everybody(page, "endpoints-none")
    origin = "https://api.a-provider-with-a-long-name.example:8443"
    one = an_endpoint(
        name="A provider's model with a long name",
        address=f"{origin}/openai/v1",
        model="large-model-instruct-2026-11-01",
        key_sealed=sealing.seal("secret", origin),
        key_host=origin,
    )
    an_endpoint(name="Recorded")
    an_endpoint(name="Ended", ended_at="2026-01-01T00:00:00Z", what="translation")
    an_endpoint(name="Failing", address=f"{origin}/v1", failures=7)
    project = factory.project(preset="mcsqa")
    MachineLimit.objects.create(project=project, budget=Decimal("2.5"))
    for name, path in {
        "endpoints": reverse("endpoints"),
        "endpoint-new": reverse("endpoint_new"),
        "endpoint": reverse("endpoint", args=[one.pk]),
        "machine-limit": reverse("machine_limit", args=[project.slug]),
    }.items():
        page.goto(path)
        assert_for_everybody(page, name)
        shoot(page, name)


def test_entered_and_tried_without_a_script(boss: User, page_of: PageOf) -> None:
    page = page_of(boss, 360, False, javascript=False, allow=("status of 422",))
    with llm_server.serving(lambda seen: "Yes, of course.") as server:
        page.goto(reverse("endpoints"))
        page.get_by_role("link", name="New endpoint").click()
        page.get_by_label("Name").fill("Ours")
        page.get_by_label("Address").fill(f"ftp://{server.host}/v1")
        page.get_by_label("Model").fill("small")
        page.locator("#id_key").fill("sk-secret")
        page.get_by_role("button", name="Enter the endpoint").click()
        expect(page.get_by_role("alert")).to_contain_text("needs an https address")
        expect(page.locator("#id_key")).to_have_value("")
        page.get_by_label("Address").fill(server.url)
        page.locator("#id_key").fill("sk-secret")
        page.get_by_role("button", name="Enter the endpoint").click()
        page.get_by_role("button", name="Try it").click()
        expect(page.get_by_text("Yes, of course.")).to_be_visible()
        assert server.seen[0].headers["authorization"] == "Bearer sk-secret"
        assert "sk-secret" not in page.content()
    assert Endpoint.objects.get().key_sealed
