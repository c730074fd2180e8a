"""`import_conceptnet` killed in the middle, started twice at once, and given files that are something else."""

import gzip
import json
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotation.core.models.member import Event
from annotation.generation.conceptnet import WorkFile, work_path
from annotation.generation.conceptnet import work as work_module
from annotation.generation.models import Material
from annotation.generation.rules.conceptnet import RELATIONS
from bench.conceptnet import write
from tests import factory
from tests.conceptnet import (
    PEN,
    a_file,
    a_project,
    assertion_line,
    import_report,
    run_import,
    stored_assertions,
)
from tests.services import ROOT

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def data_dir(tmp_path: Path, settings: Any) -> Path:
    settings.MUFAKAT_DATA_DIR = tmp_path / "data"
    return tmp_path / "data"


# --- killed and started again -----------------------------------------------------------

FILL = """
import sys
from pathlib import Path
from annotation.generation.conceptnet import WorkFile

def progress(lines, share):
    if lines >= 30_000:
        print(lines, flush=True)
        sys.stdin.read()

file, path = Path(sys.argv[1]), Path(sys.argv[2])
WorkFile(path, {"en": frozenset(sys.argv[3].split(","))}).fill(file, progress, every=15_000)
"""


def killed(file: Path, kept: Path) -> int:
    """kill -9 a process that fills a work file when it has read half; how many lines it had saved."""
    call = [sys.executable, "-c", FILL, str(file), str(kept), ",".join(RELATIONS)]
    with subprocess.Popen(call, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline()
        process.send_signal(signal.SIGKILL)
        process.wait(60)
    with closing(sqlite3.connect(kept)) as rows:
        told = json.loads(rows.execute("SELECT told FROM state").fetchone()[0])
    return int(told["lines"])


@pytest.mark.parametrize("name", ["made.csv", "made.csv.gz"])
def test_killed_in_the_middle_it_goes_on_and_ends_the_same(tmp_path: Path, data_dir: Path, name: str) -> None:
    """The next import reads on from what was saved, and gives what an undisturbed one gives."""
    path, project, undisturbed = tmp_path / name, a_project(), a_project()
    write(path, 60_000)
    kept = work_path(data_dir, path, {"en": frozenset(RELATIONS)})
    came, err = killed(path, kept), StringIO()
    assert 15_000 <= came < 60_000
    run_import(path, project, err=err)
    assert f"going on behind line {came:,}" in err.getvalue()
    assert not list(data_dir.glob("**/*.sqlite3*"))
    import_report(path, undisturbed)
    assert stored_assertions(project) == stored_assertions(undisturbed)
    reports = [Event.objects.get(project=each, verb="sets_imported").data["report"] for each in (project, undisturbed)]
    assert reports[0] == reports[1]
    assert reports[0]["lines"] == 60_000


def test_two_at_once_on_one_file_are_refused(tmp_path: Path, data_dir: Path) -> None:
    project, path = a_project(), a_file(tmp_path, PEN)
    relations = {"en": frozenset(RELATIONS)}
    first = WorkFile(work_path(data_dir, path, relations), relations)
    first.rows.execute("BEGIN EXCLUSIVE")
    with pytest.raises(CommandError, match="another import"):
        import_report(path, project)
    first.close()
    assert import_report(path, project)[project.slug]["new"] == 2


def test_afresh_forgets_what_was_read(tmp_path: Path, data_dir: Path) -> None:
    project, path = a_project(), a_file(tmp_path, PEN)
    relations = {"en": frozenset(RELATIONS)}
    stopped = WorkFile(work_path(data_dir, path, relations), relations)
    stopped.rows.execute("INSERT INTO edge VALUES ('en', 'UsedFor', 'pen', 'left behind')")
    stopped.close()
    assert import_report(path, project, more=["--afresh"])[project.slug]["relations"][0]["assertions"] == 7


# --- hostile files ----------------------------------------------------------------------


def packed(content: bytes) -> bytes:
    """The same bytes in whichever second: tests are called by them, and workers have to agree on the names."""
    return gzip.compress(content, mtime=0)


HOSTILE = [
    (b"", "empty"),
    (bytes(range(256)) * 64, "None of the first|no text"),
    (b"\x1f\x8bno gzip at all", "packed file is torn"),
    (packed(b"".join(assertion_line(*edge).encode() for edge in PEN) * 5000)[:-2000], "packed file is torn"),
    (packed(packed(b"x" * 100)), "packed once"),
    (b"PK\x03\x04" + bytes(100), "zip"),
    (packed(b"\0" * (64 << 20)), "far more than texts|no text"),
    (b"uri,relation,start,end\n" * 50, "None of the first"),
    (assertion_line(*PEN[0]).replace("\t", " ").encode() * 50, "None of the first"),
    (b"x" * (9 << 20), "None of the first"),
]


@pytest.mark.parametrize(("content", "why"), HOSTILE)
def test_what_is_no_such_file_is_refused_and_stores_nothing(
    tmp_path: Path, data_dir: Path, content: bytes, why: str
) -> None:
    project, path = a_project(), tmp_path / "assertions.csv.gz"
    path.write_bytes(content)
    with pytest.raises(CommandError, match=why):
        import_report(path, project)
    assert not Material.objects.exists()
    assert not Event.objects.filter(project=project, verb="sets_imported").exists()
    assert not list(data_dir.glob("**/*.sqlite3*"))


def test_malformed_lines_are_counted_and_passed_over(tmp_path: Path) -> None:
    whole = [assertion_line(*edge).encode() for edge in PEN[:3]]
    broken = [
        b"\n",
        b"no tabs\n",
        b"/a/x\t/r/UsedFor\t/c/en/pen\t/c/en/\t{}\n",
        b"/a/x\t/r/UsedFor\t/c/en/pen\t/c/en/caf\xe9\t{}\n",
        b"\xff\xfe\0\t\t\t\n",
        b"/a/x\t/r/UsedFor\t/c/en/pen\t/c/en/far\t" + b"x" * (9 << 20) + b"\n",
    ]
    path, project = tmp_path / "mixed.csv", a_project()
    path.write_bytes(whole[0] + b"".join(broken) + whole[1] + whole[2].rstrip(b"\n"))
    report = import_report(path, project)[project.slug]
    # The blank line is a line, and nothing is wrong with it.
    assert (report["lines"], report["malformed"], report["drawn"]) == (9, 5, 1)


def test_thousands_of_made_up_relations_are_counted_together(tmp_path: Path) -> None:
    project = a_project()
    edges = [("R" * 100 + str(n), f"source{n}", "target") for n in range(100)]
    edges += [(f"Relation{n}", f"source{n}", "target") for n in range(2 * work_module.MOST_RELATIONS)]
    report = import_report(a_file(tmp_path, edges), project)[project.slug]
    assert sum(report["unlisted"].values()) == len(edges)
    assert len(report["unlisted"]) <= work_module.MOST_RELATIONS + 1


@pytest.mark.parametrize(
    ("slug", "preset", "why"),
    [
        ("nobody", "", "no project nobody"),
        ("people", "idcsqa", "no such way"),
        ("concepts", "llm-gen", "something else"),
    ],
)
def test_a_project_that_starts_from_something_else_is_refused(tmp_path: Path, slug: str, preset: str, why: str) -> None:
    if preset:
        factory.project(slug, preset=preset)
    with pytest.raises(CommandError, match=why):
        call_command("import_conceptnet", str(a_file(tmp_path, PEN)), f"--project={slug}")
