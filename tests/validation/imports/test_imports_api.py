"""Files and batches over the API: the same pipeline, codes and counts as the import page."""

import gc
import tracemalloc
from collections.abc import Callable
from typing import Any

import orjson
import pytest
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile

from annotation.content.models.item import Item
from annotation.content.models.source import Premise
from annotation.core.models.project import Project
from annotation.files import scratch
from annotation.jobs import queue as jobs
from annotation.jobs.models import Job
from tests import factory
from tests.api import Script, assert_refused, script
from validation.imports import batches
from validation.review import export

pytestmark = pytest.mark.django_db
LINES = "application/x-ndjson"


@pytest.fixture(autouse=True)
def _files_and_limits(settings: Any, tmp_path: Any) -> None:
    cache.clear()
    settings.MUFAKAT_DATA_DIR = tmp_path


@pytest.fixture
def project() -> Project:
    return factory.project("one")


@pytest.fixture
def boss() -> Script:
    return script(factory.user(administrator=True))


def pair(n: int, **more: Any) -> dict[str, Any]:
    premise = f"Pedagang nomor {n} menjual mangga di pasar."
    return {
        "pair_id": f"k{n}",
        "premise": premise,
        "hypothesis": f"Pedagang {n} ada di pasar.",
        "label": "e",
        **more,
    }


def lines(rows: list[Any]) -> bytes:
    return b"".join((row if isinstance(row, bytes) else orjson.dumps(row)) + b"\n" for row in rows)


def answers(answer: Any) -> list[dict[str, Any]]:
    assert answer.status_code == 200, answer.content
    return [orjson.loads(line) for line in b"".join(answer.streaming_content).splitlines()]


def send(boss: Script, rows: list[Any], what: str = "items") -> list[dict[str, Any]]:
    return answers(boss.post(f"projects/one/{what}:batch", lines(rows), kind=LINES))


def test_a_batch_is_answered_row_by_row(project: Project, boss: Script) -> None:
    first = send(boss, [pair(1), pair(2), pair(3, label="x"), pair(4, hypothesis="")])
    assert [row.get("status") for row in first] == ["stored", "stored", "refused", "refused", None]
    assert [row.get("n") for row in first[:4]] == [1, 2, 3, 4]
    problem = first[2]["problems"][0]
    assert (problem["field"], bool(problem["code"]), bool(problem["detail"])) == ("author_label", True, True)
    assert first[-1] == {"done": True, "stored": 2, "unchanged": 0, "refused": 2}
    again = send(boss, [pair(1), pair(2, hypothesis="Lain sekali."), pair(5)])
    assert [row.get("status") for row in again[:3]] == ["unchanged", "refused", "stored"]
    assert again[1]["problems"][0]["code"] == "id_taken"
    assert Item.objects.filter(project=project).count() == 3
    assert list(scratch().iterdir()) == []


def test_a_batch_says_what_the_import_page_says(project: Project, boss: Script) -> None:
    """The same rows as a file: the same rows refused, for the same reason."""
    rows = [pair(1), pair(2, label="x"), pair(3, premise=""), pair(1, hypothesis="Lain sekali.")]
    made = upload(boss, lines(rows))
    boss.post(f"projects/one/imports/{made['id']}:start", {"dry_run": True})
    jobs.run(Job.objects.get().pk)
    told = boss.pages(f"projects/one/imports/{made['id']}/refused")
    batch = send(boss, rows)
    assert [(row["n"], row["field"], row["reason"]) for row in told] == [
        (row["n"], each["field"], each["detail"]) for row in batch[:-1] for each in row.get("problems", ())
    ]


def test_sources_come_in_batches_too(project: Project, boss: Script) -> None:
    rows = [{"premise_id": f"p{n}", "premise": f"Kalimat nomor {n} tentang pasar."} for n in range(3)]
    assert send(boss, rows, "sources")[-1] == {"done": True, "stored": 3, "unchanged": 0, "refused": 0}
    assert send(boss, rows, "sources")[-1]["unchanged"] == 3
    listed = boss.pages("projects/one/sources")
    assert [row["key"] for row in listed] == ["p0", "p1", "p2"]
    assert_refused(boss.post("projects/one/sources:batch", lines([pair(1)]), kind=LINES), 400, "batch_not_sources")
    assert_refused(boss.post("projects/one/items:batch", lines(rows), kind=LINES), 400, "batch_not_items")
    assert Premise.objects.count() == 3


