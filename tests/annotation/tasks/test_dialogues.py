"""Dialogues and table rows from file to page, correction, release and back: each turn stays what somebody gave."""

import html
import json
from pathlib import Path
from typing import Any

import orjson
import pyarrow.parquet as pq
import pytest
from django.core.management import call_command
from django.test import Client

from annotation.content.models.item import Hypothesis, Item, Revision
from annotation.core.models.project import Project
from annotation.tasks.rules.reading import read, task_from_plain
from annotation.tasks.rules.task import Task
from tests import factory
from tests.annotation.tasks.items import make_task_project
from tests.data import CASES, needs_cases
from validation.voting.actions.decide import decide_due

pytestmark = pytest.mark.django_db(transaction=True)
YES_NO = [{"key": "ya", "name": "Ya"}, {"key": "tidak", "name": "Tidak"}]
MARKED_TALK = {
    "name": "Percakapan",
    "source": [
        {"key": "talk", "name": "Percakapan", "type": "dialogue"},
        {"key": "facts", "name": "Fakta", "type": "table", "required": False},
    ],
    "questions": [
        {"key": "polite", "type": "single", "text": "Sopan?", "labels": YES_NO},
        {"key": "times", "type": "spans", "text": "Tandai waktu", "of": "talk", "many": True, "required": False},
    ],
}
TALK = [
    {"speaker": "Ketua: " + "RT " * 25, "text": "Kapan ronda?\nCatatan: bawa senter."},
    {"speaker": "", "text": "  (hening)"},
    {"speaker": "Wati", "text": "Pukul 21:00."},
]
FACTS = [{"column": "Jam: mulai", "value": "21:00\nUlang: 23:00"}, {"column": "Pos", "value": None}]


@pytest.fixture(autouse=True)
def _apart(tmp_path: Path, settings: Any) -> None:
    settings.MUFAKAT_DATA_DIR = tmp_path / "data"


def import_and_release(name: str, task: Task, path: Path, out: Path) -> tuple[Project, list[dict[str, Any]]]:
    """A project with what a file has, and the rows of its release, which is verified."""
    project = make_task_project("", task=task, name=name)
    call_command("import_items", project.slug, str(path))
    decide_due()
    call_command("check_integrity", project.slug)
    call_command("build_release", project.slug, out=str(out), no_licence=True)
    call_command("verify_release", str(out))
    return project, [json.loads(line) for line in (out / "test.jsonl").read_text().splitlines()]


def contents(project: Project) -> dict[str, Any]:
    rows = Hypothesis.objects.filter(project=project).values_list("item__key", "more")
    return {key: {name: text for name, text in (more or {}).items() if name != "group"} for key, more in rows}


def test_a_dialogue_comes_back_from_its_own_release(tmp_path: Path) -> None:
    vote = {"polite": "ya", "times": [{"of": "talk", "start": 0, "end": 5}]}
    votes = [{"annotator": name, **vote} for name in ("A", "B", "C")]
    given = [{"id": "d1", "talk": TALK, "facts": FACTS, "votes": votes}, {"id": "d2", "talk": TALK[2:], "votes": votes}]
    path = tmp_path / "talks.jsonl"
    path.write_bytes(b"\n".join(map(orjson.dumps, given)))
    task = task_from_plain(MARKED_TALK)
    project, rows = import_and_release("satu", task, path, tmp_path / "one")
    assert {row["id"]: (row["talk"], row["facts"]) for row in rows} == {"d1": (TALK, FACTS), "d2": (TALK[2:], None)}
    for row in rows:
        for span in row["times"]:
            assert row["talk_text"][span["start"] : span["end"]] == span["text"]
    assert [row["times"][0]["text"] for row in rows] == ["Ketua", "Wati:"]
    table = pq.read_table(tmp_path / "one" / "parquet" / "test.parquet")
    assert [row["talk"] for row in table.to_pylist()] == [row["talk"] for row in rows]
    for place, name in enumerate(("test.jsonl", "csv/test.csv")):
        again, same = import_and_release(f"lagi-{place}", task, tmp_path / "one" / name, tmp_path / f"again-{place}")
        assert contents(again) == contents(project)
        assert [(row["talk"], row["facts"], row["times"], row["polite"]) for row in same] == [
            (row["talk"], row["facts"], row["times"], row["polite"]) for row in rows
        ]


