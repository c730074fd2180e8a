"""Chance, the most frequent label and the classifier without a source, counted again by code of its own."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from annotation import kinds, presets
from annotation.core.models.project import Project
from exports.releases.rules.baselines import content_of
from exports.releases.verify import verify
from tests import factory
from tests.exports.releases.test_every_preset import project_with_items, released
from tests.exports.world import build, files, folder, freeze, rows
from validation.voting.actions.decide import decide_due

pytestmark = pytest.mark.django_db
LABELS = ("entailment", "neutral", "contradiction")
# A word that tells each label: an artefact, as writers leave them.
WORDS = {"entailment": "pernah", "neutral": "barangkali", "contradiction": "bukan"}
PAIRS = 120


def pair(n: int) -> dict[str, Any]:
    """Every third pair is neutral, of the others two in three entailed; three in four have the word of their label."""
    label = "neutral" if n % 3 == 0 else "contradiction" if n % 9 in (1, 4) else "entailment"
    word = WORDS[label] if n % 4 else "itu"
    return {
        "pair_id": f"x{n}",
        "premise_id": f"p{n}",
        "premise": f"Warung nomor {n} buka pada pukul tujuh pagi.",
        "hypothesis": f"Warung {word} buka sebelum pukul {n}.",
        "annotator_labels": [label] * 3,
    }


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = factory.project("tolok", preset="indonli-expert", seed="s1")
    path = tmp_path / "pairs.jsonl"
    path.write_text("".join(json.dumps(pair(n)) + "\n" for n in range(PAIRS)))
    call_command("import_items", made.slug, str(path))
    while decide_due():
        pass
    return made


class At:
    def __init__(self, project: Project) -> None:
        self.project = project


def test_what_scores_without_understanding(project: Project) -> None:
    release = build(freeze(At(project), "indonli-expert", forms="baselines leakage"))
    told = json.loads(files(release)["baselines.json"])["id"]
    assert told["source_free"] == "Hypotheses without their premises"
    card = files(release)["README.md"].decode()
    assert "| split | rows | chance | the most frequent label | Hypotheses without their premises |" in card
    right = 0
    for split, figures in told["splits"].items():
        found = rows(release, {"validation": "dev"}.get(split, split))
        ((label, most),) = Counter(row["label"] for row in found).most_common(1)
        assert figures["rows"] == len(found)
        assert figures["chance"] == 0.3333
        assert (figures["most_frequent"]["label"], figures["most_frequent"]["n"]) == (label, most)
        assert figures["source_free"]["of"] == len(found)
        assert f"33.3 % | {label}: {100 * most / len(found):.1f} % of {len(found)}" in card
        right += figures["source_free"]["n"]
    # Three in four have a word that tells their label.
    assert right / PAIRS > 0.7
    report = verify(folder(release))
    assert report.right, [fault for check in report.checks for fault in check.faults]


def test_a_hidden_test_has_none(project: Project) -> None:
    release = build(freeze(At(project), "indonli-expert", forms="baselines", hidden_test="yes", dev_percent="40"))
    assert set(json.loads(files(release)["baselines.json"])["id"]["splits"]) == {"validation"}
    assert "| test |" not in files(release)["README.md"].decode().partition("## Baselines")[2].partition("\n## ")[0]


@pytest.mark.parametrize(("preset", "chance", "label"), [("idcsqa", 0.2, "A"), ("kalahi", 0.1667, "")])
def test_too_few_texts_and_other_kinds(preset: str, chance: float, label: str, tmp_path: Path) -> None:
    release = released(project_with_items(presets.get(preset), tmp_path, votes=True))
    told = json.loads(files(release)["baselines.json"])["id"]
    assert told["source_free"] is None
    for figures in told["splits"].values():
        assert figures["chance"] == chance
        assert (figures["most_frequent"] or {"label": ""})["label"] == label
        assert figures["source_free"] is None
    baselines = files(release)["README.md"].decode().partition("## Baselines")[2].partition("\n## ")[0]
    assert ("the most frequent label |" in baselines) is bool(label)
    assert "fewer than 100 texts" in files(release)["README.md"].decode()


@pytest.mark.parametrize("slug", ["mcq", "mcq-judged", "cultural"])
def test_texts_of_rows_are_what_the_kind_reads_alone(slug: str) -> None:
    kind = kinds.get(slug)
    assert kind.partial_input is not None
    if slug == "cultural":
        responses = [
            {"key": f"{role[0].upper()}{n}", "text": f"t{n}", "role": role}
            for n, role in enumerate(("best", "relevant", "irrelevant"))
        ]
        row: dict[str, Any] = {"responses": responses, "label": "B0", "topic": "pasar", "parts": {"context": ""}}
        expected = [("t0", "best"), ("t1", "relevant"), ("t2", "irrelevant")]
    else:
        choices = {"label": list("ABC"), "text": ["satu", "dua", "tiga"]}
        row = {"choices": choices, "label": "B", "question": "Apa?", "question_concept": "meja"}
        right, wrong = kind.partial_input.right_class, kind.partial_input.wrong_classes[-1]
        expected = [("satu", wrong), ("dua", right), ("tiga", wrong)]
    texts = kind.partial_input.texts(content_of(kind, row), row["label"])
    assert [(text.text, text.label) for text in texts] == expected
    assert {text.group for text in texts} == {"pasar" if slug == "cultural" else "meja"}
