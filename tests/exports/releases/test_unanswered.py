"""Rows with gold that lack an answer to a required question: preview, card and manifest say how many, and verify it."""

import json
from pathlib import Path
from typing import Any

import orjson
import pytest
from django.core.management import call_command
from django.test import Client

from annotation.core.models.project import Project
from annotation.tasks.rules.reading import read
from exports.releases.preview import preview
from exports.releases.rules.settings import preset
from exports.releases.verify import verify
from tests import factory
from tests.annotation.tasks.items import make_task_project
from validation.voting.actions.decide import decide_due

TASK = """
version: 1
name: Is it news?
language: id
source:
  - key: text
    name: Text
questions:
  - key: news
    type: single
    text: Is this text news?
    labels:
      - {key: "yes", name: "Yes"}
      - {key: "no", name: "No"}
  - key: why
    type: free_text
    text: Why?
    required: true
  - key: note
    type: free_text
    text: Anything else?
    required: false
"""
TEXTS = {"a": "Harga cabai naik.", "b": "Sotonya enak."}
PEOPLE = 5
COUNTED = {"rows": 1, "of": 2, "questions": {"why": 1}}
CHECK = "rows without an answer to a required question"


@pytest.fixture
def released(tmp_path: Path, settings: Any) -> tuple[Project, Path]:
    """Two items that are gold: everybody gives another reason for one of them, and the same for the other."""
    settings.MUFAKAT_DATA_DIR = tmp_path / "data"
    project = make_task_project("", task=read(TASK), name="berita")
    rows = tmp_path / "rows.jsonl"
    rows.write_text("".join(json.dumps({"id": key, "text": text}) + "\n" for key, text in TEXTS.items()))
    call_command("import_items", "berita", str(rows))
    decide_due()
    for place in range(PEOPLE):
        person = factory.member(project, "validator")
        assert person.user is not None
        web = Client()
        web.force_login(person.user)
        while (card := web.get("/p/berita/vote/").context["card"]) is not None:
            key = person.assignments.get(token=card.token).item.key
            why = "Ada beritanya." if key == "a" else f"Alasan nomor {place}."
            sent = {"answer-news": "yes", "answer-why": why, "answer-note": ""}
            assert web.post(f"/p/berita/vote/{card.token}/", sent).status_code == 302
        decide_due()
    out = tmp_path / "out"
    call_command("build_release", "berita", out=str(out), no_licence=True)
    return project, out


def rewrite(out: Path, counted: dict[str, Any] | None) -> None:
    """The manifest says something else of it, or nothing, as those of before."""
    path = out / "manifest.json"
    whole = orjson.loads(path.read_bytes())
    if counted is None:
        del whole["counts"]["unanswered"]
    else:
        whole["counts"]["unanswered"] = counted
    path.write_bytes(orjson.dumps(whole))


@pytest.mark.django_db(transaction=True)
def test_preview_card_and_manifest_say_how_many_and_it_is_counted_again(released: tuple[Project, Path]) -> None:
    project, out = released
    assert preview(project, preset(project.rules.release))["unanswered"] == COUNTED
    assert orjson.loads((out / "manifest.json").read_bytes())["counts"]["unanswered"] == COUNTED
    said = "1 of 2 rows with a gold label have no gold answer to a required question** (`why`: 1)"
    assert said in (out / "README.md").read_text()
    lead = factory.member(project, "lead").user
    assert lead is not None
    web = Client()
    web.force_login(lead)
    for address in ("/p/berita/releases/new/", "/p/berita/releases/1/"):
        shown = " ".join(web.get(address).content.decode().split())
        assert "1 of 2 rows with a gold label have no gold answer to a required question:" in shown, address
    report = verify(out)
    assert [(check.what, check.faults) for check in report.checks if check.wrong] == []
    assert report.right
    assert [check.done for check in report.checks if check.what == CHECK] == [1]
    # What is said is counted again; releases of before, which say nothing of it, are as right as they were.
    rewrite(out, {**COUNTED, "rows": 0, "questions": {}})
    assert [check.wrong for check in verify(out, files_only=True).checks if check.what == CHECK] == [1]
    rewrite(out, None)
    assert [check for check in verify(out, files_only=True).checks if check.what == CHECK] == []


@pytest.mark.django_db(transaction=True)
def test_a_hidden_test_does_not_tell_it(released: tuple[Project, Path], tmp_path: Path) -> None:
    project, _ = released
    out = tmp_path / "hidden"
    call_command("build_release", "berita", out=str(out), no_licence=True, set=["hidden_test=yes"])
    assert "unanswered" not in orjson.loads((out / "manifest.json").read_bytes())["counts"]
    assert "unanswered" not in preview(project, preset(project.rules.release).changed({"hidden_test": "yes"}))
    found = verify(out)
    assert [(check.what, check.faults) for check in [*found.checks, found.rebuilt] if check and check.wrong] == []
