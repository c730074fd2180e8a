"""After a set is frozen: what changes behind a translation flags it, and never alters it (domain.md §7)."""

from functools import partial
from typing import Any

import pytest

from annotation.content.models.item import Hypothesis, Item
from annotation.content.models.units import SourceSet, SourceUnit, Translation
from annotation.core.errors import Invalid
from annotation.core.models.project import Project
from annotation.translation.actions.clean_up import CleanUpResult, StepIn, row_remove, texts_change
from annotation.translation.actions.source_sets import SetIn, source_set_create, source_set_freeze
from annotation.translation.models import CleanUp, SourceEntry
from annotation.translation.rules.clean_up import upstream_hash
from annotation.translation.rules.source_units import Row
from tests import factory, translations
from tests.translations import pair_rows, passage_rows
from validation.translation.actions import source_clean, source_undo, sources_watch
from validation.voting.models.review import Flag
from validation.voting.rules import flags

pytestmark = pytest.mark.django_db


def translated_set(
    *, shape: str = "pair", rows: list[Row] | None = None, frozen: bool = True
) -> tuple[SourceSet, Item]:
    """A frozen set whose first unit is translated into two targets; the first translation."""
    project = translations.a_translation_project("lorax")
    made = translations.a_source_set(project, rows or pair_rows(4), shape=shape, frozen=frozen)
    unit = made.units.order_by("position")[0]
    translator = translations.member(project, "writer")
    items = [
        translations.a_translation(unit, translations.target_of(project, key), translator) for key in ("jv-ngoko", "su")
    ]
    return made, items[0]


def clean(made: SourceSet, what: str, texts: dict[str, str] | None = None) -> CleanUpResult:
    entry = made.entries.order_by("position")[0]
    unit = SourceUnit.objects.get(pk=entry.unit_id)
    given = StepIn(entry.pk, unit.revision, None, "obvious")
    return source_clean(project=made.project, unit_id=unit.pk, what=what, given=given, texts=texts)


def flagged() -> list[tuple[str, dict[str, Any]]]:
    found = Flag.objects.filter(code=flags.SOURCE_CHANGED, closed_at=None).order_by("item__key")
    return list(found.values_list("item__key", "detail"))


@pytest.mark.parametrize(
    ("what", "texts"), [("typo", {"premise": "Pasar."}), ("removed", None)], ids=["typo", "removed"]
)
def test_clean_up_after_freezing_flags_each_translation_and_changes_none(
    what: str, texts: dict[str, str] | None
) -> None:
    made, item = translated_set()
    before = Translation.objects.get(item=item)
    done = clean(made, what, texts)
    assert done.frozen
    detail = {"revision": 2, "why": "cleaned"}
    assert flagged() == [("pair:pair-0000~jv-ngoko", detail), ("pair:pair-0000~su", detail)]
    after = Translation.objects.get(item=item)
    assert (after.fields, after.source, after.unit_revision) == (before.fields, before.source, 1)
    item.refresh_from_db()
    assert item.doubt
    assert (item.epoch, item.revision_n) == (1, 1)


def test_before_freezing_nothing_is_flagged() -> None:
    made, _ = translated_set(frozen=False)
    clean(made, "typo", {"premise": "Pasar."})
    assert flagged() == []


def test_taking_back_flags_too_and_an_open_flag_stands_once() -> None:
    made, _ = translated_set()
    step = clean(made, "typo", {"premise": "Pasar."}).steps[0]
    Flag.objects.filter(code=flags.SOURCE_CHANGED).update(closed_at="2026-01-01T00:00Z", closed_version=1)
    source_undo(project=made.project, unit_id=step.unit_id, step_id=step.pk, revision=2, by=None)
    assert len(flagged()) == 2
    clean(made, "typo", {"premise": "Toko."})
    assert len(flagged()) == 2


def test_a_mark_alone_changes_nothing_that_was_translated() -> None:
    made, _ = translated_set(shape="passage", rows=passage_rows())
    step = clean(made, "unanswerable").steps[0]
    assert flagged() == []
    source_undo(project=made.project, unit_id=step.unit_id, step_id=step.pk, revision=2, by=None)
    assert flagged() == []
    assert sources_watch() == 0


