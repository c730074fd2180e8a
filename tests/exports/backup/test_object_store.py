"""A site whose files lie in an object store: import, release, download, backup, move; what is said when it fails."""

import json
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from django.core.files.base import ContentFile
from django.core.management import CommandError, call_command
from django.test import Client

from annotation.content.models.source import Premise
from annotation.core.errors import Unavailable
from annotation.files import LocalFiles, scratch, storage, storage_at
from annotation.jobs import queue as jobs
from annotation.jobs.models import Import, Job
from exports.backup import FOLDERS, full_backup
from exports.releases.models import Release
from tests import binaries, factory
from tests.api import assert_refused, script
from tests.exports.world import Staged, build, freeze, staged
from validation.imports.actions import import_keep, import_start

PREMISE = {"premise_id": "p1", "premise": "Pedagang menjual mangga di pasar pagi."}


@pytest.fixture
def on_objects(transactional_db: None, s3_url: str, tmp_path: Path, settings: Any) -> str:
    """STORAGE_URL of the site."""
    settings.MUFAKAT_DATA_DIR, settings.REDIS_URL = tmp_path / "data", ""
    settings.MUFAKAT_STORAGE_URL = s3_url
    return s3_url


@pytest.fixture
def made(on_objects: str) -> Staged:
    return staged()


def no_local_file(folder: Path) -> bool:
    return not any(path.is_file() for path in folder.rglob("*"))


def keep(project: Any) -> Import:
    return import_keep(project=project, by=None, name="x.jsonl", chunks=[json.dumps(PREMISE).encode()])


def test_an_import_waits_in_the_store_and_goes_when_it_is_taken_in(on_objects: str, tmp_path: Path) -> None:
    taken = keep(factory.project())
    assert list(storage().list_names("imports")) == [f"imports/{taken.path}"]
    assert no_local_file(tmp_path)
    job = jobs.run_here(import_start(taken=taken, by=None))
    assert (job.state, job.result["accepted"]) == (Job.State.DONE, 1)
    assert list(storage().list_names("imports")) == []
    assert no_local_file(tmp_path)


def test_a_store_that_fails_keeps_what_is_known_and_says_so(
    on_objects: str, settings: Any, tmp_path: Path, client: Client
) -> None:
    """Nothing half: no import without its file, no row lost from one that waits; it goes on when the store is back."""
    project = factory.project()
    taken = keep(project)
    job = import_start(taken=taken, by=None)
    settings.MUFAKAT_STORAGE_URL = "s3://gone?endpoint=http://127.0.0.1:1&region=us-east-1"
    with pytest.raises(Unavailable, match="could not be kept: the object store does not answer"):
        keep(project)
    boss = factory.user(administrator=True)
    client.force_login(boss)
    page = client.post(f"/p/{project.slug}/import/", {"file": ContentFile(json.dumps(PREMISE), "x.jsonl")})
    assert (page.status_code, "the object store does not answer" in page.content.decode()) == (422, True)
    by_script, file = script(boss), ContentFile(json.dumps(PREMISE), "x.jsonl")
    token = {"Authorization": f"Bearer {by_script.text}"}
    sent = by_script.client.post(f"/api/v1/projects/{project.slug}/imports", {"file": file}, headers=token)
    assert_refused(sent, 503, "file_not_kept")
    assert Import.objects.count() == 1
    for _ in range(2 * jobs.MOST_ATTEMPTS):  # however long it is away
        jobs.run(job.pk)
        waits = Job.objects.get(pk=job.pk)
        assert (waits.state, "does not answer" in waits.error) == (Job.State.QUEUED, True)
        Job.objects.filter(pk=job.pk).update(not_before=None)
    assert Premise.objects.count() == 0
    settings.MUFAKAT_STORAGE_URL = on_objects
    again = jobs.run_here(waits)
    assert (again.state, again.result["accepted"]) == (Job.State.DONE, 1)


