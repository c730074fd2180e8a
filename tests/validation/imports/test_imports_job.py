"""The import as a job: killed and resumed, twice at once, cancelled, beside writers; limits of premises; who is who."""

import random
import signal
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import orjson
import pytest
from django.db import connection

from annotation.content.models.item import Item, Revision
from annotation.content.models.source import Premise
from annotation.core.errors import Conflict, Invalid
from annotation.core.models.member import Annotator, Event
from annotation.core.models.project import Project
from annotation.files import scratch, storage
from annotation.jobs import queue as jobs
from annotation.jobs.bulk import reserve_ids
from annotation.jobs.models import Import, ImportRow, Job
from tests import factory
from tests.services import ROOT
from tests.validation.imports_run import import_items
from validation.imports import pipeline as intake
from validation.imports.actions import import_keep, import_start, shown_name, stored_name
from validation.voting.actions.decide import decide_due
from validation.voting.models.review import Flag
from validation.voting.models.vote import Vote

pytestmark = pytest.mark.django_db(transaction=True)
PAIRS = 9000
TIMES = random.Random(20241120)


@pytest.fixture(autouse=True)
def data_dir(tmp_path: Path, settings: Any) -> Path:
    settings.MUFAKAT_DATA_DIR = tmp_path / "data"
    settings.REDIS_URL = ""
    return tmp_path


def jsonl(rows: list[dict[str, Any]]) -> bytes:
    return b"".join(orjson.dumps(row) + b"\n" for row in rows)


def pair(number: int, **more: Any) -> dict[str, Any]:
    return {
        "pair_id": f"k{number}",
        "premise_id": f"p{number // 6}",
        "premise": f"Pedagang nomor {number // 6} menjual mangga di pasar pagi.",
        "hypothesis": f"Ada mangga nomor {number} di pasar.",
        "author_label": "enc"[number % 3],
        **more,
    }


def premise(number: int, **more: Any) -> dict[str, Any]:
    return {"premise_id": f"p{number}", "text": f"Pedagang nomor {number} menjual mangga.", **more}


def keep(project: Project, rows: list[dict[str, Any]], name: str = "x.jsonl") -> Import:
    return import_keep(project=project, by=None, name=name, chunks=[jsonl(rows)])


def take(project: Project, rows: list[dict[str, Any]]) -> Import:
    taken = keep(project, rows)
    job = jobs.run_here(import_start(taken=taken, by=None))
    assert job.state == Job.State.DONE, job.error
    taken.refresh_from_db()
    return taken


def counts(taken: Import) -> tuple[int, int, int]:
    return taken.accepted, taken.unchanged, taken.refused


def reasons(taken: Import) -> list[tuple[int, str]]:
    return list(ImportRow.objects.filter(source=taken).order_by("n").values_list("n", "field"))


# --- killed, and taken up again ---------------------------------------------------------


def _killed(job: Job, env: dict[str, str], *, at: int, left: int) -> None:
    command = [sys.executable, "-m", "tests.validation.import_killed", str(job.pk), str(at), str(left)]
    dead = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, check=False)
    assert dead.returncode == -signal.SIGKILL, dead.stderr.decode()


def test_killed_at_random_points_it_ends_as_if_it_had_not_been(process_env: dict[str, str], data_dir: Path) -> None:
    project = factory.project()
    bad = {number * 100: {"hypothesis": ""} for number in range(5)}
    rows = [pair(n, votes=["e", "n"], **bad.get(n, {})) for n in range(PAIRS)]
    taken = keep(project, rows)
    job = import_start(taken=taken, by=None)
    env = {**process_env, "DATA_DIR": str(data_dir / "data"), "REDIS_URL": ""}
    for at in sorted(TIMES.sample(range(1, PAIRS - 3 * intake.BATCH), 2)):
        _killed(job, env, at=at, left=TIMES.randint(1, 8))
        # Its rows and its progress are one: nothing half is there.
        done = Job.objects.get(pk=job.pk).done
        taken.refresh_from_db()
        assert sum(counts(taken)) == done
        assert Item.objects.count() == taken.accepted
        Job.objects.filter(pk=job.pk).update(lease_until="2020-01-01T00:00Z")
    assert 0 < done < PAIRS
    job = jobs.run_here(job)
    taken.refresh_from_db()
    assert (job.state, job.done, job.total) == (Job.State.DONE, PAIRS, PAIRS)
    assert counts(taken) == (PAIRS - 5, 0, 5)
    assert [n for n, _ in reasons(taken)] == [number + 1 for number in sorted(bad)]
    assert Item.objects.count() == Revision.objects.count() == PAIRS - 5
    assert Vote.objects.count() == 2 * (PAIRS - 5)
    assert not storage().exists(stored_name(taken))


