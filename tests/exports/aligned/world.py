"""A project of translations that people translated and reviewed, and what its releases hold."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from annotation.content.models.item import Item
from annotation.content.models.units import SourceSet, SourceUnit
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project, Target
from annotation.translation.models import SourceEntry
from annotation.translation.rules.source_units import Row
from exports.releases.models import Release
from tests import review, translations
from tests.exports.world import folder

KEYS = ("jv-krama", "jv-ngoko", "su")


@dataclass
class Sets:
    """A project of targets with a translator and a reviewer, and its source sets by key."""

    project: Project
    translator: Annotator
    reviewer: Annotator
    sets: dict[str, SourceSet]

    def units(self, key: str) -> list[SourceUnit]:
        return list(self.sets[key].units.select_related("source_set").order_by("position"))

    def target(self, key: str) -> Target:
        return translations.target_of(self.project, key)


def project_with_sets(rows: Mapping[str, list[Row]], slug: str = "", **project: Any) -> Sets:
    """Source sets by shape; their keys are the names of the shapes."""
    made = translations.a_translation_project(slug, **project)
    return Sets(
        made,
        translations.member(made, "writer"),
        translations.member(made, "validator"),
        {shape: translations.a_source_set(made, mine, shape=shape) for shape, mine in rows.items()},
    )


def project_with_all_shapes(slug: str = "", **project: Any) -> Sets:
    """Two premises with two pairs each, a passage with two questions, a cause with its alternatives, a question."""
    return project_with_sets(
        {
            "pair": translations.pair_rows(4),
            "passage": translations.passage_rows(),
            "alternatives": [alternatives()],
            "choices": [choices()],
        },
        slug,
        **project,
    )


def alternatives() -> Row:
    texts = {
        "premise": "Ibu senang.",
        "alternative-1": "Arisannya menang.",
        "alternative-2": "Arisannya batal.",
    }
    return Row("7", texts, label="0", split="test", data={"question": "cause", "idx": 7})


def choices() -> Row:
    texts = {"question": "Apa isi klepon?", "choice-A": "Gula jawa.", "choice-B": "Kacang."}
    return Row("k-1", texts, label="A", split="test", data={"province": "Jawa"})


def approve_translation(at: Sets, unit: SourceUnit, target: str, texts: Mapping[str, str] | None = None) -> Item:
    """A translation handed in, and approved by the reviewer."""
    item = translations.a_translation(unit, at.target(target), at.translator, texts)
    review.decide()
    item.refresh_from_db()
    review.cast_vote(review.assign(item, at.reviewer), "approve")
    review.decide()
    item.refresh_from_db()
    assert item.stage == "settled"
    return item


def approve_everything(at: Sets, targets: tuple[str, ...] = KEYS) -> list[Item]:
    """Every unit approved in these targets; the answers of passages as they are, so that they stand in them."""
    return [
        approve_translation(at, unit, target, _kept(unit))
        for key in at.sets
        for unit in at.units(key)
        for target in targets
    ]


def _kept(unit: SourceUnit) -> Mapping[str, str] | None:
    if unit.source_set.shape != "passage":
        return None
    # What a passage is asked about keeps its answer's very letters.
    return {each["key"]: f"Ing {each['text']}" if each["role"] != "answer" else each["text"] for each in unit.fields}


def files_by_path(release: Release) -> dict[str, bytes]:
    """Every file of a release by its path."""
    at = folder(release)
    return {str(path.relative_to(at)): path.read_bytes() for path in sorted(at.rglob("*")) if path.is_file()}


def lines(release: Release, name: str) -> list[dict[str, Any]]:
    """The rows of one file, by its path without ending."""
    return [json.loads(line) for line in (folder(release) / f"{name}.jsonl").read_bytes().splitlines()]


def remove_row(at: Sets, key: str) -> None:
    SourceEntry.objects.filter(source_set__project=at.project, key=key).update(removed=True)
