"""Releases while other things happen: votes, kills, a second exporter, a full disk (reliability F18–F20, I10)."""

import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError
from django.db import connection

from annotation.content.models.item import Item
from annotation.files import LocalFiles, storage
from annotation.jobs import queue as jobs
from annotation.jobs.models import Job
from exports.management.commands import build_release
from exports.releases import build as building
from exports.releases.models import Release
from exports.releases.rules.splits import GoldGroups
from tests import factory, review, services
from tests.exports.world import (
    Staged,
    build,
    contents,
    files,
    freeze,
    manifest,
    released_pair_id,
    rows,
    staged,
)
from tests.faults import site
from validation.voting.models.vote import Vote

pytestmark = pytest.mark.django_db(transaction=True)

# Exports, and is killed by itself once the files hold so many bytes.
KILLED = """
import os, signal, sys
import django
django.setup()
from annotation.jobs import queue as jobs
from annotation.models import Job
from exports.formats import writers as base
written = 0
append = base.Sink.append
def append_and_die(sink, data, rows):
    global written
    written += len(data)
    if written > int(sys.argv[2]):
        sink._file.write(data[: len(data) // 2])
        os.kill(os.getpid(), signal.SIGKILL)
    append(sink, data, rows)
base.Sink.append = append_and_die
jobs.run(int(sys.argv[1]))
"""


def lease_passes(release: Release) -> None:
    """As if the lease's time were over, without waiting for it."""
    Job.objects.filter(release_of=release).update(lease_until="2020-01-01T00:00Z")


@pytest.fixture
def made() -> Staged:
    return staged()


@pytest.fixture
def environment(process_env: dict[str, str], data_dir: Path) -> dict[str, str]:
    """For a process beside this one, on the same database and folder, without the broker."""
    return {**process_env, "DATA_DIR": str(data_dir), "REDIS_URL": ""}