def test_a_second_worker_cannot_take_a_file_in_beside_the_first() -> None:
    project = factory.project()
    job = import_start(taken=keep(project, [premise(1)]), by=None)
    claimed = jobs.claim(job.pk)
    assert claimed is not None
    assert jobs.claim(job.pk) is None
    Job.objects.filter(pk=job.pk).update(lease="another")
    handler = jobs.handler("import")
    assert handler is not None
    with pytest.raises(jobs.JobLost):
        handler(jobs.Handle(claimed))
    assert not Premise.objects.exists()


def test_cancelled_it_stops_and_can_be_begun_again() -> None:
    project = factory.project()
    taken = keep(project, [premise(1)])
    job = import_start(taken=taken, by=None)
    with pytest.raises(Conflict):
        import_start(taken=taken, by=None)
    assert jobs.cancel(job_id=job.pk)
    assert jobs.run_here(job).state == Job.State.CANCELLED
    assert not Premise.objects.exists()
    again = jobs.run_here(import_start(taken=taken, by=None))
    assert again.result["accepted"] == 1
    with pytest.raises(Conflict):
        import_start(taken=taken, by=None)


def test_two_files_at_once_leave_each_row_once() -> None:
    project = factory.project()
    rows = [pair(n) for n in range(3000)]
    started = [import_start(taken=keep(project, rows), by=None) for _ in range(2)]

    def work(job: Job) -> None:
        try:
            jobs.run(job.pk)
        finally:
            connection.close()

    threads = [threading.Thread(target=work, args=(job,)) for job in started]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    ended = [Job.objects.get(pk=job.pk) for job in started]
    assert [job.state for job in ended] == [Job.State.DONE] * 2
    assert sum(job.result["accepted"] for job in ended) == 3000 == Item.objects.count()
    assert sum(job.result["unchanged"] for job in ended) == 3000


def test_a_trial_stores_nothing_and_can_be_followed_by_the_import() -> None:
    project = factory.project()
    rows = [premise(1), premise(1), premise(2, text="Lain."), premise(2, text="Lain sekali.")]
    taken = keep(project, rows)
    job = jobs.run_here(import_start(taken=taken, by=None, dry_run=True))
    taken.refresh_from_db()
    assert (job.state, counts(taken), reasons(taken)) == (Job.State.DONE, (2, 1, 1), [(4, "premise_id")])
    assert not Premise.objects.exists()
    jobs.run_here(import_start(taken=taken, by=None))
    taken.refresh_from_db()
    assert (counts(taken), reasons(taken)) == ((2, 1, 1), [(4, "premise_id")])
    assert Premise.objects.count() == 2
    assert Event.objects.filter(verb="import").count() == 2


def test_a_file_that_is_gone_fails_with_words() -> None:
    project = factory.project()
    taken = keep(project, [premise(1)])
    storage().delete(stored_name(taken))
    job = jobs.run_here(import_start(taken=taken, by=None))
    assert job.state == Job.State.FAILED
    assert "missing" in job.error


def test_nothing_of_a_users_name_reaches_the_disk() -> None:
    """A40."""
    project = factory.project()
    for name in (
        "../../x.jsonl",
        "/etc/passwd",
        "a\0b\u202e.jsonl",
        "x" * 500 + ".jsonl",
        "",
        "C:\\x\\y.jsonl",
    ):
        taken = keep(project, [premise(1)], name)
        assert stored_name(taken) == f"imports/{taken.path}"
        assert taken.path.isalnum()
        assert len(taken.name) <= 200
    assert shown_name("../../x.jsonl") == "x.jsonl"
    assert shown_name("C:\\x\\y.jsonl") == "y.jsonl"
    assert shown_name("a\0b\u202e.jsonl") == "ab.jsonl"
    Import.objects.filter(pk=taken.pk).update(path="../../../etc/passwd")
    taken.refresh_from_db()
    assert stored_name(taken) == "imports/passwd"


