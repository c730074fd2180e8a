"""Keys of labels as published sets have them: read, voted on, imported, released and imported again as they are."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from annotation.content.models.item import Item
from annotation.tasks.rules.kind import aliases_of
from annotation.tasks.rules.reading import TaskRefused, read, task_as_yaml, task_from_plain
from tests import factory
from tests.annotation.tasks.items import make_task_project
from tests.data import CASES, needs_cases
from validation.imports.rules import Record
from validation.imports.rules.tasks import TaskReader, columns_of
from validation.voting.actions.decide import decide_due
from validation.voting.models.vote import Vote

KEYS = ["PER", "0", "-1", "not-entailment", "no", "true", "007"]
LABELS = "\n".join(f"      - {{key: {key}, name: Label {n}}}" for n, key in enumerate(KEYS))
ONE = f"""
name: Kunci
source:
  - {{key: text, name: Teks}}
protocol: {{rounds: [1], quorum: 1}}
questions:
  - key: v
    type: single
    text: Apa?
    labels:
{LABELS}
"""
BESIDE = f"""
  - key: more
    type: several
    text: Apa lagi?
    required: false
    labels:
{LABELS}
  - key: parts
    type: spans
    text: Di mana?
    of: text
    many: true
    required: false
    labels:
{LABELS}
"""


def read_votes(text: str, votes: Any) -> Any:
    task = read(text)
    reader = TaskReader(columns_of(task).guess(["text", "votes"]), task, aliases_of(task.main))
    return reader.read(Record(1, {"text": "Satu kalimat.", "votes": votes}, None))


def test_a_description_has_keys_as_they_are_written() -> None:
    task = read(ONE)
    assert [label.key for label in task.main.labels] == KEYS
    assert read(task_as_yaml(task)) == task
    plain = task.plain()
    plain["questions"][0]["labels"][1]["key"] = 0
    assert task_from_plain(plain) == task


@pytest.mark.parametrize("key", ["per cent", "a:b", "+1", "-", "--1", "é", '""', "x" * 31, "1.5"])
def test_other_keys_are_refused_with_what_a_key_holds(key: str) -> None:
    with pytest.raises(TaskRefused, match=r"questions.0.labels.0.key: must (hold letters of A to Z|be a text)"):
        read(ONE.replace("key: PER", f"key: {key}"))


@pytest.mark.parametrize(
    ("written", "key"),
    [("PER", "PER"), ("per", "PER"), (0, "0"), ("0", "0"), (-1, "-1"), ("Label 3", "not-entailment"), (True, "true")],
)
def test_files_write_labels_as_text_number_or_name(written: Any, key: str) -> None:
    (vote,) = read_votes(ONE, [written]).votes
    assert vote.label == key
    answers = {"v": written, "more": [written], "parts": [{"start": 0, "end": 4, "label": written}]}
    (vote,) = read_votes(ONE + BESIDE, [answers]).votes
    span = {"of": "text", "start": 0, "end": 4, "text": "Satu", "label": key}
    assert vote.answers == {"v": key, "more": [key], "parts": [span]}


@pytest.mark.django_db(transaction=True)
def test_labels_stay_what_they_are_from_vote_to_release_and_back(tmp_path: Path, settings: Any) -> None:
    settings.MUFAKAT_DATA_DIR = tmp_path / "data"
    project, web = make_task_project("", task=read(ONE), name="kunci"), Client()
    given = [{"id": f"i{n}", "text": f"Kalimat ke-{n}.", "votes": [key]} for n, key in enumerate(KEYS[:3])]
    given += [{"id": f"i{n}", "text": f"Kalimat ke-{n}."} for n in range(3, len(KEYS))]
    (tmp_path / "items.jsonl").write_text("\n".join(map(json.dumps, given)))
    call_command("import_items", project.slug, str(tmp_path / "items.jsonl"))
    decide_due()
    person, lead = factory.member(project, "validator"), factory.member(project, "lead")
    assert person.user is not None
    assert lead.user is not None
    web.force_login(person.user)
    while (card := web.get(f"/p/{project.slug}/vote/").context["card"]) is not None:
        place = int(card.texts[0].text.removeprefix("Kalimat ke-").removesuffix("."))
        assert web.post(f"/p/{project.slug}/vote/{card.token}/", {"label": KEYS[place]}).status_code == 302
    decide_due()
    assert sorted(Vote.objects.values_list("label", flat=True)) == sorted(KEYS)
    assert dict(Item.objects.values_list("key", "gold")) == {f"i{n}": key for n, key in enumerate(KEYS)}
    web.force_login(lead.user)
    for n, key in enumerate(KEYS):
        page = web.get(f"/p/{project.slug}/items/", {"gold": key})
        assert [item.key for item in page.context["page"]] == [f"i{n}"]
    call_command("check_integrity", project.slug)
    call_command("build_release", project.slug, out=str(tmp_path / "out"), no_licence=True)
    call_command("verify_release", str(tmp_path / "out"))
    rows = [json.loads(line) for line in (tmp_path / "out" / "test.jsonl").read_text().splitlines()]
    assert {row["id"]: row["label"] for row in rows} == {f"i{n}": key for n, key in enumerate(KEYS)}
    again = make_task_project("", task=read(ONE), name="lagi")
    call_command("import_items", again.slug, str(tmp_path / "out" / "test.jsonl"))
    decide_due()
    assert dict(again.items.values_list("key", "gold")) == {f"i{n}": key for n, key in enumerate(KEYS)}


@needs_cases
@pytest.mark.django_db(transaction=True)
def test_the_case_of_thirty_labels(tmp_path: Path, settings: Any) -> None:
    settings.MUFAKAT_DATA_DIR = tmp_path / "data"
    task = read((CASES / "lab30.yaml").read_text())
    project = make_task_project("", task=task, name="tiga-puluh")
    call_command("import_items", project.slug, str(CASES / "lab30.jsonl"))
    decide_due()
    assert dict(Item.objects.values_list("key", "gold")) == {f"i{n}": f"l{n}" for n in range(30)}


@needs_cases
def test_the_case_of_labels_of_spans() -> None:
    task = read((CASES / "spans.yaml").read_text())
    assert [label.key for label in task.main.labels] == ["per", "loc"]
