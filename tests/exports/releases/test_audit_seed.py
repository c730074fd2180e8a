"""When a release holds the seed of its audits' draws: once nobody can use it to tell who will be audited."""

from dataclasses import replace
from typing import Any

import pytest

from annotation.core.database import now
from annotation.core.models.project import Project
from annotation.projects.actions.projects import protocol_change
from exports.releases.verify import verify
from tests.exports.releases.test_arising import RULES
from tests.exports.world import build, folder, freeze, manifest
from tests.review import World, cast_votes, world
from validation.consensus import audit
from validation.consensus.protocol import Protocol

pytestmark = pytest.mark.django_db


def seed_in(release: Any) -> str | None:
    """The seed that the manifest tells, or nothing; it is bound to it in either case."""
    told = manifest(release)["counts"]["arose"]["audits"]["1"]
    assert told["seed"] is None or audit.commitment(told["seed"]) == told["commitment"]
    verified = verify(folder(release))
    assert verified.right
    assert any("not published yet" in check.note for check in verified.checks) is (
        None in [each["seed"] for each in manifest(release)["counts"]["arose"]["audits"].values()]
    )
    card = (folder(release) / "README.md").read_text()
    of_version = card.partition(f"`{told['commitment']}`, ")[2].partition("\n")[0]
    assert of_version.startswith("the seed `" if told["seed"] else "the seed follows in a later release")
    seed: str | None = told["seed"]
    return seed


def drawn_out(planned: int) -> World:
    """Six items, all of them decided."""
    at = world(1, protocol=replace(RULES, planned=planned), settings={"spacing": 0})
    for item in at.items:
        while item.stage != "settled":
            item = cast_votes(at, item, item.author_label)
    return at


def test_a_seed_is_published_once_nothing_more_can_be_drawn() -> None:
    """Whoever has a release of a project that goes on can draw none of its later items."""
    at = drawn_out(100_000)
    project = Project.objects.get(pk=at.project.pk)
    early = build(freeze(at, "indonli-expert"))
    assert seed_in(early) is None
    Project.objects.filter(pk=project.pk).update(closed_at=now())
    at.project.refresh_from_db()
    assert seed_in(build(freeze(at, "indonli-expert")))
    assert seed_in(early) is None


def test_a_seed_is_published_with_the_planned_items_or_a_newer_version() -> None:
    at = drawn_out(6)
    assert seed_in(build(freeze(at, "indonli-expert")))
    at = drawn_out(7)
    assert seed_in(build(freeze(at, "indonli-expert"))) is None
    project = Project.objects.get(pk=at.project.pk)
    protocol_change(project=project, by=None, protocol=Protocol.from_stored(project.protocols.get().rules))
    assert seed_in(build(freeze(at, "indonli-expert")))
