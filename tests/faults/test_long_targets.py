"""22 targets x 3,000 items imported, dealt, reviewed and released (make test-faults), with what it took."""

import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

from annotation.content.models.item import Item
from annotation.content.models.source import Allocation
from annotation.content.models.units import Translation
from annotation.jobs.models import Job
from exports.releases.actions import release_freeze
from exports.releases.models import Release
from exports.releases.rules.settings import preset
from tests import scale, services
from tests.faults.test_long_crashes import print_figures
from tests.translations import member
from validation.voting.actions.decide import decide_due

pytestmark = [pytest.mark.faults, pytest.mark.timeout(1800), pytest.mark.django_db(transaction=True)]
COUNT, EACH = 3_000, 8
MOST_BUFFERS = 100
MOST_MIB = 300
IMPORT = """
import sys, django; django.setup()
from django.core.management import call_command
call_command("import_items", *sys.argv[1:])
"""
BUILD = """
import sys, django; django.setup()
from annotation.jobs import queue as jobs
jobs.run(int(sys.argv[1]))
"""
PEAK = """
print(next(line for line in open("/proc/self/status") if line.startswith("VmHWM:")))
"""


@pytest.fixture
def data(tmp_path: Path, settings: Any) -> Path:
    settings.MUFAKAT_DATA_DIR = tmp_path / "data"
    settings.REDIS_URL = ""
    return tmp_path


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    start = time.perf_counter()
    return work(), time.perf_counter() - start


def process(env: dict[str, str], code: str, *arguments: str) -> tuple[str, float, float]:
    """What a process prints: its text, how many seconds it took from start to end, its peak of memory in MiB."""
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", code + PEAK, *arguments],
        cwd=services.ROOT,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    seconds = time.perf_counter() - start
    assert done.returncode == 0, done.stderr
    (peak,) = re.findall(r"VmHWM:\s+(\d+) kB", done.stdout)
    return done.stdout, seconds, int(peak) / 1024


def decide_all() -> int:
    decided = 0
    while found := decide_due():
        decided += found
    return decided


def test_as_large_as_the_paper(data: Path, process_env: dict[str, str]) -> None:
    env = {**process_env, "REDIS_URL": "", "DATA_DIR": str(data / "data")}
    figures: dict[str, str] = {}
    total = 22 * COUNT
    one, many = scale.project(scale.TARGETS[-1:], COUNT), scale.project(scale.TARGETS, COUNT)

    for name, project in (("1", one), ("22", many)):
        file = scale.parallel_file(data / f"{project.slug}.jsonl", project, COUNT)
        _, seconds, peak = process(env, IMPORT, project.slug, str(file))
        count = COUNT * project.targets.count()
        assert Translation.objects.filter(project=project).count() == count
        figures[f"import, {name} x {COUNT}"] = f"{seconds:.1f} s, {count / seconds:.0f}/s, {peak:.0f} MiB"
        opened, seconds = timed(decide_all)
        assert opened >= count
        figures[f"offered to reviewers, {name}"] = f"{seconds:.1f} s"
    assert peak < MOST_MIB, figures

    scale.analyze()
    touched = []
    for name, project in (("1", one), ("22", many)):
        target = scale.targets(project)[0]
        pages, ms = scale.measure_next_item(member(project, "validator", targets=(target.key,)), target)
        figures[f"next item, {name}"] = f"{pages} pages, {ms:.2f} ms"
        touched.append(pages)
    assert max(touched) < MOST_BUFFERS, figures
    assert touched[1] <= touched[0] + 2, figures

    project = scale.project(scale.TARGETS, COUNT)
    people = scale.translators(project, EACH)
    dealt, seconds = timed(lambda: scale.allocate_units(project, people, COUNT))
    assert dealt == total
    loads = Counter(Allocation.objects.filter(project=project).values_list("writer", flat=True))
    assert (len(loads), set(loads.values())) == (22 * EACH, {COUNT // EACH})
    figures[f"dealt to 22 x {EACH}"] = f"{seconds:.1f} s"

    reviewed = scale.project(scale.TARGETS, COUNT)
    file = scale.reviewed_file(data / "reviewed.jsonl", reviewed, COUNT, EACH)
    _, seconds, peak = process(env, IMPORT, reviewed.slug, str(file))
    figures["import with reviews"] = f"{seconds:.1f} s, {total / seconds:.0f}/s, {peak:.0f} MiB"
    assert peak < MOST_MIB, figures
    _, seconds = timed(decide_all)
    assert Item.objects.filter(project=reviewed, stage="settled").count() == total
    figures["decided"] = f"{seconds:.1f} s"

    release, freeze = timed(lambda: release_freeze(project=reviewed, rules=preset("loraxbench"), by=None))
    figures["frozen"] = f"{freeze:.1f} s"
    _, seconds, peak = process(env, BUILD, str(release.job_id))
    release.refresh_from_db()
    assert release.state == Release.State.READY, Job.objects.get(pk=release.job_id).error
    figures["released"] = f"{seconds:.1f} s, {total / seconds:.0f}/s, {peak:.0f} MiB"
    files = sorted((data / "data" / "releases").rglob("sentences/**/*.jsonl"))
    ids = set()
    for path in files:
        with path.open("rb") as lines:
            ids.add(tuple(orjson.loads(line)["id"] for line in lines))
    assert (len(files), len(ids), len(ids.pop())) == (23, 1, COUNT)
    print_figures("22 targets", **figures)
