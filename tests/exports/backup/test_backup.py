"""Backup and restore: what comes out is what went in, whoever wrote the file, and whatever happened meanwhile."""

import hashlib
import io
import os
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tarfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import orjson
import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from annotation.core.models.user import User
from annotation.jobs.models import Heartbeat
from exports.backup import FOLDERS, engines, full_backup
from exports.backup.archive import Reader
from exports.backup.engines import BackupFailed, Postgres, engine
from exports.backup.rules import ArchiveRefused
from exports.management.commands.check_backup import _scratch_database
from tests import binaries, factory, services
from tests.faults import site

EMPTY_SHA = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


@pytest.fixture
def data(tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch, process_env: dict[str, str]) -> Path:
    """A data folder of its own, and the programs of the PostgreSQL that the suite runs on."""
    folder = tmp_path / "data"
    (folder / "releases" / "one-1").mkdir(parents=True)
    (folder / "releases" / "one-1" / "train.jsonl").write_bytes(b'{"a": 1}\n')
    (folder / "releases" / ".one-2.abc.part").mkdir()
    (folder / "releases" / ".one-2.abc.part" / "half").write_bytes(b"half")
    (folder / "imports").mkdir()
    (folder / "imports" / "waiting").write_bytes(b"waiting")
    (folder / "imports" / "link").symlink_to("/etc/passwd")
    settings.MUFAKAT_DATA_DIR = folder
    if "TEST_DATABASE_URL" not in os.environ:
        settings.PG_BINDIR = str(binaries.postgres_bindir())
        monkeypatch.setenv("PG_BINDIR", settings.PG_BINDIR)
    monkeypatch.setenv("DATABASE_URL", process_env["DATABASE_URL"])
    return folder


def scratch_databases() -> set[str]:
    """Those that stand on the server: what a killed run left there on a server that is kept is no matter."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT datname FROM pg_database WHERE datname LIKE 'mufakat_check_%'")
        return {name for (name,) in cursor.fetchall()}


def some_work() -> None:
    project = factory.project()
    factory.written_pairs(project, factory.member(project, "writer"), 1)


@pytest.mark.django_db(transaction=True)
def test_a_backup_of_postgresql_is_restored_compared_and_checked(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    some_work()
    file, before = tmp_path / "whole.tar", scratch_databases()
    call_command("backup", str(file))
    assert file.stat().st_mode & 0o777 == 0o600
    some_work()  # what comes later is not in it, and does no harm
    call_command("check_backup", str(file))
    assert "A good backup" in capsys.readouterr().out
    reader = Reader(file, FOLDERS)
    reader.close()
    assert set(reader.manifest["files"]) == {
        "database",
        "data/releases/one-1/train.jsonl",
        "data/imports/waiting",
    }
    assert reader.manifest["tables"]["annotation_item"]["rows"] == 6
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data", "whole.tar"]
    assert scratch_databases() == before


@pytest.mark.django_db(transaction=True)
def test_a_scratch_database_goes_though_somebody_is_still_in_it(data: Path, tmp_path: Path) -> None:
    """Who restored into it is gone before the server has noticed: it would refuse, and the database would stay."""
    before = scratch_databases()
    with _scratch_database(None, tmp_path) as url:
        left = psycopg.connect(url)
        assert len(scratch_databases() - before) == 1
    left.close()
    assert scratch_databases() == before


@pytest.mark.django_db(transaction=True)
def test_nothing_is_put_over_what_is_there(data: Path, tmp_path: Path) -> None:
    factory.user()
    file = tmp_path / "whole.tar"
    call_command("backup", str(file))
    before = file.read_bytes()
    with pytest.raises(CommandError, match="is there already"):
        call_command("backup", str(file))
    assert file.read_bytes() == before
    with pytest.raises(CommandError, match="imports is not empty"):
        call_command("restore", str(file))
    for path in sorted(data.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()
    with pytest.raises(CommandError, match="database is not empty") as refused:
        call_command("restore", str(file))
    assert refused.value.returncode == 2
    assert list(data.iterdir()) == []
    assert User.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_a_backup_that_fails_leaves_nothing(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another version's pg_dump, one that fails, and no room: exit 1, and no file that looks like a backup."""
    file = tmp_path / "whole.tar"
    monkeypatch.setattr(Postgres, "server", lambda _: "99.1")
    with pytest.raises(CommandError, match="no pg_dump of PostgreSQL 99"):
        call_command("backup", str(file))
    monkeypatch.undo()
    monkeypatch.setattr(Postgres, "_program", lambda *_: Path("/bin/false"))
    with pytest.raises(CommandError, match="false ended with 1"):
        call_command("backup", str(file))
    with pytest.raises(CommandError, match="No such file"):
        call_command("backup", str(tmp_path / "nowhere" / "whole.tar"))
    assert [path.name for path in tmp_path.iterdir()] == ["data"]


