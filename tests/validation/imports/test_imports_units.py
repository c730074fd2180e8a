"""Finished translations come in: a column a target, laid beside frozen sources (domain.md §7)."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from annotation.content.models.item import Item, Revision
from annotation.content.models.units import SourceSet, SourceUnit, Translation
from annotation.translation.models import SourceEntry
from tests.translations import (
    a_share,
    a_source_set,
    a_translation_project,
    member,
    sentence_rows,
    target_of,
)
from tests.validation.imports_units import (
    counts,
    import_rows,
    javanese_text,
    keep_file,
    refusal_reason,
    refused_rows,
    sentence_project,
    sundanese_text,
    wide_row,
)
from validation.imports.actions import import_start
from validation.voting.actions.decide import decide_due
from validation.voting.models.review import Flag

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _apart(tmp_path: Path, settings: Any) -> None:
    settings.MUFAKAT_DATA_DIR = tmp_path
    settings.REDIS_URL = ""


# --- a column a target --------------------------------------------------------------------


def test_a_row_gives_a_translation_in_each_target() -> None:
    project = sentence_project()
    taken = import_rows(project, [wide_row(n) for n in range(3)])
    assert counts(taken) == (6, 0, 0)
    assert Counter(Item.objects.values_list("target__key", "origin", "stage", "slot", "author")) == {
        ("jv-ngoko", "imported", "written", "t", None): 3,
        ("su", "imported", "written", "t", None): 3,
    }
    one = Item.objects.get(key="sentence:s-0001~su")
    unit = SourceUnit.objects.get(key="sentence:s-0001")
    assert one.family == unit.pk
    stored = Translation.objects.get(item=one)
    text = {"key": "text", "role": "text", "text": sundanese_text(1)}
    assert (stored.unit_id, stored.target.key, stored.unit_revision) == (unit.pk, "su", 1)
    assert (stored.fields, stored.source, stored.text) == ([text], unit.fields, sundanese_text(1))
    revision = Revision.objects.get(item=one)
    assert (revision.n, revision.event, revision.by) == (1, "submit", None)
    assert revision.content == {
        "unit": unit.key,
        "task": "sentences",
        "shape": "sentence",
        "unit_revision": 1,
        "source": unit.fields,
        "fields": [text],
    }


def test_they_are_offered_for_review_as_those_that_are_written() -> None:
    project = sentence_project()
    import_rows(project, [wide_row(n) for n in range(3)])
    assert Item.objects.filter(sampled=True, due_at__isnull=False).count() == 6
    decide_due()
    assert Counter(Item.objects.values_list("stage", "pending", "slots_free")) == {("voting", 1, 1): 6}
    assert not project.allocations.exists()


@pytest.mark.parametrize(
    "column",
    ["jv-ngoko", "JV_Ngoko", "Javanese (ngoko)", "javanese_ngoko"],
    ids=["key", "case", "title", "name"],
)
def test_a_target_is_known_by_more_than_its_key(column: str) -> None:
    project = sentence_project()
    taken = keep_file(project, [{"id": "s-0000", column: "Udan."}])
    assert taken.mapping["fields"] == {"row_id": "id", "to:jv-ngoko": column}


def test_a_language_of_two_registers_names_neither() -> None:
    project = sentence_project()
    taken = keep_file(project, [{"id": "s-0000", "jv": "Udan.", "Sundanese": "Hujan."}])
    assert "to:jv-krama" not in taken.mapping["fields"]
    assert "to:jv-ngoko" not in taken.mapping["fields"]


def test_an_id_is_not_the_source_where_another_column_names_its_language() -> None:
    """As NusaX has it: `id` is what a row is called, though it is Indonesian's code too."""
    project = a_translation_project(targets=(("jv", ""), ("en", "")))
    rows = [{"id": n, "indonesian": f"Hujan {n} kali.", "jv": f"Udan ping {n}.", "en": "Rain."} for n in range(1, 4)]
    taken = keep_file(project, rows)
    assert taken.mapping["fields"] == {"row_id": "id", "source": "indonesian", "to:jv": "jv", "to:en": "en"}
    assert counts(import_rows(project, rows)) == (6, 0, 0)
    assert SourceUnit.objects.filter(source_set__project=project).count() == 3


