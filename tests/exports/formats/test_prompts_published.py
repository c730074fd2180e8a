"""Kalahi's published file in and out again: imported, voted on, released, cut and scored, byte for byte."""

import csv
import json
from collections import Counter
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from annotation.content.models.item import Item, Revision
from annotation.content.models.source import Concept
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.elicitation.models import Lineage
from annotation.elicitation.rules.prompts import overview, read_id
from annotation.projects.actions.projects import project_create
from exports.formats.rules.kalahi_csv import (
    KalahiRow,
    read,
    write,
)
from exports.releases.models import Release
from tests.data import DATA, needs_data
from tests.exports.formats.test_questions_published import breaches, decide_all, dump
from tests.exports.world import rows
from tests.kalahi import PUBLISHED as TABLE
from tests.kalahi import simulate, without_user, without_user_and_personal
from tests.validation.imports_run import import_items
from validation.insights.rules.best_choice import baseline
from validation.voting.models.review import Flag

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.data, needs_data]
PUBLISHED = DATA / "kalahi" / "filipino.csv"


@pytest.fixture(autouse=True)
def _apart(tmp_path: Path, settings: Any) -> None:
    settings.MUFAKAT_DATA_DIR = tmp_path
    settings.REDIS_URL = ""


@pytest.fixture(scope="module")
def published() -> list[KalahiRow]:
    return read(PUBLISHED.read_bytes())


def a_project(slug: str = "kalahi") -> Project:
    return project_create(slug=slug, name=slug, preset="kalahi", seed="s")


def with_votes(published: list[KalahiRow], path: Path) -> None:
    """The file as JSON Lines with simulated validators: nobody's votes were ever published."""
    lines = []
    for row, judged in zip(published, simulate(published, "s"), strict=True):
        best = f"R{1 + row.relevant_answers.index(row.best_answer)}"
        others = {key: f"I{n}" for n, key in enumerate(judged.shown_keys[1:], start=1)}
        chosen = {who: {judged.best: best, **others}[key] for who, key in judged.choices.items()}
        lines.append(json.dumps({**row._asdict(), "answers": chosen}) + "\n")
    path.write_text("".join(lines), encoding="utf-8")


def test_in_and_out_again(published: list[KalahiRow], tmp_path: Path) -> None:
    """All 150 wait for a lead; what comes out is what went in, and the paper's counts hold of what is stored."""
    project = a_project()
    code, report = import_items(project.slug, PUBLISHED)
    assert (code, report["accepted"], report["refused"], report["flagged"]) == (0, 150, 0, 0)
    assert dump(project, tmp_path / "out.csv", "kalahi") == PUBLISHED.read_bytes()
    assert breaches(project) == {}

    items = Item.objects.filter(project=project)
    assert Counter(items.values_list("stage", "origin", "author", "due_at")) == {
        ("submitted", "imported", None, None): 150
    }
    ids = [read_id(key) for key in items.values_list("key", flat=True)]
    assert overview(ids) == (150, 84, 86, 85, 10)
    families = dict(items.values_list("key", "family"))
    assert len(set(families.values())) == 84
    assert all(families[key] == families[other] for key in families for other in families if key[:2] == other[:2])
    expected = json.loads((DATA / "expected" / "kalahi_filipino.json").read_text())
    of_category = Counter(more["category"] for more in items.values_list("qa__more", flat=True))
    assert of_category == expected["category"] == {"ethics": 109, "shared knowledge": 41}
    assert Counter(items.values_list("qa__concept__text", flat=True)) == expected["topic_as_published"]
    assert set(Concept.objects.values_list("category", "state")) == {("topics", "approved")}
    assert Concept.objects.count() == 11
    kind, contents = project.kind_spec, Revision.objects.values_list("content", flat=True)
    random = baseline(len(kind.question.votable_labels(content)) for content in contents)
    assert random is not None
    assert round(float(random), 4) == 0.2429
    assert not Lineage.objects.exists()
    assert not Flag.objects.exists()

    assert import_items(project.slug, PUBLISHED)[1]["unchanged"] == 150


def test_without_user_and_without_situation(published: list[KalahiRow], tmp_path: Path) -> None:
    project = a_project()
    import_items(project.slug, PUBLISHED)
    no_user = dump(project, tmp_path / "no-user.csv", "kalahi-no-user")
    no_situation = dump(project, tmp_path / "no-situation.csv", "kalahi-no-situation")
    assert no_user == write(without_user(published))
    assert no_situation == write(without_user_and_personal(published))
    assert (len(read(no_user)), len(read(no_situation))) == (150, 85)
    for form, written in (("no-user", no_user), ("no-situation", no_situation)):
        again = a_project(form)
        assert import_items(again.slug, tmp_path / f"{form}.csv")[1]["refused"] == 0
        assert dump(again, tmp_path / "again.csv", f"kalahi-{form}") == written


