"""`import_conceptnet`: from the assertions to stored question sets, counted, in any order of lines, after a kill."""

import gzip
import json
import random
import signal
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from hypothesis import HealthCheck, given
from hypothesis import settings as looked_for
from hypothesis import strategies as st

from annotation.conceptnet import Wanted, Work, choose, work_path
from annotation.conceptnet import work as work_module
from annotation.models import Candidate, Event, GenerationBatch, GenerationRun, Material, Project
from annotation.rules.conceptnet import RELATIONS
from annotation.rules.recipes.forms import SetData
from bench.conceptnet import assertions, write
from tests import factory
from tests.data import DATA, needs_data
from tests.services import ROOT

pytestmark = pytest.mark.django_db
SAMPLE = DATA / "conceptnet" / "assertions.csv"
Edge = tuple[str, str, str]


@pytest.fixture(autouse=True)
def data_dir(tmp_path: Path, settings: Any) -> Path:
    settings.MUFAKAT_DATA_DIR = tmp_path / "data"
    return tmp_path / "data"


def a_project(language: str = "en", **settings: Any) -> Project:
    return factory.project(preset="mcsqa", language=language, settings=settings)


def line(relation: str, start: str, end: str) -> str:
    ends = [each if each.startswith("/") else f"/c/en/{each}" for each in (start, end)]
    return (
        f"/a/[/r/{relation}/,{ends[0]}/,{ends[1]}/]\t/r/{relation}\t{ends[0]}\t{ends[1]}\t"
        + '{"weight": 1.0}\n'
    )


def a_file(folder: Path, edges: Sequence[Edge], name: str = "assertions.csv") -> Path:
    path, text = folder / name, "".join(line(*edge) for edge in edges).encode()
    path.write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
    return path


def command(path: Path, *projects: Project, err: StringIO | None = None, more: Sequence[str] = ()) -> str:
    """Run the command; what it prints."""
    out, slugs = StringIO(), [f"--project={project.slug}" for project in projects]
    call_command("import_conceptnet", str(path), *slugs, *more, stdout=out, stderr=err or StringIO())
    return out.getvalue()


def imported(path: Path, *projects: Project, more: Sequence[str] = ()) -> dict[str, Any]:
    """Run the command; its report by project."""
    found: dict[str, Any] = json.loads(command(path, *projects, more=["--json", *more]))
    return found


def stored(project: Project) -> list[tuple[int, str, dict[str, Any]]]:
    rows = Material.objects.filter(project=project).order_by("position")
    return list(rows.values_list("position", "key", "data"))


def row_of(report: dict[str, Any], relation: str, direction: str) -> dict[str, int]:
    found = [
        row for row in report["relations"] if (row["relation"], row["direction"]) == (relation, direction)
    ]
    return {name: n for name, n in found[0].items() if isinstance(n, int) and n}


USES = ("write", "draw", "sign", "poke", "scribble", "doodle", "underline")
PEN: list[Edge] = [("UsedFor", "pen/n", target) for target in USES]


# --- the published sample ---------------------------------------------------------------


@needs_data
def test_the_sample_gives_no_set_and_says_why(tmp_path: Path) -> None:
    """Of 764 lines 15 are of a listed relation within one language, and none of their sources has three targets.

    English: 2 Antonym (test → breeze, recess), 2 AtLocation, 2 UsedFor (balalaika twice), 1 HasProperty. Japanese: 2
    UsedFor (to one target), CapableOf, HasPrerequisite and HasSubevent. Chinese: UsedFor and HasSubevent of one source,
    which are two relations. So every source falls to "fewer than three targets", forward and backward.
    """
    projects = {language: a_project(language) for language in ("en", "ja", "zh")}
    told = imported(SAMPLE, *projects.values())
    reports = {language: told[project.slug] for language, project in projects.items()}
    assertions_of = {
        language: {row["relation"]: row["assertions"] for row in report["relations"]}
        for language, report in reports.items()
    }
    assert assertions_of == {
        "en": {"Antonym": 2, "AtLocation": 2, "HasProperty": 1, "UsedFor": 2},
        "ja": {"CapableOf": 1, "HasPrerequisite": 1, "HasSubevent": 1, "UsedFor": 2},
        "zh": {"HasSubevent": 1, "UsedFor": 1},
    }
    for report in reports.values():
        assert (report["lines"], report["malformed"], report["kept"], report["drawn"]) == (764, 0, 0, 0)
        assert all(row["few"] == row["sources"] for row in report["relations"])
    assert row_of(reports["en"], "UsedFor", "forward") == {"assertions": 2, "sources": 1, "few": 1}
    assert row_of(reports["en"], "UsedFor", "backward") == {"assertions": 2, "sources": 2, "few": 2}
    assert not Material.objects.exists()
    # Every line with an end in English stands under one of the three: listed, not listed, or the other end elsewhere.
    lines = [row.split("\t") for row in SAMPLE.read_text(encoding="utf-8").splitlines()]
    english = [row for row in lines if any(each.startswith("/c/en/") for each in row[2:4])]
    english_report = reports["en"]
    same = sum(english_report["same_ends"].values())
    assert len(english) == same + sum(assertions_of["en"].values()) + sum(
        sum(english_report[name].values()) for name in ("unlisted", "foreign")
    )
    both = [row[1] for row in lines if all(each.startswith("/c/en/") for each in row[2:4])]
    assert english_report["unlisted"] == {
        name[3:]: n for name, n in sorted(Counter(both).items()) if name[3:] not in RELATIONS
    }