def test_what_is_frozen_while_votes_arrive_is_one_moment(wait_until: Any) -> None:
    """Each row's number of votes and its verdict agree with the votes that the release holds (F20)."""
    at = review.world(4)
    project, enough = review.World(**vars(at)), threading.Event()
    releases: list[Release] = []

    def vote_on_all() -> None:
        try:
            for number, item in enumerate(at.items):
                if number % 5 == 4:  # so that several are frozen in between, however fast votes come
                    wait_until(lambda enough=number // 5: len(releases) > enough)
                review.cast_votes(at, item, {"e": "ee", "n": "ncc", "c": "cc"}[item.author_label])
        finally:
            enough.set()
            connection.close()

    settled = Item.objects.filter(project=at.project, stage="settled")  # a release holds at least one
    thread = threading.Thread(target=vote_on_all)
    thread.start()
    while not enough.is_set():
        wait_until(lambda: enough.is_set() or (Vote.objects.count() > 3 * len(releases) and settled.exists()))
        releases.append(freeze(project, "indonli-expert"))
    thread.join()
    assert len(releases) > 3
    for release in releases:
        built = build(release)
        frozen = {released_pair_id(row.item): row.votes_n for row in built.rows.select_related("item__project")}
        votes = rows(built, "votes")
        assert {key: n for key, n in frozen.items() if n} == {
            key: sum(row["pair_id"] == key for row in votes) for key in {row["pair_id"] for row in votes}
        }
        for row in rows(built, "test"):
            assert len(row["annotator_labels"]) == 1 + frozen[row["pair_id"]]
    assert built.counts["votes"]["given"] == Vote.objects.count()


@pytest.mark.parametrize("after_bytes", [0, 900, 4000])
def test_a_killed_exporter_leaves_no_release_and_is_done_again(
    made: Staged, environment: dict[str, str], data_dir: Path, after_bytes: int
) -> None:
    """F19: killed in the middle of a write; the next attempt starts from scratch, to the same bytes."""
    release = freeze(made)
    command = [sys.executable, "-c", KILLED, str(release.job_id), str(after_bytes)]
    dead = subprocess.run(command, env=environment, cwd=services.ROOT, capture_output=True, check=False)
    assert dead.returncode == -signal.SIGKILL, dead.stderr.decode()
    release.refresh_from_db()
    assert release.state == Release.State.FROZEN
    assert not (data_dir / "releases").exists()
    assert len(list((data_dir / "scratch" / "releases").iterdir())) == 1
    lease_passes(release)
    again = files(build(release))
    assert [path.name for path in (data_dir / "releases").iterdir()] == [f"{made.project.slug}-1"]
    assert list((data_dir / "scratch" / "releases").iterdir()) == []
    assert again == files(build(freeze(made)))


def test_a_build_that_dies_between_storing_and_commit_is_done_again(
    made: Staged, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The files are stored and the release is not ready: nobody is shown it, and it is replaced."""
    release = freeze(made)
    put_folder = LocalFiles.put_folder

    def store_and_die(self: LocalFiles, *given: Any) -> None:
        put_folder(self, *given)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(LocalFiles, "put_folder", store_and_die)
        with pytest.raises(KeyboardInterrupt):
            jobs.run(release.job_id or 0)
    release.refresh_from_db()
    assert release.state == Release.State.FROZEN
    lease_passes(release)
    assert files(build(release)) == files(build(freeze(made)))


@pytest.mark.django_db
def test_a_build_that_always_dies_when_all_is_read_is_given_up(made: Staged, monkeypatch: pytest.MonkeyPatch) -> None:
    """However far it had come then: an attempt that comes no farther than those before it is one in vain."""

    def dies(*_: object) -> None:
        raise RuntimeError("killed")

    monkeypatch.setattr(building, "TICK_SECONDS", 0)
    monkeypatch.setattr(GoldGroups, "deal", dies)
    job = freeze(made).job
    assert job is not None
    for _ in range(3 * jobs.MOST_ATTEMPTS):
        Job.objects.update(not_before=None)  # an attempt that failed waits for the next
        job = jobs.run_here(job)
    assert job.farthest == len(made.items)
    assert (job.state, job.attempts) == (Job.State.FAILED, 1 + jobs.MOST_ATTEMPTS)


def test_two_exporters_one_release(made: Staged, monkeypatch: pytest.MonkeyPatch, data_dir: Path) -> None:
    """The first one loses its lease just before it publishes: the second one's release stays, whole."""
    release = freeze(made)
    write = building.write_release

    def taken_over(*parts: Any, **more: Any) -> Any:
        monkeypatch.setattr(building, "write_release", write)
        done = write(*parts, **more)
        lease_passes(release)
        jobs.run(release.job_id or 0)
        return done

    monkeypatch.setattr(building, "write_release", taken_over)
    jobs.run(release.job_id or 0)
    job = Job.objects.get(release_of=release)
    release.refresh_from_db()
    assert (job.state, job.attempts, release.state) == (Job.State.DONE, 2, Release.State.READY)
    assert [path.name for path in (data_dir / "releases").iterdir()] == [f"{made.project.slug}-1"]
    assert list((data_dir / "scratch" / "releases").iterdir()) == []
    assert files(release) == files(build(freeze(made)))


def test_a_full_disk_fails_the_job_and_leaves_nothing(
    made: Staged, environment: dict[str, str], data_dir: Path, tmp_path: Path
) -> None:
    """F18: files may not grow beyond 2,000 bytes, as on a disk that is full."""
    out = tmp_path / "out"
    command = [
        sys.executable,
        "manage.py",
        "build_release",
        made.project.slug,
        "--out",
        str(out),
        "--no-licence",
        "--allow-shared",
    ]
    done = subprocess.run(
        command,
        # Python would cut what it keeps of a module at 2,000 bytes too, and everybody after it could not import that.
        env={**environment, "PYTHONDONTWRITEBYTECODE": "1"},
        cwd=services.ROOT,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000)),
    )
    assert done.returncode == 1, done.stderr
    assert "no room left on the disk" in done.stderr
    assert "Traceback" not in done.stderr
    assert not out.exists()
    assert not (data_dir / "releases").exists()
    assert list((data_dir / "scratch" / "releases").iterdir()) == []
    release = Release.objects.get()
    assert release.job is not None
    assert (release.state, release.job.state) == (Release.State.FAILED, Job.State.FAILED)


@pytest.mark.timeout(600)  # it may be the first to ask for both databases
def test_a_full_disk_under_the_database_is_said_in_one_line(tmp_path: Path, migrated_sqlite: Path) -> None:
    """F18: database and releases on one disk, as on one machine: not even that it failed can be written down."""
    shutil.copy(migrated_sqlite, tmp_path / "a.sqlite3")
    env = site.environment(f"sqlite:///{tmp_path / 'a.sqlite3'}", "", tmp_path / "data", "embedded")
    slug = site.fill(env, people=2, pairs=6)["slug"]
    settled = "from annotation.models import Item; Item.objects.update(stage='settled', gold='n', gold_from='votes')"
    subprocess.run([sys.executable, "manage.py", "shell", "-c", settled], env=env, cwd=services.ROOT, check=True)
    command = [
        sys.executable,
        "manage.py",
        "build_release",
        slug,
        "--out",
        str(tmp_path / "out"),
        "--no-licence",
    ]
    done = subprocess.run(
        command,
        env={**env, "PYTHONDONTWRITEBYTECODE": "1"},
        cwd=services.ROOT,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (40_960, 40_960)),
    )
    assert (done.returncode, "Traceback" in done.stderr) == (1, False), done.stderr
    assert done.stderr.splitlines()[-1].startswith("CommandError: No release was built. The database says: ")
    assert not (tmp_path / "out").exists()


