"""A forger fails: what somebody changes in a release is noticed, though every hash is made anew.

A forger of further forms, card or manifest makes all hashes again; a forger of rows or votes has our own writers make
everything that follows from them, so that only rows and votes themselves can tell.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
from django.conf import settings

from exports.releases.rewrite import MANIFEST
from exports.releases.verify import verify
from exports.releases.verify_files import UnreadableRelease, file_sha256
from exports.verify.__main__ import main
from tests.exports.releases.forger import FURTHER, WORLDS, Forged, change_anything
from tests.exports.releases.forgeries import OF_COPIES, OF_MANIFEST, OF_ROWS, Forgery

pytestmark = pytest.mark.django_db
# Fixed before the first run.
SEED = 20261128


def faults(at: Path) -> list[str]:
    """Every fault that the files alone show, behind what was checked."""
    checks = verify(at, files_only=True).checks
    return [f"{check.what}: {fault}" for check in checks for fault in check.faults]


def documented() -> dict[str, str]:
    """The check that a document names first for each forgery."""
    text = (settings.BASE_DIR / "docs/forgeries.md").read_text(encoding="utf-8").partition("## Signatures")[0]
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ") and "---" not in line]
    return {row[0]: row[2].split("; ")[0] for row in rows if row[0] != "forgery"}


def assert_noticed(forgery: Forgery, found: list[str]) -> None:
    """By what the forgery names, and by the check that the document names."""
    assert any(forgery.noticed in fault for fault in found), found
    assert any(fault.startswith(documented().get(forgery.name, "")) for fault in found), found


def test_every_forgery_is_documented() -> None:
    names = [forgery.name for forgery in (*OF_COPIES, *OF_MANIFEST, *OF_ROWS)]
    assert len({*names}) == len(names)
    assert documented().keys() <= {*names}
    assert len(documented()) > 130


@pytest.mark.parametrize("name", [*WORLDS, *(f"{name}-plain" for name in WORLDS), *FURTHER])
def test_a_release_that_nobody_changed_is_right(releases: dict[str, Path], name: str) -> None:
    report = verify(releases[name], files_only=True)
    assert report.right, faults(releases[name])


@pytest.mark.parametrize("forgery", OF_COPIES, ids=lambda forgery: forgery.name)
def test_what_follows_from_rows_cannot_be_forged(releases: dict[str, Path], tmp_path: Path, forgery: Forgery) -> None:
    forged = Forged(shutil.copytree(releases[forgery.of], tmp_path / "copy"))
    forgery.change(forged)
    if forgery.noticed != "is missing":
        forged.hash_again()
    found = faults(forged.at)
    assert_noticed(forgery, found)


@pytest.mark.parametrize("forgery", OF_MANIFEST, ids=lambda forgery: forgery.name)
def test_the_manifest_cannot_be_forged(releases: dict[str, Path], tmp_path: Path, forgery: Forgery) -> None:
    forged = Forged(shutil.copytree(releases[forgery.of], tmp_path / "copy"))
    forgery.change(forged)
    found = faults(forged.at)
    assert_noticed(forgery, found)


@pytest.mark.parametrize("forgery", OF_ROWS, ids=lambda forgery: forgery.name)
def test_rows_and_votes_cannot_be_forged(releases: dict[str, Path], tmp_path: Path, forgery: Forgery) -> None:
    """Also not by somebody with our own writers."""
    forged = Forged(shutil.copytree(releases[f"{forgery.of}-plain"], tmp_path / "copy"))
    forgery.change(forged)
    forged.write_again()
    assert_noticed(forgery, faults(forged.at))


def test_with_the_published_hash_nothing_can_be_changed(releases: dict[str, Path], tmp_path: Path) -> None:
    """Not even a comment that stands nowhere else."""
    forged = Forged(shutil.copytree(releases["pairs-plain"], tmp_path / "copy"))
    digest = file_sha256(forged.at / MANIFEST)
    assert verify(forged.at, files_only=True, manifest_sha256=digest.upper()).right
    forged.change("votes.jsonl", lambda row: row.update(comment="Lain."))
    forged.write_again()
    unnoticed = verify(forged.at, files_only=True)
    assert unnoticed.right
    assert any("stand there once" in note and "comments" in note for note in unnoticed.unchecked)
    report = verify(forged.at, files_only=True, manifest_sha256=digest)
    assert [check.faults for check in report.checks if check.wrong] == [
        [f"{MANIFEST}: its SHA-256 is {file_sha256(forged.at / MANIFEST)}"]
    ]


def is_noticed(at: Path) -> bool:
    """Whether a release is refused."""
    try:
        return not verify(at, files_only=True).right
    except UnreadableRelease:
        return True


def changed_at_random(releases: dict[str, Path], path: Path, times: int) -> list[str]:
    """Change one value of one file so many times, in releases of each kind; what nobody noticed."""
    draws, missed = Random(SEED), list[str]()
    for n in range(times):
        name = draws.choice(list(releases))
        forged = Forged(shutil.copytree(releases[name], path / "copy"))
        place = change_anything(forged, draws)
        if not is_noticed(forged.at):
            missed.append(f"{n}: {name}, {place}")
        shutil.rmtree(forged.at)
    return missed


def test_no_value_of_any_file_can_be_changed(releases: dict[str, Path], tmp_path: Path) -> None:
    assert changed_at_random(releases, tmp_path, 50) == []


@pytest.mark.faults
@pytest.mark.timeout(7200)
def test_no_value_of_any_file_can_be_changed_often(releases: dict[str, Path], tmp_path: Path) -> None:
    assert changed_at_random(releases, tmp_path, 2000) == []


# Runs the check of each folder in a Python that has no Django, no driver of a database and no settings.
WITHOUT_DJANGO = """
import sys
class Nowhere:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("django", "psycopg", "redis", "celery", "structlog", "environ", "config"):
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Nowhere())
from exports.verify.__main__ import main
sys.exit(max(main([folder]) for folder in sys.argv[1:]))
"""


def test_files_are_checked_without_django(releases: dict[str, Path], tmp_path: Path) -> None:
    """What the command says of files is what a stranger is told who has neither Django nor a database."""
    command = [sys.executable, "-c", WITHOUT_DJANGO]
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(settings.BASE_DIR)}
    done = subprocess.run([*command, *releases.values()], env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    lines = [line for at in releases.values() for line in verify(at, files_only=True).lines()]
    assert [line for line in done.stdout.splitlines() if not line.startswith("Not checked: ")] == lines
    assert done.stdout.count("Not checked: every file, built again") == len(releases)


def test_its_exit_code_says_what_was_found(
    releases: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = shutil.copytree(releases["pairs-plain"], tmp_path / "copy")
    digest = file_sha256(copy / MANIFEST)
    assert main([str(copy), "--manifest-sha256", digest]) == 0
    assert main([str(copy), "--manifest-sha256", "0" * 64]) == 1
    (copy / "votes.jsonl").unlink()
    assert main([str(copy)]) == 1
    assert "votes.jsonl: is missing" in capsys.readouterr().out
    (copy / MANIFEST).write_text("{}")
    assert main([str(copy)]) == 2
    assert "is no manifest of a release" in capsys.readouterr().err
