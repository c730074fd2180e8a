"""A task described in a form by somebody who knows no YAML: with scripts, without them, by keyboard, for everybody."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from annotation.core.models.project import Project
from annotation.tasks.queries import task_of_project
from tests import factory
from tests.annotation.tasks.items import make_task_project
from tests.flows.looks import assert_for_everybody
from tests.flows.steps import wait_until_done

pytestmark = pytest.mark.django_db(transaction=True)
PageOf = Callable[..., Page]
LABELS = "[id='f-questions.0.labels'] > .rows__row"


def test_emotions_described_in_a_form(page_of: PageOf) -> None:
    boss = page_of(factory.user(administrator=True))
    boss.goto("/projects/new/task/?template=emotions")
    many = boss.locator(LABELS).count()
    boss.get_by_role("button", name="Add: Label").click()
    expect(boss.locator(LABELS)).to_have_count(many + 1)
    # The new row is where one types on.
    expect(boss.locator(f"[id='f-questions.0.labels.{many}.key']")).to_be_focused()
    boss.locator(f"[id='f-questions.0.labels.{many}.name.en']").fill("Longing")
    boss.locator(f"[id='f-questions.0.labels.{many}.name.id']").fill("Rindu")
    card = boss.frame_locator("iframe").first
    expect(card.locator(".vote__answers, form").first).to_contain_text("Longing")
    boss.get_by_role("button", name=f"Move up Label {many + 1}", exact=True).click()
    expect(boss.locator(f"[id='f-questions.0.labels.{many - 1}.name.en']")).to_have_value("Longing")
    boss.locator("[id='f-questions.0.type']").focus()
    boss.locator("[id='f-questions.0.type']").select_option("scale")
    expect(boss.locator("[id='f-questions.0.labels']")).to_be_hidden()
    expect(boss.locator("[id='f-questions.0.type']")).to_be_focused()
    expect(boss.locator("#task-preview")).to_contain_text("Scale: is missing")
    boss.locator("[id='f-questions.0.type']").select_option("several")
    # What was typed for the other type is still there.
    expect(boss.locator(f"[id='f-questions.0.labels.{many - 1}.name.en']")).to_have_value("Longing")
    boss.get_by_role("button", name="Edit as YAML").click()
    expect(boss.locator("#id_task")).to_have_value(re.compile("key: longing"))
    boss.get_by_role("button", name="Edit as a form").click()
    boss.get_by_label("Short name").fill("rasa")
    boss.get_by_role("button", name="Create the project").click()
    wait_until_done(boss, "The project was made.")
    project = Project.objects.get()
    task = task_of_project(project)
    assert task is not None
    assert task.main.labels[many - 1].key == "longing"


def test_the_form_without_javascript(page_of: PageOf) -> None:
    boss = page_of(factory.user(administrator=True), javascript=False, allow=("422",))
    boss.goto("/projects/new/task/?template=sentiment")
    boss.get_by_role("button", name="Add: Label").click()
    boss.locator("[id='f-questions.0.labels.3.name.en']").fill("Cannot say")
    # Enter in a line previews, and takes nothing out.
    boss.locator("[id='f-questions.0.labels.3.name.en']").press("Enter")
    expect(boss.locator(LABELS)).to_have_count(4)
    expect(boss.frame_locator("iframe").first.locator("form")).to_contain_text("Cannot say")
    boss.get_by_role("button", name="Take out Label 1", exact=True).click()
    expect(boss.locator(LABELS)).to_have_count(3)
    assert Project.objects.count() == 0
    boss.locator("[id='f-questions.0.labels.0.letter']").fill("N")
    boss.locator("[id='f-questions.0.labels.1.letter']").fill("N")
    boss.get_by_label("Short name").fill("rasa")
    boss.get_by_role("button", name="Create the project").click()
    expect(boss.locator("[id='f-questions.0']")).to_contain_text("the letter “n” stands there twice")
    boss.locator("[id='f-questions.0.labels.1.letter']").fill("X")
    boss.get_by_role("button", name="Create the project").click()
    wait_until_done(boss, "The project was made.")


def test_the_form_is_for_everybody(page_of: PageOf) -> None:
    boss = page_of(factory.user(administrator=True), allow=("422",))
    project = make_task_project("preference")
    for address in ("/projects/new/task/?template=toxicity", f"/p/{project.slug}/task/"):
        boss.goto(address)
        assert_for_everybody(boss, address)
    boss.get_by_role("button", name="Add: Question").click()
    expect(boss.locator("[id='f-questions.2']")).to_be_visible()
    boss.get_by_role("button", name="Publish a new version").click()
    expect(boss.locator(".field__error").first).to_be_visible()
    # The list above leads to each.
    boss.locator("#task-editor .note--error a").first.click()
    expect(boss.locator(".field__error").first).to_be_in_viewport()
    assert_for_everybody(boss, "the form with what is wrong")
