"""IndoNLI's published pairs in, out in the published columns, into an empty project, and out again, byte for byte."""

import json
from pathlib import Path
from typing import Any

import pytest

from annotation.core.models.project import Project
from annotation.projects.actions.projects import project_create
from tests import review
from tests.data import DATA, needs_data
from tests.exports.formats.test_questions_published import breaches, dump
from tests.validation.imports_run import import_items

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.data, needs_data]
PUBLISHED = ["pair_id", "premise_id", "author_label", "annotation_round", "label", "premise", "hypothesis"]
LAY = [
    "pair_id",
    "premise_id",
    "premise",
    "hypothesis",
    "label",
    "data_split",
    "annotator_type",
    "sentence_size",
]


@pytest.fixture(autouse=True)
def _apart(tmp_path: Path, settings: Any) -> None:
    settings.MUFAKAT_DATA_DIR = tmp_path
    settings.REDIS_URL = ""


def there(name: str, **more: str) -> list[dict[str, Any]]:
    """The rows of a file with what its extract left out of the published columns."""
    lines = (DATA / "indonli" / name).read_text(encoding="utf-8").split("\n")
    return [json.loads(line) | more for line in lines if line]


def taken_in(slug: str, preset: str, rows: list[dict[str, Any]], path: Path) -> Project:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return from_file(slug, preset, path)


def from_file(slug: str, preset: str, path: Path) -> Project:
    project = project_create(slug=slug, name=slug, preset=preset, seed="s")
    assert import_items(project.slug, path)[1]["refused"] == 0
    review.decide()
    return project


def test_the_experts_pairs(tmp_path: Path) -> None:
    given = there("expert_replay.jsonl", data_split="test", annotator_type="expert")
    first = taken_in("first", "indonli-expert", given, tmp_path / "given.jsonl")
    written = dump(first, tmp_path / "first.jsonl", "indonli")
    wanted = [
        {
            **{name: row[name] for name in PUBLISHED},
            **{name: row[name] for name in ("data_split", "annotator_type", "sentence_size")},
            **{name: row[name] for name in ("source", "topics")},
            "annotator_labels": [row["author_label"], *row["votes"]],
        }
        for row in given
    ]
    assert written.decode() == "".join(json.dumps(row) + "\n" for row in wanted)
    second = from_file("second", "indonli-expert", tmp_path / "first.jsonl")
    assert dump(second, tmp_path / "second.jsonl", "indonli") == written
    assert breaches(second) == {}


def test_lay_pairs(tmp_path: Path) -> None:
    """Ids that two pairs share come out as they were; a pair that stands there twice is one."""
    given = there("lay_sample.jsonl", data_split="train", annotator_type="lay")
    first = taken_in("first", "indonli-lay", given, tmp_path / "given.jsonl")
    written = dump(first, tmp_path / "first.jsonl", "indonli-lay")
    wanted = list(dict.fromkeys(json.dumps({name: row[name] for name in LAY}) for row in given))
    assert written.decode().splitlines() == wanted
    second = from_file("second", "indonli-lay", tmp_path / "first.jsonl")
    assert dump(second, tmp_path / "second.jsonl", "indonli-lay") == written
