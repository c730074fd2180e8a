"""New source sets over HTTP: from a file, from a project and from a release, with filters and a live count."""

import json
from typing import Any

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from annotation.content.models.units import SourceSet
from annotation.core.models.project import Project
from annotation.core.models.user import User
from annotation.jobs import queue as jobs
from annotation.jobs.models import Import, Job
from exports.releases.actions import release_freeze
from exports.releases.rules.settings import preset
from tests import factory, translations
from tests.exports.world import staged

pytestmark = pytest.mark.django_db
LINES = [
    {"id": "a", "premise": "Hujan turun.", "hypothesis": "<b>Basah</b>.", "label": "e", "size": "single"},
    {"id": "b", "premise": "Panas.", "hypothesis": "Siang.", "label": "n", "size": "double"},
    {"id": "c", "premise": "Panas.", "hypothesis": "Malam.", "label": "?", "size": "single"},
]
NEW = reverse("source_set_new", args=("lorax",))


def browser(user: User | None) -> Client:
    client = Client()
    assert user is not None
    client.force_login(user, backend=settings.AUTHENTICATION_BACKENDS[0])
    return client


@pytest.fixture
def project() -> Project:
    return translations.a_translation_project("lorax")


@pytest.fixture
def lead(project: Project) -> Client:
    return browser(translations.member(project, "lead").user)


def upload(client: Client, **more: str) -> Any:
    data = b"".join(json.dumps(line).encode() + b"\n" for line in LINES)
    file = SimpleUploadedFile("../../rows.jsonl", data)
    sent = {"from": "file", "key": "set", "name": "Pairs", "shape": "pair", "file": file, **more}
    return client.post(NEW, sent)


def begin(client: Client, taken: Import, wish: str, **more: Any) -> Any:
    return client.post(reverse("source_begin", args=("lorax", taken.pk)), {"wish": wish, **more})


def run_all() -> None:
    for job_id in jobs.waiting_job_ids():
        jobs.run(job_id)


# --- from a file ------------------------------------------------------------------------


def test_a_file_is_looked_at_tried_out_and_made_a_set(project: Project, lead: Client) -> None:
    sent = upload(lead)
    taken = Import.objects.get()
    page = reverse("source_in", args=("lorax", taken.pk))
    assert (sent.status_code, sent.headers["Location"]) == (302, page)
    looked = lead.get(page).content.decode()
    assert "&lt;b&gt;Basah&lt;/b&gt;" in looked
    assert "is no label here" in looked
    assert not SourceSet.objects.exists()
    narrowed = begin(
        lead,
        taken,
        "look",
        column_0="id",
        column_1="premise",
        column_2="hypothesis",
        column_3="label",
        where_column=["size", ""],
        where_value=["double", "x"],
    )
    assert "left out by the filter" in narrowed.content.decode()
    assert begin(lead, taken, "try").status_code == 302
    run_all()
    trial = lead.get(page).content.decode()
    assert "This was a trial" in trial
    assert not SourceSet.objects.exists()
    assert begin(lead, taken, "take").status_code == 302
    assert begin(lead, taken, "take").status_code == 302
    run_all()
    done = lead.get(page).content.decode()
    assert "The set was made." in done
    assert SourceSet.objects.get().entries.count() == 2
    refused: Any = lead.get(reverse("import_refused", args=("lorax", taken.pk)))
    assert b"is no label here" in b"".join(refused.streaming_content)
    assert Job.objects.filter(kind="source_set").count() == 2


def test_a_file_of_rows_is_not_shown_among_other_imports(project: Project, lead: Client) -> None:
    upload(lead)
    taken = Import.objects.get()
    assert "rows.jsonl" not in lead.get(reverse("imports", args=("lorax",))).content.decode()
    assert lead.get(reverse("import_page", args=("lorax", taken.pk))).status_code == 404
    Import.objects.filter(pk=taken.pk).update(what="items")
    assert lead.get(reverse("source_in", args=("lorax", taken.pk))).status_code == 404


@pytest.mark.parametrize(
    ("sent", "status", "words"),
    [
        ({"key": "Big Set"}, 422, "small letters"),
        ({"key": "there"}, 409, "already"),
        ({"shape": "poem"}, 422, "which texts"),
        ({"file": ""}, 422, "Choose a file"),
        ({"from": "release", "project": "nowhere"}, 422, "no such release"),
        ({"from": "project", "project": "nowhere"}, 422, "that you lead"),
    ],
)
def test_what_cannot_be_sent_keeps_what_was_typed(
    project: Project, lead: Client, sent: dict[str, str], status: int, words: str
) -> None:
    translations.a_source_set(project, translations.sentence_rows(1), shape="sentence", key="there")
    answer = upload(lead, **sent)
    assert answer.status_code == status
    page = answer.content.decode()
    assert words in page
    assert 'value="Pairs"' in page or "You lead no other project" in page
    assert not Import.objects.exists()


