"""`manage.py score_mc`: means and rows, refusals with their rows and reasons, over a process too."""

import json
import math
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from tests.exports.scoring.test_mc import lines, row


def written(tmp_path: Path, *rows) -> Path:
    path = tmp_path / "scores.jsonl"
    path.write_bytes(b"".join(lines(*rows)))
    return path


def test_the_command_prints_means_and_writes_rows(tmp_path):
    path, out = written(tmp_path, row(), row(é=-1.0) | {"id": "b"}), tmp_path / "out.jsonl"
    printed = StringIO()
    call_command("score_mc", path, out=out, stdout=printed)
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert [(each["id"], each["mc1"]) for each in rows] == [("0101000100", 1), ("b", 0)]
    assert printed.getvalue() == f"MC1 0.5000  MC2 {sum(each['mc2'] for each in rows) / 2:.4f}  n 2\n"
    printed = StringIO()
    call_command("score_mc", path, json=True, stdout=printed)
    assert json.loads(printed.getvalue())["n"] == 2
    with pytest.raises(CommandError, match="is there already"):
        call_command("score_mc", path, out=out)


def test_the_command_refuses_with_rows_and_reasons_and_writes_nothing(tmp_path):
    bad = [row(é=math.nan) | {"id": str(n)} for n in range(22)]
    out = tmp_path / "out.jsonl"
    with pytest.raises(CommandError) as refused:
        call_command("score_mc", written(tmp_path, row(), *bad), out=out)
    told = str(refused.value).splitlines()
    assert told[:2] == [
        "Nothing was scored: 22 rows cannot be read.",
        "  row 2: scores has NaN as the log-probability of “é”",
    ]
    assert told[-1] == "  … and 2 more"
    assert not out.exists()
    for nothing, code in ((written(tmp_path), 1), (tmp_path / "absent.jsonl", 2)):
        with pytest.raises(CommandError) as ended:
            call_command("score_mc", nothing)
        assert ended.value.returncode == code


def test_the_command_as_a_process(tmp_path):
    root = Path(__file__).parents[3]

    def run(path):
        return subprocess.run(
            [sys.executable, root / "manage.py", "score_mc", path],
            capture_output=True,
            text=True,
            check=False,
            cwd=root,
        )

    good, bad = run(written(tmp_path, row())), run(written(tmp_path, row(ab=1)))
    assert (good.returncode, good.stdout) == (0, "MC1 1.0000  MC2 0.7311  n 1\n")
    assert (bad.returncode, bad.stdout) == (1, "")
    assert "row 1: scores has a log-probability above 0 for “ab”" in bad.stderr