def test_a_release_is_stored_and_downloaded_by_a_signed_address(made: Staged, tmp_path: Path) -> None:
    release = build(freeze(made))
    assert no_local_file(tmp_path)
    name = "test.jsonl"
    boss = Client()
    boss.force_login(factory.user(administrator=True))
    address = f"/p/{made.project.slug}/releases/{release.n}/files/{name}"
    answer = boss.get(address)
    assert (answer.status_code, answer["Cache-Control"]) == (302, "no-store")
    with urlopen(answer["Location"]) as body:  # noqa: S310 - the server of this test
        data = body.read()
    assert data.count(b"\n") == release.manifest["files"][name]["rows"]
    assert boss.get(f"/p/{made.project.slug}/releases/{release.n}/").status_code == 200
    out = tmp_path / "out"
    call_command("build_release", made.project.slug, "--out", str(out), "--no-licence", "--allow-shared")
    assert (out / "manifest.json").is_file()
    call_command("check_integrity", made.project.slug)


def test_the_same_bytes_as_on_a_disk(made: Staged, settings: Any, tmp_path: Path) -> None:
    there = build(freeze(made))
    settings.MUFAKAT_STORAGE_URL = ""
    here = build(freeze(made))
    assert there.manifest["files"] == {**here.manifest["files"], **_changes(there, here)}


def _changes(there: Release, here: Release) -> dict[str, Any]:
    """What names the release before it differs, as always; nothing else may."""
    names = {"README.md", "changes.json", "CHANGES.md"} & set(there.manifest["files"])
    return {name: there.manifest["files"][name] for name in names}


def test_a_backup_holds_the_stores_files_and_brings_them_back(
    made: Staged,
    settings: Any,
    tmp_path: Path,
    s3_url: str,
    monkeypatch: pytest.MonkeyPatch,
    process_env: Any,
) -> None:
    settings.PG_BINDIR = str(binaries.postgres_bindir())
    monkeypatch.setenv("PG_BINDIR", settings.PG_BINDIR)
    monkeypatch.setenv("DATABASE_URL", process_env["DATABASE_URL"])
    release = build(freeze(made))
    call_command("backup", str(tmp_path / "whole.tar"))
    call_command("check_backup", str(tmp_path / "whole.tar"))
    assert storage().exists(f"{release.path}/manifest.json")


def test_unpacked_files_are_put_back_into_the_store(on_objects: str, tmp_path: Path) -> None:
    names = ["imports/waiting", "releases/one-1/nli/train.jsonl"]
    for name in names:
        (tmp_path / "unpacked" / name).parent.mkdir(parents=True)
        (tmp_path / "unpacked" / name).write_bytes(name.encode())
    full_backup._store_files(tmp_path / "unpacked")
    assert [name for folder in FOLDERS for name in storage().list_names(folder)] == names
    assert b"".join(storage().read(names[1])) == names[1].encode()


def test_files_move_to_a_folder_and_back(
    made: Staged, on_objects: str, tmp_path: Path, capsys: Any, settings: Any
) -> None:
    release = build(freeze(made))
    names = list(storage().list_names("releases"))
    call_command("move_files", str(tmp_path / "moved"))
    moved = LocalFiles(tmp_path / "moved")
    assert sorted(moved.list_names("releases")) == sorted(names)
    assert f"{len(names)} files copied" in capsys.readouterr().out
    (tmp_path / "moved" / release.path / "manifest.json").write_bytes(b"{}")
    call_command("move_files", str(tmp_path / "moved"))
    assert "1 files copied (" in capsys.readouterr().out
    with pytest.raises(CommandError, match=r"Broke off after 0 files: the object store does not answer"):
        call_command("move_files", "s3://gone?endpoint=http://127.0.0.1:1&region=us-east-1")
    with pytest.raises(CommandError, match="names no bucket"):
        call_command("move_files", "s3://")
    assert list(scratch().glob("moving*")) == []
    settings.MUFAKAT_STORAGE_URL, settings.MUFAKAT_DATA_DIR = "", tmp_path / "moved"
    elsewhere = on_objects.replace("/site?", "/other?")
    call_command("move_files", elsewhere)
    assert sorted(storage_at(elsewhere).list_names("releases")) == sorted(names)
    card = f"{release.path}/README.md"
    assert storage_at(elsewhere).sha256(card) == storage_at(on_objects).sha256(card)
