"""Diagnostic sets and human baselines in a browser: what axe finds, at both widths and schemes, and the keys."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from tests import factory
from tests.baselines import a_baseline, a_gold_project, a_set, an_outsider, answer_items, confirm_tags
from tests.flows.looks import assert_for_everybody, open_all
from tests.flows.steps import wait_for_another_card
from validation.voting.models.vote import Vote


@pytest.mark.django_db(transaction=True)
def test_axe_finds_nothing_and_keys_do_all(page_of: Callable[..., Page]) -> None:
    project = a_gold_project("gold", sets=1)
    expert, boss = factory.member(project, "writer"), factory.user(administrator=True)
    made = a_set(project, [expert], size=4)
    confirm_tags(made, expert, ["IDIOM", "CS"])
    asked = a_baseline(project, made, size=3, people=2)
    people = [an_outsider(asked) for _ in range(2)]
    answer_items(people[0], "e")
    page = page_of(boss)
    for path in ("", "diagnostic/", "diagnostic/1/", "baseline/", "baseline/1/"):
        page.goto(f"/p/gold/studies/{path}")
        open_all(page)
        assert_for_everybody(page, path)
    page.context.close()
    page = page_of(expert.user)
    page.goto(f"/p/{made.project.slug}/vote/")
    token = page.locator("#card").get_attribute("data-token")
    page.keyboard.press("r")
    page.keyboard.press("Enter")
    wait_for_another_card(page, str(token))
    assert "coref" in Vote.objects.get(item__assignments__token=token).answers["phenomena"]
    open_all(page)
    assert_for_everybody(page, "tags")
    page.context.close()
    page = page_of(people[1].user)
    for path in ("guidelines", "vote"):
        page.goto(f"/p/{asked.project.slug}/{path}/")
        assert_for_everybody(page, path)
    token = page.locator("#card").get_attribute("data-token")
    page.keyboard.press("2")
    page.keyboard.press("Enter")
    wait_for_another_card(page, str(token))
    assert Vote.objects.get(item__assignments__token=token, annotator=people[1]).label == "n"
