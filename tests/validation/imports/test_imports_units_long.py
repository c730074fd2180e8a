"""Finished translations come in row by row with who made them; trial, preview, resuming, cost; NusaX whole."""

import csv
import io
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.content.models.item import Item
from annotation.content.models.units import SourceSet, SourceUnit, Translation
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.jobs import queue as jobs
from annotation.jobs.models import ImportRow, Job
from annotation.translation.models import SourceEntry
from tests.data import DATA, needs_data
from tests.translations import (
    a_source_set,
    a_translation_project,
    pair_rows,
    passage_rows,
    sentence_rows,
)
from tests.validation.imports_units import (
    counts,
    import_rows,
    javanese_text,
    keep_file,
    refused_rows,
    sentence_project,
    sundanese_text,
    wide_row,
)
from validation.imports.actions import import_keep, import_start
from validation.imports.preview import preview
from validation.voting.actions.decide import decide_due
from validation.voting.models.vote import Vote

NUSAX = DATA / "nusax" / "parallel_300.csv"
pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _apart(tmp_path: Path, settings: Any) -> None:
    settings.MUFAKAT_DATA_DIR = tmp_path
    settings.REDIS_URL = ""


# --- a row a target ----------------------------------------------------------------------------


def long(entry: str, target: str = "su", **more: Any) -> dict[str, Any]:
    return {"id": entry, "target": target, **more}


def pairs(count: int = 4) -> Project:
    project = a_translation_project()
    a_source_set(project, pair_rows(count))
    return project


def test_rows_of_one_premise_are_one_translation() -> None:
    project = pairs()
    rows = [
        long("pair-0000", premise="P0.", hypothesis="H0."),
        long("pair-0002", premise="P2.", hypothesis="H2."),
        long("pair-0001", premise="P0.", hypothesis="H1."),
        long("pair-0000", "jv-krama", premise="Q0.", hypothesis="K0."),
    ]
    taken = import_rows(project, rows)
    assert (counts(taken), refused_rows(taken)) == ((1, 0, 2), [(2, "row_id"), (4, "row_id")])
    assert "pair-0003" in ImportRow.objects.get(source=taken, n=2).reason
    stored = Translation.objects.get()
    assert {each["key"]: each["text"] for each in stored.fields} == {
        "premise": "P0.",
        "hypothesis.1": "H0.",
        "hypothesis.2": "H1.",
    }
    assert stored.item.key == "pair:pair-0000~su"


def test_a_unit_can_be_given_whole_by_its_own_key() -> None:
    project = pairs()
    texts = {"premise": "P.", "hypothesis.1": "H.", "hypothesis.2": "I."}
    taken = import_rows(project, [long("pair:pair-0002", **texts), long("pair:pair-0000", premise="P.")])
    assert (counts(taken), refused_rows(taken)) == ((1, 0, 1), [(2, "text:hypothesis.1")])


def test_two_texts_for_one_premise_are_refused() -> None:
    project = pairs(2)
    rows = [
        long("pair-0000", premise="P0.", hypothesis="H0."),
        long("pair-0001", premise="Lain.", hypothesis="H1."),
    ]
    taken = import_rows(project, rows)
    assert refused_rows(taken) == [(1, "row_id"), (2, "text:premise")]
    assert "row 1" in ImportRow.objects.get(source=taken, n=2).reason


def test_passages_choices_and_missing_texts() -> None:
    project = a_translation_project()
    a_source_set(project, passage_rows(), shape="passage")
    row = {"passage": "Pasar 1950.", "question": "Iraha?", "answer": "1950"}
    rows = [long("q-1", **row), long("q-2", **{**row, "answer": ""}), long("q-2", **row, target_choice="x")]
    taken = import_rows(project, rows)
    assert (counts(taken), refused_rows(taken)) == ((1, 0, 1), [(2, "text:answer")])


