"""The review desk in a real browser: the whole way with the keyboard alone, and how its pages look."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotation.content.models.item import Item
from annotation.core.models.member import Annotator
from tests.flows.desk import page as path
from tests.flows.looks import assert_for_everybody
from tests.review import World, assign, cast_vote, cast_votes, decide, give_back, resubmit, world
from validation.review.actions.corrections import correct
from validation.review.actions.decisions import comment_add
from validation.voting.models.review import Review
from validation.voting.models.vote import Vote

pytestmark = pytest.mark.django_db(transaction=True)
PageOf = Callable[..., Page]


def keys(page: Page, *pressed: str) -> None:
    """Press keys once the page's script listens."""
    page.wait_for_load_state("load")
    for key in pressed:
        page.keyboard.press(key)


def arrived(page: Page, words: str) -> None:
    expect(page.locator("#messages")).to_contain_text(words)


def test_the_whole_way_with_the_keyboard_alone(page_of: PageOf) -> None:
    """Desk → item → returned → corrected by its writer → the same lead approves → votes again → gold."""
    at = world()
    item = cast_votes(at, at.item("e"), "ee", ambiguous=True)
    lead = page_of(at.lead.user)
    lead.goto(path(at, "desk"))
    keys(lead, "n")
    expect(lead.locator("h1")).to_contain_text(item.key)
    keys(lead, "r")
    expect(lead.locator("#return-error")).to_be_focused()
    # One letter: those of a word would begin anew, and choose something else, where a second lies between two.
    keys(lead, "C")
    expect(lead.locator("#return-error")).to_have_value("ambiguous")
    keys(lead, "Tab")
    lead.keyboard.type("Which market? Say it as the premise does.")
    keys(lead, "Control+Enter")
    arrived(lead, "Returned to its writer.")
    assert Review.objects.get(item=item).error_type == "ambiguous"

    writer = page_of(at.writer.user)
    writer.goto("/")
    expect(writer.get_by_role("link", name="Fix")).to_be_visible()
    keys(writer, "Enter")
    expect(writer.locator("#text-e1")).to_be_visible()
    expect(writer.get_by_text("Which market?")).to_be_visible()
    writer.locator("#text-e1").focus()
    keys(writer, "Control+a")
    writer.keyboard.type("Di pasar pagi ada mangga yang dijual.")
    keys(writer, "Control+Enter")
    arrived(writer, "Submitted")

    other = page_of(at.other_lead.user)
    other.goto(path(at, "desk"))
    expect(other.get_by_text("Nothing is doubtful now")).to_be_visible()
    lead.goto(path(at, "desk"))
    keys(lead, "n")
    expect(lead.locator("del").first).to_be_visible()
    keys(lead, "a")
    expect(lead.locator("#approve-same")).to_be_focused()
    keys(lead, "ArrowDown")
    expect(lead.locator("#approve-new")).to_be_checked()
    keys(lead, "Control+Enter")
    arrived(lead, "Approved.")
    decide()
    item = cast_votes(at, item, "ee")
    assert (item.stage, item.gold, item.epoch) == ("settled", "e", 2)
    assert Vote.objects.filter(item=item, withdrawn_why="new_meaning").count() == 2
    at.sound()


def test_gold_exclusion_and_steps_by_keys(page_of: PageOf) -> None:
    at = world()
    first = cast_votes(at, at.item("e"), "nccn")
    second = cast_votes(at, at.item("n"), "nn", ambiguous=True)
    third = cast_votes(at, at.item("c"), "cc", unsure=True)
    page = page_of(at.lead.user)
    page.goto(path(at, "item", first.pk))
    keys(page, "n")
    expect(page.locator("h1")).to_contain_text(second.key)
    keys(page, "p")
    expect(page.locator("h1")).to_contain_text(first.key)
    keys(page, "g", "Space", "Tab")
    page.keyboard.type("The premise does not tell.")
    keys(page, "Control+Enter")
    arrived(page, "Settled by you.")
    expect(page.locator("h1")).to_contain_text(second.key)
    keys(page, "x")
    page.keyboard.type("Harmful.")
    keys(page, "Control+Enter")
    arrived(page, "Excluded.")
    expect(page.locator("h1")).to_contain_text(third.key)
    keys(page, "a")
    arrived(page, "Approved.")
    expect(page.locator("h1")).to_contain_text("Review desk")
    stages = dict(Item.objects.filter(pk__in=[first.pk, second.pk]).values_list("pk", "stage"))
    assert stages == {first.pk: "adjudicated", second.pk: "excluded"}


