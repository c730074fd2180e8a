"""Hostile files through the command (F30–F36): refused by row number, no traceback, the same on both databases."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from tests.hostile import Hostile
from tests.hostile_prompts import CORPUS
from tests.validation.imports_run import run_all

ROOT = Path(__file__).resolve().parents[3]
MOST_MIB = 300

# Whichever is first makes both databases.
pytestmark = pytest.mark.timeout(600)


@pytest.fixture(scope="module")
def on_sqlite(tmp_path_factory: pytest.TempPathFactory, migrated_sqlite: Path) -> dict[str, Any]:
    """The whole corpus on SQLite, in a process that may use no more memory than an import is allowed."""
    folder = tmp_path_factory.mktemp("sqlite")
    shutil.copy(migrated_sqlite, folder / "db.sqlite3")
    env = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "config.settings.embedded",
        "DATABASE_URL": f"sqlite:///{folder / 'db.sqlite3'}",
        "DATA_DIR": str(folder),
        "REDIS_URL": "",
    }
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", "tests.validation.imports_run", str(folder)],
        cwd=ROOT,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found: dict[str, Any] = json.loads(done.stdout)
    peak = found.pop("peak_mib")
    assert peak < MOST_MIB, f"{peak:.0f} MiB"
    assert list(folder.glob("imports/*")) == [], "a file was left behind"
    return found


@pytest.fixture
def data_dir(tmp_path: Path, settings: Any) -> Path:
    settings.MUFAKAT_DATA_DIR = tmp_path
    settings.REDIS_URL = ""
    return tmp_path


@pytest.mark.django_db(transaction=True)
def test_both_databases_agree(on_sqlite: dict[str, Any], data_dir: Path) -> None:
    """I9: reports and stored rows, byte for byte, file by file."""
    assert "postgresql" in settings.DATABASES["default"]["ENGINE"]
    here = run_all(data_dir)
    assert list(here) == list(on_sqlite)
    assert {name: found for name, found in here.items() if found != on_sqlite[name]} == {}


@pytest.mark.parametrize("hostile", CORPUS, ids=lambda hostile: hostile.id)
def test_what_becomes_of_it(hostile: Hostile, on_sqlite: dict[str, Any]) -> None:
    (trial_code, trial), (code, report), (_, again) = on_sqlite[hostile.name]["runs"]
    refused = [(row["row"], row["field"]) for row in report["rows"]]
    if hostile.file:
        assert code == trial_code == 2
        assert hostile.file in report["error"]
        assert on_sqlite[hostile.name]["stored"]["premises"] == []
        return
    assert refused == [(bad.row, bad.field) for bad in hostile.refused], report
    assert [
        (bad, row["reason"])
        for bad, row in zip(hostile.refused, report["rows"], strict=True)
        if bad.words not in row["reason"]
    ] == []
    assert code == trial_code == (1 if hostile.refused else 0)
    assert report["accepted"] == hostile.accepted
    assert report["refused"] == len(hostile.refused)
    # A trial says what the import then does, and the same file twice changes nothing (F33).
    assert [trial[name] for name in ("accepted", "unchanged", "rows")] == [
        report[name] for name in ("accepted", "unchanged", "rows")
    ]
    assert again["accepted"] == 0
    assert again["unchanged"] == report["accepted"] + report["unchanged"]
    assert again["rows"] == report["rows"]


def test_texts_are_stored_as_given(on_sqlite: dict[str, Any]) -> None:
    """Line separators, formulas and markup pass through unchanged; an apostrophe of ours comes off again (A49)."""

    def texts(name: str) -> list[str]:
        return [text for _, text, *_ in on_sqlite[name]["stored"]["premises"]]

    assert texts("line-marks.jsonl") == ["a\u2028b\u0085c\u2029d 1"]
    assert texts("lines-in-cells.csv")[0] == "a\nb\r\nc"
    assert texts("formulas.csv") == ["'=1+1", "'hello'", "=2"]
    assert texts("guarded.csv") == ["=1+1", "'hello'", "'=2"]
    assert texts("dangers.jsonl") == ["../../etc/passwd file:///etc/passwd !!python/object <!ENTITY> 1"]


def test_pairs_and_their_votes(on_sqlite: dict[str, Any]) -> None:
    stored = on_sqlite["pairs.jsonl"]["stored"]
    assert stored["votes"] == [
        ["1", 1, "?1", "e", 1, False, True],
        ["1", 2, "?2", "e", 1, False, True],
        ["1", 3, "?3", "unrelated", 2, True, True],
        ["3", 1, "?1", "e", 1, False, True],
        ["6", 1, "?1", "n", 1, False, True],
        ["6", 2, "?2", "e", 1, False, True],
        ["7", 1, "?1", "1", 1, False, True],
    ]
    assert stored["people"] == [["?1", True], ["?2", True], ["?3", True]]
    assert [(key, label, sampled) for key, label, sampled, *_ in stored["items"] if key in ("1", "3", "6", "7")] == [
        ("1", "e", True),
        ("3", "", True),
        ("6", "n", True),
        ("7", "n", True),
    ]
    assert [row[3] for row in on_sqlite["labels.jsonl"]["stored"]["votes"]] == ["e", "n"]
    assert [row[3] for row in on_sqlite["snli.jsonl"]["stored"]["votes"]] == ["e", "n"]
    assert [row[3] for row in on_sqlite["pairs.csv"]["stored"]["votes"]] == ["e", "n"]


def test_the_same_id_with_another_label_is_kept_and_flagged(on_sqlite: dict[str, Any]) -> None:
    """Ruling 15."""
    stored = on_sqlite["same-pair.jsonl"]["stored"]
    assert [(key, label) for key, label, *_ in stored["items"]] == [("1", "e"), ("1~n", "n")]
    assert [(key, code) for key, code, _ in stored["flags"]] == [("1~n", "duplicate")]


MISSING = [
    *[("uncertainty", "W3"), ("option_ambiguity", "W3")],
    *[(field, "W3") for field in ("option_ambiguity", "option_ambiguity", "uncertainty")],
]


def test_questions_and_who_answered_them(on_sqlite: dict[str, Any]) -> None:
    """Marks stand on the options' keys; an item with answers is voted on at once, the others wait for a lead."""
    stored = on_sqlite["answers.jsonl"]["stored"]
    assert stored["marks"] == [
        ["q1", 1, True, None, "Ragu.", {"question": "unknown", "options_unknown": "ABC"}],
        ["q12", 1, None, True, "", {"question": "unknown", "options": "AC"}],
    ]
    # Marks that cannot be read are no reason to refuse a row: each is flagged and kept as unknown.
    unread = [json.loads(detail) for _, _, detail in stored["flags"] if "marks_unread" in detail]
    params = [each["params"] for detail in unread for each in detail["findings"]]
    found = [(each["field"], each["name"], each["value"]) for each in params]
    # Who has no mark where others have one: it is missing, and not said to be unknown.
    assert [(field, name) for field, name, value in found if not value] == MISSING
    assert [each for each in found if each[2]] == [
        ("question_ambiguity", "", '["clear"]'),
        ("option_ambiguity", "W2", '["clear","ambiguous"]'),
        ("option_ambiguity", "W2", "clear"),
        ("uncertainty", "W2", "perhaps"),
    ]
    assert {key: (stage, votes) for key, _, _, stage, votes, *_ in stored["items"]} == {
        "q1": ("written", 2),
        "q6": ("submitted", 0),
        **dict.fromkeys(("q9", "q10", "q11", "q12", "q13"), ("written", 2)),
        "q18": ("written", 2),
    }
    assert ["q18", 2, "?3", "B", 1, False, True] in stored["votes"]
    options = [row[1:] for row in on_sqlite["questions.jsonl"]["stored"]["options"] if row[0] == "q1"]
    assert options == [[1, "A", "duduk", "answer"], [2, "B", "mandi", ""], [3, "C", "masak", ""]]
    flags = on_sqlite["questions.jsonl"]["stored"]["flags"]
    checks = {key: json.loads(detail) for key, code, detail in flags if code == "failed_check"}
    assert checks["q12"] == {"checks": ["choices_missing", "answer_missing", "distractor_missing"]}


