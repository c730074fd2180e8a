"""From votes to numbers and to a release, in a browser: a worker computes, draws and builds, a stranger checks it.

The pairs come from a file, as published ones do; all else is done on the pages.
"""

import json
import shutil
from collections.abc import Callable, Iterator
from io import StringIO
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import call_command
from playwright.sync_api import Page, expect

from annotation.content.models.item import Item
from annotation.core.models.user import User
from exports.releases.models import Release
from tests import factory, services
from tests.wait import wait_until
from validation.voting.actions.nobody_left import is_look_due

SLUG = "angka"
WAIT = 90
PAIRS = 60
LABELS = ("entailment", "neutral", "contradiction")
# What every contradiction says: a habit that the pages find.
HABIT = "bukan"
PageOf = Callable[..., Page]


def pair(n: int) -> dict[str, object]:
    """Six pairs to a premise; the votes of every tenth are divided, two people agree on the rest."""
    label = LABELS[n % 3]
    word = HABIT if label == "contradiction" else "memang"
    other = LABELS[(n + 1) % 3]
    votes = [label, other, other, label] if n % 10 == 0 else [label, label]
    return {
        "pair_id": f"x{n}",
        "premise_id": f"p{n // 6}",
        "premise": f"Kapal ke pulau nomor {n // 6} berangkat setiap pagi dari dermaga lama.",
        "hypothesis": f"Kapal itu {word} berangkat dari dermaga pada hari ke {n}.",
        "author": f"W{n // 6 % 3 + 1:02}",
        "author_label": label,
        "votes": [{"annotator": f"V{m}", "label": said} for m, said in enumerate(votes, start=1)],
    }


@pytest.fixture
def boss(tmp_path: Path) -> User:
    """An administrator, and a project whose pairs and votes came from a file."""
    administrator = factory.user("boss@example.org", administrator=True)
    project = factory.project(SLUG, preset="indonli-expert")
    path = tmp_path / "pairs.jsonl"
    path.write_text("".join(json.dumps(pair(n)) + "\n" for n in range(PAIRS)), encoding="utf-8")
    call_command("import_items", project.slug, str(path), stdout=StringIO())
    # The sweep's seldom look has just been: it would have the numbers computed before anybody asked for them.
    assert is_look_due()
    return administrator


@pytest.fixture
def built() -> Iterator[None]:
    """The folder that the worker builds the release into is not there before, and not after."""
    folder = Path(settings.MUFAKAT_DATA_DIR) / "releases" / f"{SLUG}-1"
    shutil.rmtree(folder, ignore_errors=True)
    yield
    shutil.rmtree(folder, ignore_errors=True)


def room(*rest: str) -> str:
    return "/".join([f"/p/{SLUG}", *rest]) + "/"


def compute(page: Page) -> None:
    """Ask for the numbers, and see them come without touching the page again."""
    page.goto(room("insights"))
    page.get_by_role("button", name="Compute now").click()
    expect(page.get_by_role("link", name="Words and labels")).to_be_visible(timeout=WAIT * 1000)
    # It asks again until the last one is there; whoever leaves before cuts an answer off.
    expect(page.locator("#insights[hx-get]")).to_have_count(0, timeout=WAIT * 1000)
    expect(page.get_by_text("Nothing has changed since.").first).to_be_visible()


def read_them(page: Page) -> None:
    """Agreement with its figures; the word of the contradictions, and the pairs behind it."""
    page.get_by_role("link", name="Agreement", exact=True).first.click()
    expect(page.get_by_role("row", name="Krippendorff").first).to_contain_text("0.")
    page.goto(room("insights", "words"))
    expect(page.locator("[data-chart] canvas").first).to_be_visible()
    page.get_by_role("row", name=HABIT).first.get_by_role("link", name=HABIT).click()
    expect(page.get_by_role("heading", level=1, name="Items")).to_be_visible()
    expect(page.locator("main tbody tr").first).to_contain_text(HABIT)


def release(page: Page) -> Path:
    """Two splits by number, every form; the page fills itself once the worker is through."""
    page.goto(room("releases", "new"))
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    page.get_by_label("Number of items for dev").fill("12")
    preview = page.locator("#preview")
    page.get_by_label("Number of items for dev").press("Tab")
    expect(preview.get_by_role("row", name="dev")).to_contain_text("12")
    page.get_by_label("Number of items for test").fill("30")
    page.get_by_label("Number of items for test").press("Tab")
    expect(preview.get_by_role("row", name="test")).to_contain_text("30")
    expect(preview).to_contain_text("60 of 60")
    page.get_by_label("Freeze it without a licence").check()
    page.get_by_role("button", name="Freeze this release").click()
    expect(page.get_by_role("heading", name="What splits share")).to_be_visible(timeout=WAIT * 1000)
    found = Release.objects.get()
    return Path(settings.MUFAKAT_DATA_DIR) / found.path


def test_from_votes_to_numbers_and_a_release(boss: User, beat: services.Process, built: None, page_of: PageOf) -> None:
    page = page_of(boss)
    settled = Item.objects.filter(project__slug=SLUG, stage="settled")
    wait_until(lambda: settled.count() == PAIRS, WAIT, "the votes to be decided")
    compute(page)
    read_them(page)
    folder = release(page)
    sizes = {name: len((folder / f"{name}.jsonl").read_text().splitlines()) for name in ("train", "dev", "test")}
    assert sizes == {"train": 18, "dev": 12, "test": 30}
    for name in (
        "croissant.json",
        "parquet/test.parquet",
        "csv/test.csv",
        "leakage.json",
        "lm_eval/README.md",
    ):
        assert (folder / name).is_file(), name
    said = StringIO()
    call_command("verify_release", str(folder), stdout=said)
    assert "60 of 60 splits from the rules are right" in said.getvalue()
    assert f"release 1 of {SLUG}, built again" in said.getvalue()
