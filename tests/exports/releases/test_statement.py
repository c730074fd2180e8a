"""What a release tells of its project and people: frozen with it, of those who agreed and took part, the same again."""

from typing import Any

import orjson
import pytest

from annotation.core.models.member import Annotator
from annotation.core.models.user import User
from annotation.datasheet.actions import (
    about_change,
    consent_end,
    consent_give,
    consent_publish,
    demographics_save,
)
from annotation.datasheet.models import Demographics
from annotation.jobs.models import Job
from exports.releases.actions import PartIn, release_freeze
from exports.releases.models import Release
from exports.releases.people_counts import contributors
from exports.releases.rules.settings import preset
from tests import factory
from tests.exports.world import Staged, build, files, folder, freeze, staged
from tests.shared_worlds import SharedWorlds

pytestmark = pytest.mark.django_db


@pytest.fixture
def made(standing: SharedWorlds) -> Staged:
    return standing(staged)


@pytest.fixture
def boss() -> User:
    return factory.user(administrator=True)


def says(place: Annotator, ethnicity: str, *, least: int = 5) -> None:
    consent_give(annotator=place, n=1)
    demographics_save(annotator=place, answers={"ethnicity": ethnicity}, least=least)


def asked(made: Staged, boss: User, **about: Any) -> None:
    about_change(project=made.project, by=boss, changes=about, version=0)
    consent_publish(project=made.project, text="We count.", asks_again=True, by=boss)


def fields(release: Release) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = release.context["about"]["people"]["fields"]
    return found


def card(release: Release) -> str:
    return (folder(release) / "README.md").read_text(encoding="utf-8")


def test_card_and_manifest_tell_what_the_project_says_and_tell_it_again(made: Staged, boss: User) -> None:
    about = {
        "licence": "CC-BY-4.0",
        "citation": "@misc{one}",
        "homepage": "https://example.org/one",
        "ethics_board": "A board",
        "ethics_number": "7",
        "statement": {"curation_rationale": "To test."},
        "threshold": 2,
    }
    asked(made, boss, **about)
    for place in (made.at.writer, made.at.validators[0]):
        says(place, "Sunda", least=2)
    release, again = (build(freeze(made)) for _ in range(2))
    text = card(release)
    for words in (
        "Released under CC-BY-4.0.",
        "@misc{one}",
        "<https://example.org/one>",
        "Approved by A board, number 7.",
        "### Curation rationale\n\nTo test.",
        "> We count.",
        "| Sunda | 2 |",
        "everybody in this table agreed to it",
        f"mufakat:{made.project.slug}:canary:",
    ):
        assert words in text, words
    told = orjson.loads((folder(release) / "manifest.json").read_bytes())["about"]
    assert (told["licence"], told["consent"]["n"]) == ("CC-BY-4.0", 1)
    assert "counted" not in orjson.dumps(told).decode()
    assert files(release) == files(again)
    assert release.context["counted"] == again.context["counted"]


def test_people_are_those_who_wrote_or_voted_on_what_is_in_it(made: Staged) -> None:
    at = made.at
    idle = factory.member(made.project, "writer")
    everybody = contributors(made.project, preset("indonli-lay"))
    assert at.writer.pk in everybody
    assert idle.pk not in everybody
    assert at.lead.pk not in everybody
    voted = {place.pk for place in at.validators} & everybody
    assert voted
    # Nobody is where all that they did is left out.
    assert contributors(made.project, preset("indonli-lay").changed({"targets": "elsewhere"})) == set()


def test_counts_are_of_those_who_agreed_and_of_no_small_group(made: Staged, boss: User) -> None:
    asked(made, boss, threshold=2)
    people = [made.at.writer, *made.at.validators[:2]]
    idle = factory.member(made.project, "writer")
    for place in (*people, idle):
        says(place, "Sunda", least=2)
    table = fields(freeze(made))[0]
    assert (table["groups"], table["least"]) == ([["Sunda", 3]], 2)
    # One of them agrees no more to so small a group, and nothing is told.
    demographics_save(annotator=people[0], answers={"ethnicity": "Sunda"}, least=5)
    assert fields(freeze(made)) == []


def test_who_took_it_back_or_came_alone_is_told_about_by_no_later_release(made: Staged, boss: User) -> None:
    asked(made, boss, threshold=2)
    people = [made.at.writer, *made.at.validators[:3]]
    for place in people[:2]:
        says(place, "Sunda", least=2)
    first = freeze(made)
    says(people[2], "Sunda", least=2)
    assert fields(freeze(made)) == [{**fields(first)[0], "earlier": True}]
    says(people[3], "Sunda", least=2)
    assert fields(freeze(made))[0]["groups"] == [["Sunda", 4]]
    consent_end(annotator=people[0])
    assert not Demographics.objects.filter(annotator=people[0]).exists()
    assert fields(freeze(made)) == []
    # What was frozen stays.
    assert "| Sunda | 2 |" in card(build(first))


def test_nobody_is_told_about_by_a_release_of_before_the_last(made: Staged, boss: User) -> None:
    """Two, then four, then the two and another one: far from the last release, one away from the first."""
    asked(made, boss, threshold=2)
    there = contributors(made.project, preset("indonli-lay"))
    a, b, c, d, e = Annotator.objects.filter(pk__in=there).order_by("pk")[:5]
    for group, shown in (((a, b), 2), ((c, d), 4)):
        for place in group:
            says(place, "Sunda", least=2)
        assert fields(freeze(made))[0]["groups"] == [["Sunda", shown]]
    for place in (c, d):
        consent_end(annotator=place)
    says(e, "Sunda", least=2)
    assert fields(freeze(made)) == []


def test_what_a_failed_release_told_was_never_told(made: Staged, boss: User) -> None:
    asked(made, boss, threshold=2)
    people = [made.at.writer, *made.at.validators[:2]]
    for place in people[:2]:
        says(place, "Sunda", least=2)
    whole = staged(slug="whole")
    there = PartIn(made.project, preset("indonli-lay").changed({"forms": "none"}), "b")
    release_freeze(project=whole.project, rules=there.rules, by=None, suffix="a", others=[there])
    says(people[2], "Sunda", least=2)
    # It may yet come out, so it counts: also where this project is only a part of it.
    assert [table["earlier"] for table in fields(freeze(made))] == [True]
    Release.objects.update(state=Release.State.FAILED)
    assert [table["groups"] for table in fields(freeze(made))] == [[["Sunda", 3]]]
    Job.objects.filter(release_of__state=Release.State.FROZEN).update(state=Job.State.CANCELLED)
    consent_end(annotator=people[2])
    assert [table["groups"] for table in fields(freeze(made))] == [[["Sunda", 2]]]
