"""Prompts for tasks in a browser: what axe finds, at both widths and schemes, and the whole way without a script."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from exports.lm_eval.actions import prompt_end, prompt_save
from tests import factory
from tests.flows.looks import assert_for_everybody, open_all, open_in_each_look


@pytest.mark.django_db(transaction=True)
def test_pages_look_right_and_work_without_a_script(page_of: Callable[..., Page]) -> None:
    project = factory.project("t1")
    boss = factory.user(administrator=True)
    for name in ("ringkas", "lama"):
        for n, text in enumerate(("{{premise}} {{hypothesis}}?", "{{premise}}\n{{hypothesis}}: ya?")):
            prompt_save(project=project, by=boss, task="nli", name=name, text=text, seen=n)
    prompt_end(project=project, by=boss, task="nli", name="lama", seen=2)
    page = page_of(boss)
    for path in ("prompts/", "prompts/nli/", "prompts/nli/ringkas/", "prompts/nli/lama/"):
        page.goto(f"/p/t1/{path}")
        open_all(page)
        assert_for_everybody(page, path)
        if folder := os.environ.get("SCREENSHOTS"):
            for look in open_in_each_look(page):
                page.screenshot(path=Path(folder) / f"{path.strip('/').replace('/', '-')}-{look}.png", full_page=True)
    page.context.close()
    page = page_of(boss, javascript=False)
    page.goto("/p/t1/releases/")
    page.get_by_role("link", name="Prompts for tasks").click()
    page.get_by_role("link", name="New prompt").click()
    page.get_by_label("Name").fill("baru")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("heading", name="baru")).to_be_visible()
    page.get_by_role("button", name="End this prompt").click()
    expect(page.get_by_text("ended: releases bring it no more")).to_be_visible()
