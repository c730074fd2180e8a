"""What reviewers of data sets ask: in card and Croissant as far as it is known, and else said to be missing."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from annotation.core.models.member import Annotator
from annotation.core.models.project import GuidelineVersion, Project
from annotation.datasheet.actions import about_change, consent_give, consent_publish, demographics_save
from annotation.datasheet.rules import QUESTIONS, SECTIONS
from exports.releases.actions import release_freeze
from exports.releases.datasheet_facts import datasheet_facts, missing_now
from exports.releases.models import Release
from exports.releases.rules import datasheet
from exports.releases.rules.settings import default_rules, layout_of
from exports.releases.verify import verify
from tests import factory, review
from tests.exports.releases.forger import WORLDS
from tests.exports.world import build, folder, freeze, manifest, staged
from tests.pay import a_rate
from tests.validation.insights.test_insights_job import run as compute_insights
from validation.voting.models.vote import Vote

pytestmark = pytest.mark.django_db
# A world of each preset that differs in kind, and one whose votes a file brought.
PRESETS = ("pairs", "questions", "prompts", "translations", "judged", "task", "imported")
LINES = {"version": "1.2.0", "published_on": "2026-11-28", "errata": "https://example.org/errata"}
ANSWERS = {name: LINES.get(name, f"Answer to {name}.") for name in QUESTIONS}
STATED: dict[str, Any] = {
    "licence": "CC-BY-4.0",
    "citation": "@misc{one}",
    "homepage": "https://example.org",
    "ethics_board": "IRB",
    "statement": {name: f"Words on {name}." for name in SECTIONS},
    "answers": ANSWERS,
}


@pytest.fixture(autouse=True)
def _without_redis(settings: Any) -> None:
    settings.REDIS_URL = ""


def used_in_full(project: Project) -> None:
    """What a team that uses everything has: guidelines, a rate, figures, people who said where they are."""
    boss = factory.user(administrator=True)
    a_rate(project, "vote", "0.3")
    compute_insights(project, nightly=True)
    text = consent_publish(project=project, text="We count.", asks_again=True, by=boss, seen=0)
    for annotator in Annotator.objects.filter(project=project, user__isnull=False):
        consent_give(annotator=annotator, n=text.n)
        demographics_save(annotator=annotator, answers={"country": "Indonesia"})


def part_of(release: Release) -> dict[str, Any]:
    """The manifest as the card is written from it."""
    told = manifest(release)
    return {**told, "suffix": "", "context": told}


def frozen(project: Project) -> Release:
    rules = default_rules(layout_of(project.kind_spec.shape), project.rules.release)
    return build(release_freeze(project=project, rules=rules, by=None))


def texts(value: Any) -> Iterator[str]:
    """Every text in plain values."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from texts(inner)


@pytest.mark.parametrize("world", PRESETS)
def test_nothing_that_the_platform_knows_is_missing(world: str, tmp_path: Path) -> None:
    project = WORLDS[world][0](tmp_path)
    used_in_full(project)
    release = frozen(project)
    part, at = part_of(release), folder(release)
    assert datasheet.missing_facts(part) == []
    card = (at / "README.md").read_text()
    missing = card.partition("### Not stated")[2].partition("\n## ")[0]
    asked = [title for name, (title, _, _) in QUESTIONS.items() if name != "collected" or world == "imported"]
    assert [title for title in asked if f"- {title}\n" not in missing] == []
    assert "- Licence\n" in missing
    verified = verify(at)
    assert verified.right, [fault for check in verified.checks for fault in check.faults]
    # Everything that is asked, answered.
    about_change(project=project, by=factory.user(administrator=True), changes=STATED, version=0)
    whole = frozen(project)
    card = (folder(whole) / "README.md").read_text()
    assert {name for name, text in ANSWERS.items() if text not in card} <= {"collected"}
    croissant = json.loads((folder(whole) / "croissant.json").read_bytes())
    told = " ".join(texts({name: value for name, value in croissant.items() if name != "recordSet"}))
    assert {name for name, text in ANSWERS.items() if text not in told} == set()


# --- days and pay -----------------------------------------------------------------------------