@needs_data
def test_a_project_takes_other_relations(tmp_path: Path) -> None:
    """With the relations that the sample is full of there are sets: the list is the project's to change."""
    project = a_project(relations="IsA\n/r/HasContext\nDerivedFrom")
    report = imported(SAMPLE, project)[project.slug]
    assert {row["relation"] for row in report["relations"]} <= {"IsA", "HasContext", "DerivedFrom"}
    assert report["drawn"] == Material.objects.filter(project=project).count() > 0
    assert report["absent"] == []


# --- what is stored ---------------------------------------------------------------------


def test_sets_are_stored_as_the_recipe_reads_them(tmp_path: Path) -> None:
    project = a_project()
    edges = [*PEN, ("UsedFor", "pen/n/wn/artifact", "write"), ("UsedFor", "pen", "/c/fr/écrire")]
    report = imported(a_file(tmp_path, edges), project)[project.slug]
    rows = Material.objects.filter(project=project).order_by("position")
    assert [row.position for row in rows] == [1, 2]
    for row in rows:
        data = SetData.model_validate(row.data)
        assert (row.sort, row.group, row.split) == ("set", "UsedFor", "")
        assert (data.relation, data.direction, data.source) == ("UsedFor", "forward", "pen")
        assert data.uris == [f"/c/en/{term}" for term in ("pen", *data.targets)]
    targets = [target for row in rows for target in row.data["targets"]]
    assert len(set(targets)) == 6
    assert row_of(report, "UsedFor", "forward") == {
        **{"assertions": 7, "sources": 1, "left": 1, "sets": 2, "kept": 2, "drawn": 2}
    }
    assert row_of(report, "UsedFor", "backward") == {"assertions": 7, "sources": 7, "few": 7}
    assert report["foreign"] == {"UsedFor": 1}


def test_the_backward_direction_has_the_ends_changed(tmp_path: Path) -> None:
    project = a_project()
    imported(a_file(tmp_path, [("AtLocation", each, "kitchen") for each in ("pot", "oven", "fork")]), project)
    data = SetData.model_validate(Material.objects.get(project=project).data)
    assert (data.direction, data.source, set(data.targets)) == (
        "backward",
        "kitchen",
        {"pot", "oven", "fork"},
    )


def test_each_filter_is_counted(tmp_path: Path) -> None:
    def three(source: str, *targets: str) -> list[Edge]:
        return [("UsedFor", source, target) for target in targets]

    edges = [
        *three("pen", "write", "draw", "sign"),
        *three("a_very_old_fountain_pen", "write", "draw", "sign"),
        *three("cup", "drink", "x", "toast"),
        *three("car", "drive", "drive_home", "race"),
        *three("bed", "sleep", "rest", "slumber"),
        ("Synonym", "slumber/v", "sleep"),
        ("UsedFor", "bed", "bed/n"),
        ("IsA", "bed", "furniture"),
    ]
    project = a_project()
    report = imported(a_file(tmp_path, edges), project)[project.slug]
    found = row_of(report, "UsedFor", "forward")
    assert (found["sets"], found["kept"]) == (5, 1)
    assert [found[name] for name in ("words", "letter", "part", "synonym")] == [1, 1, 1, 1]
    assert report["same_ends"] == {"UsedFor": 1}
    assert report["unlisted"] == {"IsA": 1, "Synonym": 1}
    assert [data["source"] for _, _, data in stored(project)] == ["pen"]


