"""Source sets made of files, projects and releases: as jobs, with filters, trials, and reports of refused rows."""

import gzip
import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotation.content.models.item import Item
from annotation.content.models.units import SourceSet
from annotation.content.rules.released_ids import released_id
from annotation.core.errors import Conflict, Invalid
from annotation.core.models.project import Project
from annotation.jobs import queue as jobs
from annotation.jobs.models import Import, Job
from annotation.translation.actions.source_sets import SetIn
from annotation.translation.models import SourceEntry
from exports.releases.actions import release_freeze
from exports.releases.models import TakedownRow, Withdrawal
from exports.releases.rules.settings import preset
from exports.sources.reading import count_not_chosen, count_rows, rows
from exports.sources.selection import ItemSelection, RowSource, find_row_source, locate_selection
from exports.sources.starting import source_file_keep, source_file_start, source_take
from tests import factory, translations
from tests.data import DATA, needs_data
from tests.exports.world import released_pair_id, staged

pytestmark = pytest.mark.django_db
LINES = [
    {"id": "a", "premise": "Hujan turun.", "hypothesis": "Basah.", "label": "e", "size": "single"},
    {"id": "b", "premise": "Hujan turun.", "hypothesis": "Kering.", "label": "c", "size": "single"},
    {"id": "c", "premise": "Panas.", "hypothesis": "Siang.", "label": "n", "size": "double"},
]


@pytest.fixture
def project() -> Project:
    return translations.a_translation_project("lorax")


def jsonl(lines: list[Any]) -> bytes:
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def kept(project: Project, data: bytes, *, name: str = "rows.jsonl", shape: str = "pair", key: str = "set") -> Import:
    given = SetIn(key, "", shape)
    return source_file_keep(project=project, given=given, by=None, name=name, chunks=[data])


def made(taken: Import, **more: Any) -> Job:
    return jobs.run_here(source_file_start(taken=taken, by=None, **more))


# --- files ------------------------------------------------------------------------------


def test_a_file_becomes_a_set(project: Project) -> None:
    job = made(kept(project, jsonl(LINES)))
    assert (job.state, job.error) == ("done", "")
    assert job.result == {
        "accepted": 3,
        "refused": 0,
        "left_out": 0,
        "units": 2,
        "dry_run": False,
        "set": "set",
    }
    stored = SourceSet.objects.get()
    assert (stored.origin["from"], stored.origin["name"]) == ("file", "rows.jsonl")
    assert len(stored.origin["sha256"]) == 64
    assert SourceEntry.objects.get(key="a").data == {"size": "single"}


def test_a_filter_leaves_rows_out_and_is_remembered(project: Project) -> None:
    job = made(kept(project, jsonl(LINES)), where=[("size", "single")])
    assert (job.result["accepted"], job.result["left_out"]) == (2, 1)
    assert SourceSet.objects.get().filter == {"where": [["size", "single"]]}


def test_a_trial_stores_nothing_and_can_be_followed_by_the_real_thing(project: Project) -> None:
    taken = kept(project, jsonl([*LINES, LINES[0]]))
    job = made(taken, dry_run=True)
    assert (job.result["accepted"], job.result["refused"], job.result["dry_run"]) == (3, 1, True)
    assert not SourceSet.objects.exists()
    [row] = taken.rows.all()
    assert (row.n, row.field) == (4, "id")
    assert "row 1" in row.reason
    assert made(taken).result["accepted"] == 3
    with pytest.raises(Conflict):
        source_file_start(taken=taken, by=None)


HOSTILE: list[tuple[str, bytes, str, str, str]] = [
    ("no rows", b"", "rows.jsonl", "kept", "file_empty"),
    ("a picture", b"\x89PNG\r\n\x1a\n" + b"\0" * 99, "rows.csv", "kept", "file_binary"),
    ("no such columns", b'{"a": 1}\n', "rows.jsonl", "started", "source_columns"),
    ("every row wrong", jsonl([{**LINES[0], "label": "x"}]), "rows.jsonl", "failed", ""),
    ("a torn gzip", gzip.compress(jsonl(LINES), mtime=0)[:-9], "rows.jsonl.gz", "kept", "gzip_damaged"),
]


@pytest.mark.parametrize(
    ("data", "name", "when", "code"), [each[1:] for each in HOSTILE], ids=[each[0] for each in HOSTILE]
)
def test_a_file_that_cannot_be_a_set(project: Project, data: bytes, name: str, when: str, code: str) -> None:
    if when == "failed":
        taken = kept(project, data, name=name)
        job = made(taken)
        assert (job.state, taken.rows.count()) == ("failed", 1)
        assert "None of the rows" in job.error
    else:
        with pytest.raises(Invalid) as refused:
            _ = kept(project, data, name=name) if when == "kept" else made(kept(project, data, name=name))
        assert refused.value.code == code
    assert not SourceSet.objects.exists()


