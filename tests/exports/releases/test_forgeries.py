"""A forger fails: what somebody changes in a release is noticed, though every hash is made anew.

A forger of further forms, card or manifest makes all hashes again; a forger of rows or votes has our own writers make
everything that follows from them, so that only rows and votes themselves can tell.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import pytest
from django.conf import settings

from annotation.core.rules.version import EARLIER, RELEASE
from exports.releases.rewrite import MANIFEST
from exports.releases.verify import verify
from exports.releases.verify_files import UnreadableRelease, file_sha256
from exports.verify.__main__ import main
from tests.exports.releases.forger import FURTHER, WORLDS, Forged, change_anything
from tests.exports.releases.forgeries import OF_COPIES, OF_MANIFEST, OF_ROWS, Forgery
from tests.exports.releases.forgeries_of_form import FORM_OF_COPIES, FORM_OF_MANIFEST, FORM_OF_ROWS, another_library

pytestmark = pytest.mark.django_db
COPIES, MANIFESTS, ROWS = (
    [*OF_COPIES, *FORM_OF_COPIES],
    [*OF_MANIFEST, *FORM_OF_MANIFEST],
    [*OF_ROWS, *FORM_OF_ROWS],
)
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
    names = [forgery.name for forgery in (*COPIES, *MANIFESTS, *ROWS)]
    assert len({*names}) == len(names)
    assert documented().keys() <= {*names}
    assert len(documented()) > 130


@pytest.mark.parametrize("name", [*WORLDS, *(f"{name}-plain" for name in WORLDS), *FURTHER])
def test_a_release_that_nobody_changed_is_right(releases: dict[str, Path], name: str) -> None:
    report = verify(releases[name], files_only=True)
    assert report.right, faults(releases[name])


@pytest.mark.parametrize("forgery", COPIES, ids=lambda forgery: forgery.name)
def test_what_follows_from_rows_cannot_be_forged(releases: dict[str, Path], tmp_path: Path, forgery: Forgery) -> None:
    forged = Forged(shutil.copytree(releases[forgery.of], tmp_path / "copy"))
    forgery.change(forged)
    if forgery.noticed != "is missing":
        forged.hash_again()
    found = faults(forged.at)
    assert_noticed(forgery, found)


@pytest.mark.parametrize("forgery", MANIFESTS, ids=lambda forgery: forgery.name)
def test_the_manifest_cannot_be_forged(releases: dict[str, Path], tmp_path: Path, forgery: Forgery) -> None:
    forged = Forged(shutil.copytree(releases[forgery.of], tmp_path / "copy"))
    forgery.change(forged)
    found = faults(forged.at)
    assert_noticed(forgery, found)


@pytest.mark.parametrize("forgery", ROWS, ids=lambda forgery: forgery.name)
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


def test_parquet_of_another_library_is_compared_by_its_contents(releases: dict[str, Path], tmp_path: Path) -> None:
    forged = Forged(shutil.copytree(releases["pairs"], tmp_path / "copy"))
    for path in sorted(forged.at.rglob("*.parquet")):
        another_library(path.relative_to(forged.at).as_posix())(forged)
    forged.hash_again()
    report = verify(forged.at, files_only=True)
    assert report.right, faults(forged.at)
    assert any("Parquet files by another version of pyarrow" in words for words in report.unchecked)


@pytest.mark.parametrize("version", ["0.1.9", "99", "0.2.0x"])
def test_a_version_that_never_was_lowers_no_check(releases: dict[str, Path], tmp_path: Path, version: str) -> None:
    forged = Forged(shutil.copytree(releases["pairs"], tmp_path / "copy"))
    forged.tell(lambda manifest: manifest["software"].update(version=version))
    forged.replace("README.md", f"Mufakat {RELEASE}", f"Mufakat {version}")
    forged.hash_again()
    with pytest.raises(UnreadableRelease, match="a version that this verifier does not know"):
        verify(forged.at, files_only=True)


def test_versions_before_are_those_of_the_changelog() -> None:
    text = (settings.BASE_DIR / "CHANGELOG.md").read_text(encoding="utf-8")
    assert tuple(re.findall(r"^## (\d\S*)", text, re.MULTILINE)) == (RELEASE, *reversed(EARLIER))


def test_what_an_older_version_made_names_what_is_not_compared(releases: dict[str, Path], tmp_path: Path) -> None:
    forged = Forged(shutil.copytree(releases["pairs"], tmp_path / "copy"))
    forged.tell(lambda manifest: manifest["software"].update(version="0.1.0"))
    unchecked = " ".join(verify(forged.at, files_only=True).unchecked)
    assert all(name in unchecked for name in ("code for lm-eval", "figures of the card", "leakage.json", "columns"))


def test_what_was_withdrawn_is_named_with_the_splits(releases: dict[str, Path], tmp_path: Path) -> None:
    """Withdrawn rows are in no file and had a say: with one of them nobody can deal again."""
    forged = Forged(shutil.copytree(releases["pairs-plain"], tmp_path / "copy"))

    def withdraw(manifest: dict[str, Any]) -> None:
        manifest["counts"]["left_out"]["withdrawn"] = 1
        manifest["left_out"]["withdrawn"] = ["0" * 20]
        manifest["counts"]["items"] += 1

    forged.tell(withdraw)
    forged.write_again()
    unchecked = verify(forged.at, files_only=True).unchecked
    assert any("splits from the rules, as 1 rows that are said to be withdrawn" in words for words in unchecked)


def test_a_hidden_folder_that_is_away_is_named(releases: dict[str, Path], tmp_path: Path) -> None:
    forged = Forged(shutil.copytree(releases["hidden"], tmp_path / "copy"))
    whole = verify(forged.at, files_only=True)
    assert any("counts of items" in check.what and check.done for check in whole.checks)
    shutil.rmtree(forged.at / "hidden")
    report = verify(forged.at, files_only=True)
    assert report.right, faults(forged.at)
    assert any(words.startswith("without hidden/votes.jsonl") for words in report.unchecked)
    assert not any(words.startswith("without hidden/votes.jsonl") for words in whole.unchecked)


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