def test_a_file_that_is_too_large_leaves_nothing_behind(settings: Any) -> None:
    settings.MUFAKAT_UPLOAD_MAX_BYTES = 100
    with pytest.raises(Invalid):
        keep(factory.project(), [premise(n) for n in range(10)])
    assert list(scratch().iterdir()) == []
    assert list(storage().list_names("imports")) == []


def test_files_that_nobody_went_on_with_are_not_kept() -> None:
    project = factory.project()
    old, young = keep(project, [premise(1)]), keep(project, [premise(2)])
    Import.objects.filter(pk=old.pk).update(at="2020-01-01T00:00Z")
    keep(project, [premise(3)])
    assert not storage().exists(stored_name(old))
    assert storage().exists(stored_name(young))
    assert not Import.objects.filter(pk=old.pk).exists()


# --- what a premise has to be -------------------------------------------------------------


def test_the_first_five_of_a_document_over_all_imports() -> None:
    project = factory.project()
    first = take(project, [premise(n, document="d") for n in range(4)])
    second = take(project, [premise(n, document="d" if n < 8 else "") for n in range(3, 12)])
    assert counts(first) == (4, 0, 0)
    assert (counts(second), reasons(second)) == (
        (5, 1, 3),
        [(3, "document"), (4, "document"), (5, "document")],
    )
    assert Premise.objects.filter(document="d").count() == 5


def test_a_long_premise_is_refused_whatever_its_class() -> None:
    project = factory.project()
    long = "kata " * 201
    sizes = ("multiple", "single", "double", "")
    taken = take(project, [premise(n, text=long, sentence_size=size) for n, size in enumerate(sizes, 1)])
    assert (counts(taken), reasons(taken)) == ((0, 0, 4), [(n, "premise") for n in range(1, 5)])


def test_the_same_text_under_another_id_is_kept_and_marked() -> None:
    """Ruling 15; F34: composed or not, with or without a character that nobody sees, it is the same."""
    project = factory.project()
    texts = ["Kaf\u00e9 itu buka.", "Kafe\u0301 itu buka.", "Kaf\u00e9 itu\u200b buka."]
    take(project, [premise(n, text=text) for n, text in enumerate(texts)])
    assert dict(Premise.objects.values_list("key", "text")) == {f"p{n}": text for n, text in enumerate(texts)}
    marks = dict(Premise.objects.values_list("key", "extra__duplicate_of"))
    assert marks == {"p0": None, "p1": "p0", "p2": "p0"}
    assert counts(take(project, [{"text": texts[0]}])) == (0, 1, 0)


# --- pairs ------------------------------------------------------------------------------------


def test_pairs_are_flagged_not_refused() -> None:
    project = factory.project(settings={"tags": "required"})
    rows = [
        pair(1),
        pair(2, hypothesis=pair(1)["hypothesis"]),
        pair(3, hypothesis=pair(3)["premise"]),
        pair(4, premise_id="long", premise="kata " * 201, sentence_size="multiple"),
        pair(5, premise="Teks lain dari premis yang sama."),
    ]
    taken = take(project, rows)
    assert counts(taken) == (5, 0, 0)
    assert taken.job is not None
    assert taken.job.result["flagged"] == 4
    found = {key: (code, detail) for key, code, detail in Flag.objects.values_list("item__key", "code", "detail")}
    assert found == {
        "k2": ("duplicate", {"of": "k1"}),
        "k3": ("failed_check", {"checks": ["copy_of_source"]}),
        "k4": ("failed_check", {"checks": ["too_many_words"]}),
        "k5": ("failed_check", {"checks": ["premise_differs"]}),
    }
    doubts = dict(Item.objects.values_list("key", "doubt"))
    assert doubts["k1"] == 0
    assert all(doubts[key] for key in found)
    # In a file with a column of tags, a pair without one is told so.
    taken = take(project, [pair(10, tags=[]), pair(11, tags=["MORPH"]), pair(12, tags=["IRONY"])])
    untagged = {flag.item.key: flag.detail for flag in Flag.objects.filter(item__key__in=["k10", "k11", "k12"])}
    assert untagged == {"k10": {"checks": ["tags_missing"]}, "k12": {"checks": ["tags_unknown"]}}