def test_hostile_rows_are_refused_alone(project: Project, data_dir: Path) -> None:
    lines = [
        b'{"id": "ok", "premise": "p", "hypothesis": "h", "label": "e"}',
        b'{"id": "nul", "premise": "p\\u0000", "hypothesis": "h", "label": "e"}',
        b'{"id": "half", "premise": "\\ud800", "hypothesis": "h", "label": "e"}',
        b'{"id": "torn", "premise": "p"',
        b"[1, 2]",
        b'{"id": "utf", "premise": "\xff", "hypothesis": "h", "label": "e"}',
        b'{"id": "blank", "premise": "\\u200b", "hypothesis": "h", "label": "e"}',
        b'{"id": "' + b"k" * 200 + b'", "premise": "p", "hypothesis": "h", "label": "e"}',
        b'{"id": "long", "premise": "' + b"p" * 10_001 + b'", "hypothesis": "h", "label": "e"}',
        b'{"id": "ok2", "premise": "<script>alert(1)</script>", "hypothesis": "=cmd()", "label": "n"}',
    ]
    taken = kept(project, b"\n".join(lines))
    job = made(taken)
    assert (job.result["accepted"], job.result["refused"]) == (2, 8)
    assert sorted(taken.rows.values_list("n", flat=True)) == list(range(2, 10))
    assert sorted(SourceEntry.objects.values_list("key", flat=True)) == ["ok", "ok2"]


def test_a_job_that_died_after_storing_makes_no_second_set(project: Project) -> None:
    taken = kept(project, jsonl(LINES))
    job = source_file_start(taken=taken, by=None)
    jobs.run_here(job)
    Job.objects.filter(pk=job.pk).update(state="queued", lease="", lease_until=None)
    again = jobs.run_here(Job.objects.get(pk=job.pk))
    assert (again.state, again.result["accepted"], SourceSet.objects.count()) == ("done", 3, 1)


def test_a_name_taken_meanwhile_fails_the_job_with_words(project: Project) -> None:
    taken = kept(project, jsonl(LINES))
    job = source_file_start(taken=taken, by=None)
    translations.a_source_set(project, translations.sentence_rows(1), shape="sentence", key="set")
    ended = jobs.run_here(job)
    assert ended.state == "failed"
    assert "short name" in ended.error


# --- projects and releases --------------------------------------------------------------


def taken_rows(of: Project, **chosen: Any) -> list[Any]:
    found = locate_selection(of, ItemSelection(of.slug, **chosen))
    listed = list(rows(found))
    assert count_rows(found) == len(listed)
    return listed


def test_a_projects_settled_items_come_with_their_gold() -> None:
    at = staged()
    listed = taken_rows(at.project)
    by_key = {row.key: row for row in listed}
    assert {row.label for row in listed} <= {"e", "n", "c"}
    assert by_key[released_pair_id(at.items["1-e2"])].label == "n"
    assert by_key[released_pair_id(at.items["1-n1"])].label == "n"
    assert released_pair_id(at.items["1-c2"]) not in by_key
    assert released_pair_id(at.items["1-n2"]) not in by_key
    one = by_key[released_pair_id(at.items["1-e1"])]
    assert (one.split, one.upstream, one.data["sentence_size"]) == ("test", at.items["1-e1"].pk, "single")
    assert set(one.texts) == {"premise", "hypothesis"}


def test_all_that_is_not_excluded_when_asked_for() -> None:
    at = staged()
    everything = taken_rows(at.project, gold="all")
    assert len(everything) == Item.objects.filter(project=at.project).exclude(stage="excluded").count()
    assert taken_rows(at.project, gold="all", size="double") == []
    assert taken_rows(at.project, gold="all", origin="imported") == []
    assert len(taken_rows(at.project, gold="all", origin="written", size="single")) == len(everything)


def source_job(project: Project, given: SetIn, found: RowSource) -> Job:
    job = source_take(project=project, given=given, row_source=found, by=None).job
    assert job is not None
    return jobs.run_here(job)


def test_what_is_not_chosen_is_counted_by_reason_and_said_where_no_row_is_left(project: Project) -> None:
    at, given = staged(), SetIn("set", "", "")
    chosen = ItemSelection(at.project.slug, gold="checked")
    found = locate_selection(at.project, chosen)
    job = source_job(project, given, found)
    stages = list(Item.objects.filter(project=at.project).values_list("stage", flat=True))
    left = {"returned": stages.count("returned"), "corrected": stages.count("corrected")}
    left |= {"excluded": stages.count("excluded")}
    assert job.result["not_taken"] == {stage: n for stage, n in left.items() if n}
    assert job.result["accepted"] + sum(left.values()) == len(stages)
    Item.objects.filter(project=at.project).update(stage="written", gold="", gold_from="")
    found = locate_selection(at.project, ItemSelection(at.project.slug))
    job = source_job(project, SetIn("none", "", ""), found)
    assert job.state == "failed"
    assert job.error.endswith(f"Not taken: written ({len(stages)}).")