def test_an_id_is_no_translation_into_indonesian_either() -> None:
    project = a_translation_project(targets=(("id", ""),), language="en")
    taken = keep_file(project, [{"id": 1, "english": "It rained.", "indonesian": "Hujan turun."}])
    assert taken.mapping["fields"] == {"row_id": "id", "source": "english", "to:id": "indonesian"}


def test_a_mapping_by_hand_says_which_column_is_which_target() -> None:
    project = sentence_project()
    rows = [{"nomor": "s-0000", "kolom": "Udan."}]
    taken = import_rows(project, rows, mapping={"row_id": "nomor", "to:jv-krama": "kolom"})
    assert counts(taken) == (1, 0, 0)
    assert Item.objects.get().key == "sentence:s-0000~jv-krama"


def test_an_empty_cell_is_no_translation_yet() -> None:
    project = sentence_project()
    taken = import_rows(project, [wide_row(0, su=""), wide_row(1, su=None), wide_row(2, **{"su": " ", "jv-ngoko": ""})])
    assert counts(taken) == (2, 0, 1)
    assert refused_rows(taken) == [(3, "")]


def test_what_cannot_be_stored_is_refused_cell_by_cell() -> None:
    project = sentence_project()
    rows = [wide_row(0, su="a\u0000b"), wide_row(1, **{"su": 7, "jv-ngoko": ["x"]}), wide_row(9)]
    taken = import_rows(project, rows)
    assert counts(taken) == (1, 0, 4)
    assert refused_rows(taken) == [(1, "to:su"), (2, "to:jv-ngoko"), (2, "to:su"), (3, "row_id")]


# --- what stands against a row ---------------------------------------------------------------


def test_the_same_again_changes_nothing_and_another_text_is_refused_with_both() -> None:
    project = sentence_project()
    import_rows(project, [wide_row(0)])
    taken = import_rows(project, [wide_row(0, su="\u200b" + sundanese_text(0)), wide_row(0, su="Hujan deras.")])
    assert counts(taken) == (0, 3, 1)
    assert refused_rows(taken) == [(2, "to:su")]
    assert f"There: “{sundanese_text(0)}” Here: “Hujan deras.”" in refusal_reason(taken)
    assert Translation.objects.get(target__key="su").text == sundanese_text(0)


def test_the_text_that_it_first_had_is_the_same_still() -> None:
    project = sentence_project()
    import_rows(project, [wide_row(0)])
    held = Translation.objects.get(target__key="su")
    held.fields[0]["text"] = "Diperbaiki."
    held.save()
    assert counts(import_rows(project, [wide_row(0), wide_row(0, su="Diperbaiki.")])) == (0, 4, 0)


def test_equal_source_and_text_under_two_ids_are_flagged() -> None:
    project = a_translation_project()
    rows = sentence_rows(2)
    a_source_set(project, [rows[0], rows[1].__class__("s-0001", rows[0].texts)], shape="sentence")
    import_rows(project, [wide_row(0)])
    assert counts(
        import_rows(project, [wide_row(1, **{"su": sundanese_text(0), "jv-ngoko": javanese_text(0).upper()})])
    ) == (2, 0, 0)
    flag = Flag.objects.get(code="duplicate")
    assert (flag.item.key, flag.code, flag.detail) == (
        "sentence:s-0001~su",
        "duplicate",
        {"of": "sentence:s-0000~su"},
    )
    assert flag.item.doubt > 0


def test_a_set_that_is_being_cleaned_takes_no_translation() -> None:
    project = a_translation_project()
    a_source_set(project, sentence_rows(1), shape="sentence", frozen=False)
    taken = import_rows(project, [{"id": "s-0000", "su": "Hujan."}])
    assert counts(taken) == (0, 0, 1)
    assert "freeze it first" in refusal_reason(taken)


