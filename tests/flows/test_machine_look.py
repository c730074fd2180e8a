"""Machine writing in a browser: axe at both widths and schemes, keys, a run that goes on by itself, and no script."""

import os
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotation.content.models.item import Item
from annotation.generation.actions.instructions import instruction_save
from annotation.generation.models import GenerationRun, MachineLimit
from annotation.generation.rules import instructions
from tests import factory
from tests import machine as made
from tests.flows.looks import assert_for_everybody, open_all, open_in_each_look
from tests.machine_project import MachineProject
from tests.pay import a_rate, add_approved_entry

pytestmark = pytest.mark.django_db(transaction=True)


def shoot(page: Page, name: str) -> None:
    """Pictures for people to look at, where a folder is named."""
    if folder := os.environ.get("SCREENSHOTS"):
        for look in open_in_each_look(page):
            page.screenshot(path=Path(folder) / f"{name}-{look}.png", full_page=True)


def long_names(step: str, prompt: Any) -> str:
    """A model that now and then breaks a rule."""
    answer = made.model_answer(step, prompt)
    if step in ("question", "refinement") and len(answer) % 3 == 0:
        return answer.replace("?", ".")
    return answer


@pytest.fixture
def at() -> MachineProject:
    """Runs in every state, people at work, a changed instruction, a budget, another project to stand beside."""
    world = MachineProject(4)
    MachineLimit.objects.create(project=world.project, budget=Decimal("2.5"))
    made.a_run(world.project, 3, says=long_names, endpoint=world.endpoint, stepwise=True, name="Step by step")
    waits = made.a_run(world.project, 2, endpoint=world.endpoint, name="A run that waits", stepwise=True)
    GenerationRun.objects.filter(pk=waits.pk).update(reason="run_batch_failed")
    house = instructions.default_text("mcsqa-question")
    instruction_save(
        project=world.project,
        by=world.boss,
        name="mcsqa-question",
        text=f"Be brief.\n{house}",
        note="shorter",
    )
    hard = Item.objects.filter(project=world.project).order_by("pk")[:2]
    Item.objects.filter(pk=hard[0].pk).update(stage="settled", gold="yes", gold_from="votes", due_at=None)
    rate = a_rate(world.project, "vote", "0.05", currency="EUR")
    add_approved_entry(rate, hard[0], world.lead, units=2)
    beside = factory.project("beside-it")
    a_rate(beside, "write", "0.33", unit="item")
    factory.written_pairs(beside, factory.member(beside, "writer"), 1)
    return world


def test_pages_look_right(at: MachineProject, page_of: Callable[..., Page]) -> None:
    one = at.run.candidates.filter(item__isnull=False).order_by("pk")[0]
    stepwise = GenerationRun.objects.get(name="Step by step")
    fresh = made.a_machine_project(recipe="llm-adapt")
    page = page_of(at.boss)
    for name, path in {
        "machine": at.url("machine"),
        "machine-run": at.url("machine_run", at.run.n),
        "machine-run-stepwise": at.url("machine_run", stepwise.n),
        "machine-run-waits": at.url("machine_run", stepwise.n + 1),
        "machine-run-new": at.url("machine_run_new"),
        "machine-run-cancel": at.url("machine_run_cancel", stepwise.n),
        "candidates": at.url("candidates", at.run.n),
        "candidates-none": f"{at.url('candidates', at.run.n)}?reason=none",
        "candidate": at.url("candidate", at.run.n, one.pk),
        "instructions": at.url("instructions"),
        "instruction": at.url("instruction", "mcsqa-question"),
        "machine-cost": f"{at.url('machine_cost')}?beside=beside-it",
        "machine-all": reverse("machine_all"),
        "machine-project": at.url("project"),
        "machine-project-new": reverse("project", args=[fresh.slug]),
        "machine-none": reverse("machine", args=[fresh.slug]),
        "project-new-presets": reverse("project_new"),
        "project-new-machine": f"{reverse('project_new')}?preset=llm-adapt",
    }.items():
        page.goto(path)
        open_all(page)
        assert_for_everybody(page, name)
        shoot(page, name)


