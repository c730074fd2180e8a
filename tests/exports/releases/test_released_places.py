"""Spans in a release: of the text that is released, compared with it when it is built and when it is verified."""

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from annotation.content.models.item import Revision
from annotation.content.queries import current_content
from annotation.jobs import queue as jobs
from exports.releases.verify import verify
from tests.exports.world import build, folder, freeze, rows
from tests.spans import SpansWorld, span, spans_world
from validation.insights.reports import get
from validation.insights.reports.reading import Reading
from validation.review.actions.corrections import correct
from validation.review.actions.decisions import adjudicate

pytestmark = pytest.mark.django_db
OLD, NEW = "Ibu Siti tinggal di Bogor.", "Siti kini tinggal di Bogor."


@pytest.fixture
def at(tmp_path: Path) -> SpansWorld:
    """Two items whose texts were corrected: one between its votes and after them, one that a lead had settled."""
    made = spans_world(tmp_path, [OLD, OLD.replace("Siti", "Sari")])
    made.vote(0, span(OLD, "Siti"))
    fix(made, 0, "Ibu Siti pun tinggal di Bogor.")
    made.vote(1, span("Ibu Siti pun tinggal di Bogor.", "Siti"))
    fix(made, 0, NEW)
    for by, word in enumerate(("Sari", "Ibu", "Bogor")):
        made.vote(by, span(OLD.replace("Siti", "Sari"), word), item=1)
    item, gold = made.item(1), {"names": [span(OLD.replace("Siti", "Sari"), "Sari")]}
    adjudicate(lead=made.lead, item_id=item.pk, version=item.version, answers=gold, words="Only her.")
    fix(made, 1, "Kini Ibu Sari tinggal di Bogor.")
    return made


def fix(at: SpansWorld, item: int, text: str) -> None:
    now = at.item(item)
    given: dict[str, Any] = {"item_id": now.pk, "version": now.version}
    correct(lead=at.lead, **given, field="text", text=text, meaning="same")


def released(at: SpansWorld) -> Any:
    return build(freeze(at, "indonli-expert", comments="yes"))


def test_every_passage_is_of_the_released_text(at: SpansWorld) -> None:
    release = released(at)
    splits = [rows(release, name) for name in ("train", "dev", "test") if (folder(release) / f"{name}.jsonl").exists()]
    given = {row["id"]: row for split in splits for row in split}
    votes = [vote for vote in rows(release, "votes") if vote["counted"]]
    assert {row["text"] for row in given.values()} == {NEW, "Kini Ibu Sari tinggal di Bogor."}
    assert len(votes) >= 4
    for span_, text in (
        *((each, row["text"]) for row in given.values() for each in row["names"]),
        *((each, given[vote["id"]]["text"]) for vote in votes for each in vote["answers"]["names"]),
    ):
        assert text[span_["start"] : span_["end"]] == span_["text"]
    report = verify(folder(release))
    assert report.right, report
    (words,) = [check for check in report.checks if check.what == "words of marked passages"]
    assert words.done == 2 + len(votes)


def test_a_place_that_says_something_else_is_found(at: SpansWorld) -> None:
    release = released(at)
    paths = [each for each in folder(release).glob("*.jsonl") if each.stem != "votes"]
    (path,) = [each for each in paths if f'"{NEW}"' in each.read_text()]
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    for line in lines:
        line["names"] = [{**each, "start": each["start"] + 1, "end": each["end"] + 1} for each in line["names"]]
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))
    manifest = json.loads((folder(release) / "manifest.json").read_text())
    manifest["files"][path.name]["sha256"] = sha256(path.read_bytes()).hexdigest()
    (folder(release) / "manifest.json").write_text(json.dumps(manifest))
    wrong = {check.what for check in verify(folder(release), files_only=True).checks if check.wrong}
    assert "words of marked passages" in wrong


def test_a_release_of_words_that_the_text_does_not_have_is_refused(at: SpansWorld) -> None:
    item = at.item(0)
    content = {**current_content(item), "text": "Dia kini tinggal di Bogor."}
    Revision.objects.filter(item=item, n=item.revision_n).update(content=content)
    release = freeze(at, "indonli-expert")
    assert release.job is not None
    assert "check_integrity" in jobs.run_here(release.job).error


def test_reports_compare_the_same_words(at: SpansWorld) -> None:
    reading = Reading(at.project)
    (row,) = get("questions").compute(reading)["questions"]
    first = reading.votes[reading.votes["item"] == at.items[0].pk]
    assert first["label"].nunique() == 1
    assert row["items"] == 2
