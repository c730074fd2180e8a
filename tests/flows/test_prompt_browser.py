"""Writing a prompt in a real browser: the whole prompt as one types, responses moved by keyboard, a second look."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from annotation.content.models.item import Item
from annotation.content.models.source import Allocation, Draft
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.elicitation.actions import prompt_new, variation_new
from annotation.elicitation.models import SecondLook, Session
from tests import factory
from tests.flows.looks import assert_for_everybody, open_all
from tests.prompts import RESPONSES, a_prompt, a_prompt_project, a_topic, typed_prompt

pytestmark = pytest.mark.django_db(transaction=True)
PageOf = Callable[..., Page]
SITUATION = "Saya sedang berpuasa."


@pytest.fixture
def project() -> Project:
    return a_prompt_project(settings={"second_language": "en"})


@pytest.fixture
def writer(project: Project) -> Annotator:
    return factory.member(project, "writer")


def response(page: Page, key: str) -> str:
    return page.locator(f"[name='more_p_option-{key}']").input_value()


def saved(page: Page) -> None:
    expect(page.locator("[data-state]")).to_contain_text("Saved at")


def fill(page: Page) -> None:
    content = typed_prompt(1)
    page.locator("[name=more_p_category]").select_option(content.more["category"])
    for name in ("user", "context"):
        page.locator(f"[name=more_p_{name}]").fill(content.more[name])
    for key, text in RESPONSES.items():
        page.locator(f"[name='more_p_option-{key}']").fill(text)
    page.locator("[name=more_p_best][value=R2]").check()
    page.locator("#text-p").fill(content.text)


def test_from_a_topic_to_a_prompt_and_its_variation(project: Project, writer: Annotator, page_of: PageOf) -> None:
    a_topic(project, "kondangan")
    page = page_of(writer.user, 1280)
    page.goto(f"/p/{project.slug}/topics/")
    page.get_by_role("button", name="New prompt kondangan").click()
    page.wait_for_url("**/write/*/")
    fill(page)
    content = typed_prompt(1)
    whole = page.locator("[data-joined]")
    expect(whole).to_have_text(f"{content.more['user']}\n{content.more['context']}\n{content.text}")
    page.locator("[name=more_p_user]").fill("")
    expect(whole).to_have_text(f"{content.more['context']}\n{content.text}")
    page.keyboard.press("Control+Enter")
    page.wait_for_url("**/topics/")
    item = Item.objects.get()
    assert item.key == "0100000100"
    page.get_by_role("button", name=re.compile("^Variation ")).click()
    page.wait_for_url("**/write/*/")
    assert response(page, "I3") == RESPONSES["I3"]
    page.locator("[name=more_p_personal]").fill(SITUATION)
    page.locator("[name='more_p_option-R1']").fill("Salami dulu yang paling muda di sana.")
    expect(page.locator("[data-changes='option-R1'] ins")).to_have_text("muda")
    expect(page.locator("[data-changes=personal] ins")).to_have_text(SITUATION)
    expect(page.locator("[data-changes='option-R2']")).to_be_hidden()
    page.keyboard.press("Control+Enter")
    page.wait_for_url("**/topics/")
    assert set(Item.objects.values_list("key", flat=True)) == {"0100000100", "0100000101"}


def test_responses_are_moved_by_key_and_by_button(project: Project, writer: Annotator, page_of: PageOf) -> None:
    allocation = prompt_new(writer=writer, concept_id=a_topic(project).pk)
    page = page_of(writer.user)
    page.goto(f"/p/{project.slug}/write/{allocation.token}/")
    fill(page)
    page.locator("[name='more_p_option-R2']").focus()
    page.keyboard.press("Alt+Shift+ArrowUp")
    assert response(page, "R1") == RESPONSES["R2"]
    expect(page.locator("[name=more_p_best][value=R1]")).to_be_checked()
    expect(page.locator("[name='more_p_option-R1']")).to_be_focused()
    page.keyboard.press("Alt+Shift+ArrowUp")
    assert response(page, "R1") == RESPONSES["R2"]
    page.keyboard.press("Alt+ArrowDown")
    expect(page.locator("[name='more_p_option-R2']")).to_be_focused()
    page.get_by_role("button", name="Move I1 down").click()
    assert [response(page, key) for key in ("I1", "I2")] == [RESPONSES["I2"], RESPONSES["I1"]]
    expect(page.get_by_role("button", name="Move I2 down")).to_be_focused()
    page.keyboard.press("Control+S")
    saved(page)
    kept = Draft.objects.get(allocation=allocation).content["more"]
    assert [kept[name] for name in ("option-R1", "option-I2", "best")] == [
        RESPONSES["R2"],
        RESPONSES["I1"],
        "R1",
    ]


def test_what_is_missing_is_told_under_its_field(project: Project, writer: Annotator, page_of: PageOf) -> None:
    allocation = prompt_new(writer=writer, concept_id=a_topic(project).pk)
    page = page_of(writer.user, allow=("status of 422",))
    page.goto(f"/p/{project.slug}/write/{allocation.token}/")
    fill(page)
    page.locator("[name='more_p_option-I2']").fill("")
    page.locator("[name=more_p_context]").fill("")
    page.keyboard.press("Control+Enter")
    expect(page.locator("[data-lines=irrelevant]")).to_contain_text("there are 2")
    expect(page.locator("[data-lines=context]")).to_contain_text("every prompt has a context")
    assert Allocation.objects.get(pk=allocation.pk).state == "open"


def test_a_second_look_with_the_keyboard_alone(project: Project, writer: Annotator, page_of: PageOf) -> None:
    for _ in range(2):
        a_prompt(project, writer)
    Session.objects.create(project=project, purpose="review", name="Bandung", held_on="2026-05-02")
    page = page_of(writer.user, allow=("status of 422",))
    page.goto(f"/p/{project.slug}/second-look/")
    for key in "1234":
        page.keyboard.press(key)
    page.keyboard.press("Enter")
    expect(page.locator(".page-head__lead")).to_contain_text("1 of 2")
    page.wait_for_load_state("load")
    page.keyboard.press("2")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("say what is missing")
    page.wait_for_load_state("load")
    page.locator("#look-words").fill("Kaku.")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("heading", name="You have looked through every prompt")).to_be_visible()
    assert sorted(SecondLook.objects.values_list("natural", "grammar", "words")) == [
        (True, False, "Kaku."),
        (True, True, ""),
    ]


def test_axe_finds_nothing(project: Project, writer: Annotator, page_of: PageOf) -> None:
    origin = a_prompt(project, writer)
    lead = factory.member(project, "lead")
    allocation = variation_new(writer=writer, item_id=origin.pk)
    Session.objects.create(project=project, purpose="review", name="Bandung", held_on="2026-05-02")
    base = f"/p/{project.slug}/"
    pages = [
        (writer, f"{base}topics/"),
        (writer, f"{base}write/{allocation.token}/"),
        (writer, f"{base}write/item/{origin.pk}/"),
        (writer, f"{base}second-look/"),
        (lead, f"{base}second-look/table/"),
        (lead, f"{base}concepts/"),
    ]
    for person, path in pages:
        page = page_of(person.user)
        page.goto(path)
        open_all(page)
        assert_for_everybody(page, path)
        page.context.close()