def voters_paid(people: int) -> Project:
    """A project in which so many people voted once for 600 rupiah, the first in 60 seconds, each other 60 more."""
    project = factory.project()
    a_rate(project, "vote", "600", currency="IDR")
    writer = factory.member(project, "writer")
    factory.written_pairs(project, writer, 1)
    for n in range(1, people + 1):
        voter = factory.member(project, "validator")
        item = project.items.order_by("key")[0]
        Vote.objects.create(
            **{"project": project, "item": item, "annotator": voter, "n": n, "epoch": 1, "round": 1, "revision_n": 1},
            **{"label": "e", "unsure": False, "ambiguous": False, "seconds": 60.0 * n},
        )
    return project


def test_pay_of_an_hour_is_the_median_of_enough_people() -> None:
    pay = datasheet_facts(voters_paid(5), findings=True)["pay"]
    # 600 in 60, 120, 180, 240, 300 seconds: 36,000, 18,000, 12,000, 9,000 and 7,200 an hour.
    assert pay["hourly"] == [{"currency": "IDR", "people": 5, "votes": 5, "median": 12000.0}]
    (rate,) = pay["rates"]
    assert (rate["action"], rate["unit"], rate["amount"], rate["currency"]) == ("vote", "vote", "600", "IDR")


def test_pay_of_few_people_is_nobodys_business() -> None:
    pay = datasheet_facts(voters_paid(4), findings=True)["pay"]
    assert (pay["hourly"], pay["least"]) == ([], 5)


def test_days_are_those_of_what_was_done_here() -> None:
    project = voters_paid(2)
    Vote.objects.filter(n=1).update(cast_at="2026-01-31T23:30:00Z")
    Vote.objects.filter(n=2).update(cast_at="2026-03-01T00:30:00+07:00")
    collection = datasheet_facts(project, findings=True)["collection"]
    assert collection["voting"] == ["2026-01-31", "2026-02-28"]
    assert (collection["imported_items"], collection["seconds"], collection["timed_votes"]) == (0, 90.0, 2)
    Vote.objects.update(imported=True)
    collection = datasheet_facts(project, findings=True)["collection"]
    assert (collection["voting"], collection["imported_votes"]) == (None, 2)


# --- files ------------------------------------------------------------------------------------


def test_guidelines_are_there_as_they_were_published() -> None:
    made = staged()
    text = "# Pedoman\r\n\u2028 byte demi byte"
    GuidelineVersion.objects.create(project=made.project, role="validation", n=2, text=text)
    release = build(freeze(made))
    assert (folder(release) / "guidelines/validation-2.md").read_bytes() == text.encode()
    versions = manifest(release)["datasheet"]["guidelines"]
    assert [(each["role"], each["n"]) for each in versions] == [("validation", 1), ("validation", 2), ("writing", 1)]


def test_the_picture_does_nothing_and_tells_nothing(tmp_path: Path) -> None:
    project = WORLDS["questions"][0](tmp_path)
    shown = (folder(frozen(project)) / "picture.html").read_text()
    for word in ("<script", "http:", "https:", "url(", "@import", " on", "href", "action=", "checked", "hx-", "data-"):
        assert word not in shown.partition("<body>")[2], word
    assert "default-src 'none'" in shown
    assert "url(" not in shown
    assert "Untuk apa tikar" in shown
    assert "Kirim" in shown  # in the language of the work


def test_nothing_of_a_hidden_test_is_pictured_or_measured() -> None:
    made = staged()
    compute_insights(made.project, nightly=True)
    release = build(freeze(made, "indonli-expert", hidden_test="yes", no_gold="test", adjudicated="test"))
    told = manifest(release)
    assert told["datasheet"]["findings"] is None
    assert "picture" not in told
    assert "picture.html" not in told["files"]
    assert verify(folder(release)).right


def test_what_is_missing_is_named_before_freezing() -> None:
    project = review.world(1).project
    names = missing_now(project)
    assert {"Licence", "Contact", "Errata", "Rates of pay", "Findings of Insights"} <= set(names)
    assert "Collection before the import" not in names
    boss = factory.user(administrator=True)
    about_change(project=project, by=boss, changes=STATED, version=0)
    a_rate(project, "vote", "1")
    compute_insights(project)
    consent_publish(project=project, text="We count.", asks_again=True, by=boss, seen=0)
    assert missing_now(project) == []
