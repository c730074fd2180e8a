"""A team's own task in a browser: its description with a preview, its card; all of its way is in test_task_walk."""

from collections.abc import Callable
from pathlib import Path

import pytest
from django.core.management import call_command
from playwright.sync_api import Page, expect

from annotation.content.models.item import Item
from annotation.core.models.project import Project
from annotation.tasks.queries import task_of_project
from annotation.tasks.rules.question import localised_text
from tests import factory
from tests.annotation.tasks.items import make_task_project, write_items_file
from tests.flows.looks import assert_for_everybody
from tests.flows.steps import token, wait_for_another_card, wait_until_done
from validation.voting.actions.decide import decide_due
from validation.voting.models.vote import Vote

pytestmark = pytest.mark.django_db(transaction=True)
PageOf = Callable[..., Page]


def test_claims_described_in_yaml(page_of: PageOf) -> None:
    boss = page_of(factory.user(administrator=True))
    boss.goto("/projects/new/")
    boss.get_by_role("link", name="A task of your own").click()
    boss.get_by_role("link", name="Claims checked against evidence").click()
    card = boss.frame_locator("iframe").first
    expect(card.locator(".vote__texts")).to_contain_text("Jembatan lama sudah tidak bisa dilewati.")
    assert boss.locator("iframe").evaluate_all("all => all.map(one => one.offsetWidth)") == [360, 1280]
    boss.get_by_role("button", name="Edit as YAML").click()
    text = boss.locator("#id_task").input_value()
    boss.locator("#id_task").fill(text.replace("type: single", "type: singel"))
    expect(boss.locator("#task-preview")).to_contain_text("questions.0.type: must be one of single")
    boss.locator("#id_task").fill(text.replace("en: Supported", "en: Backed"))
    expect(boss.frame_locator("iframe").first.locator(".choice__name").first).to_contain_text("Backed")
    assert Project.objects.count() == 0
    boss.get_by_label("Short name").fill("klaim")
    boss.get_by_role("button", name="Create the project").click()
    wait_until_done(boss, "The project was made.")
    task = task_of_project(Project.objects.get())
    assert task is not None
    assert localised_text(task.main.labels[0].name, "en") == "Backed"


def test_the_description_without_javascript(page_of: PageOf) -> None:
    boss = page_of(factory.user(administrator=True), javascript=False)
    boss.goto("/projects/new/task/?as=yaml&template=preference")
    text = boss.locator("#id_task").input_value()
    boss.locator("#id_task").fill(text.replace("Jawaban A", "Jawaban pertama"))
    boss.get_by_role("button", name="Preview").click()
    expect(boss.frame_locator("iframe").first.locator(".vote__side")).to_have_count(2)
    assert "Jawaban pertama" in boss.locator("#id_task").input_value()
    assert Project.objects.count() == 0


def test_pages_of_tasks_are_for_everybody(page_of: PageOf) -> None:
    boss = page_of(factory.user(administrator=True))
    project = make_task_project("preference")
    for address in (
        "/projects/new/task/",
        "/projects/new/task/?as=yaml&template=toxicity",
        f"/p/{project.slug}/task/",
    ):
        boss.goto(address)
        assert_for_everybody(boss, address)


def test_two_texts_stand_in_an_order_of_each_person(page_of: PageOf, tmp_path: Path) -> None:
    project = make_task_project("preference")
    call_command("import_items", project.slug, str(write_items_file("preference", tmp_path)))
    decide_due()
    seen = set()
    for _ in range(3):
        page = page_of(factory.member(project, "validator").user)
        page.goto(f"/p/{project.slug}/vote/")
        for _ in range(2):
            # Waited for: between two cards there can be none for a moment.
            expect(page.locator(".vote__side .vote__what")).to_have_text(["Answer A", "Answer B"])
            texts = page.locator(".vote__side .text").all_inner_texts()
            boxes = page.locator(".vote__side").evaluate_all("all => all.map(one => one.getBoundingClientRect().top)")
            assert boxes[0] == boxes[1]
            first, item = token(page), Item.objects.get(assignments__token=token(page))
            page.locator("#answer-better-1").check()
            page.keyboard.press("Control+Enter")
            wait_for_another_card(page, first)
            vote = Vote.objects.get(item=item, annotator__user__isnull=False, pk=Vote.objects.latest("pk").pk)
            side = {"A": "response_a", "B": "response_b"}[vote.answers["better"]]
            assert item.hypothesis is not None
            assert item.hypothesis.more is not None
            assert item.hypothesis.more[side] == texts[0]
            seen.add(vote.answers["better"])
    assert seen == {"A", "B"}
