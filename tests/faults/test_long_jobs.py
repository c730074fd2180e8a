"""Imports and releases killed at random points (make test-faults): the same end state as without a kill."""

import json
import os
import random
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from annotation.content.models.item import Item
from annotation.core.models.project import Project
from annotation.jobs import queue as jobs
from annotation.jobs.models import Import, Job
from exports.releases.actions import release_freeze
from exports.releases.models import Release
from exports.releases.rules.settings import preset
from tests import factory, services
from tests.faults.conftest import expire_lease
from tests.faults.test_long_crashes import print_figures
from tests.wait import wait_until
from validation.imports.actions import import_keep, import_start
from validation.voting.actions.decide import decide_due
from validation.voting.models.vote import Vote

pytestmark = [pytest.mark.faults, pytest.mark.timeout(1800), pytest.mark.django_db(transaction=True)]
POINTS = 10
PAIRS = 12_000
COLUMNS = ("pair_id", "premise_id", "premise", "hypothesis", "author_label", "votes")
MAPPING = {name: name for name in COLUMNS}
RUN = "import sys, django; django.setup(); from annotation.jobs import queue as jobs; jobs.run(int(sys.argv[1]))"


@pytest.fixture
def data(tmp_path: Path, settings: Any) -> Path:
    settings.MUFAKAT_DATA_DIR = tmp_path
    return tmp_path


def killed_at(job: Job, share: float, env: dict[str, str]) -> int:
    """Run the job in a process, kill -9 it when it has come so far, and say how far it had come."""
    with subprocess.Popen([sys.executable, "-c", RUN, str(job.pk)], cwd=services.ROOT, env=env) as process:

        def so_far() -> bool:
            job.refresh_from_db()
            return bool(job.total and job.done >= share * job.total) or process.poll() is not None

        wait_until(so_far, 120, "the job to come so far")
        process.send_signal(signal.SIGKILL)
    job.refresh_from_db()
    return job.done


def killed_after(job: Job, seconds: float, env: dict[str, str]) -> int:
    """As `killed_at`, by time: a build is too quick to be watched."""
    with subprocess.Popen([sys.executable, "-c", RUN, str(job.pk)], cwd=services.ROOT, env=env) as process:

        def begun() -> bool:
            job.refresh_from_db()
            return bool(job.total) or process.poll() is not None

        wait_until(begun, 120, "the job to begin")
        with suppress(subprocess.TimeoutExpired):
            process.wait(seconds)
        process.send_signal(signal.SIGKILL)
    job.refresh_from_db()
    return job.done


def finished(job: Job, env: dict[str, str]) -> None:
    """The lease passes, and the next worker does the rest."""
    expire_lease(job)
    subprocess.run([sys.executable, "-c", RUN, str(job.pk)], cwd=services.ROOT, env=env, check=job.state != "done")
    job.refresh_from_db()
    assert (job.state, job.error) == ("done", "")


def pairs_file(folder: Path) -> Path:
    path = folder / "pairs.jsonl"
    with path.open("w") as file:
        for n in range(PAIRS):
            row = {
                "pair_id": f"k{n}",
                "premise_id": f"p{n // 2}",
                "premise": f"Pedagang nomor {n // 2} menjual mangga di pasar pagi.",
                "hypothesis": f"Ada mangga di pasar nomor {n}.",
                "author_label": "enc"[n % 3],
                "votes": ["e", "n"],
            }
            file.write(json.dumps(row) + "\n")
        file.write('{"pair_id": "refused"}\n')
    return path


def env_of(process_env: dict[str, str], data: Path) -> dict[str, str]:
    return {**os.environ, **process_env, "DATA_DIR": str(data)}


def test_imports_killed_at_random_points(data: Path, process_env: dict[str, str]) -> None:
    """F01, F33, I9: every row once, counts as without a kill, the refused row reported once."""
    env, path, chance, stood = env_of(process_env, data), pairs_file(data), random.Random("F01"), []
    for point in range(POINTS):
        project = factory.project(f"killed-{point}", settings={"per_document": PAIRS})
        with path.open("rb") as file:
            taken = import_keep(project=project, by=None, name="pairs.jsonl", chunks=iter([file.read()]))
        job = import_start(taken=taken, by=None, mapping=MAPPING)
        stood.append(killed_at(job, chance.uniform(0.02, 0.9), env))
        finished(job, env)
        taken.refresh_from_db()
        assert (taken.accepted, taken.unchanged, taken.refused) == (PAIRS, 0, 1)
        assert taken.rows.count() == 1
        assert Item.objects.filter(project=project).count() == PAIRS
        assert Vote.objects.filter(project=project).count() == 2 * PAIRS
        assert project.premises.count() == PAIRS // 2
    assert Import.objects.count() == POINTS
    assert not list((data / "imports").glob("*"))
    print_figures("F01 import", kills=POINTS, of_rows=PAIRS, killed_at=stood)


def decided(project: Project) -> None:
    while decide_due():
        pass
    assert not Item.objects.filter(project=project, due_at__isnull=False).exists()


def files_of(release: Release, data: Path) -> dict[str, str]:
    release.refresh_from_db()
    assert release.state == "ready"
    there = data / release.path
    written = {str(path.relative_to(there)) for path in there.rglob("*") if path.is_file()}
    assert written == {*release.manifest["files"], "manifest.json"}
    return {name: facts["sha256"] for name, facts in release.manifest["files"].items() if name.endswith(".jsonl")}


def test_releases_killed_at_random_points(data: Path, process_env: dict[str, str]) -> None:
    """F01, F19, I10: complete or absent, nothing half-written left, and the same bytes every time."""
    env, path, chance = env_of(process_env, data), pairs_file(data), random.Random("F19")
    project = factory.project("released", settings={"per_document": PAIRS})
    with path.open("rb") as file:
        taken = import_keep(project=project, by=None, name="pairs.jsonl", chunks=iter([file.read()]))
    jobs.run_here(import_start(taken=taken, by=None, mapping=MAPPING))
    decided(project)
    rules, found, stood, unfinished = preset("indonli-lay"), [], [], 0
    for _ in range(POINTS):
        release = release_freeze(project=project, rules=rules, by=None)
        assert release.job is not None
        stood.append(killed_after(release.job, chance.uniform(0.0, 4.0), env))
        release.refresh_from_db()
        there = (data / "releases" / f"released-{release.n}").exists()
        assert there or release.state != "ready"
        unfinished += release.state != "ready"
        finished(release.job, env)
        found.append(files_of(release, data))
    assert all(files == found[0] for files in found)
    assert not list((data / "releases").glob(".*"))
    print_figures(
        "F01 F19 release",
        kills=POINTS,
        of_rows=PAIRS,
        killed_at=stood,
        unfinished=unfinished,
        equal_hashes=True,
    )