def test_a_target_is_named_by_its_language_and_register() -> None:
    project = sentence_project(6)
    rows = [
        long("s-0000", "su", text="A."),
        long("s-0001", "jv", register="krama", text="B."),
        long("s-0002", "jv-ngoko", register="ngoko", text="C."),
        long("s-0003", "jv", text="D."),
        long("s-0004", "su", register="loma", text="E."),
        long("s-0005", "", text="F."),
    ]
    taken = import_rows(project, rows)
    assert refused_rows(taken) == [(4, "target"), (5, "target"), (6, "target")]
    assert set(Item.objects.values_list("key", flat=True)) == {
        "sentence:s-0000~su",
        "sentence:s-0001~jv-krama",
        "sentence:s-0002~jv-ngoko",
    }


def test_translators_and_reviews_come_along() -> None:
    project = sentence_project(6)
    rows = [
        long("s-0000", text="A.", translator="T1", review="approve", reviewer="R1"),
        long("s-0001", text="B.", translator="T1", review="Returned", reviewer="R2", reason="Salah angka."),
        long("s-0002", text="C.", translator="T2", review="approved"),
        long("s-0003", text="D.", translator="T2"),
        long("s-0004", text="E.", translator="T2", review="approve", reviewer="T2"),
        long("s-0005", text="F.", review="correct", reviewer="R1"),
    ]
    taken = import_rows(project, rows)
    assert (counts(taken), refused_rows(taken)) == ((4, 0, 2), [(5, "reviewer"), (6, "review")])
    votes = Vote.objects.order_by("item__key")
    assert list(votes.values_list("annotator__pseudonym", "label", "comment", "imported", "surplus")) == [
        ("R1", "approve", "", True, False),
        ("R2", "return", "Salah angka.", True, False),
        ("?1", "approve", "", True, False),
    ]
    people = Annotator.objects.filter(project=project, imported=True, user=None)
    assert set(people.values_list("pseudonym", flat=True)) == {"T1", "T2", "R1", "R2", "?1"}
    decide_due()
    stages = dict(Item.objects.values_list("key", "stage"))
    assert (stages["sentence:s-0000~su"], stages["sentence:s-0002~su"]) == ("settled", "settled")
    assert stages["sentence:s-0003~su"] == "voting"
    assert Item.objects.get(key="sentence:s-0000~su").gold == "approve"
    call_command("check_integrity", project.slug, stdout=io.StringIO())


# --- trial, page, resuming, cost ----------------------------------------------------------------


def test_a_trial_says_the_same_and_stores_nothing() -> None:
    project = a_translation_project()
    a_source_set(project, pair_rows(2))
    rows = [
        wide_row(0, source="Hujan 0 kali di desa."),
        wide_row(0, source="Hujan 0 kali di desa.", su="Lain."),
        wide_row(
            1,
            source="Hujan 0 kali di desa.",
            **{"su": sundanese_text(0), "jv-ngoko": javanese_text(0).upper()},
        ),
        {"id": "pair-0000", "su": "Tidak begitu."},
    ]
    before = SourceSet.objects.count()
    tried = import_rows(project, rows, dry_run=True)
    told = (counts(tried), refused_rows(tried), Job.objects.get(import_of=tried).result["flagged"])
    assert told == ((4, 1, 2), [(2, "to:su"), (4, "row_id")], 1)
    assert (Item.objects.count(), SourceSet.objects.count()) == (0, before)
    taken = import_rows(project, rows)
    assert (counts(taken), refused_rows(taken), Job.objects.get(import_of=taken).result["flagged"]) == told


def test_the_page_shows_the_first_rows_in_their_languages() -> None:
    project = sentence_project()
    taken = keep_file(project, [wide_row(0), {"id": "x", "su": "A."}, wide_row(1, su="a\u0000")])
    shown = preview(taken, taken.mapping["fields"])
    assert [row.n for row in shown.rows] == [1, 3]
    assert shown.rows[0].translated == (
        ("Javanese (ngoko)", "jv", javanese_text(0)),
        ("Sundanese", "su", sundanese_text(0)),
    )
    assert shown.rows[0].texts == ("Hujan turun 0 kali di desa kami.",)
    assert [row.n for row in shown.refused] == [2, 3]


