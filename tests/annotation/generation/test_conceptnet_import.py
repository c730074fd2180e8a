"""`import_conceptnet`: from the assertions to stored question sets, counted, and the same in any order of lines."""

import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError
from hypothesis import HealthCheck, given
from hypothesis import settings as looked_for
from hypothesis import strategies as st

from annotation.core.models.member import Event
from annotation.generation.conceptnet import SetRequest, WorkFile, choose_sets, work_path
from annotation.generation.models import Candidate, GenerationBatch, GenerationRun, Material
from annotation.generation.rules.conceptnet import RELATIONS
from annotation.generation.rules.recipes.forms import SetData
from bench.conceptnet import assertions, write
from tests import factory
from tests.conceptnet import PEN, Edge, a_file, a_project, import_report, run_import, stored_assertions
from tests.data import DATA, needs_data

pytestmark = pytest.mark.django_db
SAMPLE = DATA / "conceptnet" / "assertions.csv"


@pytest.fixture(autouse=True)
def data_dir(tmp_path: Path, settings: Any) -> Path:
    settings.MUFAKAT_DATA_DIR = tmp_path / "data"
    return tmp_path / "data"


def row_of(report: dict[str, Any], relation: str, direction: str) -> dict[str, int]:
    found = [row for row in report["relations"] if (row["relation"], row["direction"]) == (relation, direction)]
    return {name: n for name, n in found[0].items() if isinstance(n, int) and n}


# --- the published sample ---------------------------------------------------------------


@needs_data
def test_the_sample_gives_no_set_and_says_why(tmp_path: Path) -> None:
    """Of 764 lines 15 are of a listed relation within one language, and none of their sources has three targets.

    English: 2 Antonym (test → breeze, recess), 2 AtLocation, 2 UsedFor (balalaika twice), 1 HasProperty. Japanese: 2
    UsedFor (to one target), CapableOf, HasPrerequisite and HasSubevent. Chinese: UsedFor and HasSubevent of one source,
    which are two relations. So every source falls to "fewer than three targets", forward and backward.
    """
    projects = {language: a_project(language) for language in ("en", "ja", "zh")}
    told = import_report(SAMPLE, *projects.values())
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
    report = import_report(SAMPLE, project)[project.slug]
    assert {row["relation"] for row in report["relations"]} <= {"IsA", "HasContext", "DerivedFrom"}
    assert report["drawn"] == Material.objects.filter(project=project).count() > 0
    assert report["absent"] == []


# --- what is stored ---------------------------------------------------------------------


def test_sets_are_stored_as_the_recipe_reads_them(tmp_path: Path) -> None:
    project = a_project()
    edges = [*PEN, ("UsedFor", "pen/n/wn/artifact", "write"), ("UsedFor", "pen", "/c/fr/écrire")]
    report = import_report(a_file(tmp_path, edges), project)[project.slug]
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
    import_report(a_file(tmp_path, [("AtLocation", each, "kitchen") for each in ("pot", "oven", "fork")]), project)
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
    report = import_report(a_file(tmp_path, edges), project)[project.slug]
    found = row_of(report, "UsedFor", "forward")
    assert (found["sets"], found["kept"]) == (5, 1)
    assert [found[name] for name in ("words", "letter", "part", "synonym")] == [1, 1, 1, 1]
    assert report["same_ends"] == {"UsedFor": 1}
    assert report["unlisted"] == {"IsA": 1, "Synonym": 1}
    assert [data["source"] for _, _, data in stored_assertions(project)] == ["pen"]


def test_so_many_are_drawn_by_seed_and_all_where_there_are_fewer(tmp_path: Path) -> None:
    path = tmp_path / "made.csv"
    write(path, 30_000)
    some, all_of_them, other = (
        a_project(set_count=50),
        a_project(),
        factory.project(preset="mcsqa", language="en", seed="another"),
    )
    told = import_report(path, some, all_of_them, other)
    kept = told[all_of_them.slug]["kept"]
    assert (told[some.slug]["drawn"], told[all_of_them.slug]["drawn"]) == (50, kept)
    assert kept > 50
    # The first 50 of the same seed are the first 50 of all.
    assert stored_assertions(some) == stored_assertions(all_of_them)[:50]
    assert {key for _, key, _ in stored_assertions(other)} != {key for _, key, _ in stored_assertions(all_of_them)}
    for row in told[all_of_them.slug]["relations"]:
        assert row["sets"] == row["kept"] + sum(row[name] for name in ("words", "letter", "part", "synonym"))


