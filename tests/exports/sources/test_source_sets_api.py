"""Source sets over the API: made of a file or a project, cleaned row by row, frozen."""

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from annotation.content.models.units import SourceSet
from annotation.core.models.project import Project
from annotation.jobs import queue as jobs
from annotation.jobs.models import Job
from tests import factory, translations
from tests.api import Script, assert_refused, script
from tests.exports.sources.test_source_sets_made import LINES, jsonl

pytestmark = pytest.mark.django_db
HERE = "projects/lorax/"


@pytest.fixture
def project() -> Project:
    return translations.a_translation_project("lorax")


@pytest.fixture
def lead(project: Project) -> Script:
    return script(translations.member(project, "lead").user)


def sent(asked: Script, **query: str) -> Any:
    file = SimpleUploadedFile("rows.jsonl", jsonl(LINES))
    where = "&".join(f"{name}={value}" for name, value in query.items())
    path = f"/api/v1/{HERE}source-sets:from-file?{where}"
    return asked.client.post(path, {"file": file}, headers=asked._headers({}))


def test_a_file_becomes_a_set(lead: Script) -> None:
    assert_refused(sent(lead, key="pairs", shape="nothing"), 400, "field_invalid_choice")
    assert_refused(sent(lead, key="pairs"), 400, "source_shape_unknown")
    taken = sent(lead, key="pairs", shape="pair")
    assert (taken.status_code, taken.json()["mapping"]["premise"]) == (201, "premise")
    one = f"{HERE}source-imports/{taken.json()['id']}"
    assert_refused(lead.post(f"{one}:start", {"where": {"nowhere": "x"}}), 400, "source_filter_wrong")
    for dry_run in (True, False):
        body = {"dry_run": dry_run, "where": {"size": "single"}}
        job = lead.post(f"{one}:start", body).json()["job"]["id"]
        jobs.run_here(Job.objects.get(pk=job))
        assert SourceSet.objects.exists() is not dry_run
        read = lead.get(one).json()
        assert (read["accepted"], read["dry_run"]) == (2, dry_run)
    assert_refused(lead.post(f"{one}:start"), 409, "import_started")
    [row] = lead.pages(f"{HERE}source-sets")
    assert (row["key"], row["rows"], row["units"], row["frozen_at"]) == ("pairs", 2, 1, None)


def test_a_set_is_made_of_another_project_that_the_token_reaches(project: Project) -> None:
    other = factory.project("asal")
    factory.written_pairs(other, factory.member(other, "writer"), 2)
    boss = factory.user("boss@example.org", administrator=True)
    body = {"key": "copied", "project": "asal", "gold": "all"}
    limited = script(boss, "manage", projects=["lorax"])
    assert_refused(limited.post(f"{HERE}source-sets:from-project", body), 400, "source_project_missing")
    answer = script(boss).post(f"{HERE}source-sets:from-project", body)
    assert answer.status_code == 202
    jobs.run_here(Job.objects.get(pk=answer.json()["job"]["id"]))
    assert SourceSet.objects.get().entries.count() == other.items.count()
    first = other.items.order_by("pk")[0].pk
    other.items.filter(pk=first).update(stage="submitted")
    answer = script(boss).post(f"{HERE}source-sets:from-project", {**body, "key": "checked", "gold": "checked"})
    jobs.run_here(Job.objects.get(pk=answer.json()["job"]["id"]))
    told = script(boss).get(f"{HERE}source-imports/{answer.json()['id']}").json()
    assert told["not_taken"] == {"submitted": 1}


def test_rows_are_cleaned_and_the_set_is_frozen(project: Project, lead: Script) -> None:
    translations.a_source_set(project, translations.pair_rows(6, of_one=3), frozen=False)
    [unit, *_] = lead.pages(f"{HERE}source-sets/pair/units", limit=1)
    one = f"{HERE}source-units/{unit['id']}"
    row = unit["rows"][0]
    step = {"what": "removed", "row": row["id"], "revision": unit["revision"]}
    assert_refused(lead.post(f"{one}:clean", step), 400, "clean_reason_missing")
    gone = lead.post(f"{one}:clean", {**step, "reason": "obvious"}).json()
    assert (gone["rows"][0]["removed"], gone["steps"][0]["what"]) == (True, "removed")
    assert_refused(lead.post(f"{one}:clean", {**step, "reason": "obvious"}), 409, "source_stale")
    back = {"step": gone["steps"][0]["id"], "revision": gone["revision"]}
    undone = lead.post(f"{one}:undo", back).json()
    assert (undone["rows"][0]["removed"], undone["steps"][1]["undone"]) == (False, True)
    text = undone["texts"][0]
    typo = {"what": "typo", "row": row["id"], "revision": undone["revision"], "reason": "spelling"}
    assert_refused(lead.post(f"{one}:clean", {**typo, "texts": {"nothing": "x"}}), 400, "slot_field_unknown")
    fixed = lead.post(f"{one}:clean", {**typo, "texts": {text["key"]: f"{text['text']} Benar."}})
    assert fixed.json()["texts"][0]["text"].endswith("Benar.")
    whole = lead.get(f"{HERE}source-sets/pair").json()
    assert (whole["typos"], whole["removed"], whole["texts"]["typo"]) == (3, 0, 1)
    assert len(lead.pages(f"{HERE}source-sets/pair/units", state="changed")) == 1
    assert lead.post(f"{HERE}source-sets/pair:freeze").json()["frozen_at"]


def test_translators_take_texts_and_see_no_set(project: Project, lead: Script) -> None:
    translations.a_source_set(project, translations.sentence_rows(3), shape="sentence")
    writer = script(translations.member(project, "writer", targets=("jv-ngoko",)).user)
    assert_refused(writer.get(f"{HERE}source-sets"), 403, "forbidden")
    taken = writer.post(f"{HERE}targets/jv-ngoko:take").json()["taken"]
    assert taken == len(writer.pages(f"{HERE}allocations")) > 0
    assert writer.post(f"{HERE}targets/jv-ngoko:take").json() == {"taken": 0}
    assert lead.post(f"{HERE}targets/jv-ngoko:recheck").status_code == 202
