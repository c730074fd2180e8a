"""Comparing two runs in a real browser: by keys alone, without a script, from two runs to win rates, for everybody."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from annotation.generation.models import Candidate
from tests.comparing import NAMES, Compared, a_compared_world, cast, for_first
from tests.flows.looks import assert_for_everybody, looks, open_all
from tests.flows.steps import another_card, arrived, next_card, press, token
from validation.review.models.assessment import ComparisonPair, Preference
from validation.studies.actions.comparisons import comparison_end
from validation.studies.rules.comparisons import EQUAL, LEFT, RIGHT

pytestmark = pytest.mark.django_db(transaction=True)
PageOf = Callable[..., Page]


@pytest.fixture
def at() -> Compared:
    made = a_compared_world()
    made.begin()
    return made


def room(at: Compared, *rest: str) -> str:
    return "/".join([f"/p/{at.project.slug}", *rest]) + "/"


def lit(page: Page) -> str:
    """The name of the row that the keys answer now."""
    return page.locator(".criterion--now .criterion__name").inner_text()


def shoot(page: Page, name: str) -> None:
    """Pictures for people to look at, where a folder is named."""
    if folder := os.environ.get("SCREENSHOTS"):
        for look in looks(page):
            page.screenshot(path=Path(folder) / f"compare-{name}-{look}.png", full_page=True)


def test_compare_with_the_keyboard_alone(at: Compared, page_of: PageOf) -> None:
    page = page_of(at.people[0].user, allow=("status of 422",))
    page.goto("/")
    page.get_by_role("link", name="pairs of questions to compare").click()
    expect(page.get_by_role("heading", name="Which is better?")).to_be_visible()
    first = token(page)
    press(page, "1")
    assert lit(page) == "Question"
    press(page, "2", "3", "1", ",")
    expect(page.locator("#comment")).to_be_focused()
    page.keyboard.type("123 lebih jelas")
    next_card(page, "Control+Enter")
    stored = Preference.objects.get(pair__token=first)
    assert stored.chosen == {"concept": LEFT, "question": EQUAL, "options": LEFT}
    assert stored.comment == "123 lebih jelas"
    assert stored.seconds > 0
    assert lit(page) == "Concept"
    press(page, "Enter")
    assert Preference.objects.count() == 1
    while page.locator("form.vote").count():
        next_card(page, "3", "3", "3", "Enter")
    expect(page.get_by_role("heading", name="Nothing for you now")).to_be_visible()
    assert Preference.objects.count() == len(at.pairs())
    last = Preference.objects.exclude(pk=stored.pk)
    assert all(set(each.chosen.values()) == {RIGHT} for each in last)


def test_a_reload_brings_back_what_was_answered(at: Compared, page_of: PageOf) -> None:
    page = page_of(at.people[0].user)
    page.goto(room(at, "compare"))
    press(page, "3", "1")
    page.reload()
    expect(page.locator("[data-answer]:checked")).to_have_count(2)
    assert lit(page) == "Choices"


def test_compare_without_a_script(at: Compared, page_of: PageOf) -> None:
    page = page_of(at.people[0].user, 360, javascript=False)
    page.goto(room(at, "compare"))
    first = token(page)
    for row in page.locator(".criterion").all():
        row.get_by_label("Right").check()
    page.locator("summary", has_text="Comment").click()
    page.locator("#comment").fill("Yang kanan lebih lucu.")
    page.get_by_role("button", name="Send").last.click()
    another_card(page, first, script=False)
    stored = Preference.objects.get()
    assert (stored.pair.token, stored.comment) == (first, "Yang kanan lebih lucu.")


def test_from_two_runs_to_win_rates(page_of: PageOf) -> None:
    at = a_compared_world()
    lead = page_of(at.lead.user)
    lead.goto(room(at, "comparisons"))
    lead.get_by_label("First run").select_option(str(at.runs[0].pk))
    lead.get_by_label("Second run").select_option(str(at.runs[1].pk))
    lead.get_by_label("Concept").uncheck()
    lead.get_by_label("Pairs to draw").fill("3")
    lead.get_by_role("button", name="Begin").click()
    arrived(lead, "Validators find the pairs")
    page = page_of(at.people[0].user)
    page.goto(room(at, "compare"))
    for _ in range(3):
        better = "1" if for_first(ComparisonPair.objects.get(token=token(page))) == LEFT else "3"
        next_card(page, better, "2", "Enter")
    expect(page.get_by_role("heading", name="Nothing for you now")).to_be_visible()
    lead.reload()
    expect(lead.locator("progress")).to_have_attribute("value", "3")
    lead.get_by_role("button", name="End the comparison").click()
    arrived(lead, "The comparison has ended.")
    rows = lead.get_by_role("region", name="Win rates", exact=True).locator("tbody tr")
    expect(rows).to_have_count(2)
    expect(rows.nth(0)).to_contain_text("100.0 % (3)")
    expect(rows.nth(0)).to_contain_text("43.9 – 100.0 %")
    expect(rows.nth(1)).to_contain_text("–")


def test_for_everybody(page_of: PageOf) -> None:
    at = a_compared_world(materials=5)
    long = "Mengapa orang yang baru pulang merantau membawa oleh-oleh berbagai macam bagi semua tetangganya?"
    for each in Candidate.objects.filter(run=at.runs[1]):
        options = [{**option, "text": f"{option['text']} {long}"} for option in each.content["options"]]
        Candidate.objects.filter(pk=each.pk).update(
            content={**each.content, "question": long, "options": options}
        )
    at.begin()
    at.begin()
    for number, pair in enumerate(at.pairs()):
        cast(at.people[0], pair.token, question=(LEFT, RIGHT, EQUAL)[number % 3], options=for_first(pair))
    comparison_end(project=at.project, n=2, by=at.by)
    begun = page_of(at.people[0].user, allow=("status of 422",))
    begun.goto(room(at, "compare"))
    press(begun, "1", "2")
    begun.evaluate("document.querySelector('form.vote').noValidate = true")
    press(begun, "Enter")
    begun.get_by_role("alert").wait_for()
    shoot(begun, "missing")
    pages = [(at.people[0], room(at, "compare"), "card")]
    pages += [(at.lead, room(at, "comparisons"), "list")]
    pages += [(at.lead, room(at, "comparisons", n), f"one-{n}") for n in ("1", "2")]
    for person, path, name in pages:
        page = page_of(person.user)
        page.goto(path)
        open_all(page)
        shoot(page, name)
        assert_for_everybody(page, path, (320, 360, 1280))
        page.context.close()
    assert_for_everybody(begun, "what is missing")
    assert NAMES[0] not in begun.content()
