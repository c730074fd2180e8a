"""Translations in a browser from a file to an aligned release: cleaned, frozen, translated, sent back, corrected, paid.

Everybody works on the pages as people do; the worker takes the file in, decides and builds beside the server.
"""

import csv
import json
import shutil
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from playwright.sync_api import Locator, Page, expect

from annotation.content.models.item import Item
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.core.models.user import User
from tests import factory, services, translations
from tests.flows.steps import make_a_project, next_card, press, wait_until_done
from tests.pay import ledger_rows
from tests.wait import wait_until

SLUG = "garis-terjemah"
WAIT = 60
PageOf = Callable[..., Page]
# Two pairs of one premise, one of another, and one that is taken out.
ROWS = (
    ("p1", "Kapal terakhir berangkat jam 7 malam.", "Ada kapal pada malam hari.", "entailment"),
    ("p2", "Kapal terakhir berangkat jam 7 malam.", "Kapal itu berangkat jam 9 pgi.", "contradiction"),
    ("p3", "Paman menanam 40 pohon kelapa.", "Paman punya kebun.", "neutral"),
    ("p4", "Macet lagi di Sudirman.", "Jalan Sudirman lengang.", "contradiction"),
)
TYPO = "Kapal itu berangkat jam 9 pagi."
FIRST = {
    "premise": "Kapal pungkasan mangkat jam 7 bengi.",
    "hypothesis.1": "Ana kapal ing wayah bengi.",
    "hypothesis.2": "Kapal kuwi mangkat jam 9 isuk.",
}
SECOND = {"premise": "Pamanku nandur 4 wit krambil.", "hypothesis.1": "Pamanku duwe kebon."}
MENDED = {**SECOND, "premise": "Paklik nandur 40 wit krambil."}
CORRECTED = "Ana kapal ing wengi."
BACK = "Jumlah pohonnya keliru."


def room(*rest: str) -> str:
    return "/".join([f"/p/{SLUG}", *rest]) + "/"


def field(page: Page, key: str) -> Locator:
    return page.locator(f"textarea[data-more='field-{key}']")


# --- targets, rates, a source set -----------------------------------------------------------------


def name_the_target(boss: Page) -> None:
    boss.goto(room("targets", "new"))
    boss.get_by_role("textbox").fill("jv, ngoko")
    boss.get_by_role("button", name="Add", exact=True).click()
    boss.wait_for_url(f"**{room('targets')}")


def set_rates(boss: Page) -> None:
    """By source sentence, as LoraxBench paid (Appendix C)."""
    for action, amount in (("write", "0.8"), ("vote", "0.3")):
        boss.goto(room("pay"))
        form = boss.locator("form", has=boss.locator("#id_amount"))
        if not form.is_visible():
            boss.get_by_text("Set a rate", exact=True).click()
        form.locator("#id_action").select_option(action)
        form.locator("#id_unit").select_option("sentence")
        form.locator("#id_amount").fill(amount)
        form.locator("#id_currency").select_option("USD")
        form.get_by_role("button").click()
        expect(boss.get_by_role("heading", name="Check the rate")).to_be_visible()
        form.get_by_role("button").click()
        wait_until_done(boss, "The rate holds from now on.")


def bring_the_file(boss: Page, folder: Path) -> None:
    """A CSV with the field's own column names; the worker makes the set."""
    path = folder / "pairs.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["pair_id", "premise", "hypothesis", "label", "genre"])
        writer.writerows([*row, "harian"] for row in ROWS)
    boss.goto(room("sources", "new"))
    boss.locator("#set-file").set_input_files(path)
    boss.locator("#set-shape").select_option("pair")
    boss.locator("#set-key").fill("nli")
    boss.get_by_role("button", name="Send the file").click()
    boss.get_by_role("button", name="Make the set").click()
    expect(boss.get_by_text("The set was made.")).to_be_visible(timeout=WAIT * 1000)


