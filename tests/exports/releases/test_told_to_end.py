"""A release whose command is told to end: said by the command, the job and the release; nothing is left."""

import subprocess
import sys
from pathlib import Path

import pytest

from annotation.jobs.models import Job
from exports.releases.models import Release
from tests import services
from tests.exports.world import staged

pytestmark = pytest.mark.django_db(transaction=True)

# Builds by its command, and is told to end by itself in the middle of a file.
ENDED = """
import os, signal, sys
import django
django.setup()
from django.core.management import execute_from_command_line
from exports.formats import writers as base
append = base.Sink.append
def append_and_end(sink, data, rows):
    append(sink, data, rows)
    os.kill(os.getpid(), signal.SIGTERM)
base.Sink.append = append_and_end
execute_from_command_line(["manage.py", "build_release", *sys.argv[1:]])
"""


def test_a_command_that_is_told_to_end_says_so_and_leaves_nothing(
    process_env: dict[str, str], data_dir: Path, tmp_path: Path
) -> None:
    made, out = staged(), tmp_path / "out"
    arguments = [made.project.slug, "--out", str(out), "--no-licence", "--allow-shared"]
    done = subprocess.run(
        [sys.executable, "-c", ENDED, *arguments],
        env={**process_env, "DATA_DIR": str(data_dir), "REDIS_URL": ""},
        cwd=services.ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (
        1,
        "CommandError: Release 1 was not built. It was ended by SIGTERM. Freeze again.\n",
    )
    release = Release.objects.get()
    assert release.job is not None
    assert (release.state, release.job.state) == (Release.State.FAILED, Job.State.FAILED)
    assert list((data_dir / "scratch" / "releases").iterdir()) == []
    assert list(tmp_path.glob("*out*")) == []
