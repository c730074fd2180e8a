"""Pages with images and sounds: the import, the list of files, a card, the preview; axe, widths, schemes."""

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from playwright.sync_api import Page, expect

from annotation.content.models.item import Item
from annotation.media.actions import media_keep
from annotation.tasks.rules.reading import task_from_plain
from tests import factory
from tests.annotation.media.files import TASK, image, sound
from tests.annotation.tasks.items import make_task_project
from tests.flows.looks import assert_for_everybody, open_in_each_look
from validation.voting.actions.decide import decide_due

pytestmark = pytest.mark.django_db(transaction=True)


def look_at(page: Page, name: str) -> None:
    """The page as it stands is for everybody; pictures of it for people to look at, where a folder is named."""
    assert_for_everybody(page, name)
    if folder := os.environ.get("SCREENSHOTS"):
        for look in open_in_each_look(page):
            page.screenshot(path=Path(folder) / f"media-{name}-{look}.png", full_page=True)


def test_pages_of_images_and_sounds(page_of: Callable[..., Page], tmp_path: Path, settings: Any) -> None:
    settings.MUFAKAT_DATA_DIR = tmp_path / "data"
    project = make_task_project("", task=task_from_plain(TASK), name="foto")
    media_keep(project=project, by=None, name="img/perahu.jpg", data=image("JPEG", (640, 400)))
    media_keep(project=project, by=None, name="ombak.wav", data=sound())
    unused = [media_keep(project=project, by=None, name=f"lain-{n}.png", data=image(size=(n, 9))) for n in (8, 9)]
    row = {"id": "x1", "photo": "img/perahu.jpg", "photo_alt": "Sebuah perahu di pantai"}
    row |= {"sound": "ombak.wav", "sound_alt": "Ombak memecah di pantai, lalu seseorang memanggil."}
    (tmp_path / "rows.jsonl").write_text(json.dumps(row))
    call_command("import_items", project.slug, str(tmp_path / "rows.jsonl"))
    decide_due()
    boss = page_of(factory.user(administrator=True))
    boss.goto(f"/p/{project.slug}/import/")
    look_at(boss, "import")
    boss.get_by_role("link", name="4 files are there").click()
    look_at(boss, "files")
    boss.get_by_role("button", name=re.compile(unused[0].name)).click()
    expect(boss.locator("#messages")).to_contain_text("1 file was removed.")
    boss.goto(f"/p/{project.slug}/task/")
    card = boss.frame_locator("iframe").first
    expect(card.get_by_role("img", name="Sebuah perahu di pantai")).to_be_visible()
    assert card.locator("img").evaluate("each => each.naturalWidth") == 640
    look_at(boss, "task")
    boss.goto(f"/p/{project.slug}/items/{Item.objects.get().pk}/")
    look_at(boss, "item")
    page = page_of(factory.member(project, "validator").user)
    page.goto(f"/p/{project.slug}/vote/")
    assert (
        page.locator("audio").evaluate(
            "each => new Promise((done) => { each.onloadedmetadata = () => done(each.duration); each.load(); })"
        )
        == 1
    )
    page.get_by_text("What is heard, in words").click()
    expect(page.get_by_text("Ombak memecah di pantai")).to_be_visible()
    look_at(page, "card")