def test_a_lead_reads_and_changes_nothing(at: MachineProject, page_of: Callable[..., Page]) -> None:
    page = page_of(at.lead.user, 360)
    for path in (at.url("machine"), at.url("machine_run", at.run.n), at.url("instruction", "mcsqa-question")):
        page.goto(path)
        assert page.locator("main form").count() == 0, path
        assert_for_everybody(page, path, (360,))


def test_begun_and_gone_on_with_without_a_script(at: MachineProject, page_of: Callable[..., Page]) -> None:
    made.materials(at.project, 2, start=50)
    page = page_of(at.boss, 1280, False, javascript=False)
    page.goto(at.url("machine"))
    page.get_by_role("link", name="New run").click()
    page.get_by_label("Name").fill("By hand")
    page.get_by_label("How many question sets").fill("2")
    page.get_by_label("Step by step").check()
    # Both the page before and the one after hold these words: what was sent has to have been answered.
    with page.expect_navigation():
        page.get_by_role("button", name="What will it cost?").click()
    expect(page.get_by_label("Name")).to_have_value("By hand")
    expect(page.get_by_text("By what earlier runs of this project took.")).to_be_visible()
    with page.expect_navigation():
        page.get_by_role("button", name="Begin the run").click()
    run = GenerationRun.objects.get(name="By hand")
    for step in ("Refinement", "Distractors", "The model's own answer"):
        with made.answering():
            made.finish(run)
        page.goto(at.url("machine_run", run.n))
        with page.expect_navigation():
            page.get_by_role("button", name=f"Go on: {step}").click()
    with made.answering():
        assert made.finish(run).state == "done"
    page.get_by_role("link", name="Look again").click()
    expect(page.get_by_text("done", exact=True).first).to_be_visible()


def test_a_run_is_watched_with_the_keyboard(at: MachineProject, page_of: Callable[..., Page]) -> None:
    """The part that comes anew keeps the focus where it was, and stops asking when the run is over."""
    made.materials(at.project, 1, start=60)
    run = made.begin_run(at.project, endpoint=at.endpoint, name="Watched", fresh=True)
    page = page_of(at.boss)
    page.goto(at.url("machine_run", run.n))
    page.wait_for_load_state("load")
    page.locator("#do-pause").focus()
    # Only the part that came with the page has this; it has the focus before another part stands in its place, too.
    page.locator("#run").evaluate("(run) => { run.dataset.first = ''; }")
    expect(page.locator("#run[data-first]")).to_have_count(0)
    expect(page.locator("#do-pause")).to_be_focused()
    with made.answering():
        made.finish(run)
    expect(page.locator("#do-pause")).to_have_count(0)
    expect(page.locator("#run[hx-get]")).to_have_count(0)
    expect(page.locator("#state-title + .tag")).to_have_text("done")
    page.locator("#all-questions").press("Enter")
    page.wait_for_url("**/questions/")
    page.locator("tbody a").first.press("Enter")
    page.wait_for_url("**/questions/*/")
    page.wait_for_load_state("load")
    first = page.url
    page.keyboard.press("n")
    page.wait_for_url(lambda url: url != first)


def test_what_it_costs_is_told_while_the_form_is_filled_in(at: MachineProject, page_of: Callable[..., Page]) -> None:
    page = page_of(at.boss)
    page.goto(at.url("machine_run_new"))
    page.wait_for_load_state("load")
    expect(page.locator("#estimate tbody tr")).to_have_count(4)
    page.get_by_label("How many question sets").fill("9")
    page.get_by_label("How many question sets").press("Tab")
    expect(page.locator("#estimate tbody tr").first).to_contain_text("27")
    assert GenerationRun.objects.filter(project=at.project).count() == 3