def test_so_many_are_drawn_by_seed_and_all_where_there_are_fewer(tmp_path: Path) -> None:
    path = tmp_path / "made.csv"
    write(path, 30_000)
    some, all_of_them, other = (
        a_project(set_count=50),
        a_project(),
        factory.project(preset="mcsqa", language="en", seed="another"),
    )
    told = imported(path, some, all_of_them, other)
    kept = told[all_of_them.slug]["kept"]
    assert (told[some.slug]["drawn"], told[all_of_them.slug]["drawn"]) == (50, kept)
    assert kept > 50
    # The first 50 of the same seed are the first 50 of all.
    assert stored(some) == stored(all_of_them)[:50]
    assert {key for _, key, _ in stored(other)} != {key for _, key, _ in stored(all_of_them)}
    for row in told[all_of_them.slug]["relations"]:
        assert row["sets"] == row["kept"] + sum(row[name] for name in ("words", "letter", "part", "synonym"))


def test_several_languages_in_one_pass(tmp_path: Path) -> None:
    edges = [
        *PEN[:3],
        *(("UsedFor", "/c/ms/pena/n", f"/c/ms/{each}") for each in ("menulis", "melukis", "menandai")),
        *(("UsedFor", "/c/ja/ペン", f"/c/ja/{each}") for each in ("書く", "サイン", "絵")),
    ]
    projects = [a_project(language) for language in ("en", "id", "ja")]
    imported(a_file(tmp_path, edges, "assertions.csv.gz"), *projects)
    # 絵 is one character.
    assert [[data["source"] for _, _, data in stored(each)] for each in projects] == [["pen"], ["pena"], []]


# --- the same bytes anywhere ------------------------------------------------------------

TERMS = st.sampled_from(
    ["ab", "cd", "ef", "gh", "ij", "kl", "mn", "x", "abc", "a_b_c_d_e", "ab/n", "cd/v/wn/act"]
)
EDGES = st.lists(
    st.tuples(st.sampled_from(["UsedFor", "AtLocation", "Synonym", "IsA"]), TERMS, TERMS), max_size=60
)


def drawn(folder: Path, edges: Sequence[Edge]) -> tuple[dict[str, Any], list[Any]]:
    """The report and the drawn sets, without a database."""
    relations = {"en": frozenset(RELATIONS)}
    path = a_file(folder, edges or [("IsA", "ab", "cd")])
    work = Work(work_path(folder, path, relations), relations)
    work.fill(path, lambda lines, share: None)
    report, sets = choose(work, Wanted("seed", "en", RELATIONS, 5))
    found = (report, list(sets))
    work.remove()
    return found


@given(EDGES, st.randoms(use_true_random=False))
@looked_for(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=40)
def test_the_order_of_lines_does_not_matter(tmp_path: Path, edges: list[Edge], chance: random.Random) -> None:
    other = chance.sample(edges, len(edges))
    assert drawn(tmp_path, edges) == drawn(tmp_path, other)


def test_twice_changes_nothing(tmp_path: Path) -> None:
    project, path = a_project(), a_file(tmp_path, PEN)
    first = imported(path, project)[project.slug]
    rows = list(Material.objects.order_by("pk").values())
    again = imported(path, project)[project.slug]
    assert (first["new"], again["new"], again["same"], again["removed"]) == (2, 0, 2, 0)
    assert list(Material.objects.order_by("pk").values()) == rows
    assert Event.objects.filter(project=project, verb="sets_imported").count() == 1


def test_another_file_replaces_what_no_run_has_begun_with(tmp_path: Path) -> None:
    project = a_project()
    imported(a_file(tmp_path, PEN), project)
    used, unused = Material.objects.filter(project=project).order_by("position")
    run = GenerationRun.objects.create(
        project=project, n=1, name="first", recipe="mcsqa", plan={}, seed="seed"
    )
    batch = GenerationBatch.objects.create(run=run, n=1)
    Candidate.objects.create(project=project, run=run, batch=batch, material=used, key="first")
    cup: list[Edge] = [("UsedFor", "cup", each) for each in ("drink", "toast", "measure")]
    told = imported(a_file(tmp_path, cup, "other.csv"), project)[project.slug]
    assert (told["new"], told["removed"], told["held"]) == (1, 1, 1)
    assert not Material.objects.filter(pk=unused.pk).exists()
    assert [(place, data["source"]) for place, _, data in stored(project)] == [(1, "cup"), (2, "pen")]
    assert Material.objects.get(pk=used.pk).data == used.data


# --- killed and started again -----------------------------------------------------------

