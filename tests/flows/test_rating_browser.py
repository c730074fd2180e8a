"""Rating in a real browser: row by row with keys, back again, without a script, and what axe says of every page."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.flows.looks import assert_for_everybody, open_all
from tests.flows.steps import another_card, token
from tests.ratings import MODELS, YES_TO_ALL, RatedWorld, a_rated_world, waiting_of
from validation.studies.actions.rating_runs import run_close
from validation.studies.actions.ratings import rating_save
from validation.studies.models import Rating

pytestmark = pytest.mark.django_db(transaction=True)
PageOf = Callable[..., Page]


@pytest.fixture
def world(tmp_path: Path) -> RatedWorld:
    made = a_rated_world()
    made.open(tmp_path)
    return made


def room(world: RatedWorld) -> str:
    return f"/p/{world.project.slug}/rate/"


def lit(page: Page) -> str:
    """The number of the row that the keys answer now."""
    row = page.locator(".criterion--now")
    assert row.count() == 1
    return str(row.get_attribute("data-key"))


def test_rate_with_the_keyboard_alone(world: RatedWorld, page_of: PageOf) -> None:
    page = page_of(world.raters[0].user, allow=("status of 409",))
    page.goto(room(world))
    first = token(page)
    assert lit(page) == "1"
    for key in "yny":
        page.keyboard.press(key)
    assert lit(page) == "4"
    page.keyboard.press("2")
    assert lit(page) == "2"
    page.keyboard.press("y")
    page.keyboard.press("6")
    page.keyboard.press("n")
    assert lit(page) == "7"
    page.keyboard.press("y")
    page.keyboard.press("Enter")
    assert token(page) == first
    for key in "4y5y":
        page.keyboard.press(key)
    page.keyboard.press(",")
    page.keyboard.type("yn7 bagus")
    page.keyboard.press("Control+Enter")
    another_card(page, first)
    stored = Rating.objects.get(token=first)
    assert stored.answers == {**YES_TO_ALL, "sensitivity": "no"}
    assert stored.comment == "yn7 bagus"
    assert lit(page) == "1"

    second = token(page)
    page.keyboard.press("Backspace")
    another_card(page, second)
    assert page.locator("[data-answer]:checked").count() == len(YES_TO_ALL)
    page.keyboard.press("6")
    page.keyboard.press("y")
    back = token(page)
    page.keyboard.press("Enter")
    another_card(page, back)
    stored.refresh_from_db()
    assert stored.answers == YES_TO_ALL
    for _ in range(3):
        here = token(page)
        for _row in YES_TO_ALL:
            page.keyboard.press("y")
        page.keyboard.press("Enter")
        another_card(page, here)
    expect(page.locator("#card")).to_contain_text("You have rated everything")
    assert not waiting_of(world.raters[0])


def test_a_reload_brings_back_what_was_answered(world: RatedWorld, page_of: PageOf) -> None:
    page = page_of(world.raters[0].user)
    page.goto(room(world))
    page.keyboard.press("n")
    page.keyboard.press("y")
    page.reload()
    assert page.locator("[data-answer]:checked").count() == 2
    assert lit(page) == "3"


def test_keys_can_be_off(world: RatedWorld, page_of: PageOf) -> None:
    user = world.raters[0].user
    assert user is not None
    type(user).objects.filter(pk=user.pk).update(single_keys=False)
    page = page_of(user)
    page.goto(room(world))
    page.keyboard.press("y")
    assert page.locator("[data-answer]:checked").count() == 0


def test_rate_without_a_script(world: RatedWorld, page_of: PageOf) -> None:
    page = page_of(world.raters[0].user, javascript=False)
    page.goto(room(world))
    first = token(page)
    for row in page.locator(".criterion").all():
        row.get_by_label("Yes").check()
    page.get_by_role("button", name="Send").last.click()
    second = another_card(page, first, script=False)
    page.get_by_role("button", name="Take back the last").click()
    another_card(page, second, script=False)
    assert page.locator("[data-answer]:checked").count() == len(YES_TO_ALL)


def test_from_preparing_to_results(page_of: PageOf, tmp_path: Path) -> None:
    world = a_rated_world()
    page = page_of(world.by)
    page.goto(f"/p/{world.project.slug}/ratings/")
    page.get_by_label("Name").fill("Empat model")
    page.get_by_label("Prompts to draw").fill("3")
    page.get_by_role("button", name="Prepare").click()
    file = tmp_path / "outputs.csv"
    lines = [f'"{row["prompt_variation_id"]}","{row["model"]}","{row["text"]}"' for row in world.rows()]
    file.write_text("\n".join(["prompt_variation_id,model,text", *lines]))
    page.get_by_label("File").set_input_files(file)
    page.get_by_role("button", name="Take the file in").click()
    expect(page.get_by_role("status").filter(has_text="Accepted")).to_contain_text("6")
    page.get_by_role("button", name="Open the rating").click()
    expect(page.get_by_text("Progress by group")).to_be_visible()
    assert MODELS[0] not in page.content()
    for person in world.raters:
        for rating in waiting_of(person):
            rating_save(annotator=person, token=rating.token, answers=YES_TO_ALL)
    page.get_by_role("button", name="Close the rating").click()
    expect(page.get_by_role("columnheader", name=MODELS[0])).to_be_visible()
    expect(page.get_by_role("row", name="Legality").first).to_contain_text("3 / 3")


def test_axe_finds_nothing(page_of: PageOf, tmp_path: Path) -> None:
    worlds = [a_rated_world(raters=6) for _ in range(3)]
    worlds[0].bring(tmp_path, worlds[0].rows()[:-1])
    for world in worlds[1:]:
        world.open(tmp_path)
        for person in world.raters:
            for rating in waiting_of(person)[:1]:
                rating_save(annotator=person, token=rating.token, answers=YES_TO_ALL, comment="baik")
    run_close(project=worlds[2].project, run_id=worlds[2].run.pk, by=worlds[2].by)
    seen = [(worlds[1].raters[0].user, room(worlds[1])), (worlds[2].raters[0].user, room(worlds[2]))]
    for world in worlds:
        base = f"/p/{world.project.slug}/ratings/"
        seen += [(world.by, base), (world.by, f"{base}{world.run.pk}/")]
    for user, path in seen:
        page = page_of(user)
        page.goto(path)
        open_all(page)
        assert_for_everybody(page, path)
        page.context.close()
