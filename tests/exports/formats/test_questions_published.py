"""The published questions in and out again: imported with their answers, decided by the jobs, released, dumped."""

import json
from collections import Counter
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from annotation.content.models.item import Item
from annotation.content.models.source import Concept
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.projects.actions.projects import project_create
from exports.releases.models import Release
from tests import factory
from tests.data import DATA, needs_data
from tests.exports.world import rows
from tests.validation.imports_run import import_items
from validation.voting.actions.decide import decide_due
from validation.voting.models.review import Flag
from validation.voting.models.vote import Vote

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.data, needs_data]
PUBLISHED = DATA / "idcsqa" / "human_gen_ind.json"
FIELDS = (
    "id",
    "category",
    "question_concept",
    "question",
    "choices",
    "answer_creator",
    "answer_majority",
    "answers",
    "answers_uncertainty",
    "question_ambiguity",
    "option_ambiguity",
    "reason",
)


@pytest.fixture(autouse=True)
def _apart(tmp_path: Path, settings: Any) -> None:
    settings.MUFAKAT_DATA_DIR = tmp_path
    settings.REDIS_URL = ""


@pytest.fixture(scope="module")
def published() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(PUBLISHED.read_text(encoding="utf-8"))
    return found


def a_project(slug: str = "soal") -> Project:
    return project_create(slug=slug, name=slug, preset="idcsqa", seed="s")


def decide_all() -> None:
    while decide_due():
        pass


def breaches(project: Project) -> dict[str, Any]:
    out = StringIO()
    call_command("check_integrity", project.slug, "--json", stdout=out)
    found: dict[str, Any] = json.loads(out.getvalue())["breaches"]
    return found


def dump(project: Project, out: Path, form: str = "idcsqa") -> bytes:
    call_command("export_items", project.slug, "--format", form, "--out", str(out), stdout=StringIO())
    return out.read_bytes()


def test_in_decided_released_and_out_again(published: list[dict[str, Any]], tmp_path: Path) -> None:
    """All 1,498: the gold answer is the published majority, and what comes out is what went in."""
    project = a_project()
    code, report = import_items(project.slug, PUBLISHED)
    assert (code, report["accepted"], report["refused"], report["flagged"]) == (0, 1498, 0, 15)
    # What has answers was checked elsewhere: it waits for no lead.
    assert set(Item.objects.values_list("stage", "sampled", "origin")) == {("written", True, "imported")}
    decide_all()
    assert Counter(Item.objects.values_list("stage", "gold_from", "round", "pending")) == {
        ("settled", "votes", 1, 0): 1498
    }
    majority = {row["id"]: row["answer_majority"] for row in published}
    assert dict(Item.objects.values_list("key", "gold")) == majority
    assert breaches(project) == {}

    assert import_items(project.slug, PUBLISHED)[1]["unchanged"] == 1498
    assert dump(project, tmp_path / "out.json") == PUBLISHED.read_bytes()

    call_command("build_release", project.slug, "--out", str(tmp_path / "release"), "--no-licence", stdout=StringIO())
    released = rows(Release.objects.get(), "test")
    by_id = {row["id"]: {field: row[field] for field in FIELDS} for row in released}
    assert by_id == {row["id"]: row for row in published}
    assert Counter(row["label_source"] for row in released) == {"gold": 1498}
    assert {row["id"]: row["label"] for row in released} == majority
    assert len(rows(Release.objects.get(), "votes")) == 7490
    card = (tmp_path / "release" / "README.md").read_text()
    assert "premise" not in card
    assert "both dev and test" not in card  # there is no dev


def test_what_was_stored(published: list[dict[str, Any]]) -> None:
    project = a_project()
    import_items(project.slug, PUBLISHED)
    people = Annotator.objects.filter(project=project)
    assert not people.exclude(imported=True, user=None).exists()
    assert set(people.values_list("pseudonym", flat=True)) == {f"W{n}" for n in range(1, 7)}
    everyone = {f"W{n}" for n in range(1, 7)}
    creators = {row["id"]: (everyone - set(row["answers"])).pop() for row in published}
    assert dict(Item.objects.values_list("key", "author__pseudonym")) == creators
    assert Concept.objects.filter(state="approved").count() == Concept.objects.count() == 751
    assert Vote.objects.filter(imported=True, surplus=False).count() == Vote.objects.count() == 7490
    checks = Flag.objects.filter(code="failed_check").values_list("detail__checks", flat=True)
    assert Counter(check for found in checks for check in found) == {
        "concept_missing": 13,
        "choices_equal": 2,
    }