@pytest.mark.django_db(transaction=True)
def test_fingerprints_see_what_counts_does_not() -> None:
    Heartbeat.objects.create(name="one")
    Heartbeat.objects.create(name="two")
    before = engine().tables()["annotation_heartbeat"]
    assert before["rows"] == 2
    assert engine().tables()["annotation_heartbeat"] == before
    Heartbeat.objects.filter(name="one").update(at="2026-01-01T00:00:00Z")
    after = engine().tables()["annotation_heartbeat"]
    assert (after["rows"], after["sha256"] == before["sha256"]) == (2, False)


@pytest.mark.timeout(600)  # it may be the first to ask for both databases
def test_a_backup_of_sqlite_taken_while_somebody_writes(tmp_path: Path, migrated_sqlite: Path) -> None:
    """F37, F40: what is only in the WAL is in it; it is restored elsewhere, by a process that knows nothing of here."""
    source, target, file = tmp_path / "a.sqlite3", tmp_path / "b" / "b.sqlite3", tmp_path / "whole.tar"
    target.parent.mkdir()
    env = site.environment(f"sqlite:///{source}", "", tmp_path, "embedded")
    shutil.copy(migrated_sqlite, source)
    site.fill(env, people=2, pairs=12)
    with closing(sqlite3.connect(source, isolation_level=None)) as writer:
        writer.execute("INSERT INTO annotation_heartbeat VALUES ('only-in-the-wal', '2026-01-01 00:00:00')")
        assert b"only-in-the-wal" not in source.read_bytes()
        writer.execute("BEGIN IMMEDIATE")
        writer.execute("INSERT INTO annotation_heartbeat VALUES ('not-committed', '2026-01-01 00:00:00')")
        running = services.Process([sys.executable, "manage.py", "backup", str(file)], tmp_path / "log", env=env)
        running.wait_for(file.exists)  # that it is made is stored afterwards, as soon as the other one has ended
        writer.execute("ROLLBACK")
        assert running.child.wait(60) == 0, running.tail()
    there = {**env, "DATABASE_URL": f"sqlite:///{target}", "DATA_DIR": str(target.parent)}
    said = site.manage(there, "restore", str(file)).stdout
    assert "Every table has the rows" in said
    assert "check_integrity found nothing" in said
    # When they were last backed up, and last checked, each of the two has of its own.
    tables, restored_tables = engines.sqlite_tables(str(source)), engines.sqlite_tables(str(target))
    assert tables.pop("annotation_heartbeat") != restored_tables.pop("annotation_heartbeat")
    assert restored_tables == tables
    with closing(sqlite3.connect(target)) as restored:
        names = {name for (name,) in restored.execute("SELECT name FROM annotation_heartbeat")}
    assert "only-in-the-wal" in names
    assert "not-committed" not in names
    again = site.manage(there, "restore", str(file), check=False)
    assert (again.returncode, "Traceback" in again.stderr) == (2, False)


# --- no room, and killed in the middle ------------------------------------------------


@pytest.fixture
def embedded(tmp_path: Path, migrated_sqlite: Path) -> dict[str, str]:
    """The environment of a site on SQLite, whose database is `a.sqlite3`; backups go to `b/`."""
    shutil.copy(migrated_sqlite, tmp_path / "a.sqlite3")
    (tmp_path / "b").mkdir()
    return site.environment(f"sqlite:///{tmp_path / 'a.sqlite3'}", "", tmp_path / "data", "embedded")


@pytest.mark.timeout(600)  # it may be the first to ask for both databases
@pytest.mark.parametrize("beyond", [-4096, 1024])
def test_a_full_disk_ends_a_backup_in_one_line(embedded: dict[str, str], tmp_path: Path, beyond: int) -> None:
    """F18: no file may grow beyond so much more than the database: neither its copy is whole, or the archive is not."""
    with closing(sqlite3.connect(tmp_path / "a.sqlite3")) as opened:
        opened.execute("VACUUM")
    most = (tmp_path / "a.sqlite3").stat().st_size + beyond
    done = subprocess.run(
        [sys.executable, "manage.py", "backup", str(tmp_path / "b" / "whole.tar")],
        cwd=services.ROOT,
        env={**embedded, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most)),
    )
    assert (done.returncode, "Traceback" in done.stderr) == (1, False), done.stderr
    said = done.stderr.splitlines()[-1].removeprefix("CommandError: No backup was made. ")
    assert said.startswith("The database says: " if beyond < 0 else f"{tmp_path}/b/whole.tar: File too large")
    assert list((tmp_path / "b").iterdir()) == []