def test_a_release_gives_its_rows_with_splits_and_labels_as_they_were_frozen() -> None:
    at = staged()
    release = release_freeze(project=at.project, rules=preset("indonli-lay").changed({"strict": "no"}), by=None)
    assert release.job is not None
    assert not jobs.run_here(release.job).error
    release.refresh_from_db()
    listed = taken_rows(at.project, release=release.n, gold="all")
    released = {
        released_pair_id(row.item): (row.split, row.label)
        for row in release.rows.exclude(split="").select_related("item__project")
    }
    assert {row.key: (row.split, row.label) for row in listed} == released
    assert {row.split for row in taken_rows(at.project, release=release.n, gold="all", splits="train")} == {"train"}
    gold = taken_rows(at.project, release=release.n)
    assert 0 < len(gold) < len(listed)
    # What was withdrawn since is in no copy that is made from now on, of the release or of the project.
    taken_down = Withdrawal.objects.create(project=at.project, n=1)
    TakedownRow.objects.create(withdrawal=taken_down, item=at.items["1-e1"])
    key = released_pair_id(at.items["1-e1"])
    left = taken_rows(at.project, release=release.n, gold="all")
    assert {row.key for row in left} == released.keys() - {key}
    found = locate_selection(at.project, ItemSelection(at.project.slug, release=release.n, gold="all"))
    assert count_not_chosen(found) == {"withdrawn": 1}
    assert key not in {row.key for row in taken_rows(at.project, gold="all")}
    TakedownRow.objects.create(withdrawal=taken_down, source=at.items["1-e1"].family)
    assert taken_rows(at.project, release=release.n, gold="all") == []


def test_what_was_accepted_in_one_target_is_a_source_again(project: Project) -> None:
    source = translations.a_source_set(project, translations.pair_rows(4))
    target, translator = translations.target_of(project), translations.member(project, "writer")
    units = list(source.units.order_by("position"))
    done = [translations.a_translation(unit, target, translator) for unit in units]
    Item.objects.filter(pk=done[0].pk).update(stage="settled", gold="approve", gold_from="votes")
    source.entries.filter(key="pair-0001").update(removed=True)
    chosen: dict[str, Any] = {"source_set": "pair", "target": "jv-ngoko"}
    [row] = taken_rows(project, **chosen)
    assert (row.key, row.label, row.split, row.upstream) == ("pair-0000", "e", "test", done[0].pk)
    assert row.texts["premise"] == translations.reversed_words(units[0].fields[0]["text"])
    further = translations.a_translation_project("further", language="jv")
    found = locate_selection(project, ItemSelection(project.slug, **chosen))
    taken = source_take(project=further, given=SetIn("from-jv", "", ""), row_source=found, by=None)
    assert taken.job is not None
    assert jobs.run_here(taken.job).result["accepted"] == 1
    assert SourceSet.objects.get(key="from-jv").shape == "pair"


@pytest.mark.parametrize("preset_name", ["idcsqa", "kalahi"])
def test_questions_and_prompts_come_with_their_options(preset_name: str) -> None:
    from tests.prompts import a_prompt, a_prompt_project, a_topic
    from tests.questions import a_question_project

    if preset_name == "kalahi":
        other = a_prompt_project("prompts")
        item = a_prompt(other, factory.member(other, "writer"), topic=a_topic(other, "arisan"))
        Item.objects.filter(pk=item.pk).update(stage="settled", gold=item.author_label, gold_from="votes")
        [row] = taken_rows(other)
        assert row.label == item.author_label
        assert any(key.startswith("response-I") for key in row.texts)
    else:
        assert taken_rows(a_question_project("questions")) == []


@pytest.mark.parametrize(
    ("chosen", "code"),
    [
        ({"gold": "some"}, "source_filter_wrong"),
        ({"size": "poem"}, "source_filter_wrong"),
        ({"origin": "stolen"}, "source_filter_wrong"),
        ({"release": 9}, "source_release_missing"),
    ],
)
def test_what_cannot_be_chosen_is_refused(chosen: dict[str, Any], code: str) -> None:
    with pytest.raises(Invalid) as refused:
        locate_selection(factory.project("other"), ItemSelection("other", **chosen))
    assert refused.value.code == code


