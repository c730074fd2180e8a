"""`make pictures`: every answer type as it stands on a card, from our own texts, into docs/pictures.

Not a test of the suite (pytest does not find it by its name). docs/tasks.md shows the pictures; a test says which are
missing or too large.
"""

from collections.abc import Callable
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import call_command
from playwright.sync_api import FloatRect, Locator, Page

from annotation.core.models.project import Project
from tests import factory
from tests.annotation.tasks.items import make_task_project, write_items_file
from validation.voting.actions.decide import decide_due

FOLDER = Path(settings.BASE_DIR) / "docs" / "pictures"
WIDTH, MARGIN = 480, 12

# For each answer type a template, which of its questions asks for it, whether the texts stand beside it, and an answer.
PICTURES: dict[str, tuple[str, int, bool, Callable[[Page], object]]] = {
    "single": ("claims", 0, False, lambda page: page.locator("input[value=supported]").check()),
    "several": ("toxicity", 1, False, lambda page: page.locator("input[value=insult]").check()),
    "scale": (
        "toxicity",
        0,
        False,
        lambda page: page.locator("input[name=answer-toxicity][value='4']").check(),
    ),
    "criteria": ("preference", 1, False, lambda page: page.locator("[name$=_correct][value=yes]").check()),
    "preference": ("preference", 0, True, lambda page: page.locator("#answer-better-1").check()),
    "spans": ("extractive-qa", 0, True, lambda page: page.locator("#answer-answer-1").fill("tahun 2000")),
    "free_text": (
        "toxicity",
        2,
        False,
        lambda page: page.locator("[name=answer-why]").fill("Merendahkan tulisan orang lain."),
    ),
}


@pytest.mark.django_db(transaction=True)
def test_pictures(page_of: Callable[..., Page], tmp_path: Path) -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    for slug in dict.fromkeys(template for template, *_ in PICTURES.values()):
        make_task_project(slug)
        call_command("import_items", f"task-{slug}", str(write_items_file(slug, tmp_path)))
    decide_due()
    for type, (slug, place, beside, answer) in PICTURES.items():
        project = Project.objects.get(slug=f"task-{slug}")
        page = page_of(factory.member(project, "validator").user, width=WIDTH)
        page.goto(f"/p/{project.slug}/vote/")
        answer(page)
        page.evaluate("document.activeElement.blur()")
        asked = "#card .criteria, #card [data-question]:not(.criteria *)"
        question = page.locator(asked).nth(place)
        shown = [question, *([page.locator("#card .vote__texts")] if beside else [])]
        page.screenshot(path=FOLDER / f"{type}.png", full_page=True, clip=_around(page, shown))


def _around(page: Page, shown: list[Locator]) -> FloatRect:
    """The rectangle of the page, to its full width, that these stand in."""
    page.evaluate("window.scrollTo(0, 0)")
    boxes = [box for one in shown if (box := one.bounding_box()) is not None]
    top = min(box["y"] for box in boxes) - MARGIN
    end = max(box["y"] + box["height"] for box in boxes) + MARGIN
    return {"x": 0, "y": top, "width": WIDTH, "height": end - top}