def test_published_names_are_kept_and_are_nobody_here() -> None:
    project = factory.project()
    member = factory.member(project, "writer", "validator")
    name = member.pseudonym
    rows = [
        pair(1, author="A1", votes=[{"annotator": name, "label": "n"}, {"annotator": "A2", "label": "n"}]),
        pair(2, author=name, votes=[{"annotator": "A1", "label": "c"}, "c"]),
    ]
    take(project, rows)
    assert dict(Item.objects.values_list("key", "author__pseudonym")) == {
        "k1": "A1",
        "k2": f"{name} (imported)",
    }
    assert Counter(Vote.objects.values_list("annotator__pseudonym", flat=True)) == {
        f"{name} (imported)": 1,
        "A2": 1,
        "A1": 1,
        "?2": 1,
    }
    assert not Vote.objects.filter(annotator=member).exists()
    assert Annotator.objects.filter(imported=True, user=None).count() == 4


def test_a_half_finished_pair_goes_on_where_it_stood() -> None:
    project = factory.project()
    take(project, [pair(0, votes=["e"]), pair(1, votes=["c", "c"]), pair(2, votes=["c", "c", "n", "n", "n"])])
    while decide_due():
        pass
    standing = {
        key: rest for key, *rest in Item.objects.values_list("key", "stage", "round", "pending", "slots_free", "gold")
    }
    assert standing == {
        "k0": ["voting", 1, 1, 1, ""],
        "k1": ["voting", 2, 1, 1, ""],
        "k2": ["settled", 1, 0, 0, "c"],
    }
    surplus = Vote.objects.filter(item__key="k2", surplus=True).order_by("n")
    assert list(surplus.values_list("n", "round")) == [(3, 2), (4, 3), (5, 3)]


def test_a_corrected_pair_is_still_the_one_that_came() -> None:
    """A lead's correction does not turn the same file into a conflict."""
    project = factory.project()
    take(project, [pair(1)])
    Item.objects.update(author_label="n")
    item = Item.objects.get()
    item.hypothesis.text = "Ada mangga yang dijual."
    item.hypothesis.save()
    assert counts(take(project, [pair(1)])) == (0, 1, 0)


def test_a_clash_with_a_writer_is_looked_at_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key that appears between the look and the insert is seen at the next look."""
    from validation.imports import storage

    project = factory.project()
    taken = keep(project, [pair(1), pair(2)])
    calls: list[int] = []

    def reserve(model: Any, count: int) -> list[int]:
        calls.append(count)
        if len(calls) == 1:
            target, protocol = project.targets.get(), project.protocols.get()
            Item.objects.create(project=project, target=target, protocol=protocol, key="k1", slot="", shuffle=1)
        return reserve_ids(model, count)

    monkeypatch.setattr(storage, "reserve_ids", reserve)
    job = jobs.run_here(import_start(taken=taken, by=None))
    assert job.state == Job.State.DONE, job.error
    assert len(calls) == 2
    assert sorted(Item.objects.values_list("key", flat=True)) == ["k1", "k2"]


def test_options_of_the_command(tmp_path: Path) -> None:
    project = factory.project()
    path = tmp_path / "x.csv"
    path.write_text("nomor,kalimat\n1,Rina pergi.\n", encoding="utf-8")
    assert import_items(project.slug, path)[0] == 2
    options = ("--map", "kalimat=premise", "--map", "nomor=premise_id")
    assert import_items(project.slug, path, *options)[0] == 0
    assert list(Premise.objects.values_list("key", "text")) == [("1", "Rina pergi.")]
    assert import_items(project.slug, path, "--map", "x=premise")[0] == 2
    assert import_items(project.slug, tmp_path / "none.jsonl")[0] == 2
    assert import_items(project.slug, tmp_path)[0] == 2