def test_targets_are_scored(published: list[KalahiRow], tmp_path: Path) -> None:
    """Whoever likes the best response most gets MC1 1; whoever likes all equally gets 0, and MC2 the share."""
    project = a_project()
    import_items(project.slug, PUBLISHED)
    targets = [json.loads(line) for line in dump(project, tmp_path / "mc.jsonl", "mc").splitlines()]
    sizes = Counter(len(row["mc1_targets"]["choices"]) for row in targets)
    assert sizes == {4: 134, 5: 8, 6: 8}
    assert [row["mc1_targets"]["choices"][0] for row in targets] == [row.best_answer for row in published]

    def scored(liked: float) -> str:
        path = tmp_path / f"scores{liked}.jsonl"
        with path.open("w") as file:
            for row in targets:
                best = row["mc1_targets"]["choices"][0]
                sizes = {choice: len(choice.encode()) for choice in row["mc2_targets"]["choices"]}
                given = [
                    {"choice": choice, "bytes": size, "logprob": size * (liked if choice == best else -1.0)}
                    for choice, size in sizes.items()
                ]
                file.write(json.dumps({**row, "scores": given}) + "\n")
        out = StringIO()
        call_command("score_mc", path, stdout=out)
        return out.getvalue()

    assert scored(-1.0) == "MC1 0.0000  MC2 0.5000  n 150\n"
    assert scored(-0.5).startswith("MC1 1.0000  MC2 0.5")


def test_voted_on_and_released(published: list[KalahiRow], tmp_path: Path) -> None:
    """Three choose the best 3, 2, 1 times in 111, 31, 8 prompts: 142 have gold, all 150 are in the test set."""
    project = a_project()
    with_votes(published, tmp_path / "voted.jsonl")
    code, report = import_items(project.slug, tmp_path / "voted.jsonl")
    assert (code, report["accepted"], report["flagged"]) == (0, 150, 0)
    decide_all()
    stages = Counter(Item.objects.values_list("stage", "round"))
    assert stages == {("settled", 1): TABLE[3] + TABLE[2], ("no_consensus", 1): TABLE[1]}
    assert set(Annotator.objects.values_list("pseudonym", "imported")) == {(f"V0{n}", True) for n in (1, 2, 3)}
    assert breaches(project) == {}
    assert dump(project, tmp_path / "out.csv", "kalahi") == PUBLISHED.read_bytes()

    call_command("build_release", project.slug, "--out", str(tmp_path / "release"), "--no-licence", stdout=StringIO())
    released = rows(Release.objects.get(), "test")
    shares = Counter(row["best_share"] for row in released)
    assert shares == {1.0: 111, 0.6667: 31, 0.3333: 8}
    assert sum(row["best_share"] for row in released) / 150 == pytest.approx(403 / 450, abs=1e-4)
    assert Counter(row["label_source"] for row in released) == {"gold": 142, "author": 8}
    again = {name: row[name] for row in released[:1] for name in KalahiRow._fields}
    assert KalahiRow(**{**again, **{k: tuple(v) for k, v in again.items() if isinstance(v, list)}}) in published
    for row in released:
        (best,) = (each for each in row["responses"] if each["role"] == "best")
        assert (best["key"], best["text"]) == (row["label"], row["best_answer"])
    votes = rows(Release.objects.get(), "votes")
    assert {row["prompt_variation_id"] for row in votes} == {row.prompt_variation_id for row in published}
    assert len(votes) == 450
    card = (tmp_path / "release" / "README.md").read_text()
    assert "Kalahi's field names." in card
    assert "premise" not in card
    # A release can be taken in again, with nothing but the names of its own columns.
    other = a_project("again")
    path = tmp_path / "release" / "test.jsonl"
    assert import_items(other.slug, path)[1]["accepted"] == 150
    assert {tuple(row) for row in read(dump(other, tmp_path / "again.csv", "kalahi"))} == set(map(tuple, published))


def test_a_response_with_a_semicolon_is_refused(tmp_path: Path) -> None:
    """The error names the prompt, and there is no file; targets have room for it."""
    project = a_project()
    row = {
        "prompt_variation_id": "0100000100",
        "category": "ethics",
        "topic": "kondangan",
        "prompt": "Saya diundang.\nApa yang sebaiknya saya bawa?",
        "best_answer": "Amplop; titipkan di meja tamu.",
        "relevant_answers": [
            "Amplop; titipkan di meja tamu.",
            "Kado kecil untuk keluarga.",
            "Doa dan waktu.",
        ],
        "irrelevant_answers": [
            "Makanan sisa dari rumah.",
            "Tagihan listrik bulan ini.",
            "Tidak membawa siapa pun.",
        ],
    }
    (tmp_path / "one.jsonl").write_text(json.dumps(row))
    assert import_items(project.slug, tmp_path / "one.jsonl")[1]["accepted"] == 1
    with pytest.raises(CommandError, match=r"0100000100: The response “Amplop; titipkan .* semicolon") as refused:
        dump(project, tmp_path / "out.csv", "kalahi")
    assert refused.value.returncode == 1
    assert not (tmp_path / "out.csv").exists()
    assert json.loads(dump(project, tmp_path / "mc.jsonl", "mc"))["mc1_targets"]["labels"] == [1, 0, 0, 0]
    with pytest.raises(CommandError, match="no form for this project; there are: kalahi, kalahi-no-situation"):
        dump(project, tmp_path / "other", "idcsqa")


def test_prompts_join_the_topics_that_are_there(tmp_path: Path) -> None:
    """Topics come first, in categories of their own and with their source; prompts do not make them twice."""
    project = a_project()
    with PUBLISHED.open(encoding="utf-8", newline="") as file:
        names = sorted({row["topic"] for row in csv.DictReader(file)})
    with (tmp_path / "topics.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("category", "topic", "source"), *[("daily life", n, "search") for n in names]])
    assert import_items(project.slug, tmp_path / "topics.csv")[1]["accepted"] == 11
    import_items(project.slug, PUBLISHED)
    assert set(Concept.objects.values_list("category", "extra__source")) == {("daily life", "search")}
    assert Concept.objects.count() == 11
