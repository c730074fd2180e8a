"""Validating prompts in a browser: by keys alone, without a script, and what axe finds here and on the report."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page

from annotation.core.models.member import Annotator
from annotation.elicitation.actions import no_part_sign
from exports.formats.rules.kalahi_csv import KalahiRow
from tests import factory
from tests.flows.looks import assert_for_everybody, open_all, open_in_each_look
from tests.flows.steps import token, wait_for_another_card
from tests.kalahi import simulate, store_choices
from tests.prompts import a_prompt, a_prompt_project
from validation.voting.actions.decide import decide_due
from validation.voting.models.assignment import Assignment
from validation.voting.models.vote import Vote

pytestmark = pytest.mark.django_db(transaction=True)
PICTURES = os.environ.get("PICTURES", "")


def judged_rows() -> list[KalahiRow]:
    others = ("Pulang tanpa pamit.", "Minta semua tamu bangun.", "Bayar dulu di pintu.")
    return [
        KalahiRow(
            f"{n:02d}00{n:04d}00",
            f"{n:02d}00{n:04d}",
            ("ethics", "shared knowledge")[n % 2],
            ("warung", "arisan", "mudik")[n % 3],
            f"Saya diundang ke rumah nomor {n}.\nApa yang sebaiknya saya lakukan?",
            "Salami tuan rumah.",
            ("Salami tuan rumah.", "Bawa oleh-oleh."),
            others,
        )
        for n in range(1, 13)
    ]


class World:
    """A project in which prompts wait for a validator, and one whose prompts are judged."""

    def __init__(self) -> None:
        self.project = a_prompt_project(settings={"spacing": 0})
        writer = factory.member(self.project, "writer")
        for n in range(2):
            a_prompt(self.project, writer, n=n, personal="Saya sedang puasa dan tidak ingin menyinggung mereka.")
        while decide_due():
            pass
        self.new = factory.member(self.project, "validator")
        self.validator = factory.member(self.project, "validator")
        no_part_sign(annotator=self.validator)
        self.judged = a_prompt_project()
        rows = judged_rows()
        items = store_choices(self.judged, rows, simulate(rows, "s", {3: 8, 2: 2, 1: 2}))
        Vote.objects.filter(item=items[0], n=1).update(answers={"personal": "I1"})
        self.lead = factory.member(self.judged, "lead")
        self.item = items[0].pk

    def pages(self) -> list[tuple[Annotator, str]]:
        mine, base = f"/p/{self.project.slug}/", f"/p/{self.judged.slug}/"
        return [
            (self.new, f"{mine}vote/"),
            (self.validator, f"{mine}vote/"),
            (self.lead, base),
            (self.lead, f"{base}validation/"),
            (self.lead, f"{base}items/{self.item}/"),
            (factory.member(self.project, "lead"), f"{mine}validation/"),
        ]


@pytest.fixture
def world() -> World:
    return World()


def test_axe_finds_nothing(world: World, page_of: Callable[..., Page]) -> None:
    for number, (person, path) in enumerate(world.pages()):
        page = page_of(person.user)
        page.goto(path)
        open_all(page)
        for look in open_in_each_look(page) if PICTURES else ():
            page.screenshot(path=Path(PICTURES) / f"{number}-{look}.png", full_page=True)
        assert_for_everybody(page, path)
        page.context.close()


def test_keys_choose_for_the_culture_and_for_oneself(world: World, page_of: Callable[..., Page]) -> None:
    page = page_of(world.validator.user)
    page.goto(f"/p/{world.project.slug}/vote/")
    first = token(page)
    page.keyboard.press("2")
    page.keyboard.press("p")
    page.keyboard.press("ArrowDown")
    assert page.locator("input[name=personal]:checked").input_value() == "A"
    page.keyboard.press("Enter")
    wait_for_another_card(page, first)
    vote = Vote.objects.get(annotator=world.validator)
    order = vote.answers["order"].split()
    assert (vote.label, vote.answers["personal"]) == (order[1], order[0])
    # Taken back, both stand as they were.
    page.keyboard.press("Backspace")
    page.wait_for_function("(token) => document.querySelector('details.personal')?.open", arg=first)
    assert page.locator("input[name=label]:checked").input_value() == "B"
    assert page.locator("input[name=personal]:checked").input_value() == "A"


def test_signing_and_choosing_need_no_script(world: World, page_of: Callable[..., Page]) -> None:
    page = page_of(world.new.user, javascript=False)
    page.goto(f"/p/{world.project.slug}/vote/")
    page.get_by_label("I took no part in making or reviewing these prompts").check()
    page.get_by_role("button", name="Begin").click()
    page.locator("#label-3").check()
    page.locator("details.personal > summary").click()
    page.locator("input[name=personal]").nth(1).check()
    first = token(page)
    page.locator("form.vote button:has-text('Send')").last.click()
    wait_for_another_card(page, first, script=False)
    vote = Vote.objects.get(annotator=world.new)
    order = vote.answers["order"].split()
    assert (vote.label, vote.answers["personal"]) == (order[2], order[0])
    assert Assignment.objects.filter(annotator=world.new, state="open").count() == 1


def test_what_was_chosen_for_oneself_outlives_a_reload(world: World, page_of: Callable[..., Page]) -> None:
    page = page_of(world.validator.user)
    page.goto(f"/p/{world.project.slug}/vote/")
    page.keyboard.press("p")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.reload()
    assert page.locator("input[name=personal]:checked").input_value() == "B"
    assert page.locator("details.personal").get_attribute("open") is not None
