"""Materials of machine-written questions in a browser: what axe finds, and a file taken in without a script."""

import json
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.urls import reverse
from playwright.sync_api import Page

from annotation.core.models.project import Project
from annotation.generation.models import Material
from annotation.jobs.models import Import
from bench.conceptnet import write
from tests import factory, questions
from tests.flows.looks import assert_for_everybody, open_all
from tests.question_files import a_row, begin_run_with, jsonl


def with_sets(folder: Path, settings: Any) -> Project:
    """A project with some sixty sets of a made-up file, one of them begun with."""
    settings.MUFAKAT_DATA_DIR = folder
    project, path = factory.project("sets", preset="mcsqa", language="en"), folder / "assertions.csv"
    write(path, 20_000)
    with path.open("a") as file:
        file.write("torn\n")
    call_command("import_conceptnet", str(path), "--project=sets", stdout=StringIO(), stderr=StringIO())
    begin_run_with(Material.objects.filter(project=project).order_by("position")[0])
    return project


def with_questions() -> Project:
    """A project with a question to adapt, and a file of which a row was refused."""
    project = factory.project("adapted", preset="llm-adapt")
    row = a_row(1, split="train")
    options = [
        {"key": each["label"], "text": each["text"], "role": "answer" if each["label"] == "B" else ""}
        for each in row["question"]["choices"]
    ]
    data = {"id": "id1", "concept": "snow shovel", "category": "", "question": row["question"]["stem"]}
    Material.objects.create(
        project=project,
        target=project.targets.get(),
        sort="question",
        key="id1",
        split="train",
        position=1,
        data={**data, "options": options},
    )
    taken = Import.objects.create(
        project=project, name="train_rand_split.jsonl", what=Import.What.MATERIALS, accepted=1, refused=1
    )
    taken.rows.create(n=2, field="answer", reason="“Z” is none of the choices A, B, C, D, E.")
    return project


@pytest.mark.django_db(transaction=True)
def test_axe_finds_nothing(page_of: Callable[..., Page], tmp_path: Path, settings: Any) -> None:
    sets, adapted = with_sets(tmp_path, settings), with_questions()
    empty, concepts = factory.project("empty", preset="mcsqa"), factory.project("concepts", preset="llm-gen")
    translated = factory.project("translated", preset="llm-adapt", settings={"recipe": "llm-translate"})
    questions.a_question_project("told")
    questions.a_concept(concepts, "tikar", category="culture")
    report = reverse("materials_report", args=[adapted.slug, Import.objects.get().pk])
    page = page_of(factory.user(administrator=True))
    lists = [reverse("materials", args=[each.slug]) for each in (sets, adapted, empty, concepts, translated)]
    for path in (*lists, f"{lists[0]}?q=nothing-like-it", report):
        page.goto(path)
        open_all(page)
        assert_for_everybody(page, path)


@pytest.mark.django_db(transaction=True)
def test_a_file_is_taken_in_without_a_script(page_of: Callable[..., Page], tmp_path: Path) -> None:
    project = factory.project("adapted", preset="llm-adapt")
    path = tmp_path / "train.jsonl"
    path.write_bytes(jsonl(a_row(1), a_row(2), a_row(3, answerKey="Z"), json.dumps({"id": "torn"})[:-3]))
    page = page_of(factory.user(administrator=True), javascript=False)
    page.goto(reverse("materials", args=[project.slug]))
    page.get_by_label("File", exact=True).set_input_files(path)
    page.get_by_label("Split").fill("train")
    page.get_by_role("button", name="Take the file in").click()
    page.get_by_role("heading", name="Refused rows").wait_for()
    page.get_by_text("is none of the choices").wait_for()
    page.get_by_role("link", name="To the questions").click()
    page.get_by_text("Where would one put number 2?").wait_for()
    page.get_by_role("link", name="train.jsonl").wait_for()