def test_a_removed_row_takes_none() -> None:
    project = sentence_project()
    SourceEntry.objects.filter(key="s-0001").update(removed=True)
    SourceUnit.objects.filter(key="sentence:s-0001").update(removed=True)
    taken = import_rows(project, [{"id": "s-0001", "su": "Hujan."}])
    assert "was removed" in refusal_reason(taken)


def test_who_has_the_unit_in_hand_keeps_it() -> None:
    project = sentence_project()
    translator = member(project, "writer")
    a_share(SourceUnit.objects.get(key="sentence:s-0000"), target_of(project, "su"), translator)
    taken = import_rows(project, [wide_row(0)])
    assert (counts(taken), refused_rows(taken)) == ((1, 0, 1), [(1, "to:su")])
    assert translator.pseudonym in refusal_reason(taken)


def test_an_id_of_two_sets_needs_the_set() -> None:
    project = sentence_project()
    a_source_set(project, sentence_rows(2), shape="sentence", key="others")
    row = {"id": "s-0000", "su": "Hujan."}
    taken = import_rows(project, [row, {**row, "source_set": "others"}, {**row, "id": "sentence:s-0000"}])
    assert (counts(taken), refused_rows(taken)) == ((2, 0, 1), [(1, "source_set")])
    assert set(Item.objects.values_list("key", flat=True)) == {"others:s-0000~su", "sentence:s-0000~su"}


def test_another_source_text_is_flagged_not_refused() -> None:
    project = sentence_project()
    rows = [wide_row(0, source="Hujan turun 0 kali di desa kami."), wide_row(1, source="Lain sama sekali.")]
    assert counts(import_rows(project, rows)) == (4, 0, 0)
    flags = Flag.objects.filter(code="failed_check").order_by("item__key")
    assert [(flag.item.key, flag.detail["checks"]) for flag in flags if "source_differs" in flag.detail["checks"]] == [
        ("sentence:s-0001~jv-ngoko", ["source_differs"]),
        ("sentence:s-0001~su", ["source_differs"]),
    ]


def test_a_project_without_targets_says_so() -> None:
    project = a_translation_project(targets=())
    taken = keep_file(project, [wide_row(0)])
    with pytest.raises(Exception, match="no target yet"):
        import_start(taken=taken, by=None)


# --- sources that come with their translations ---------------------------------------------------


def test_rows_that_no_set_has_are_stored_with_their_source() -> None:
    project = a_translation_project()
    rows = [wide_row(n, source=f"Hujan {n} kali. Lalu reda.") for n in range(3)]
    assert counts(import_rows(project, rows)) == (6, 0, 0)
    made = SourceSet.objects.get()
    assert (made.key, made.shape, made.task, made.frozen_at is not None) == (
        "sentences",
        "sentence",
        "sentences",
        True,
    )
    units = made.units.order_by("position")
    assert list(units.values_list("key", "position", "sentences", "words")) == [
        (f"sentences:s-{n:04}", n, 2, 5) for n in range(3)
    ]
    assert dict(made.entries.values_list("key", "unit__key")) == {f"s-{n:04}": f"sentences:s-{n:04}" for n in range(3)}
    # More of them later go behind; the same again changes nothing; another source is flagged.
    more = [*rows, wide_row(3, source="Satu lagi."), wide_row(0, source="Lain.")]
    assert counts(import_rows(project, more)) == (2, 8, 0)
    assert made.units.get(position=3).key == "sentences:s-0003"


def test_a_set_that_people_made_does_not_grow() -> None:
    project = sentence_project()
    SourceSet.objects.update(key="sentences")
    taken = import_rows(project, [wide_row(7, source="Baru.")])
    assert counts(taken) == (0, 0, 1)
    assert counts(import_rows(project, [wide_row(7, source="Baru.", source_set="baru")])) == (2, 0, 0)
    assert SourceUnit.objects.get(source_set__key="baru").key == "baru:s-0007"
