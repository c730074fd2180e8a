"""verify_release: what is right says so; every change is found, in the files alone and by building again."""

import json
import shutil
from collections.abc import Callable
from hashlib import sha256
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from exports.releases.models import Release
from exports.releases.verify import verify
from tests import services
from tests.exports.world import Staged, build, folder, freeze, staged
from tests.faults import site
from tests.review import cast_votes
from tests.shared_worlds import SharedWorlds

pytestmark = pytest.mark.django_db
FORMS = "csv"


@pytest.fixture
def made(standing: SharedWorlds) -> Staged:
    return standing(staged, slug="own")


@pytest.fixture
def copy(made: Staged, tmp_path: Path) -> Path:
    """A copy of a release in the hands of somebody else."""
    release = build(freeze(made, forms=FORMS, no_gold="test"))
    shutil.copytree(folder(release), tmp_path / "copy")
    return tmp_path / "copy"


def said(at: Path, *options: str) -> tuple[int, str]:
    out = StringIO()
    try:
        call_command("verify_release", str(at), *options, stdout=out)
    except CommandError as error:
        return error.returncode, f"{out.getvalue()}{error}"
    return 0, out.getvalue()


def rows(at: Path, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (at / name).read_text().splitlines()]


def put(at: Path, name: str, lines: list[dict[str, Any]]) -> None:
    """Write a file anew, and have the manifest say that it is the one: as a forger would."""
    data = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines).encode()
    (at / name).write_bytes(data)
    manifest = json.loads((at / "manifest.json").read_text())
    manifest["files"][name]["sha256"] = sha256(data).hexdigest()
    (at / "manifest.json").write_text(json.dumps(manifest))


def test_what_is_right_is_found_right_and_is_built_again(copy: Path) -> None:
    code, words = said(copy)
    assert code == 0, words
    assert "gold labels from votes are right" in words
    assert "of release 1 of own, built again are right" in words
    before = list(Release.objects.values_list("pk", "state", "counts"))
    assert list(Release.objects.values_list("pk", "state", "counts")) == before
    found = verify(copy)
    assert [check.done > 0 for check in found.checks] == [True] * len(found.checks)
    assert found.rebuilt is not None
    assert found.rebuilt.done == found.checks[0].done + 1  # and the manifest


@pytest.mark.parametrize("hidden", ["no", "yes"])
def test_a_second_release_with_all_forms_is_right(made: Staged, hidden: str) -> None:
    rules = {"forms": "", "hidden_test": hidden, "dev_percent": "0", "seed": "a-seed-that-nobody-guesses"}
    build(freeze(made, **rules))
    cast_votes(made.at, made.items["3-e1"], "ee")
    second = build(freeze(made, **rules))
    assert {"CHANGES.md", "croissant.json"} <= set(second.manifest["files"]) | {"manifest.json"}
    found = verify(folder(second))
    faults = [fault for check in found.checks for fault in check.faults]
    assert (faults, found.right) == ([], True)


def test_without_the_database_the_files_speak(copy: Path) -> None:
    assert said(copy, "--files-only")[0] == 0
    Release.objects.update(manifest={"files": {}})
    code, words = said(copy)
    assert (code, "This database did not make it" in words) == (0, True)


@pytest.mark.parametrize("place", ["nowhere", "an empty file", "a server that is down"])
def test_whoever_has_no_database_can_check_it(copy: Path, tmp_path: Path, place: str) -> None:
    """In a clone of the repository, and nothing else: what is checked of the files needs no tables."""
    file = tmp_path / "none.sqlite3"
    if place == "an empty file":
        file.touch()
    url = f"sqlite:///{file}"
    if place == "a server that is down":
        url = f"postgres://nobody@127.0.0.1:{services.free_port()}/none"
    env = site.environment(url, "", tmp_path / "data", "embedded")
    done = site.manage(env, "verify_release", str(copy), check=False)
    assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr
    assert "gold labels from votes are right" in done.stdout
    assert "no database with releases here" in done.stdout
    assert file.exists() == (place == "an empty file")
    (copy / "votes.jsonl").write_text("")
    assert site.manage(env, "verify_release", str(copy), check=False).returncode == 1


def test_what_another_version_made_is_not_built_again(copy: Path, settings: Any) -> None:
    settings.MUFAKAT_RELEASE = "99.0"
    code, words = said(copy)
    assert code == 0, words
    assert "made by Mufakat 0.2.0, this is 99.0: nothing was built again" in words
    found = verify(copy).rebuilt
    assert found is not None
    assert found.done == 0


def flip(at: Path) -> None:
    lines = rows(at, "test.jsonl") or rows(at, "dev.jsonl")
    name = "test.jsonl" if rows(at, "test.jsonl") else "dev.jsonl"
    line = next(line for line in lines if line["label_source"] == "gold")
    line["gold_label"] = line["label"] = "contradiction" if line["label"] != "contradiction" else "neutral"
    put(at, name, lines)


def move(at: Path) -> None:
    here = rows(at, "test.jsonl")
    gold = [line for line in here if line["label_source"] == "gold"]
    put(at, "train.jsonl", [*rows(at, "train.jsonl"), *gold])
    put(at, "test.jsonl", [line for line in here if line["label_source"] != "gold"])


def relabel(at: Path) -> None:
    for name in ("dev.jsonl", "test.jsonl"):
        lines = rows(at, name)
        for line in lines:
            if line["label_source"] == "gold":
                line["label"] = "neutral" if line["label"] != "neutral" else "entailment"
        put(at, name, lines)


def lose_vote(at: Path) -> None:
    lines = rows(at, "votes.jsonl")
    gone = next(line for line in lines if line["counted"] and line["split"] in ("dev", "test"))
    put(at, "votes.jsonl", [line for line in lines if line is not gone])


def spoil(at: Path) -> None:
    (at / "votes.jsonl").write_bytes((at / "votes.jsonl").read_bytes() + b"\n")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (spoil, "votes.jsonl: is not the file that was released"),
        (lambda at: (at / "csv/votes.csv").unlink(), "csv/votes.csv: is missing"),
        (lambda at: (at / "more.txt").write_text("x"), "more.txt: is no file of this release"),
        (flip, "its votes give"),
        (relabel, "its gold"),
        (lose_vote, "its votes give"),
        (move, "the rules give"),
    ],
    ids=["spoilt", "missing", "added", "gold", "label", "vote", "split"],
)
def test_what_was_changed_is_found(copy: Path, change: Callable[[Path], Any], words: str) -> None:
    change(copy)
    code, found = said(copy)
    assert code == 1
    assert words in found
    assert "This is not the release" in found


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "No such file"),
        (b"{", "is no manifest"),
        (b"[]", "is no manifest"),
        (b'{"files": {}}', "is no manifest"),
        (b'{"format": 99, "files": {}}', "its format is 99"),
    ],
)
def test_what_is_no_release_is_said(tmp_path: Path, content: bytes | None, words: str) -> None:
    if content is not None:
        (tmp_path / "manifest.json").write_bytes(content)
    code, found = said(tmp_path)
    assert code == 2
    assert words in found


def test_hidden_answers_may_lie_elsewhere(made: Staged, tmp_path: Path) -> None:
    release = build(freeze(made, forms=FORMS, hidden_test="yes"))
    shutil.copytree(folder(release), tmp_path / "copy")
    assert said(tmp_path / "copy")[0] == 0
    shutil.rmtree(tmp_path / "copy" / "hidden")
    code, words = said(tmp_path / "copy")
    assert code == 0, words
    assert "hidden files are not here" in words
