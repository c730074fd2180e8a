"""Tasks of a release of each kind in lm-evaluation-harness: offline, from another place than where they were made."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from exports.lm_eval.rules.tasks import TASK_TYPES
from tests.interop.conftest import NAMES

pytestmark = [pytest.mark.interop, pytest.mark.timeout(600)]
ROOT = Path(__file__).resolve().parents[2]
# What a model that knows every answer gets.
BEST = {"acc": 1.0, "mc1": 1.0, "exact": 1.0, "holds": 1.0, "f1": 1.0, "chrf": 100.0}


@pytest.fixture(scope="module")
def moved(releases: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The releases as somebody has them who was given them: under another path."""
    home = tmp_path_factory.mktemp("taken")
    return {name: Path(shutil.copytree(releases[name], home / name)) for name in NAMES}


@pytest.fixture(scope="module")
def told(moved: dict[str, Path]) -> dict[str, dict[str, Any]]:
    """What the harness says of every task, by release."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.interop.harness", *map(str, moved.values())],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return {name: found[str(path)] for name, path in moved.items()}


def test_every_task_of_every_release_runs_and_knows_its_answers(told: dict[str, dict[str, Any]]) -> None:
    for release, tasks in told.items():
        assert tasks, release
        for name, task in tasks.items():
            assert task["asked"] > 0, name
            for figure, value in task["figures"].items():
                if figure in BEST:
                    assert value == pytest.approx(BEST[figure]), (name, figure)


def test_each_kind_has_the_prompts_of_its_papers(told: dict[str, dict[str, Any]]) -> None:
    def prompts(release: str) -> set[str]:
        return {name.rsplit("_", 1)[1] for name in told[release]}

    questions = {prompt.name for prompt in TASK_TYPES["choices"].prompts}
    assert prompts("nli") == {"nli"}
    assert prompts("mcq") == prompts("mcq-judged") == prompts("by-machine") == questions
    assert prompts("cultural") == {"mc"}
    assert prompts("translation") == {"nli", "causal", "extraction", "open", "translation"}
    assert prompts("several") == {"nli"} | questions
    assert prompts("preference") == prompts("toxicity") == {"choice"}
    assert prompts("extractive-qa") == {"words"}


def test_a_team_s_own_task_is_asked_in_the_language_of_its_texts(told: dict[str, dict[str, Any]]) -> None:
    (asked,) = told["extractive-qa"].values()
    # What has no answer in the text is asked nowhere.
    assert asked["asked"] == 1
    assert asked["first"].startswith("Bacaan:\nPasar Gede")
    assert "Kapan Pasar Gede terbakar?" in asked["first"]
    (better,) = told["preference"].values()
    assert better["asked"] == 2
    assert better["figures"]["acc"] == 1.0


def test_mc1_and_mc2_are_of_every_prompt(told: dict[str, dict[str, Any]], moved: dict[str, Path]) -> None:
    (task,) = told["cultural"].values()
    assert task["asked"] == len((moved["cultural"] / "test.jsonl").read_bytes().splitlines())
    assert (task["figures"]["mc1"], task["figures"]["mc2"]) == (1.0, pytest.approx(1.0))


def test_the_first_prompt_of_id_csqa_is_asked_as_it_is_printed(told: dict[str, dict[str, Any]]) -> None:
    task = told["mcq"]["demo-soal_id_csqa-1"]
    head = 'The following are multiple choice questions (with answers) about "'
    assert re.fullmatch(
        re.escape(head) + r'[^"\n]+"\.\n[^\n]+\n' + "".join(rf"{c}\. [^\n]+\n" for c in "ABCDE") + "Answer:",
        task["first"],
    )


def test_the_command_runs_a_tag_from_anywhere(moved: dict[str, Path], tmp_path: Path) -> None:
    """`lm_eval --model dummy`, called in a folder that knows nothing of the release."""
    out = tmp_path / "out"
    done = subprocess.run(
        [
            Path(sys.executable).with_name("lm_eval"),
            "run",
            "--model",
            "dummy",
            "--include_path",
            moved["nli"] / "lm_eval",
            "--tasks",
            "demo-nli",
            "--output_path",
            out,
        ],
        cwd=tmp_path,
        env=os.environ,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    (path,) = out.rglob("*.json")
    results = json.loads(path.read_bytes())
    assert set(results["results"]) == {"demo-nli_id_nli"}
    asked = results["n-samples"]["demo-nli_id_nli"]["effective"]
    assert asked == len((moved["nli"] / "test.jsonl").read_bytes().splitlines())