def test_several_languages_in_one_pass(tmp_path: Path) -> None:
    edges = [
        *PEN[:3],
        *(("UsedFor", "/c/ms/pena/n", f"/c/ms/{each}") for each in ("menulis", "melukis", "menandai")),
        *(("UsedFor", "/c/ja/ペン", f"/c/ja/{each}") for each in ("書く", "サイン", "絵")),
    ]
    projects = [a_project(language) for language in ("en", "id", "ja")]
    import_report(a_file(tmp_path, edges, "assertions.csv.gz"), *projects)
    # 絵 is one character.
    assert [[data["source"] for _, _, data in stored_assertions(each)] for each in projects] == [
        ["pen"],
        ["pena"],
        [],
    ]


# --- the same bytes anywhere ------------------------------------------------------------

TERMS = st.sampled_from(["ab", "cd", "ef", "gh", "ij", "kl", "mn", "x", "abc", "a_b_c_d_e", "ab/n", "cd/v/wn/act"])
EDGES = st.lists(st.tuples(st.sampled_from(["UsedFor", "AtLocation", "Synonym", "IsA"]), TERMS, TERMS), max_size=60)


def drawn(folder: Path, edges: Sequence[Edge]) -> tuple[dict[str, Any], list[Any]]:
    """The report and the drawn sets, without a database."""
    relations = {"en": frozenset(RELATIONS)}
    path = a_file(folder, edges or [("IsA", "ab", "cd")])
    work = WorkFile(work_path(folder, path, relations), relations)
    work.fill(path, lambda lines, share: None)
    report, sets = choose_sets(work, SetRequest("seed", "en", RELATIONS, 5))
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
    first = import_report(path, project)[project.slug]
    rows = list(Material.objects.order_by("pk").values())
    again = import_report(path, project)[project.slug]
    assert (first["new"], again["new"], again["same"], again["removed"]) == (2, 0, 2, 0)
    assert list(Material.objects.order_by("pk").values()) == rows
    assert Event.objects.filter(project=project, verb="sets_imported").count() == 1


def test_another_file_replaces_what_no_run_has_begun_with(tmp_path: Path) -> None:
    project = a_project()
    import_report(a_file(tmp_path, PEN), project)
    used, unused = Material.objects.filter(project=project).order_by("position")
    run = GenerationRun.objects.create(project=project, n=1, name="first", recipe="mcsqa", plan={}, seed="seed")
    batch = GenerationBatch.objects.create(run=run, n=1)
    Candidate.objects.create(project=project, run=run, batch=batch, material=used, key="first")
    cup: list[Edge] = [("UsedFor", "cup", each) for each in ("drink", "toast", "measure")]
    told = import_report(a_file(tmp_path, cup, "other.csv"), project)[project.slug]
    assert (told["new"], told["removed"], told["held"]) == (1, 1, 1)
    assert not Material.objects.filter(pk=unused.pk).exists()
    assert [(place, data["source"]) for place, _, data in stored_assertions(project)] == [
        (1, "cup"),
        (2, "pen"),
    ]
    assert Material.objects.get(pk=used.pk).data == used.data


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="No such file"):
        import_report(tmp_path / "nowhere.csv", a_project())


def test_the_report_for_people_has_a_line_for_each_relation(tmp_path: Path) -> None:
    told = run_import(a_file(tmp_path, PEN), a_project())
    assert "UsedFor forward" in told
    assert "2 of them drawn: 2 new" in told


def test_the_made_up_file_is_the_same_every_time() -> None:
    assert list(assertions(50)) == list(assertions(50))
