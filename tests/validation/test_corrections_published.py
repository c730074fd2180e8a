"""The published machine-written files: raw as machine items, their clean counterparts replayed as corrections."""

import json
from dataclasses import asdict
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotation.actions.projects import project_create
from annotation.models import Annotator, Item, Project, Revision
from tests import factory
from tests.data import DATA, needs_data
from tests.validation.imports_run import import_items
from validation import assessed, integrity
from validation.rules import stages

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.data, needs_data]
FILES = {
    "llm-gen": ("llm_gen_ind_sample", "llm_gen_ind_sample_clean", "idcsqa_llm_gen_ind_corrections"),
    "llm-adapt": ("adapt_ind_test", "adapt_ind_test_clean", "idcsqa_adapt_ind_corrections"),
}
COUNTED = (
    "question_changed",
    "options_changed",
    "single_options_changed",
    "concept_changed",
    "answer_key_changed",
    "nothing_changed",
)


@pytest.fixture(autouse=True)
def _apart(tmp_path: Path, settings: Any) -> None:
    settings.MUFAKAT_DATA_DIR = tmp_path
    settings.REDIS_URL = ""


def path_of(name: str) -> Path:
    return DATA / "idcsqa" / f"{name}.json"


def a_project(preset: str) -> tuple[Project, Annotator]:
    project = project_create(slug=preset, name=preset, preset=preset, seed="seed")
    return project, factory.member(project, "lead")


def corrections(path: Path, project: Project, lead: Annotator, *options: str) -> dict[str, Any]:
    out = StringIO()
    call_command(
        "import_corrections",
        str(path),
        "--project",
        project.slug,
        "--by",
        lead.pseudonym,
        "--json",
        *options,
        stdout=out,
    )
    found: dict[str, Any] = json.loads(out.getvalue())
    return found


@pytest.mark.parametrize("preset", FILES)
def test_the_corrections_are_those_of_the_published_files(preset: str) -> None:
    raw, clean, expected = FILES[preset]
    project, lead = a_project(preset)
    wanted = json.loads((DATA / "expected" / f"{expected}.json").read_text())
    code, report = import_items(project.slug, path_of(raw), "--machine", "gpt-4")
    assert (code, report["accepted"], report["refused"]) == (0, wanted["raw"], 0)
    items = Item.objects.filter(project=project)
    assert set(items.values_list("origin", "author", "stage")) == {("machine", None, stages.SUBMITTED)}
    assert {row["made"]["model"] for row in Revision.objects.values_list("content", flat=True)} == {"gpt-4"}
    assert import_items(project.slug, path_of(raw), "--machine", "gpt-4")[1]["unchanged"] == wanted["raw"]

    tried = corrections(path_of(clean), project, lead, "--dry-run")
    assert assessed.corrections(project).nothing_changed == wanted["raw"]
    done = corrections(path_of(clean), project, lead)
    assert {**tried, "dry_run": False} == done
    assert (done["rows"], done["refused"], done["missing"]) == (wanted["clean"], 0, 0)
    assert done["unchanged"] == wanted["nothing_changed"]
    found = asdict(assessed.corrections(project))
    assert {name: found[name] for name in COUNTED} == {name: wanted[name] for name in COUNTED}
    assert found["items"] - found["question_changed"] == wanted["question_unchanged"]
    assert found["items"] - found["options_changed"] == wanted["options_unchanged"]

    again = corrections(path_of(clean), project, lead)
    assert (again["corrected"], again["unchanged"]) == (0, wanted["clean"])
    assert import_items(project.slug, path_of(raw), "--machine", "gpt-4")[1]["unchanged"] == wanted["raw"]
    assert set(items.values_list("stage", flat=True)) == {stages.SUBMITTED}
    assert list(integrity.run(project=project)) == []