def test_two_columns_for_one_field_are_asked_about(project: Project, lead: Client) -> None:
    upload(lead)
    taken = Import.objects.get()
    answer = begin(lead, taken, "take", column_1="premise", column_2="premise")
    assert answer.status_code == 422
    assert "are both taken for premise" in answer.content.decode()
    none = begin(lead, taken, "take", column_0="", column_1="premise")
    assert none.status_code == 422
    assert not SourceSet.objects.exists()


def test_a_set_that_waits_can_be_stopped(project: Project, lead: Client) -> None:
    upload(lead)
    taken = Import.objects.get()
    begin(lead, taken, "take")
    assert begin(lead, taken, "stop").status_code == 302
    run_all()
    page = lead.get(reverse("source_in", args=("lorax", taken.pk))).content.decode()
    assert "It was stopped" in page
    assert not SourceSet.objects.exists()


# --- from projects and releases ---------------------------------------------------------


def test_a_lead_of_both_takes_a_project_with_a_filter_and_sees_the_count(project: Project) -> None:
    at = staged()
    person = at.at.lead.user
    client = browser(person)
    translations.member(project, "lead", account=person)
    chosen = {"from": "project", "project": at.project.slug, "gold": "all"}
    page = client.get(NEW, chosen)
    everything = page.context["count"]
    assert f"{everything} rows fit." in page.content.decode()
    part = client.get(NEW, {**chosen, "gold": "settled"}, headers={"HX-Target": "source-count"})
    assert "<html" not in part.content.decode()
    settled = part.context["count"]
    assert 0 < settled < everything
    answer = client.post(NEW, {**chosen, "gold": "settled", "key": "gold", "wish": "take", "split": "dev"})
    assert answer.status_code == 302
    run_all()
    made = SourceSet.objects.get(key="gold")
    assert made.entries.count() == settled
    assert set(made.entries.values_list("split", flat=True)) == {"dev"}
    shown = client.get(reverse("source_set", args=("lorax", "gold"))).content.decode()
    assert f"From the project {at.project.slug}." in shown
    entry = made.entries.order_by("position")[0]
    entry.upstream_changed = True
    entry.save()
    row = client.get(reverse("source_unit", args=("lorax", entry.unit_id)), {"row": entry.pk}).content.decode()
    assert reverse("item", args=(at.project.slug, entry.upstream_id)) in row


def test_a_release_is_taken_with_its_splits(project: Project) -> None:
    at = staged()
    release = release_freeze(project=at.project, rules=preset("indonli-lay").changed({"strict": "no"}), by=None)
    run_all()
    client = browser(factory.user(administrator=True))
    chosen = {"from": "release", "project": at.project.slug, "release": str(release.n), "gold": "all"}
    page = client.get(NEW, chosen).content.decode()
    assert 'name="splits"' in page
    answer = client.post(NEW, {**chosen, "splits": ["train"], "key": "train", "wish": "take"})
    assert answer.status_code == 302
    run_all()
    made = SourceSet.objects.get(key="train")
    assert set(made.entries.values_list("split", flat=True)) == {"train"}
    assert made.origin["n"] == release.n


def test_nobody_sees_a_project_that_they_do_not_lead(project: Project, lead: Client) -> None:
    at = staged()
    page = lead.get(NEW, {"from": "project", "project": at.project.slug}).content.decode()
    assert at.project.name not in page
    assert "You lead no other project" in page
    sent = {"from": "project", "project": at.project.slug, "gold": "all", "key": "x", "wish": "take"}
    assert lead.post(NEW, sent).status_code == 422
    assert not Import.objects.exists()


@pytest.mark.parametrize("way", ["file", "project", "release", "nonsense"])
def test_every_way_has_its_page(project: Project, way: str) -> None:
    at = staged()
    client = browser(factory.user(administrator=True))
    assert client.get(NEW, {"from": way}).status_code == 200
    odd = {"from": way, "project": at.project.slug, "release": "x", "gold": "<b>", "size": "'"}
    assert client.get(NEW, odd).status_code == 200