STANDING = """
import os, sys, time
import django; django.setup()
from exports.backup import archive
from exports.management.commands.backup import Command
add = archive.Writer.add
def stand(self, name, path):
    add(self, name, path)
    print("here", flush=True)
    time.sleep(600)
archive.Writer.add = stand
Command().run_from_argv(["manage.py", "backup", sys.argv[1]])
"""


def standing_backup(env: dict[str, str], file: Path) -> subprocess.Popen[str]:
    """A backup in its middle: its archive lies there, not whole."""
    command = [sys.executable, "-c", STANDING, str(file)]
    made = subprocess.Popen(command, cwd=services.ROOT, env=env, stdout=subprocess.PIPE, text=True)
    assert made.stdout is not None
    assert made.stdout.readline() == "here\n"
    return made


@pytest.mark.timeout(600)  # it may be the first to ask for both databases
def test_a_backup_that_is_told_to_end_takes_everything_away(embedded: dict[str, str], tmp_path: Path) -> None:
    with standing_backup(embedded, tmp_path / "b" / "whole.tar") as backup:
        assert len(list((tmp_path / "b").iterdir())) == 1
        backup.terminate()
        assert backup.wait(60) == 128 + signal.SIGTERM
    assert list((tmp_path / "b").iterdir()) == []


@pytest.mark.timeout(600)  # it may be the first to ask for both databases
def test_the_next_backup_removes_what_a_killed_one_left(embedded: dict[str, str], tmp_path: Path) -> None:
    """And nothing of one that is still being made."""
    with (
        standing_backup(embedded, tmp_path / "b" / "first.tar") as killed,
        standing_backup(embedded, tmp_path / "b" / "second.tar") as other,
    ):
        killed.kill()
        killed.wait(60)
        assert len(list((tmp_path / "b").iterdir())) == 2
        site.manage(embedded, "backup", str(tmp_path / "b" / "third.tar"))
        left = sorted(path.name for path in (tmp_path / "b").iterdir())
        assert (len(left), left[0][:8], left[1]) == (2, ".backup-", "third.tar")
        other.terminate()
        assert other.wait(60) == 128 + signal.SIGTERM
    assert [path.name for path in (tmp_path / "b").iterdir()] == ["third.tar"]


# --- archives that somebody else wrote -----------------------------------------------


def entry(name: str, data: bytes = b"", **values: Any) -> tuple[tarfile.TarInfo, bytes]:
    info = tarfile.TarInfo(name)
    info.size = len(data)
    for key, value in values.items():
        setattr(info, key, value)
    return info, data


def manifest(**values: Any) -> tuple[tarfile.TarInfo, bytes]:
    whole_one = {
        "format": 1,
        "engine": "sqlite",
        "tables": {},
        "migrations": {},
        "files": {"database": {"bytes": 0, "sha256": EMPTY_SHA}},
        **values,
    }
    return entry("manifest.json", orjson.dumps(whole_one))


def with_file(name: str) -> dict[str, Any]:
    facts = {"bytes": 0, "sha256": EMPTY_SHA}
    return {"files": {"database": facts, name: facts}}


DATABASE = entry("database")
HOSTILE: dict[str, list[tuple[tarfile.TarInfo, bytes]]] = {
    "nothing": [],
    "no manifest": [DATABASE],
    "no database": [manifest()],
    "absolute": [DATABASE, entry("/etc/cron.d/x"), manifest(**with_file("/etc/cron.d/x"))],
    "upwards": [DATABASE, entry("data/releases/../../x"), manifest(**with_file("data/releases/../../x"))],
    "beside": [DATABASE, entry("data/releases-x/a"), manifest(**with_file("data/releases-x/a"))],
    "another folder": [DATABASE, entry("data/secret_key"), manifest(**with_file("data/secret_key"))],
    "backslash": [DATABASE, entry("data/imports/..\\x"), manifest(**with_file("data/imports/..\\x"))],
    "symbolic link": [
        DATABASE,
        entry("data/releases/a", type=tarfile.SYMTYPE, linkname="/etc"),
        manifest(**with_file("data/releases/a")),
    ],
    "hard link": [DATABASE, entry("data/releases/a", type=tarfile.LNKTYPE, linkname="database"), manifest()],
    "device": [DATABASE, entry("data/releases/a", type=tarfile.CHRTYPE), manifest()],
    "folder": [DATABASE, entry("data/releases", type=tarfile.DIRTYPE), manifest()],
    "twice": [DATABASE, DATABASE, manifest()],
    "not in the manifest": [DATABASE, entry("data/imports/more"), manifest()],
    "another size": [entry("database", b"x"), manifest()],
    "no list of files": [DATABASE, manifest(files=[])],
    "wrong types": [DATABASE, manifest(files={"database": {"bytes": True, "sha256": 1}})],
    "another format": [DATABASE, manifest(format=2)],
    "no JSON": [DATABASE, entry("manifest.json", b"{")],
}