def test_what_could_not_be_copied_is_said(made: Staged, tmp_path: Path) -> None:
    release = build(freeze(made))
    storage().delete(f"{release.path}/manifest.json")
    out = tmp_path / "elsewhere" / "out"
    out.parent.mkdir()
    with pytest.raises(CommandError, match=r"out: .*No such file") as refused:
        build_release._copy(release, out)
    assert refused.value.returncode == 2
    assert list(out.parent.iterdir()) == []


def test_a_folder_that_cannot_be_written(made: Staged, data_dir: Path) -> None:
    data_dir.write_text("a file where a folder should be")
    release = freeze(made)
    assert release.job is not None
    assert "could not be written" in jobs.run_here(release.job).error


def test_the_worker_builds_it(
    made: Staged, worker: services.Process, wait_until: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rung after commit, done by the real worker in its own folder."""
    release = freeze(made)
    wait_until(lambda: Release.objects.get(pk=release.pk).state == Release.State.READY, 60)
    release.refresh_from_db()
    assert release.counts["items"] == len(made.items)


# --- the same bytes on another database ----------------------------------------------------

SAME_STATE = """
from annotation.models import Item, Premise, Project
from tests import review
from tests.exports.world import staged
other = staged(slug="other")
made = staged(slug="same", settings={"paragraph_name": "multiple"})
Project.objects.update(secret="2b" * 32)
extra = {"topics": {"b": [{"z": 1, "a": 2.5}], "aa": "é\\u2028"}, "genre": "berita", "licence": "CC-BY"}
Premise.objects.update(extra=extra, sentence_class="paragraph")
for name in ("2-n1", "3-n2", "3-c1"):
    item = made.items[name]
    review.cast_votes(made.at, item, item.author_label * 2)
"""


@pytest.mark.timeout(600)  # it may be the first to ask for both databases
def test_sqlite_and_postgresql_give_the_same_bytes(
    environment: dict[str, str], tmp_path: Path, transactional_db: None, migrated_sqlite: Path
) -> None:
    sqlite = {
        **environment,
        "DJANGO_SETTINGS_MODULE": "config.settings.embedded",
        "DATABASE_URL": f"sqlite:///{tmp_path / 'same.sqlite3'}",
        "SECRET_KEY": "only-for-this-test",
        "DATA_DIR": str(tmp_path / "embedded"),
    }
    shutil.copy(migrated_sqlite, tmp_path / "same.sqlite3")
    made: list[dict[str, bytes]] = []
    for name, env in (("sqlite", sqlite), ("postgresql", environment)):
        outs = [tmp_path / f"{name}-{rules}" for rules in ("indonli-lay", "indonli-expert")]
        built_from(
            env,
            SAME_STATE,
            f"same --set strict=yes --out {outs[0]} --rules indonli-lay --no-licence --allow-shared",
            f"same=lay other=expert --set hidden_test=yes --out {outs[1]} --rules indonli-expert --no-licence "
            "--allow-shared",
        )
        made += map(contents, outs)
    for one, other in zip(made[:2], made[2:], strict=True):
        assert sorted(one) == sorted(other)
        assert [name for name in one if one[name] != other[name]] == []
    assert made[1]["hidden/test_expert.jsonl"]
    row = json.loads(made[0]["dev.jsonl"].splitlines()[0])
    assert (row["sentence_size"], list(row["topics"])) == ("multiple", ["aa", "b"])


def built_from(env: dict[str, str], state: str, *told: str) -> None:
    """Run what makes a state on this database, and `build_release` for each line of arguments: all in one process,
    since each that starts takes as long as a small release."""
    builds = [f"call_command('build_release', *{line.split()!r})" for line in told]
    code = "\n".join((state, "from django.core.management import call_command", *builds))
    done = subprocess.run(
        [sys.executable, "manage.py", "shell", "-v0", "-c", code],
        env=env,
        cwd=services.ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_a_release_is_dealt_the_same_by_number_of_pages(made: Staged, monkeypatch: pytest.MonkeyPatch) -> None:
    """One row a page, or all at once."""
    whole = files(build(freeze(made, strict="yes")))
    monkeypatch.setattr("exports.releases.sql.PAGE", 1)
    assert files(build(freeze(made, strict="yes"))) == whole


def test_queries_do_not_grow_with_the_rows_of_a_page(made: Staged, django_assert_max_num_queries: Any) -> None:
    """2,000 rows are a page: a release of 18 items takes as many statements as one of 2,000."""
    release = freeze(made)
    with django_assert_max_num_queries(50):
        build(release)
    assert Item.objects.count() == len(made.items)
    assert manifest(release)["counts"]["items"] == len(made.items)


def test_a_member_of_the_project_has_the_same_name_everywhere(made: Staged) -> None:
    """Pseudonyms only: no e-mail address, no account name in any file."""
    written = b"".join(files(build(freeze(made, comments="yes"))).values()).decode()
    assert re.findall(r"\S@\S+", written) == []
    assert factory.PASSWORD not in written
    assert os.sep + "data" not in written
