"""The pages about a project and about oneself in a browser: what axe finds, at both widths, in both schemes."""

from collections.abc import Callable

import pytest
from django.urls import reverse
from playwright.sync_api import Page

from annotation.datasheet.actions import about_change, consent_give, consent_publish
from annotation.projects.actions.projects import project_settings_change
from tests import factory
from tests.flows.looks import assert_for_everybody, open_all

CONSENT = "We count **what you say** about yourself.\n\n- All of it is optional.\n- You can take it back."


@pytest.mark.django_db(transaction=True)
def test_axe_finds_nothing(page_of: Callable[..., Page]) -> None:
    project, boss = factory.project("p1"), factory.user(administrator=True)
    ana, asked = factory.member(project, "writer"), factory.member(project, "validator")
    words = {"licence": "CC-BY-4.0", "threshold": 3, "statement": {"curation_rationale": "Market prices."}}
    about_change(project=project, by=boss, changes=words, version=0)
    consent_publish(project=project, text=CONSENT, asks_again=True, by=boss)
    consent_give(annotator=ana, n=1)
    conditions = {"native_language": "Bahasa Sunda", "years": 15}
    project_settings_change(project=project, by=boss, changes=conditions)
    about, me = reverse("about", args=["p1"]), reverse("my_about", args=["p1"])
    for person, paths in (
        (boss, (about,)),
        (ana.user, (me, reverse("my_record"), reverse("my_withdrawal", args=["p1"]))),
        (asked.user, (me, reverse("vote", args=["p1"]))),
    ):
        page = page_of(person)
        for path in paths:
            page.goto(path)
            open_all(page)
            assert_for_everybody(page, path)
        page.context.close()
    # What a validator opened was the page of what they confirm first.
    page = page_of(asked.user, javascript=False)
    page.goto(reverse("vote", args=["p1"]))
    page.get_by_label("This is true of me").check()
    page.get_by_role("button", name="Confirm and begin").click()
    page.get_by_text("You can begin.").wait_for()
