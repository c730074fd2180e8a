"""What reviewers of data sets ask: in card and Croissant as far as it is known, and else said to be missing."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.datasheet.actions import about_change, consent_give, consent_publish, demographics_save
from annotation.datasheet.rules import QUESTIONS, SECTIONS
from exports.releases.actions import release_freeze
from exports.releases.models import Release
from exports.releases.rules import datasheet
from exports.releases.rules.settings import default_rules, layout_of
from exports.releases.verify import verify
from tests import factory
from tests.exports.releases.forger import WORLDS
from tests.exports.world import build, folder, manifest
from tests.pay import a_rate
from tests.validation.insights.test_insights_job import run as compute_insights

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
