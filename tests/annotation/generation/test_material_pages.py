"""The page of what machine-written questions start from: the list, how more comes in, who may do what."""

from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.db import connection
from django.db.models.functions import Now
from django.test import Client, override_settings
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.core.models.project import Project
from annotation.generation.models import Material
from annotation.generation.rules import recipes
from annotation.generation.rules.recipes.forms import ITEM
from annotation.jobs.models import Import
from tests import factory, machine, questions
from tests.exports.machine import make_questions
from tests.question_files import a_row, begin_run_with, jsonl
from validation.imports.actions import import_keep

pytestmark = pytest.mark.django_db


def a_project(preset: str, **fields: Any) -> Project:
    return factory.project(preset=preset, **fields)


def client_of(project: Project, *roles: str, administrator: bool = False) -> Client:
    client = Client()
    person = factory.user(administrator=administrator)
    if roles:
        factory.member(project, *roles, account=person)
    client.force_login(person, backend=settings.AUTHENTICATION_BACKENDS[0])
    return client


def page(client: Client, project: Project, query: str = "") -> str:
    answer = client.get(reverse("materials", args=[project.slug]) + query)
    assert answer.status_code == 200
    return answer.content.decode()


def test_without_any_set_the_page_says_the_command() -> None:
    project = a_project("mcsqa")
    told = page(client_of(project, "lead"), project)
    assert f"import_conceptnet conceptnet-assertions-5.7.0.csv.gz --project {project.slug}" in told
    assert "Run the command above" in told
    assert "CausesDesire" in told


def test_sets_are_listed_searched_and_narrowed() -> None:
    project = a_project("mcsqa")
    machine.question_sets(project, 3)
    Material.objects.filter(project=project, position=2).update(group="UsedFor")
    begin_run_with(Material.objects.get(project=project, position=3))
    client = client_of(project, "lead")
    first = Material.objects.get(project=project, position=1)
    told = page(client, project)
    assert told.count("begun with") == 1
    assert told.index(first.data["source"]) < told.index(Material.objects.get(position=2).data["source"])
    for query, found in (
        ("?group=UsedFor", 1),
        (f"?q={first.data['targets'][2]}", 1),
        (f"?q={first.data['source']}", 1),
        ("?group=AtLocation", 2),
        ("?q=nothing-like-it", 0),
        ("?q=%00", 3),
    ):
        assert page(client, project, query).count('data-th="Place"') == found, query
    assert "Nothing fits these filters" in page(client, project, "?q=nothing-like-it")


def test_what_each_filter_dropped_is_shown(tmp_path: Path) -> None:
    project, path = a_project("mcsqa"), tmp_path / "some.csv"
    ends = ("write", "draw", "sign", "write_a_very_long_letter", "poke", "scribble", "doodle")
    lines = [f"/a/x\t/r/UsedFor\t/c/en/pen\t/c/en/{end}\t{{}}" for end in ends]
    path.write_text("\n".join([*lines, "/a/x\t/r/IsA\t/c/en/pen\t/c/en/tool\t{}", "torn"]) + "\n")
    with override_settings(MUFAKAT_DATA_DIR=tmp_path):
        call_command(
            "import_conceptnet",
            str(path),
            f"--project={project.slug}",
            stdout=StringIO(),
            stderr=StringIO(),
        )
    told = page(client_of(project, "lead"), project)
    assert "What the last import came to" in told
    assert "9 lines, 1 malformed" in told
    assert "Five words or more" in told
    assert "some.csv" in told


def test_concepts_are_taken_with_a_button() -> None:
    project = a_project("llm-gen")
    questions.a_concept(project, "tikar", category="culture")
    client = client_of(project, "lead")
    assert "1 approved concept is not taken yet" in page(client, project)
    answer = client.post(reverse("materials_concepts", args=[project.slug]), follow=True)
    assert "1 was taken in." in answer.content.decode()
    answer = client.post(reverse("materials_concepts", args=[project.slug]), follow=True)
    assert "1 was here already." in answer.content.decode()


