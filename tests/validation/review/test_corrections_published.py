"""The published machine-written files: raw as machine items, their clean counterparts replayed as corrections."""

import json
import re
from dataclasses import asdict
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotation.content.models.item import Item, Revision
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.projects.actions.projects import project_create
from tests import factory
from tests.data import DATA, needs_data
from tests.validation.imports_run import import_items
from validation import integrity
from validation.consensus import stages
from validation.review.queries import assessments as assessed

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


def fold(text: str) -> str:
    return re.sub(r"[\W_]+", "", text.casefold())


@pytest.mark.parametrize("preset", FILES)
def test_the_corrections_are_those_of_the_published_files(preset: str) -> None:
    raw, clean, expected = FILES[preset]
    project, lead = a_project(preset)
    wanted = json.loads((DATA / "expected" / f"{expected}.json").read_text())
    code, report = import_items(project.slug, path_of(raw), "--machine", "gpt-4")
    assert (code, report["accepted"], report["refused"]) == (0, wanted["raw"], 0)
    items = Item.objects.filter(project=project)
    assert set(items.values_list("origin", "stage")) == {("machine", stages.SUBMITTED)}
    assert not items.filter(author__isnull=False).exists()
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
    texts = {
        item: (raw, now)
        for item, raw, now in items.filter(revisions__n=1).values_list("pk", "revisions__content", "qa__question")
    }
    folded = sum(fold(raw["question"]) != fold(now) for raw, now in texts.values())
    assert folded == wanted["question_changed_ignoring_case_space_punctuation"]
    assert found["items"] - found["question_changed"] == wanted["question_unchanged"]
    assert found["items"] - found["options_changed"] == wanted["options_unchanged"]

    again = corrections(path_of(clean), project, lead)
    assert (again["corrected"], again["unchanged"]) == (0, wanted["clean"])
    assert import_items(project.slug, path_of(raw), "--machine", "gpt-4")[1]["unchanged"] == wanted["raw"]
    assert set(items.values_list("stage", flat=True)) == {stages.SUBMITTED}
    assert list(integrity.run(project=project)) == []


def dump(project: Project, form: str, out: Path, *options: str) -> bytes:
    call_command("export_items", project.slug, "--format", form, "--out", str(out), *options, stdout=StringIO())
    return out.read_bytes()


@pytest.mark.parametrize(("preset", "form"), [("llm-gen", "idcsqa-gen"), ("llm-adapt", "idcsqa-adapt")])
def test_raw_and_clean_are_written_as_they_were_published(preset: str, form: str, tmp_path: Path) -> None:
    raw, clean, _ = FILES[preset]
    project, lead = a_project(preset)
    assert import_items(project.slug, path_of(raw), "--machine", "gpt-4")[0] == 0
    corrections(path_of(clean), project, lead)
    assert dump(project, form, tmp_path / "clean.json") == path_of(clean).read_bytes()
    # The raw half of one set was laid out anew when its rows were chosen: the same rows, another indent.
    published = json.dumps(json.loads(path_of(raw).read_bytes()), indent=4).encode()
    assert dump(project, form, tmp_path / "raw.json", "--raw") == published
    assert (published == path_of(raw).read_bytes()) is (preset == "llm-adapt")


def test_what_cannot_be_a_correction_is_refused_with_its_row(tmp_path: Path) -> None:
    project, lead = a_project("llm-gen")
    assert import_items(project.slug, path_of(FILES["llm-gen"][0]), "--machine", "gpt-4")[0] == 0
    rows = json.loads(path_of(FILES["llm-gen"][0]).read_text())[:6]
    rows[0]["id"] = "nobody-knows-it"
    rows[1]["choices"] = {"label": list("ABCD"), "text": ["a", "b", "c", "d"]}
    rows[2]["category"] = "another"
    rows[3]["question"] = "  "
    rows[4]["answer_creator"] = "E"
    rows.append(rows[5])
    path = tmp_path / "clean.json"
    path.write_text(json.dumps(rows))
    out = StringIO()
    with pytest.raises(CommandError, match="rows refused: 5") as refused:
        call_command(
            "import_corrections",
            path,
            "--project",
            project.slug,
            "--by",
            lead.user.email if lead.user else "",
            "--json",
            stdout=out,
        )
    assert refused.value.returncode == 1
    found = json.loads(out.getvalue())
    told = [(row["row"], row["field"]) for row in found["refused_rows"]]
    assert told == [(1, "item_id"), (2, "choices"), (3, "category"), (4, "question"), (7, "item_id")]
    assert all(len(row["reason"]) > 20 for row in found["refused_rows"])
    assert (found["corrected"], found["answer_key_changed"], found["unchanged"]) == (1, 1, 1)
    # A row that cannot be read names no item.
    assert found["missing"] == 300 - 4
    first = Revision.objects.filter(item__project=project, n=2).get()
    assert (first.by, first.why) == (lead, "As in the file clean.json.")


def test_nobody_but_a_lead_of_the_project_corrects(tmp_path: Path) -> None:
    project, _ = a_project("llm-gen")
    writer = factory.member(project, "writer")
    for name in (writer.pseudonym, "nobody"):
        with pytest.raises(CommandError, match="is no QC lead of this project") as refused:
            call_command("import_corrections", path_of(FILES["llm-gen"][1]), "--project", project.slug, "--by", name)
        assert refused.value.returncode == 2