def test_nobody_takes_from_a_project_that_they_do_not_lead(project: Project) -> None:
    other = factory.project("other")
    for roles in ((), ("writer",), ("validator",)):
        person = factory.user()
        if roles:
            factory.member(other, *roles, account=person)
        with pytest.raises(Invalid) as refused:
            find_row_source(person, ItemSelection("other"))
        assert refused.value.code == "source_project_missing"
    lead = factory.member(other, "lead")
    assert lead.user is not None
    assert find_row_source(lead.user, ItemSelection("other")).project == other
    found = find_row_source(factory.user(administrator=True), ItemSelection("other"))
    with pytest.raises(Invalid) as own:
        source_take(project=other, given=SetIn("x", "", ""), row_source=found, by=None)
    assert own.value.code == "source_project_own"


# --- the command, and published files ---------------------------------------------------


def command(*args: str) -> dict[str, Any]:
    out = io.StringIO()
    call_command("import_source_set", *args, "--json", stdout=out)
    found: dict[str, Any] = json.loads(out.getvalue())
    return found


def test_the_command_says_what_it_refused(project: Project, tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(jsonl([*LINES, {**LINES[0], "id": "d", "label": "?"}]))
    with pytest.raises(CommandError) as ended:
        command("lorax", str(path), "--key", "set", "--shape", "pair")
    assert ended.value.returncode == 1
    assert SourceSet.objects.get().entries.count() == 3
    for args in (
        ("nowhere", str(path), "--key", "a", "--shape", "pair"),
        ("lorax", str(path), "--key", "set", "--shape", "pair"),
        ("lorax", str(tmp_path / "none"), "--key", "b", "--shape", "pair"),
        ("lorax", str(path), "--key", "c", "--shape", "choices"),
    ):
        with pytest.raises(CommandError) as refused:
            command(*args)
        assert refused.value.returncode == 2


def test_the_command_maps_tries_and_freezes(project: Project, tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("nomor,kalimat\n1,Ada hujan.\n2,Ada panas.\n", encoding="utf-8")
    args = ["lorax", str(path), "--key", "plain", "--shape", "sentence"]
    args += ["--map", "nomor=id", "--map", "kalimat=text"]
    assert command(*args, "--dry-run")["accepted"] == 2
    assert not SourceSet.objects.exists()
    assert command(*args, "--freeze")["units"] == 2
    assert SourceSet.objects.get().frozen_at is not None


@needs_data
@pytest.mark.parametrize(
    ("name", "shape", "where", "figures"),
    [
        ("indonli/expert_replay.jsonl", "pair", "sentence_size=single", (781, 133, 708)),
        ("idcsqa/human_gen_ind.json", "choices", "", (1498, 1498, 0)),
        ("copal/test_copal.csv", "alternatives", "", (559, 559, 0)),
    ],
)
def test_published_files(project: Project, name: str, shape: str, where: str, figures: tuple[int, int, int]) -> None:
    args = ("lorax", str(DATA / name), "--key", "set", "--shape", shape)
    report = command(*args, *(("--where", where) if where else ()))
    assert (report["accepted"], report["units"], report["left_out"], report["refused"]) == (*figures, 0)


@needs_data
def test_indonli_as_a_project_with_the_papers_filter(project: Project) -> None:
    """The expert set imported with its votes, settled by the engine, then taken: single sentences with gold (§3.3)."""
    from validation.voting.actions.decide import decide_due

    other = factory.project("indonli")
    out = io.StringIO()
    call_command("import_items", "indonli", str(DATA / "indonli/expert_replay.jsonl"), stdout=out)
    while decide_due():
        pass
    found = locate_selection(other, ItemSelection("indonli", size="single"))
    taken = source_take(project=project, given=SetIn("indonli", "", ""), row_source=found, by=None)
    assert taken.job is not None
    job = jobs.run_here(taken.job)
    assert (job.error, job.result["accepted"], job.result["units"]) == ("", 781, 133)
    published = {
        released_id(other.secret, str(row["pair_id"])): row["label"]
        for row in map(json.loads, (DATA / "indonli/expert_replay.jsonl").read_bytes().split(b"\n")[:-1])
    }
    stored = SourceSet.objects.get(key="indonli")
    labels = dict(stored.entries.values_list("key", "label"))
    assert labels == {key: published[key] for key in labels}
    assert stored.filter["size"] == "single"
    assert (stored.origin["from"], stored.origin["project"]) == ("project", "indonli")


def test_the_command_names_what_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"There is no translation project nowhere\.") as ended:
        call_command("import_source_set", "nowhere", str(tmp_path / "a.csv"), "--key", "k", "--shape", "pair")
    assert ended.value.returncode == 2