FILL = """
import sys
from pathlib import Path
from annotation.conceptnet import Work

def progress(lines, share):
    if lines >= 30_000:
        print(lines, flush=True)
        sys.stdin.read()

file, path = Path(sys.argv[1]), Path(sys.argv[2])
Work(path, {"en": frozenset(sys.argv[3].split(","))}).fill(file, progress, every=15_000)
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
    command(path, project, err=err)
    assert f"going on behind line {came:,}" in err.getvalue()
    assert not list(data_dir.glob("**/*.sqlite3*"))
    imported(path, undisturbed)
    assert stored(project) == stored(undisturbed)
    reports = [
        Event.objects.get(project=each, verb="sets_imported").data["report"]
        for each in (project, undisturbed)
    ]
    assert reports[0] == reports[1]
    assert reports[0]["lines"] == 60_000


def test_two_at_once_on_one_file_are_refused(tmp_path: Path, data_dir: Path) -> None:
    project, path = a_project(), a_file(tmp_path, PEN)
    relations = {"en": frozenset(RELATIONS)}
    first = Work(work_path(data_dir, path, relations), relations)
    first.rows.execute("BEGIN EXCLUSIVE")
    with pytest.raises(CommandError, match="another import"):
        imported(path, project)
    first.close()
    assert imported(path, project)[project.slug]["new"] == 2


def test_afresh_forgets_what_was_read(tmp_path: Path, data_dir: Path) -> None:
    project, path = a_project(), a_file(tmp_path, PEN)
    relations = {"en": frozenset(RELATIONS)}
    stopped = Work(work_path(data_dir, path, relations), relations)
    stopped.rows.execute("INSERT INTO edge VALUES ('en', 'UsedFor', 'pen', 'left behind')")
    stopped.close()
    assert imported(path, project, more=["--afresh"])[project.slug]["relations"][0]["assertions"] == 7


# --- hostile files ----------------------------------------------------------------------

HOSTILE = [
    (b"", "empty"),
    (bytes(range(256)) * 64, "None of the first|no text"),
    (b"\x1f\x8bno gzip at all", "gzip file is torn"),
    (gzip.compress(b"".join(line(*edge).encode() for edge in PEN) * 5000)[:-2000], "gzip file is torn"),
    (gzip.compress(gzip.compress(b"x" * 100)), "packed once"),
    (b"PK\x03\x04" + bytes(100), "zip"),
    (gzip.compress(b"\0" * (64 << 20)), "far more than texts|no text"),
    (b"uri,relation,start,end\n" * 50, "None of the first"),
    (line(*PEN[0]).replace("\t", " ").encode() * 50, "None of the first"),
    (b"x" * (9 << 20), "None of the first"),
]


@pytest.mark.parametrize(("content", "why"), HOSTILE)
def test_what_is_no_such_file_is_refused_and_stores_nothing(
    tmp_path: Path, data_dir: Path, content: bytes, why: str
) -> None:
    project, path = a_project(), tmp_path / "assertions.csv.gz"
    path.write_bytes(content)
    with pytest.raises(CommandError, match=why):
        imported(path, project)
    assert not Material.objects.exists()
    assert not Event.objects.filter(project=project, verb="sets_imported").exists()
    assert not list(data_dir.glob("**/*.sqlite3*"))


def test_malformed_lines_are_counted_and_passed_over(tmp_path: Path) -> None:
    whole = [line(*edge).encode() for edge in PEN[:3]]
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
    report = imported(path, project)[project.slug]
    # The blank line is a line, and nothing is wrong with it.
    assert (report["lines"], report["malformed"], report["drawn"]) == (9, 5, 1)


def test_thousands_of_made_up_relations_are_counted_together(tmp_path: Path) -> None:
    project = a_project()
    edges = [("R" * 100 + str(n), f"source{n}", "target") for n in range(100)]
    edges += [(f"Relation{n}", f"source{n}", "target") for n in range(2 * work_module.MOST_RELATIONS)]
    report = imported(a_file(tmp_path, edges), project)[project.slug]
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
def test_a_project_that_starts_from_something_else_is_refused(
    tmp_path: Path, slug: str, preset: str, why: str
) -> None:
    if preset:
        factory.project(slug, preset=preset)
    with pytest.raises(CommandError, match=why):
        call_command("import_conceptnet", str(a_file(tmp_path, PEN)), f"--project={slug}")


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="No such file"):
        imported(tmp_path / "nowhere.csv", a_project())


def test_the_report_for_people_has_a_line_for_each_relation(tmp_path: Path) -> None:
    told = command(a_file(tmp_path, PEN), a_project())
    assert "UsedFor forward" in told
    assert "2 of them drawn: 2 new" in told


def test_the_made_up_file_is_the_same_every_time() -> None:
    assert list(assertions(50)) == list(assertions(50))