def test_a_file_is_sent_and_its_refused_rows_are_shown() -> None:
    project = a_project("llm-adapt")
    client, url = client_of(project, administrator=True), reverse("materials_file", args=[project.slug])
    sent = SimpleUploadedFile("questions.jsonl", jsonl(a_row(1), a_row(2, answerKey="Z")))
    answer = client.post(url, {"file": sent, "split": "train"}, follow=True)
    told = answer.content.decode()
    assert answer.redirect_chain
    assert "is none of the choices" in told
    assert Material.objects.get(project=project).split == "train"
    assert "questions.jsonl" in page(client, project)
    assert client.post(url, {}).status_code == 422
    answer = client.post(url, {"file": SimpleUploadedFile("x.jsonl", b"PK\x03\x04 1234"), "split": ""})
    assert answer.status_code == 422
    assert "send JSONL or CSV" in answer.content.decode()


def test_a_lead_reads_and_an_administrator_takes_files_in() -> None:
    project = a_project("llm-adapt")
    lead = client_of(project, "lead")
    assert "An administrator takes files in." in page(lead, project)
    for name in ("materials_file", "materials_items"):
        assert lead.post(reverse(name, args=[project.slug])).status_code == 403


def test_which_items_of_another_project_are_taken_is_chosen_and_the_others_are_counted() -> None:
    source = a_project("llm-adapt")
    slug = next(each.slug for each in recipes.all_recipes() if each.sort == ITEM)
    project = a_project("llm-adapt", settings={"recipe": slug})
    make_questions(source, 2)
    client, url = client_of(project, administrator=True), reverse("materials_items", args=[project.slug])
    assert 'value="checked"' in page(client, project)
    answer = client.post(url, {"source": source.slug}, follow=True)
    assert "Not taken: to be checked (2)." in answer.content.decode()
    answer = client.post(url, {"source": source.slug, "items": "all"}, follow=True)
    assert "2 were taken in." in answer.content.decode()
    assert client.post(url, {"source": source.slug, "items": "some"}).status_code == 422


def test_a_file_of_another_project_and_one_of_items_are_not_there() -> None:
    project, other = a_project("llm-adapt"), a_project("llm-adapt")
    client = client_of(project, "lead")
    foreign = Import.objects.create(project=other, name="x", what=Import.What.MATERIALS)
    items = Import.objects.create(project=project, name="x", what=Import.What.ITEMS)
    for each in (foreign, items):
        assert client.get(reverse("materials_report", args=[project.slug, each.pk])).status_code == 404


def test_a_project_that_people_write_has_no_such_page() -> None:
    project = questions.a_question_project()
    assert client_of(project, "lead").get(reverse("materials", args=[project.slug])).status_code == 404


def test_the_list_takes_as_many_statements_for_many_as_for_few() -> None:
    project = a_project("mcsqa")
    client = client_of(project, "lead")
    machine.question_sets(project, 10)
    with CaptureQueriesContext(connection) as few:
        page(client, project)
    machine.question_sets(project, 990, start=11)
    with CaptureQueriesContext(connection) as many:
        page(client, project)
    assert len(few) == len(many)


def test_what_was_told_of_a_file_outlives_files_that_nobody_went_on_with(tmp_path: Path) -> None:
    """An import sweeps away what was sent and left; a file that was read at once has nothing to sweep."""
    project = a_project("llm-adapt")
    told = Import.objects.create(project=project, name="q.jsonl", what=Import.What.MATERIALS, refused=1)
    left = Import.objects.create(project=project, name="left.jsonl", path="0" * 32)
    Import.objects.update(at=Now() - timedelta(days=30))
    with override_settings(MUFAKAT_DATA_DIR=tmp_path):
        import_keep(project=project, by=None, name="q.jsonl", chunks=iter([jsonl(a_row(1))]))
    assert Import.objects.filter(pk=told.pk).exists()
    assert not Import.objects.filter(pk=left.pk).exists()