def test_a_question_without_a_concept_stands_apart(on_sqlite: dict[str, Any]) -> None:
    """Its concept is a stand-in that nobody writes for."""
    stored = on_sqlite["commonsenseqa.jsonl"]["stored"]
    assert [(text, state) for _, _, text, _, state in stored["concepts"]] == [
        ("tikar", "approved"),
        ("–", "returned"),
    ]
    assert sorted(row[2] for row in stored["questions"]) == ["", "tikar"]


def test_prompts_their_responses_and_who_chose_what(on_sqlite: dict[str, Any]) -> None:
    """Responses keep the file's order under keys of their side; what fails a check is stored and flagged."""
    stored = on_sqlite["prompts.csv"]["stored"]
    assert [(key, role) for _, _, key, _, role in stored["options"]] == [
        *[("R1", "best"), ("R2", "relevant"), ("R3", "relevant")],
        *[("I1", "irrelevant"), ("I2", "irrelevant"), ("I3", "irrelevant")],
    ]
    (content,) = (row[4] for row in stored["revisions"])
    assert {name: content[name] for name in ("user", "context", "personal", "instruction")} == {
        "user": "",
        "context": "Saya diundang ke rumah tetangga.",
        "personal": "",
        "instruction": "Apa yang sebaiknya saya bawa?",
    }
    assert [row[4] for row in stored["questions"]] == [None], "nobody is named as author"
    stored = on_sqlite["prompt-answers.jsonl"]["stored"]
    assert [row[2:4] for row in stored["votes"]] == [["V1", "R1"], ["V2", "I2"], ["V3", "R1"]]
    failed = {
        name: {key: json.loads(detail) for key, _, detail in on_sqlite[name]["stored"]["flags"]}
        for name in ("prompt-responses.jsonl", "prompt-parts.jsonl", "same-prompt.jsonl")
    }
    assert failed == {
        "prompt-responses.jsonl": {
            "0100000100": {"checks": ["responses_few"]},
            "0200000200": {"checks": ["responses_twice"]},
        },
        "prompt-parts.jsonl": {"0100000100": {"checks": ["parts_one_line"]}},
        "same-prompt.jsonl": {"0300000300": {"of": "0100000100"}},
    }


def test_topics_of_a_file(on_sqlite: dict[str, Any]) -> None:
    stored = on_sqlite["topics.csv"]["stored"]
    assert sorted(row[1:3] for row in stored["concepts"]) == [["sehari-hari", "warung"], ["topics", "angkot"]]
    assert ["t1", "sehari-hari", "warung", "", "approved"] in stored["concepts"]