@needs_cases
def test_the_case_of_a_turn_with_a_line_break_and_a_colon(tmp_path: Path) -> None:
    task = read((CASES / "dialog.yaml").read_text())
    given = json.loads((CASES / "dialog2.jsonl").read_text())
    project, (row,) = import_and_release("kasus", task, CASES / "dialog2.jsonl", tmp_path / "one")
    assert row["talk"] == given["talk"]
    again, (same,) = import_and_release("lagi", task, tmp_path / "one" / "test.jsonl", tmp_path / "two")
    assert contents(again) == contents(project)
    assert (same["talk"], same["label"]) == (given["talk"], "ya")


def test_pages_show_one_turn_and_a_correction_changes_only_its_turn(tmp_path: Path) -> None:
    plain = {**MARKED_TALK, "questions": MARKED_TALK["questions"][:1]}
    project = make_task_project("", task=task_from_plain(plain), name="ronda")
    path = tmp_path / "talks.jsonl"
    path.write_bytes(orjson.dumps({"id": "d1", "talk": TALK, "facts": FACTS}))
    call_command("import_items", project.slug, str(path))
    decide_due()
    voter, lead, web = factory.member(project, "validator"), factory.member(project, "lead"), Client()
    assert voter.user is not None
    assert lead.user is not None
    web.force_login(voter.user)
    page = html.unescape(web.get(f"/p/{project.slug}/vote/").content.decode())
    drawn = page.partition('<ol class="drawn drawn--dialogue"')[2].partition("</ol>")[0]
    assert drawn.count("<li") == len(TALK)
    for turn in TALK:
        assert f"{turn['text']}</li>" in drawn
    web.force_login(lead.user)
    item = Item.objects.get()
    page = html.unescape(web.get(f"/p/{project.slug}/items/{item.pk}/").content.decode())
    assert 'aria-describedby="correct-help-talk"' in page
    text = page.partition('<textarea id="correct-talk"')[2].partition("</textarea>")[0].partition(">")[2].lstrip("\n")
    address = f"/p/{project.slug}/items/{item.pk}/correct/"
    form = {"version": item.version, "field": "talk", "meaning": "same", "words": ""}
    answer = web.post(address, {**form, "text": text.replace("\n", "\r\n")})
    assert answer.status_code != 404
    assert Revision.objects.filter(item=item).count() == 1
    web.post(address, {**form, "text": text.replace("21:00", "22:00").replace("\n", "\r\n")})
    assert Revision.objects.get(item=item, n=2).content["talk"] == [
        *TALK[:2],
        {"speaker": "Wati", "text": "Pukul 22:00."},
    ]


def test_what_was_stored_as_lines_is_read_and_released_as_a_list(tmp_path: Path) -> None:
    path = tmp_path / "talks.jsonl"
    path.write_bytes(orjson.dumps({"id": "d1", "talk": TALK[2:], "votes": [{"annotator": "A", "polite": "ya"}]}))
    plain = {**MARKED_TALK, "questions": MARKED_TALK["questions"][:1], "protocol": {"rounds": [1], "quorum": 1}}
    project = make_task_project("", task=task_from_plain(plain), name="lama")
    call_command("import_items", project.slug, str(path))
    lines = {"talk": "Wati: Pukul 21:00.", "group": "old"}
    Hypothesis.objects.update(more=lines)
    Revision.objects.update(content=lines)
    decide_due()
    call_command("build_release", project.slug, out=str(tmp_path / "out"), no_licence=True)
    assert json.loads((tmp_path / "out" / "test.jsonl").read_text())["talk"] == TALK[2:]
