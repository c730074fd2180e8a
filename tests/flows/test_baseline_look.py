"""Diagnostic sets and human baselines in a browser: what axe finds, at both widths and schemes, and the keys."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from exports.baselines import queries as access
from exports.baselines.models import BaselineAnswer
from tests import factory
from tests.baselines import a_baseline, a_gold_project, a_set, an_outsider, say
from tests.flows.looks import assert_for_everybody, open_all
from validation.studies.actions.diagnostic import diagnostic_confirm
from validation.studies.models import DiagnosticAnswer


@pytest.mark.django_db(transaction=True)
def test_axe_finds_nothing_and_keys_do_all(page_of: Callable[..., Page]) -> None:
    project = a_gold_project("gold", sets=1)
    expert, boss = factory.member(project, "writer"), factory.user(administrator=True)
    made = a_set(project, [expert], size=4)
    first, second = made.rows.order_by("position")[:2]
    diagnostic_confirm(expert=expert, token=first.token, tags=["IDIOM", "CS"])
    a_baseline(project, made, size=3, people=2)
    people = [an_outsider(project) for _ in range(2)]
    say(people[0], "e")
    page = page_of(boss)
    for path in ("diagnostic/", "diagnostic/1/", "baselines/", "baselines/1/"):
        page.goto(f"/p/gold/{path}")
        open_all(page)
        assert_for_everybody(page, path)
    page.context.close()
    page = page_of(expert.user)
    page.goto("/p/gold/tags/")
    page.keyboard.press("0")
    page.keyboard.press("Enter")
    expect(page.locator(f"#card[data-token='{second.token}']")).to_have_count(0)
    assert "COREF" in DiagnosticAnswer.objects.get(row=second).tags
    open_all(page)
    assert_for_everybody(page, "tags")
    page.context.close()
    page = page_of(people[1].user)
    asked = access.next_item(people[1])
    assert asked is not None
    page.goto("/p/gold/answer/")
    assert_for_everybody(page, "answer")
    page.keyboard.press("2")
    page.keyboard.press("Enter")
    expect(page.locator(f"#card[data-token='{asked.token}']")).to_have_count(0)
    assert BaselineAnswer.objects.get(asked=asked, annotator=people[1]).label == "n"