def clean_and_freeze(lead: Page) -> None:
    """By keys: one typo is fixed, one row is taken out with a reason; Table 2 counts them."""
    lead.goto(room("sources", "sets", "nli"))
    lead.get_by_role("link", name=ROWS[1][2]).click()
    expect(lead.get_by_role("heading", level=1)).to_contain_text("p2")
    press(lead, "t")
    lead.locator("#typo-hypothesis\\.2").fill(TYPO)
    press(lead, "Control+Enter")
    wait_until_done(lead, "Fixed typo: done.")
    lead.goto(room("sources", "sets", "nli"))
    lead.get_by_role("link", name=ROWS[3][2]).click()
    expect(lead.get_by_role("heading", level=1)).to_contain_text("p4")
    press(lead, "x", "1")
    expect(lead.get_by_label("Too specific to a place").locator("visible=true")).to_be_checked()
    press(lead, "Control+Enter")
    wait_until_done(lead, "Removed: done.")
    lead.goto(room("sources", "sets", "nli"))
    expect(lead.locator(".figures--counts dd")).to_have_text(["4", "1", "1", "0", "0", "3"])
    lead.get_by_text("Freeze", exact=True).click()
    lead.get_by_role("button", name="Freeze this set").click()
    expect(lead.get_by_text("Translation has begun.")).to_be_visible()


# --- translating and reviewing --------------------------------------------------------------------


def translate(page: Page) -> None:
    """Take what there is; the wrong number is warned of, and the translator insists."""
    page.goto(room("write"))
    page.get_by_role("button", name="Take 20 texts in Javanese (ngoko)").click()
    for _ in range(2):
        expect(field(page, "premise")).to_be_visible()
        page.wait_for_load_state("load")
        first = page.get_by_text("Kapal terakhir berangkat").count() > 0
        for key, text in (FIRST if first else SECOND).items():
            field(page, key).fill(text)
        if not first:
            expect(page.locator("[data-lines='field-premise']")).to_contain_text("40")
            page.locator("[name='more_t_why-numbers_differ']").fill("Begitu di naskahnya.")
        form = page.locator("form.write").get_attribute("action") or ""
        press(page, "Control+Enter")
        expect(page.locator(f"form.write[action='{form}']")).to_have_count(0)
    expect(page.get_by_role("button", name="Take")).to_have_count(0)


def review(page: Page) -> None:
    """Both translations by keys: one is corrected in place; the other is sent back with words, or approved."""
    page.goto(room("vote"))
    for _ in range(2):
        expect(page.locator("#card .review").first).to_be_visible()
        if page.locator("#card").get_by_text(FIRST["premise"]).count():
            details = page.locator(".review", has_text=FIRST["hypothesis.1"])
            details.locator("summary").click()
            details.locator("textarea").fill(CORRECTED)
            press(page, "Escape", "2")
        else:
            expect(page.get_by_text("Begitu di naskahnya.")).to_be_visible()
            press(page, "3", ",")
            page.locator("#comment").fill(BACK)
            press(page, "Escape")
        next_card(page, "Enter")


def stage(key: str) -> str:
    return str(Item.objects.get(key__contains=key).stage)


def accept_and_mend(page: Page) -> None:
    """The translator accepts the correction, and answers what was sent back."""
    wait_until(lambda: stage("p3") == "returned" and Item.objects.get(key__contains="p1").epoch == 2, WAIT)
    page.goto(room("corrected"))
    expect(page.locator("ins").first).to_be_visible()
    press(page, "a")
    expect(page.locator("article.card")).to_have_count(0)
    assert stage("p1") == "settled"
    page.goto("/")
    page.get_by_role("link", name=f"Fix {SECOND['premise']}").click()
    expect(page.get_by_text(BACK)).to_be_visible()
    page.wait_for_load_state("load")
    field(page, "premise").fill(MENDED["premise"])
    press(page, "Control+Enter")
    expect(page.locator("#messages")).not_to_be_empty()
    # It is voted on again at once; how many are asked the worker says, a moment later.
    wait_until(lambda: Item.objects.filter(key__contains="p3", stage="voting", slots_free__gt=0).exists(), WAIT)


