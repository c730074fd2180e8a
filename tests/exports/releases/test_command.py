"""`manage.py build_release`: finishes itself, says plainly what is wrong, never leaves half a folder."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from exports.releases.models import Release
from tests import factory
from tests.exports.world import Staged, contents, files, staged
from tests.shared_worlds import SharedWorlds

pytestmark = pytest.mark.django_db


@pytest.fixture
def made(standing: SharedWorlds) -> Staged:
    return standing(staged, slug="built")


def run(*arguments: str, **options: Any) -> str:
    said = StringIO()
    confirmed = {"no_licence": True, "allow_shared": True}
    call_command("build_release", *arguments, stdout=said, **{**confirmed, **options})
    return said.getvalue()


@pytest.mark.parametrize("exists", [False, True])
def test_files_are_put_into_a_new_or_empty_folder(made: Staged, tmp_path: Path, exists: bool) -> None:
    out = tmp_path / "deep" / "out"
    if exists:
        out.mkdir(parents=True)
    told = json.loads(run("built", "--out", str(out), "--json"))
    release = Release.objects.get()
    assert contents(out) == files(release)
    assert told["counts"] == release.counts
    assert {name: facts["bytes"] for name, facts in told["files"].items()} == {
        path.relative_to(out).as_posix(): path.stat().st_size for path in out.rglob("*") if path.is_file()
    }
    assert [path.name for path in out.parent.iterdir()] == ["out"]


def test_votes_of_a_file_are_decided_without_another_command(tmp_path: Path) -> None:
    """No worker runs: what a file brought is due, and in the release all the same."""
    project = factory.project("imported")
    texts = {"premise": "Ibu membeli mangga.", "hypothesis": "Ada buah.", "author_label": "e", "votes": ["e", "e"]}
    (tmp_path / "pairs.jsonl").write_text(json.dumps({"pair_id": "x", **texts}) + "\n")
    call_command("import_items", project.slug, str(tmp_path / "pairs.jsonl"), stdout=StringIO())
    told = json.loads(run("imported", "--out", str(tmp_path / "out"), "--set=forms=none", "--json"))
    assert told["counts"]["splits"]["test"]["label_sources"] == {"gold": 1}


def test_rules_by_name_and_one_by_one(made: Staged, tmp_path: Path) -> None:
    run(
        "built",
        "--out",
        str(tmp_path / "out"),
        "--rules",
        "indonli-lay",
        "--set",
        "seed=x",
        "--set",
        "strict=yes",
    )
    rules = Release.objects.get().rules
    assert (rules["preset"], rules["seed"], rules["strict"]) == ("indonli-lay", "x", True)


def test_the_projects_rules_by_default(made: Staged, tmp_path: Path) -> None:
    assert "test.jsonl" in run("built", "--out", str(tmp_path / "out"))
    assert Release.objects.get().rules["preset"] == "indonli-expert"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("nowhere",), "There is no project 'nowhere'."),
        (("built", "--rules", "mine"), "preset: must be one of"),
        (("built", "--set", "strict"), "--set strict: must be KEY=VALUE"),
        (("built", "--set", "colour=blue"), "colour: is no field here"),
        (("built", "--set", "dev_percent=200"), "dev_percent: must be at most 100"),
    ],
)
def test_what_cannot_be_used(made: Staged, tmp_path: Path, arguments: tuple[str, ...], said: str) -> None:
    with pytest.raises(CommandError, match=said.replace("(", r"\(")) as raised:
        run(*arguments, "--out", str(tmp_path / "out"))
    assert raised.value.returncode == 2
    assert not Release.objects.exists()


@pytest.mark.parametrize("kind", ["file", "full"])
def test_a_folder_that_is_not_empty(made: Staged, tmp_path: Path, kind: str) -> None:
    out = tmp_path / "out"
    if kind == "file":
        out.write_text("kept")
    else:
        out.mkdir()
        (out / "old.txt").write_text("kept")
    with pytest.raises(CommandError, match="exists and is not an empty folder") as raised:
        run("built", "--out", str(out))
    assert raised.value.returncode == 2
    assert not Release.objects.exists()


def test_a_parent_that_is_a_file(made: Staged, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CommandError) as raised:
        run("built", "--out", str(tmp_path / "file" / "out"))
    assert raised.value.returncode == 2


def test_a_project_without_items(tmp_path: Path) -> None:
    factory.project("empty")
    with pytest.raises(CommandError, match="nothing to release") as raised:
        run("empty", "--out", str(tmp_path / "out"))
    assert raised.value.returncode == 1
    assert not (tmp_path / "out").exists()
