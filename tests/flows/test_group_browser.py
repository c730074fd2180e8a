"""Group review in a real browser: axe, widths, schemes, a room with a projector by keyboard, and without script."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from annotation.content.models.item import Item
from annotation.elicitation.models import Suggestion
from tests.flows.looks import assert_for_everybody, open_all, open_in_each_look
from tests.group import World, build, parts
from tests.prompts import a_variation

pytestmark = pytest.mark.django_db(transaction=True)
PageOf = Callable[..., Page]


@pytest.fixture
def at() -> World:
    """Prompts with proposals of every form, some of them stale or decided."""
    at = build()
    a_variation(at.project, at.writer, at.apart, "Saya sedang sakit.")
    at.accept(at.suggest("rephrase", **{"option-I1": "Langsung mengambil makanan lebih dulu."}))
    at.decline(at.suggest("variation", personal="Saya baru melahirkan.", later="R1 I2"), reason="Terlalu khusus.")
    at.suggest("reword", context="Saya diundang ke selamatan di rumah tetangga.", words="Lebih umum.")
    at.suggest("combine", other=at.apart.key, **parts(at.item, instruction="Apa yang saya pakai dan bawa?"))
    second = {f"second-{part}": text for part, text in parts(at.item, instruction="Apa yang saya bawa?").items()}
    at.suggest("split", **parts(at.item, instruction="Apa yang saya pakai?"), **second)
    at.accept(at.suggest("rephrase", **{"option-I2": "Pulang tanpa berpamitan."}))
    return at


def base(at: World) -> str:
    return f"/p/{at.project.slug}/review-group/{at.session.pk}/"


def shoot(page: Page, name: str) -> None:
    """Pictures for people to look at, where a folder is named."""
    if folder := os.environ.get("SCREENSHOTS"):
        for look in open_in_each_look(page):
            page.screenshot(path=Path(folder) / f"{name}-{look}.png", full_page=True)


def test_pages_look_right(at: World, page_of: PageOf) -> None:
    pages = {
        "sessions": f"/p/{at.project.slug}/sessions/",
        "list": base(at),
        "prompt": f"{base(at)}{at.item.pk}/",
        "item": f"/p/{at.project.slug}/items/{at.item.pk}/",
        "show": f"/p/{at.project.slug}/show/{at.session.pk}/",
    }
    page = page_of(at.lead.user)
    for name, path in pages.items():
        page.goto(path)
        shoot(page, f"group-{name}")
        open_all(page)
        if name in ("prompt", "show"):
            shoot(page, f"group-{name}-open")
        assert_for_everybody(page, path)


def test_a_room_goes_through_the_prompts_by_keyboard(at: World, page_of: PageOf) -> None:
    page = page_of(at.reviewer.user, 1280)
    page.goto(f"/p/{at.project.slug}/show/{at.session.pk}/")
    # Headed by its topic; the text says which prompt it is.
    expect(page.locator("h1")).to_have_text("makan bersama")
    first = page.locator(".show__text").inner_text()
    assert page.locator("header").count() == page.locator("footer").count() == 0
    assert page.locator(".show__text").evaluate("e => parseFloat(getComputedStyle(e).fontSize)") > 40
    with page.expect_navigation():
        page.keyboard.press("ArrowRight")
    expect(page.locator(".show__text")).not_to_have_text(first)
    best = page.get_by_text("Tanyakan kepada tuan rumah")
    expect(best).to_be_hidden()
    page.keyboard.press("r")
    expect(best).to_be_visible()
    with page.expect_navigation():
        page.keyboard.press("ArrowLeft")
    expect(page.locator(".show__text")).to_have_text(first)
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".show__text")).to_have_text(first)
    assert page.url.endswith("?at=1")


@pytest.mark.parametrize("javascript", [True, False], ids=["script", "no script"])
def test_from_a_proposal_to_the_change(at: World, page_of: PageOf, javascript: bool) -> None:
    page = page_of(at.reviewer.user, 360, javascript=javascript)
    page.goto(base(at))
    page.get_by_role("link", name=at.apart.key).click()
    page.locator("summary").get_by_text("Rephrase a response", exact=True).click()
    form = page.locator("details[open] form")
    form.get_by_label("R1").fill("Salami semua yang lebih tua.")
    form.get_by_label("Why").fill("Begitu di sini.")
    form.get_by_role("button", name="Propose").click()
    expect(page.get_by_text("Your proposal is kept.")).to_be_visible()
    made = Suggestion.objects.order_by("-pk")[0]
    card = page.locator(f"#proposal-{made.pk}")
    expect(card).to_contain_text("Begitu di sini.")
    card.get_by_text("Say something").click()
    card.get_by_label("Your words").fill("Atau cukup mengangguk?")
    card.get_by_role("button", name="Send").click()
    expect(page.locator(f"#proposal-{made.pk}")).to_contain_text("Atau cukup mengangguk?")

    lead = page_of(at.lead.user, 1280, javascript=javascript)
    lead.goto(f"{base(at)}?open=1")
    lead.get_by_role("link", name=at.apart.key).click()
    card = lead.locator(f"#proposal-{made.pk}")
    card.get_by_text("Accept", exact=True).click()
    card.get_by_role("button", name="Make the change").click()
    expect(lead.get_by_text("Accepted: the change is made.")).to_be_visible()
    assert Item.objects.get(pk=at.apart.pk).options.get(key="R1").text == "Salami semua yang lebih tua."