@pytest.mark.parametrize("at", [1, 3, 4, 5])
def test_who_resumes_in_the_middle_of_a_unit_loses_none_of_its_rows(at: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first half of a unit may stand before the place that a killed job came to."""
    from annotation.files import storage
    from validation.imports.actions import stored_name
    from validation.imports.pipeline import Intake

    project = pairs()
    rows = [
        long("pair-0000", premise="P0.", hypothesis="H0."),
        long("pair-0002", premise="P2.", hypothesis="H2."),
        long("pair-0003", premise="P2.", hypothesis="H3."),
        long("pair-0000", "jv-krama", premise="Q0.", hypothesis="K0."),
        long("pair-0001", premise="P0.", hypothesis="H1."),
    ]
    taken = keep_file(project, rows)
    with storage().local_copy(stored_name(taken)) as path:
        intake = Intake.open(project, path, taken.name, taken.mapping["fields"])
        whole = [(n, [each.n for each in row.rows]) for n, row in intake.prepared_rows()]
        assert whole == [(3, [3]), (5, [5]), (6, [4])]
        later = [(n, [each.n for each in row.rows]) for n, row in intake.prepared_rows(at)]
    assert later == [each for each in whole if each[0] > at]


def test_statements_follow_batches_not_rows() -> None:
    targets = tuple((code, "") for code in ("ace", "ban", "bbc", "bjn", "bug", "jv", "mad", "min", "nij", "su"))
    spent = []
    for count in (3, 30):
        project = a_translation_project(targets=targets)
        a_source_set(project, sentence_rows(count), shape="sentence")
        rows = [{"id": f"s-{n:04}"} | {key: f"{key} {n}." for key, _ in targets} for n in range(count)]
        taken = keep_file(project, rows)
        job = import_start(taken=taken, by=None)
        with CaptureQueriesContext(
            connection,
        ) as queries:
            jobs.run_here(job)
        spent.append(len(queries))
    assert Item.objects.count() == 330
    assert spent[0] == spent[1]


# --- the published texts ----------------------------------------------------------------------


@needs_data
@pytest.mark.data
def test_nusax_goes_in_whole() -> None:
    """300 rows, Indonesian and eleven others: every cell is stored as it stands in the file."""
    with NUSAX.open(encoding="utf-8", newline="") as file:
        published = list(csv.DictReader(file))
    names = {
        "ace": "acehnese",
        "bjn": "banjarese",
        "en": "english",
        "mad": "madurese",
        "nij": "ngaju",
        "su": "sundanese",
        "ban": "balinese",
        "bug": "buginese",
        "jv": "javanese",
        "min": "minangkabau",
        "bbc": "toba_batak",
    }
    project = a_translation_project(targets=tuple((code, "") for code in names))
    taken = import_keep(project=project, by=None, name=NUSAX.name, chunks=[NUSAX.read_bytes()])
    expected = {"row_id": "row", "source": "indonesian"} | {f"to:{code}": name for code, name in names.items()}
    assert taken.mapping["fields"] == expected
    job = jobs.run_here(import_start(taken=taken, by=None))
    taken.refresh_from_db()
    assert (job.state, counts(taken)) == (Job.State.DONE, (3300, 0, 0))
    assert SourceUnit.objects.count() == SourceEntry.objects.count() == 300
    stored = Translation.objects.values_list("unit__entries__key", "target__language", "text", "source")
    assert len(stored) == 3300
    rows = {row["row"]: row for row in published}
    for key, language, text, source in stored:
        assert (text, source[0]["text"]) == (rows[key][names[language]], rows[key]["indonesian"])
    again = import_keep(project=project, by=None, name=NUSAX.name, chunks=[NUSAX.read_bytes()])
    jobs.run_here(import_start(taken=again, by=None))
    again.refresh_from_db()
    assert counts(again) == (0, 3300, 0)