def test_single_keys_rest_where_somebody_switched_them_off(page_of: PageOf) -> None:
    at = world()
    item = cast_votes(at, at.item("e"), "ee", unsure=True)
    assert at.lead.user is not None
    at.lead.user.single_keys = False
    at.lead.user.save()
    page = page_of(at.lead.user)
    page.goto(path(at, "item", item.pk))
    keys(page, "a", "n", "r")
    expect(page.locator("details[open]")).to_have_count(0)
    assert not Review.objects.exists()


def test_everything_works_without_javascript(page_of: PageOf) -> None:
    at = world()
    item = cast_votes(at, at.item("e"), "ee", unsure=True)
    page = page_of(at.lead.user, javascript=False)
    page.goto(path(at, "desk"))
    page.get_by_role("link", name=item.hypothesis.text).click()
    expect(page.locator("h1")).to_contain_text(item.key)
    page.get_by_text("Exclude", exact=False).first.click()
    page.locator("#exclude-words").fill("Harmful.")
    page.locator("details[open]").get_by_role("button").click()
    arrived(page, "Excluded.")
    assert Item.objects.get(pk=item.pk).stage == "excluded"


def busy(at: World) -> Item:
    """One item with everything on it, one returned, one corrected."""
    item = at.item("e")
    proposal = {"hypothesis": "Ada mangga segar yang dijual di pasar itu."}
    cast_vote(assign(item, at.validators[0]), "n", comment="Pasar yang mana?", ambiguous=True, proposals=proposal)
    item = cast_votes(at, item, "c", unsure=True)
    item = cast_votes(at, item, "cn")
    comment_add(lead=at.other_lead, item_id=item.pk, text="I would keep it.")
    item = correct(
        lead=at.other_lead,
        item_id=item.pk,
        version=item.version,
        field="hypothesis",
        text="Ada buah mangga yang dijual di pasar.",
        meaning="same",
        words="More precise.",
    )
    give_back(at, cast_votes(at, at.item("n"), "nn", unsure=True))
    resubmit_of(at, give_back(at, cast_votes(at, at.item("c"), "cc", unsure=True)))
    decide()
    item.refresh_from_db()
    return item


def resubmit_of(at: World, item: Item) -> Item:
    return resubmit(at, item, "Di pasar itu tidak ada mangga.")


def test_pages_are_for_everybody(page_of: PageOf) -> None:
    at, widths = world(), (320, 360, 1280)
    item = busy(at)
    returned = Item.objects.get(project=at.project, stage="returned")
    seen: list[tuple[Annotator, str, Any]] = [
        (at.lead, "desk", ()),
        (at.lead, "items", ()),
        (at.lead, "errors", ()),
        (at.lead, "item", (item.pk,)),
        (at.writer, "returned", ()),
        (at.writer, "returned_item", (returned.pk,)),
    ]
    pages = {person.pk: page_of(person.user) for person, _, _ in seen}
    for person, name, args in seen:
        page = pages[person.pk]
        page.goto(path(at, name, *args))
        assert_for_everybody(page, name, widths)
        shut = page.locator("details:not(.menu):not([open])")
        if shut.count():
            shut.evaluate_all("all => { all.forEach((one) => { one.open = true; }); }")
            assert_for_everybody(page, f"{name}, all open", widths)
