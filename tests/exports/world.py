"""A project with an item in every stage that a release tells apart, brought there as people bring them."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings

from annotation.content.models.item import Item
from annotation.content.models.source import Premise
from annotation.content.rules.released_ids import released_id
from annotation.jobs import queue as jobs
from annotation.jobs.models import Job
from exports.releases.actions import release_freeze
from exports.releases.models import Release
from exports.releases.rules.settings import preset
from tests import review
from validation.review.actions.decisions import adjudicate
from validation.voting.actions.steps import exclude

# Author label, what is cast, what a lead or the writer does then.
STORIES = {
    "e1": ("ee", ""),
    "e2": ("nnn", ""),
    "n1": ("ecce", "adjudicate"),
    "n2": ("ecce", ""),
    "c1": ("c", ""),
    "c2": ("cc", "exclude"),
}


@dataclass
class Staged:
    """The world, and its items by name: `1-e1` is the first premise's."""

    at: review.World
    items: dict[str, Item]

    @property
    def project(self) -> Any:
        return self.at.project


def staged(**project: Any) -> Staged:
    """Three premises: the first goes through STORIES, the second is returned and corrected, the third waits."""
    at = review.world(3, **{"seed": "s1", **project})
    mine = Premise.objects.filter(project=at.project).order_by("key")
    premises = {premise.pk: n for n, premise in enumerate(mine, start=1)}
    made = Staged(at, {f"{premises[item.family]}-{item.slot}": item for item in at.items})
    for slot, (labels, then) in STORIES.items():
        item = review.cast_votes(at, made.items[f"1-{slot}"], labels, comment="Ragu.")
        if then == "adjudicate":
            adjudicate(lead=at.lead, item_id=item.pk, version=item.version, label="n", words="So.")
        if then == "exclude":
            exclude(lead=at.lead, item_id=item.pk, version=item.version, words="Off topic.")
    review.give_back(at, review.cast_votes(at, made.items["2-e1"], "ee"))
    item = review.give_back(at, review.cast_votes(at, made.items["2-e2"], "ee"))
    review.resubmit(at, item)
    return made


def released_pair_id(item: Item) -> str:
    """The id under which a release gives a pair."""
    return released_id(item.project.secret, item.key)


def freeze(of: Any, rules: str = "indonli-lay", **changes: str) -> Release:
    """JSON Lines only, unless the changes name other forms; pairs of one premise may be in several splits."""
    loose = {"strict": "no"} if rules == "indonli-lay" else {}
    given = preset(rules).changed({"forms": "none", **loose, **changes})
    return release_freeze(project=of.project, rules=given, by=None)


def build(release: Release) -> Release:
    """Build it here; it must come out."""
    assert release.job is not None
    job = jobs.run_here(release.job)
    assert job.state == Job.State.DONE, job.error
    release.refresh_from_db()
    return release


def folder(release: Release) -> Path:
    return Path(settings.MUFAKAT_DATA_DIR) / release.path


def files(release: Release) -> dict[str, bytes]:
    """Every file of a release as bytes."""
    return contents(folder(release))


def contents(at: Path) -> dict[str, bytes]:
    return {path.relative_to(at).as_posix(): path.read_bytes() for path in sorted(at.rglob("*")) if path.is_file()}


def rows(release: Release, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder(release) / f"{name}.jsonl").read_bytes().splitlines()]


def manifest(release: Release) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder(release) / "manifest.json").read_bytes())
    return found
