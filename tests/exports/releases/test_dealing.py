"""Splits by document, writer, kind of text and number, from a file of finished pairs to the files of a release."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from annotation.core.models.project import Project
from exports.releases.models import Release
from exports.releases.preview import preview
from exports.releases.rules.settings import preset
from exports.releases.verify import verify
from tests import factory
from tests.exports.world import build, files, folder, freeze, rows
from validation.voting.actions.decide import decide_due

pytestmark = pytest.mark.django_db
DOCUMENTS, WRITERS, GENRES = 6, 4, ("berita", "wiki")


class At:
    def __init__(self, project: Project) -> None:
        self.project = project


def pair(n: int) -> dict[str, Any]:
    """The n-th pair: two to a premise, two premises to a document, each document one writer's and of one genre."""
    premise, document = n // 2, n // 4 % DOCUMENTS
    writer = f"W{document % WRITERS + 1:02}"
    label = ("entailment", "neutral", "contradiction")[n % 3]
    return {
        "pair_id": f"x{n}",
        "premise_id": f"p{premise}",
        "premise": f"Warung nomor {premise} buka pada pukul tujuh pagi setiap hari.",
        "hypothesis": f"Warung itu buka sebelum pukul {n + 8} siang hari.",
        "document": f"d{document}",
        "genre": GENRES[document % 2],
        "annotator_labels": [label] * 3,
        "author": writer,
    }


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = factory.project("bagi", preset="indonli-expert", seed="s1")
    path = tmp_path / "pairs.jsonl"
    path.write_text("".join(json.dumps(pair(n)) + "\n" for n in range(48)))
    call_command("import_items", made.slug, str(path))
    while decide_due():
        pass
    return made


def released(project: Project, **changes: str) -> Release:
    return build(freeze(At(project), "indonli-expert", forms="none", **changes))


@pytest.mark.parametrize(
    ("changes", "apart"),
    [
        ({"together": "document", "dev_percent": "50"}, "document"),
        ({"together": "writer", "dev_percent": "30", "train_percent": "40"}, "author"),
        ({"together": "document", "dev_size": "9", "test_size": "9"}, "document"),
        ({"stratify": "kind", "dev_percent": "50"}, "premise_id"),
        ({"stratify": "writer", "dev_percent": "50", "together": "document"}, "document"),
    ],
    ids=str,
)
def test_what_is_to_stay_together_does_and_the_preview_says_the_same(
    project: Project, changes: dict[str, str], apart: str
) -> None:
    release = released(project, **changes)
    seen: dict[str, set[str]] = {}
    counts = Counter[str]()
    for split in release.counts["splits"]:
        for row in rows(release, split):
            told = row["annotator_ids"][0] if apart == "author" else row[apart]
            seen.setdefault(told, set()).add(split)
            counts[split] += 1
    assert seen
    assert all(len(splits) == 1 for splits in seen.values())
    assert counts.total() == 48
    wanted = preset("indonli-expert").changed(changes)
    found = preview(project, wanted)["splits"]
    assert {split: told["rows"] for split, told in found.items()} == {
        split: told["rows"] for split, told in release.counts["splits"].items()
    }


def test_sizes_by_number(project: Project) -> None:
    release = released(project, dev_size="10", test_size="20")
    assert {split: told["rows"] for split, told in release.counts["splits"].items()} == {
        "train": 18,
        "dev": 10,
        "test": 20,
    }


def test_kinds_of_text_are_in_proportion(project: Project) -> None:
    release = released(project, stratify="kind", dev_percent="25")
    genres = Counter(row["genre"] for row in rows(release, "dev"))
    assert genres == {"berita": 6, "wiki": 6}


def test_the_leakage_report_counts_what_the_files_share(project: Project) -> None:
    at = At(project)
    release = build(freeze(at, "indonli-expert", forms="leakage", dev_percent="50"))
    told = json.loads((folder(release) / "leakage.json").read_text())
    ((config, (pair,)),) = told.items()
    assert config == "id"
    assert pair["splits"] == ["validation", "test"]
    assert pair["rows"] == [24, 24]
    assert pair["shared_sources"] == pair["equal_items"] == 0
    writers = {split: Counter(row["annotator_ids"][0] for row in rows(release, split)) for split in ("dev", "test")}
    both = writers["dev"].keys() & writers["test"].keys()
    assert pair["shared_writers"] == len(both)
    assert pair["rows_by_shared_writers"] == sum(writers["test"][name] for name in both)
    assert pair["rows_with_writer"] == [24, 24]
    documents = {split: Counter(row["document"] for row in rows(release, split)) for split in ("dev", "test")}
    shared = [name for name in documents["dev"] if name and name in documents["test"]]
    counted = sum(documents["test"][name] for name in shared)
    told = pair["groups"].get("document", {"shared": 0, "rows": 0})
    assert (told["shared"], told["rows"]) == (len(shared), counted)
    card = files(release)["README.md"].decode()
    assert f"- {pair['rows_by_shared_writers']} of 24 test rows share a writer with dev" in card
    assert "no test row shares an equal item, an equal text" in card
    assert verify(folder(release)).right
    apart = build(freeze(at, "indonli-expert", forms="leakage", dev_percent="50", together="writer"))
    (other,) = json.loads((folder(apart) / "leakage.json").read_text())["id"]
    assert other["shared_writers"] == other["rows_by_shared_writers"] == 0
    browser = Client()
    browser.force_login(factory.user(administrator=True), settings.AUTHENTICATION_BACKENDS[0])
    page = browser.get(reverse("release", args=[project.slug, release.n]))
    assert "validation → test" in page.content.decode()


def test_one_split_shares_nothing_with_another(project: Project) -> None:
    release = build(freeze(At(project), "indonli-expert", forms="leakage"))
    assert "leakage.json" not in files(release)
