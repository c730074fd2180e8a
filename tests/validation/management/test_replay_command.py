"""`manage.py replay`: what it prints, its exit codes, its row file; never a traceback."""

import csv
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from tests.data import DATA, needs_data

ROOT = Path(__file__).resolve().parents[3]
GOOD = b'{"id": "a", "author_label": "entailment", "votes": ["e", "e", "n"]}\n'


def run(capsys, *arguments: object) -> Any:
    call_command("replay", *map(str, arguments), "--json")
    return json.loads(capsys.readouterr().out)


def code_of(*arguments: object) -> tuple[int, str]:
    with pytest.raises(CommandError) as caught:
        call_command("replay", *map(str, arguments))
    return caught.value.returncode, str(caught.value)


@needs_data
@pytest.mark.data
@pytest.mark.parametrize(("options", "labels", "third"), [([], 3421, 113), (["--stop-hopeless"], 3420, 112)])
def test_ocnli(capsys, options, labels, third):
    figures = run(capsys, DATA / "nli5/ocnli_dev_1000.jsonl", "--protocol", "incremental-3-5", *options)
    assert figures["settled_in_round"] == {"1": 692, "2": 195, "3": 91}
    assert figures["entered_round"] == {"1": 1000, "2": 308, "3": third}
    assert (figures["no_consensus"], figures["undecided"], figures["labels"]) == (22, 0, labels)
    assert (figures["labels_fixed_5"], figures["refused"]) == (5000, 0)


@needs_data
@pytest.mark.data
def test_indonli_with_its_rows(capsys, tmp_path):
    out = tmp_path / "rows.csv"
    figures = run(capsys, DATA / "indonli/expert_replay.jsonl", "--labels", "e,n,c", "--out", out)
    assert figures["settled_in_round"] == {"1": 1212, "2": 203, "3": 74}
    assert figures["labels"] == 4818
    with out.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert (len(rows), sum(int(row["labels"]) for row in rows)) == (1489, 4818)
    assert [path.name for path in tmp_path.iterdir()] == ["rows.csv"]


@needs_data
@pytest.mark.data
def test_protocols_compared_on_published_votes(capsys):
    found = run(capsys, DATA / "indonli/expert_replay.jsonl", "--compare")
    labels = {row["protocol"]: (row["labels"], row["another_gold"]) for row in found["protocols"]}
    assert labels["incremental-3-5"] == (4818, 0)
    assert labels["fixed-5"] == (7445, 0)
    assert (found["decided"], found["refused"]) == (1489, 0)
    call_command("replay", str(DATA / "indonli/expert_replay.jsonl"), "--compare")
    lines = capsys.readouterr().out.splitlines()
    curve = [json.loads(line.removeprefix("curve: ")) for line in lines if line.startswith("curve: ")]
    assert curve == found["curve"]


def test_plain_text(capsys, tmp_path):
    file = tmp_path / "votes.jsonl"
    file.write_bytes(GOOD)
    call_command("replay", str(file))
    printed = dict(line.split(": ", 1) for line in capsys.readouterr().out.splitlines())
    assert (printed["protocol"], printed["gold_counts"]) == ("incremental-3-5", '{"e": 1, "n": 0, "c": 0}')


def test_a_torn_row_is_numbered_and_the_rest_still_counts(capsys, tmp_path):
    file = tmp_path / "votes.jsonl"
    file.write_bytes(GOOD + b'{"id": "b", "author_label": null, "votes": []}\n' + GOOD + GOOD[:30])
    code, message = code_of(file)
    assert code == 1
    assert message.splitlines()[0] == "2 rows refused"
    assert [line.split(":")[0] for line in message.splitlines()[1:]] == ["row 2", "row 4"]
    assert "items: 2" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["nowhere.jsonl", ".", "empty.jsonl"])
def test_a_file_that_cannot_be_read_is_2(tmp_path, name):
    (tmp_path / "empty.jsonl").write_bytes(b"\n")
    assert code_of(tmp_path / name)[0] == 2


@pytest.mark.parametrize("name", ["no/folder/rows.csv", "."])
def test_a_row_file_that_cannot_be_written_is_2(tmp_path, name):
    file = tmp_path / "votes.jsonl"
    file.write_bytes(GOOD)
    assert code_of(file, "--out", tmp_path / name)[0] == 2
    assert [path.name for path in tmp_path.iterdir()] == ["votes.jsonl"]


@pytest.mark.parametrize("options", [["--protocol", "best-of-9"], ["--labels", " , "]])
def test_options_that_mean_nothing(tmp_path, options):
    assert "argument" in code_of(tmp_path / "x.jsonl", *options)[1]


def test_from_a_shell_there_is_no_traceback(tmp_path):
    file = tmp_path / "votes.jsonl"
    file.write_bytes(b"\xff\xfe\x00" + b"\n" + GOOD)
    done = subprocess.run(
        [sys.executable, "manage.py", "replay", str(file)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "row 1: is no whole JSON value" in done.stderr
    assert "Traceback" not in done.stderr
