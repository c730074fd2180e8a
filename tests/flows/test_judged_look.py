"""Judged questions, their release and its evaluation in a browser: axe, widths, both schemes, keys."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page

from annotation.core.models.member import Annotator
from annotation.core.models.user import User
from exports.evaluation.study import answered_items
from tests import factory
from tests.exports import machine as world
from tests.exports.evaluation.test_evaluation import answer, draw, other
from tests.exports.releases.test_machine_releases import freeze
from tests.exports.world import build
from tests.flows.looks import assert_for_everybody, open_in_each_look
from tests.flows.steps import wait_for_another_card
from validation.voting.actions.decide import decide_due
from validation.voting.models.vote import Vote

pytestmark = pytest.mark.django_db(transaction=True)


def shoot(page: Page, name: str) -> None:
    """Pictures for people to look at, where a folder is named."""
    if folder := os.environ.get("SCREENSHOTS"):
        for look in open_in_each_look(page):
            page.screenshot(path=Path(folder) / f"{name}-{look}.png", full_page=True)


@pytest.fixture
def judge() -> Annotator:
    """Somebody who has one question to judge."""
    project = factory.project("nilai", preset="mcsqa")
    world.make_questions(project, 2, level="hard", set="s1")
    decide_due()
    return factory.member(project, "validator")


def test_an_answer_is_judged_by_keys(judge: Annotator, page_of: Callable[..., Page]) -> None:
    assert judge.user is not None
    page = page_of(judge.user, 1280, False)
    page.goto("/p/nilai/vote/")
    page.wait_for_load_state("load")
    assert_for_everybody(page, "judged")
    shoot(page, "judged-vote")
    question = page.locator(".vote__texts .text--big")
    sizes = [
        float(each.evaluate("e => parseFloat(getComputedStyle(e).fontSize)"))
        for each in (question, page.locator(".judged__text").first, page.locator(".choice__name").first)
    ]
    assert sizes[0] > max(sizes[1:])
    given = page.locator(".judged__one--given")
    assert given.inner_text().split("\n")[-1].strip() == "given answer"
    first = page.locator("#card").get_attribute("data-token")
    page.keyboard.press("n")
    assert page.locator("input[value=no]").is_checked()
    page.keyboard.press("1")
    assert page.locator("input[value=yes]").is_checked()
    page.keyboard.press("Enter")
    wait_for_another_card(page, str(first))
    assert list(Vote.objects.values_list("label", flat=True)) == ["yes"]


@pytest.fixture
def boss() -> User:
    return factory.user(administrator=True)


def test_release_and_evaluation_look_right(
    boss: User, page_of: Callable[..., Page], settings: object, tmp_path: Path
) -> None:
    settings.MUFAKAT_DATA_DIR = tmp_path / "data"  # type: ignore[attr-defined]
    project = world.questions_project(40)
    world.judge_questions(project)
    release = build(freeze(project, "mcsqa"))
    page = page_of(boss)
    for path in ("releases/new/", "releases/1/", "studies/", "studies/evaluation/"):
        page.goto(f"/p/{project.slug}/{path}")
        assert_for_everybody(page, path)
        shoot(page, f"judged-{path.strip('/').replace('/', '-')}-none")
    made = draw(release, boss)
    wrong = {row.key for row in answered_items(made)[:3]}
    decide_due()
    answer(made, lambda right, key: other(right) if key in wrong else right)
    page.goto(f"/p/{project.slug}/studies/evaluation/1/")
    assert_for_everybody(page, "evaluation")
    shoot(page, "judged-evaluation")