def marked(published: list[dict[str, Any]], path: Path, marks: int) -> str:
    """The published file with `marks` people calling something of its first question ambiguous; its id."""
    first = json.loads(json.dumps(published[0]))
    names = list(first["answers"])
    for name in first["answers"]:
        first["question_ambiguity"][name] = "clear"
        first["option_ambiguity"][name] = ["clear"] * 5
    for n, name in enumerate(names[:marks]):
        if n % 2:
            first["option_ambiguity"][name][n] = "ambiguous"
        else:
            first["question_ambiguity"][name] = "ambiguous"
    path.write_text(json.dumps([first, *published[75::75]]), encoding="utf-8")
    return str(first["id"])


@pytest.mark.parametrize(("marks", "stage"), [(3, "settled"), (4, "excluded")])
def test_more_than_three_who_call_it_ambiguous(
    marks: int, stage: str, published: list[dict[str, Any]], tmp_path: Path
) -> None:
    """It is left out with a reason, and keeps all its answers."""
    project = a_project()
    key = marked(published, tmp_path / "marked.json", marks)
    assert import_items(project.slug, tmp_path / "marked.json")[0] == 0
    decide_all()
    assert Item.objects.get(key=key).stage == stage
    call_command("build_release", project.slug, "--out", str(tmp_path / "release"), "--no-licence", stdout=StringIO())
    release = Release.objects.get()
    kept = stage == "settled"
    assert len(rows(release, "test")) == (20 if kept else 19)
    votes = [row for row in rows(release, "votes") if row["id"] == key]
    assert len(votes) == 5
    assert {row["left_out"] for row in votes} == ({None} if kept else {"excluded"})
    assert sum(row["ambiguous"] for row in votes) == marks
    assert breaches(project) == {}
    again = json.loads(dump(project, tmp_path / "again.json"))
    given = json.loads((tmp_path / "marked.json").read_bytes())
    assert again[1:] == given[1:]
    assert again[0] == (given[0] if kept else {**given[0], "answer_majority": ""})


def test_commonsenseqa_in_and_out(published: list[dict[str, Any]], tmp_path: Path) -> None:
    """Without answers everything waits for a lead; stem, choices and key come back as they went in."""
    given = [
        {
            "id": row["id"],
            "question": {
                "question_concept": row["question_concept"],
                "choices": [
                    {"label": label, "text": text}
                    for label, text in zip(row["choices"]["label"], row["choices"]["text"], strict=True)
                ],
                "stem": row["question"],
            },
            "answerKey": row["answer_creator"],
        }
        for row in published
    ]
    path = tmp_path / "train_rand_split.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in given))
    project = a_project()
    assert import_items(project.slug, path)[1]["accepted"] == 1498
    assert Counter(Item.objects.values_list("stage", "due_at", "votes_n")) == {("submitted", None, 0): 1498}
    assert breaches(project) == {}
    out = dump(project, tmp_path / "out.jsonl", "commonsenseqa")
    assert [json.loads(line) for line in out.splitlines()] == given


def test_pairs_in_the_form_of_snli(tmp_path: Path) -> None:
    project = factory.project(preset="indonli-expert")
    import_items(project.slug, DATA / "indonli" / "expert_replay.jsonl")
    decide_all()
    out = dump(project, tmp_path / "snli.jsonl", "snli")
    other = factory.project(preset="indonli-expert")
    (tmp_path / "again.jsonl").write_bytes(out)
    assert import_items(other.slug, tmp_path / "again.jsonl")[1]["accepted"] == 1489
    decide_all()
    gold = dict(Item.objects.filter(project=project).values_list("key", "gold"))
    assert dict(Item.objects.filter(project=other).values_list("key", "gold")) == gold


@pytest.mark.parametrize(
    ("project", "form", "out", "words"),
    [
        ("nowhere", "idcsqa", "x.json", "no project"),
        ("soal", "snli", "x.json", "there are: commonsenseqa, idcsqa"),
        ("soal", "idcsqa", "no/such/folder/x.json", "No such file"),
    ],
)
def test_what_cannot_be_dumped(project: str, form: str, out: str, words: str, tmp_path: Path) -> None:
    a_project()
    with pytest.raises(CommandError, match=words) as refused:
        call_command("export_items", project, "--format", form, "--out", str(tmp_path / out))
    assert refused.value.returncode == 2
    assert list(tmp_path.iterdir()) == []