def test_what_a_batch_cannot_be(project: Project, boss: Script) -> None:
    assert_refused(boss.post("projects/one/items:batch", lines([pair(1)])), 415, "media_type_wrong")
    for body in (b"\n", b"\x00\x01", b"[]"):
        assert boss.post("projects/one/items:batch", body, kind=LINES).status_code == 400
    found = send(boss, [pair(1), b"{", b"[1]", b'{"a": 1}', pair(2, premise="a\0b"), pair(3)])
    assert [row.get("status") for row in found[:-1]] == [
        "stored",
        "refused",
        "refused",
        "refused",
        "refused",
        "stored",
    ]
    lead = factory.member(project, "lead")
    assert_refused(script(lead.user).post("projects/one/items:batch", lines([pair(1)]), kind=LINES), 403, "forbidden")
    assert list(scratch().iterdir()) == []


def peak(act: Callable[[], object]) -> int:
    """The most bytes that Python held at once beside what it held before."""
    gc.collect()
    tracemalloc.start()
    try:
        act()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_no_batch_and_no_export_is_held_in_memory(
    project: Project, boss: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batches, "ROWS_AT_ONCE", 100)
    monkeypatch.setattr(export, "WINDOW", 100)

    def bring(first: int, count: int) -> None:
        rows = (lines([pair(n)]) for n in range(first, first + count))
        batch = batches.Batch(project, rows, holds=batches.ITEMS)
        (*_, last) = batch
        assert orjson.loads(last.splitlines()[-1])["stored"] == count

    def take() -> None:
        answer = boss.get("projects/one/items:export")
        assert sum(chunk.count(b"\n") for chunk in answer.streaming_content) == Item.objects.count()

    bring(0, 10)
    take()
    few = [peak(lambda: bring(1000, 400)), peak(take)]
    many = [peak(lambda: bring(2000, 2400)), peak(take)]
    assert [a < 1.5 * b for a, b in zip(many, few, strict=True)] == [True, True], (few, many)


def test_a_large_body_comes_with_a_token_and_not_without(project: Project, boss: Script, settings: Any) -> None:
    settings.MUFAKAT_STRANGERS_MAX_BYTES = 100
    body = lines([pair(n) for n in range(20)])
    assert Script("muf_1_wrong").post("projects/one/items:batch", body, kind=LINES).status_code == 413
    assert answers(boss.post("projects/one/items:batch", body, kind=LINES))[-1]["stored"] == 20


def upload(boss: Script, content: bytes, name: str = "pairs.jsonl") -> dict[str, Any]:
    headers = {"Authorization": f"Bearer {boss.text}"}
    file = SimpleUploadedFile(name, content)
    answer: Any = boss.client.post("/api/v1/projects/one/imports", {"file": file}, headers=headers)
    assert answer.status_code == 201, answer.content
    found: dict[str, Any] = answer.json()
    return found


def test_a_file_from_upload_to_report(project: Project, boss: Script) -> None:
    made = upload(boss, lines([pair(1), pair(2, label="x")]))
    assert (made["job"], made["lines"], made["mapping"]["premise"]) == (None, 2, "premise")
    path = f"projects/one/imports/{made['id']}"
    started = boss.post(f"{path}:start", {"dry_run": True})
    assert (started.status_code, started.json()["job"]["state"]) == (202, "queued")
    assert_refused(boss.post(f"{path}:start"), 409, "import_started")
    jobs.run(started.json()["job"]["id"])
    tried = boss.get(path).json()
    assert (tried["dry_run"], tried["accepted"], tried["refused"], Item.objects.count()) == (True, 1, 1, 0)
    job = boss.post(f"{path}:start", {"mapping": made["mapping"]}).json()["job"]
    jobs.run(job["id"])
    assert boss.get(f"jobs/{job['id']}").json()["state"] == "done"
    assert Item.objects.count() == 1
    (row,) = boss.pages(f"{path}/refused")
    assert row["n"] == 2
    assert [one["id"] for one in boss.pages("projects/one/imports")] == [made["id"]]
    assert [one["kind"] for one in boss.pages("projects/one/jobs")] == ["import", "import"]
    answer = boss.post(f"{path}:start", {"mapping": {"premise": "nowhere"}})
    assert (answer.status_code, answer.json()["field"]) == (400, "mapping")


def test_a_job_is_stopped_and_nobody_elses_is_seen(project: Project, boss: Script) -> None:
    made = upload(boss, lines([pair(1)]))
    path = f"projects/one/imports/{made['id']}"
    job = boss.post(f"{path}:start").json()["job"]
    assert boss.post(f"{path}:cancel").json()["job"]["state"] == "cancelled"
    stranger = script(factory.member(factory.project("two"), "lead").user)
    assert_refused(stranger.get(f"jobs/{job['id']}"), 404, "not_found")
    assert_refused(stranger.get(path), 404, "not_found")
    lead = script(factory.member(project, "lead").user)
    assert lead.get(path).status_code == 200
    assert_refused(lead.post(f"{path}:start"), 403, "forbidden")
    assert_refused(boss.post("projects/one/imports", b"", kind="multipart/form-data; boundary=x"), 400, "file_missing")