def approve_the_last(page: Page) -> None:
    page.goto(room("vote"))
    expect(page.locator("#card")).to_contain_text(MENDED["premise"])
    press(page, "1")
    next_card(page, "Enter")
    wait_until(lambda: stage("p3") == "settled", WAIT)


# --- pay and release --------------------------------------------------------------------------------


def look_at_the_pay(page: Page, translator: Annotator) -> None:
    """Five source sentences at 0.8, and nothing else was paid to the translator."""
    earned = [(action, units, amount) for action, _, units, amount, _ in ledger_rows(translator.project, translator)]
    assert sorted(earned) == [("write", 2, Decimal("1.6")), ("write", 3, Decimal("2.4"))]
    page.goto("/me/pay/")
    expect(page.locator("main")).to_contain_text("4.00 USD")


def release(boss: Page, out: Path) -> list[list[dict[str, Any]]]:
    """Freeze, wait for the worker, download the file of the target and the source's; their rows."""
    boss.goto(room("releases"))
    boss.get_by_role("link", name="Choose the rules").click()
    boss.get_by_label("Freeze it without a licence").check()
    boss.get_by_role("button", name="Freeze this release").click()
    read = []
    for name in ("nli/jv-ngoko.jsonl", "nli/id.jsonl"):
        link = boss.locator(f"a[href$='{name}']")
        expect(link).to_be_attached(timeout=WAIT * 1000)
        folded = boss.locator("details:not([open])", has=link)
        if folded.count():
            folded.locator("summary").first.click()
        with boss.expect_download() as taken:
            link.click()
        taken.value.save_as(out)
        read.append([json.loads(line) for line in out.read_text().splitlines()])
    return read


@pytest.fixture
def built() -> Iterator[None]:
    """The folder that the worker builds the release into is not there before, and not after."""
    folder = Path(settings.MUFAKAT_DATA_DIR) / "releases" / f"{SLUG}-1"
    shutil.rmtree(folder, ignore_errors=True)
    yield
    shutil.rmtree(folder, ignore_errors=True)


def of(person: Annotator) -> User:
    assert person.user is not None
    return person.user


def test_from_a_file_to_an_aligned_release(
    beat: services.Process, built: None, page_of: PageOf, tmp_path: Path
) -> None:
    boss = page_of(factory.user("boss@example.org", administrator=True))
    make_a_project(boss, preset="LoraxBench", name="Terjemah dari pelabuhan", slug=SLUG)
    project = Project.objects.get(slug=SLUG)
    name_the_target(boss)
    set_rates(boss)
    bring_the_file(boss, tmp_path)
    lead = page_of(of(factory.member(project, "lead")))
    clean_and_freeze(lead)
    translator = translations.member(project, "writer")
    first, second = (translations.member(project, "validator") for _ in range(2))
    page = page_of(of(translator))
    translate(page)
    offered = Item.objects.filter(project=project, stage="voting", slots_free__gt=0)
    wait_until(lambda: offered.count() == 2, WAIT, "both to be offered")
    review(page_of(of(first)))
    accept_and_mend(page)
    approve_the_last(page_of(of(second)))
    look_at_the_pay(page, translator)
    target, source = release(boss, tmp_path / "rows.jsonl")
    assert [row["id"] for row in target] == [row["id"] for row in source] == ["p1", "p2", "p3"]
    assert [row["label"] for row in target] == [label for _, _, _, label in ROWS[:3]]
    assert [(row["premise"], row["hypothesis"]) for row in source] == [
        (ROWS[0][1], ROWS[0][2]),
        (ROWS[1][1], TYPO),
        (ROWS[2][1], ROWS[2][2]),
    ]
    assert [(row["premise"], row["hypothesis"]) for row in target] == [
        (FIRST["premise"], CORRECTED),
        (FIRST["premise"], FIRST["hypothesis.2"]),
        (MENDED["premise"], SECOND["hypothesis.1"]),
    ]
    assert {row["data"]["genre"] for row in target} == {"harian"}
