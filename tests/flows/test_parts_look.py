"""A release of several projects in a browser: what axe finds, and choosing them without a script."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.urls import reverse
from playwright.sync_api import Page

from exports.releases.models import Release
from tests import factory
from tests.exports.world import build, staged
from tests.flows.looks import assert_for_everybody, open_all


@pytest.mark.django_db(transaction=True)
def test_several_projects_are_chosen_and_released(page_of: Callable[..., Page], settings: Any, tmp_path: Path) -> None:
    settings.MUFAKAT_DATA_DIR = tmp_path
    lay, expert = staged(slug="lay-set"), staged(slug="expert-set")
    administrator, new = factory.user(administrator=True), reverse("release_new", args=["lay-set"])
    page = page_of(administrator, javascript=False)
    page.goto(new)
    page.get_by_text("Release it together with other projects").click()
    page.get_by_label(expert.project.name, exact=True).check()
    for form in page.get_by_role("group", name="Further forms").get_by_role("checkbox").all():
        form.uncheck()
    page.get_by_label("Hide the answers of test").check()
    page.get_by_role("button", name="Show the counts").click()
    page.get_by_label("Its files end in").fill("expert")
    with page.expect_navigation():
        page.get_by_role("button", name="Show the counts").click()
    chosen = page.url
    page.get_by_label("Splits may share that much in this release").check()
    page.get_by_label("Freeze it without a licence").check()
    with page.expect_navigation():
        page.get_by_role("button", name="Freeze this release").click()
    release = build(Release.objects.get(whole=None))
    assert release.parts.get().suffix == "expert"
    page.context.close()
    page = page_of(administrator)
    for path in (chosen, *(reverse("release", args=[slug, 1]) for slug in ("lay-set", "expert-set"))):
        page.goto(path)
        open_all(page)
        assert_for_everybody(page, path)
    page.context.close()
    page = page_of(lay.at.lead.user)
    page.goto(reverse("release", args=["lay-set", 1]))
    assert_for_everybody(page, "a lead's")