Write = Callable[[list[tuple[tarfile.TarInfo, bytes]]], Path]


@pytest.fixture
def written(tmp_path: Path) -> Write:
    def write(entries: list[tuple[tarfile.TarInfo, bytes]]) -> Path:
        path = tmp_path / "hostile.tar"
        with tarfile.open(path, "w") as tar:
            for info, data in entries:
                tar.addfile(info, io.BytesIO(data))
        return path

    return write


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_archive_is_refused_before_anything_is_unpacked(name: str, written: Write) -> None:
    with pytest.raises(ArchiveRefused):
        Reader(written(HOSTILE[name]), FOLDERS)


def test_the_archive_of_these_tests_would_pass(written: Write, tmp_path: Path) -> None:
    """What the cases above have in common is not what they are refused for."""
    reader = Reader(written([DATABASE, entry("data/imports/a"), manifest(**with_file("data/imports/a"))]), FOLDERS)
    (tmp_path / "into").mkdir()
    reader.unpack(tmp_path / "into")
    reader.close()
    assert (tmp_path / "into" / "data" / "imports" / "a").is_file()


def test_altered_torn_and_packed_files_are_refused(written: Write, tmp_path: Path) -> None:
    facts = {"bytes": 4, "sha256": EMPTY_SHA}
    path = written([entry("database", b"abcd"), manifest(files={"database": facts})])
    reader = Reader(path, FOLDERS)
    (tmp_path / "into").mkdir()
    with pytest.raises(ArchiveRefused, match="not what the manifest says"):
        reader.unpack(tmp_path / "into")
    reader.close()
    path.write_bytes(path.read_bytes()[:700])
    with pytest.raises(ArchiveRefused):
        Reader(path, FOLDERS)
    with tarfile.open(tmp_path / "packed.tar.gz", "w:gz") as tar:
        tar.addfile(DATABASE[0], io.BytesIO(DATABASE[1]))
    (tmp_path / "rubbish.tar").write_bytes(b"rubbish" * 1000)
    for name in ("packed.tar.gz", "rubbish.tar"):
        with pytest.raises(ArchiveRefused, match=r"not a tar archive as `manage\.py backup` writes it\. Unpack it if"):
            Reader(tmp_path / name, FOLDERS)


def test_a_database_with_a_trigger_is_refused(tmp_path: Path) -> None:
    """A trigger acts for whoever wrote it, later, with our rights."""
    env = site.environment(f"sqlite:///{tmp_path / 'a.sqlite3'}", "", tmp_path / "data", "embedded")
    path = tmp_path / "trojan"
    with closing(sqlite3.connect(path)) as made:
        made.execute("CREATE TABLE t (a)")
        made.execute("CREATE TRIGGER g AFTER INSERT ON t BEGIN DELETE FROM t; END")
    facts = {"bytes": path.stat().st_size, "sha256": hashed(path)}
    with tarfile.open(tmp_path / "trojan.tar", "w") as tar:
        tar.add(path, "database")
        info, text = manifest(files={"database": facts})
        tar.addfile(info, io.BytesIO(text))
    done = site.manage(env, "restore", str(tmp_path / "trojan.tar"), check=False)
    assert done.returncode == 2
    assert "more than tables, indexes and our triggers" in done.stderr
    assert not any(path.is_file() for path in (tmp_path / "data").rglob("*"))


def hashed(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_a_backup_of_a_newer_version_is_refused(written: Write, tmp_path: Path, settings: Any) -> None:
    settings.MUFAKAT_DATA_DIR = tmp_path / "data"
    path = written([DATABASE, manifest(engine="postgresql", migrations={"annotation": ["9999_from_the_future"]})])
    with pytest.raises(BackupFailed, match=r"annotation\.9999_from_the_future"):
        full_backup.restore_backup(path, print)
    with pytest.raises(BackupFailed, match="the database here is"):
        full_backup.restore_backup(written([DATABASE, manifest()]), print)