def test_a_refused_step_flags_nothing() -> None:
    made, _ = translated_set()
    with pytest.raises(Invalid) as refused:
        clean(made, "typo", {})
    assert refused.value.code == "text_same"
    assert flagged() == []


def test_a_translation_handed_in_meanwhile_is_found_by_the_sweep() -> None:
    """Somebody translated the old text while it was cleaned: they committed after the flags were raised."""
    made, item = translated_set()
    entry = made.entries.order_by("position")[0]
    given = StepIn(entry.pk, 1, None)
    texts_change(project=made.project, unit_id=entry.unit_id, what="typo", texts={"premise": "Pasar."}, given=given)
    assert flagged() == []
    assert sources_watch() == 2
    assert len(flagged()) == 2
    assert sources_watch() == 0
    # A lead has seen it: the same change does not raise the flag again, the next one does.
    Flag.objects.filter(item=item).update(closed_at="2026-01-01T00:00Z", closed_version=1)
    assert sources_watch() == 0
    row_remove(project=made.project, unit_id=entry.unit_id, given=StepIn(entry.pk, 2, None, "obvious"))
    assert sources_watch() >= 1
    assert CleanUp.objects.count() == 2


# --- upstream ---------------------------------------------------------------------------


@pytest.fixture
def source() -> Project:
    return factory.project("source")


def taken_from(source: Project, *, frozen: bool = True) -> tuple[SourceSet, list[Item]]:
    """A set of two pairs of another project, translated."""
    items = factory.written_pairs(source, factory.member(source, "writer"))[:2]
    project = translations.a_translation_project("lorax")
    kind = source.kind_spec
    assert kind.export.source_row is not None
    rows = []
    for item in items:
        texts = dict(kind.export.source_row[1](item.revisions.get().content))
        rows.append(Row(item.key, texts, "e", "test", {}, 0, item.pk, item.revision_n, upstream_hash(texts)))
    given = SetIn("taken", "", "pair")
    made = source_set_create(project=project, given=given, rows=rows, by=None).source_set
    if frozen:
        made = source_set_freeze(source_set=made, by=None)
        unit = made.units.get()
        target, translator = translations.target_of(project), translations.member(project, "writer")
        translations.a_translation(unit, target, translator)
    return made, items


def changed(made: SourceSet) -> list[str]:
    return sorted(SourceEntry.objects.filter(source_set=made, upstream_changed=True).values_list("key", flat=True))


def test_an_item_that_was_revised_flags_what_was_translated_from_it(source: Project) -> None:
    made, items = taken_from(source)
    assert sources_watch() == 0
    Hypothesis.objects.filter(item=items[0]).update(text="Lain sama sekali.")
    Item.objects.filter(pk=items[0].pk).update(revision_n=2)
    assert sources_watch() == 1
    assert changed(made) == [items[0].key]
    [(key, detail)] = flagged()
    assert (key, detail) == (f"taken:{items[0].key}~jv-ngoko", {"row": items[0].key, "why": "upstream"})
    assert made.units.get().fields[1]["text"] != "Lain sama sekali."
    assert sources_watch() == 0


def test_a_revision_that_says_the_same_flags_nothing(source: Project) -> None:
    made, items = taken_from(source)
    Item.objects.filter(pk=items[0].pk).update(revision_n=2)
    assert sources_watch() == 0
    assert changed(made) == []


def test_an_excluded_item_flags_too_and_an_unfrozen_set_only_notes_it(source: Project) -> None:
    made, items = taken_from(source, frozen=False)
    Item.objects.filter(pk=items[1].pk).update(stage="excluded")
    assert sources_watch() == 1
    assert changed(made) == [items[1].key]
    assert flagged() == []


def test_a_removed_row_is_watched_no_more(source: Project) -> None:
    made, items = taken_from(source)
    SourceEntry.objects.filter(key=items[0].key).update(removed=True)
    Item.objects.filter(pk=items[0].pk).update(stage="excluded")
    assert sources_watch() == 0
    assert changed(made) == []


@pytest.mark.django_db(transaction=True)
def test_two_sweeps_at_once_note_it_once(source: Project) -> None:
    from tests.race import run_at_once

    made, items = taken_from(source)
    Item.objects.filter(pk=items[0].pk).update(stage="excluded")
    run_at_once([partial(sources_watch)] * 4)
    assert changed(made) == [items[0].key]
    assert len(flagged()) == 1
