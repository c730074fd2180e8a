"""Clean-up step by step: what changes, what is recorded, what is refused, and that each step can be taken back."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from annotation.content.models.source import Allocation
from annotation.content.models.units import SourceSet, SourceUnit
from annotation.core.errors import Conflict, Invalid, Refusal
from annotation.core.models.project import Project
from annotation.projects.actions.projects import project_close
from annotation.translation.actions.clean_up import (
    CleanUpResult,
    StepIn,
    row_remove,
    row_unanswerable,
    step_undo,
    texts_change,
)
from annotation.translation.actions.source_sets import SetIn, source_set_create
from annotation.translation.models import CleanUp, SourceEntry
from annotation.translation.queries import sources
from annotation.translation.rules.source_units import Row
from tests import factory, translations
from tests.translations import pair_rows, passage_rows

pytestmark = pytest.mark.django_db
QUESTIONS = [
    Row(
        f"q{n}",
        {"question": f"Apa {n}?", "choice-A": "kopi", "choice-B": "teh", "choice-C": "roket"},
        label="A",
    )
    for n in range(2)
]


@pytest.fixture
def project() -> Project:
    return translations.a_translation_project("lorax")


def a_set(project: Project, rows: list[Row], shape: str = "pair", **more: Any) -> SourceSet:
    return translations.a_source_set(project, rows, shape=shape, frozen=False, **more)


def first(of: SourceSet) -> tuple[SourceUnit, list[SourceEntry]]:
    unit = of.units.order_by("position")[0]
    return unit, list(unit.entries.order_by("position"))


def given(entry: SourceEntry, **more: Any) -> StepIn:
    unit = SourceUnit.objects.get(pk=entry.unit_id)
    return StepIn(**{"entry_id": entry.pk, "revision": unit.revision, "by": None, "reason": "obvious", **more})


def remove(project: Project, entry: SourceEntry, **more: Any) -> CleanUpResult:
    return row_remove(project=project, unit_id=entry.unit_id, given=given(entry, **more))


def change(
    project: Project, entry: SourceEntry, texts: dict[str, str], what: str = "typo", **more: Any
) -> CleanUpResult:
    return texts_change(project=project, unit_id=entry.unit_id, what=what, texts=texts, given=given(entry, **more))


def undo(project: Project, step: CleanUp) -> CleanUpResult:
    unit = SourceUnit.objects.get(pk=step.unit_id)
    return step_undo(project=project, unit_id=unit.pk, step_id=step.pk, revision=unit.revision, by=None)


def keys(unit: SourceUnit) -> list[str]:
    unit.refresh_from_db()
    return [field["key"] for field in unit.fields]


@contextmanager
def refusal(code: str) -> Iterator[pytest.ExceptionInfo[Refusal]]:
    """Something is refused with this code."""
    with pytest.raises(Refusal) as caught:
        yield caught
    assert caught.value.code == code


# --- removing ---------------------------------------------------------------------------


def test_a_removed_row_takes_its_own_texts_along_and_leaves_the_shared_one(project: Project) -> None:
    unit, rows = first(a_set(project, pair_rows(3, of_one=3)))
    by = factory.user()
    done = remove(project, rows[1], by=by, words=" Sama saja. ")
    assert keys(unit) == ["premise", "hypothesis.1", "hypothesis.3"]
    assert [field["key"] for field in unit.dropped] == ["hypothesis.2"]
    assert (unit.sentences, unit.revision, unit.removed) == (3, 2, False)
    [step] = done.steps
    stored = CleanUp.objects.get(pk=step.pk)
    assert (stored.what, stored.reason, stored.words, stored.revision) == (
        "removed",
        "obvious",
        "Sama saja.",
        2,
    )
    assert (stored.entry, stored.by) == (rows[1], by)
    undo(project, stored)
    assert keys(unit) == ["premise", "hypothesis.1", "hypothesis.2", "hypothesis.3"]
    assert (unit.dropped, unit.sentences, unit.revision) == ([], 4, 3)
    assert not SourceEntry.objects.get(pk=rows[1].pk).removed


def test_with_its_last_row_the_unit_goes_and_nobody_goes_on_with_it(project: Project) -> None:
    made = a_set(project, pair_rows(2))
    unit, rows = first(made)
    target, translator = translations.target_of(project), translations.member(project, "writer")
    allocation = translations.a_share(unit, target, translator)
    remove(project, rows[0])
    assert not SourceUnit.objects.get(pk=unit.pk).removed
    last = remove(project, rows[1]).steps[0]
    unit.refresh_from_db()
    allocation.refresh_from_db()
    assert (unit.removed, allocation.state) == (True, Allocation.State.LAPSED)
    undo(project, last)
    assert keys(unit) == ["premise", "hypothesis.2"]
    assert not unit.removed


# --- texts ------------------------------------------------------------------------------


def test_a_shared_text_is_fixed_once_for_all_its_rows(project: Project) -> None:
    made = a_set(project, pair_rows(20, of_one=20))
    units = list(made.units.order_by("position"))
    assert len(units) == 1
    unit, rows = first(made)
    done = change(project, rows[0], {"premise": "Pedagang menjual mangga."}, reason="")
    [step] = done.steps
    assert (step.entry, step.reason, step.after) == (None, "spelling", "Pedagang menjual mangga.")
    counted = sources.source_counts(made)
    assert (counted.typos, counted.texts["typo"]) == (20, 1)
    assert sources.count_sharing_rows(SourceUnit.objects.get(pk=unit.pk)) == {"premise": 20}


def test_a_text_that_several_units_share_is_fixed_and_taken_back_in_all_of_them(project: Project) -> None:
    rows = [*pair_rows(40, of_one=40), *[Row("other", {"premise": "Lain.", "hypothesis": "x"}, label="e")]]
    made = source_set_create(project=project, given=SetIn("big", "", "pair"), rows=rows, by=None).source_set
    units = list(made.units.order_by("position"))
    assert [len(unit.fields) for unit in units] == [21, 21, 2]
    done = change(project, units[1].entries.all()[0], {"premise": "Baru."})
    assert sorted(step.unit_id for step in done.steps) == [units[0].pk, units[1].pk]
    assert [keys(unit)[:1] and unit.fields[0]["text"] for unit in units] == ["Baru.", "Baru.", "Lain."]
    assert sources.count_sharing_rows(units[0]) == {"premise": 40}
    assert sources.source_counts(made).typos == 40
    undo(project, done.steps[0])
    assert {SourceUnit.objects.get(pk=unit.pk).fields[0]["text"] for unit in units[:2]} == {
        "Pedagang nomor 0 menjual mangga di pasar pagi."
    }
    assert sources.source_counts(made).typos == 0
    with refusal("clean_up_undone"):
        undo(project, done.steps[1])


def test_only_a_distractor_is_improved(project: Project) -> None:
    made = a_set(project, QUESTIONS, "choices")
    _, rows = first(made)
    for texts, code in (
        ({"choice-A": "susu"}, "no_distractor"),
        ({"question": "Siapa?"}, "no_distractor"),
        ({"choice-C": " KOPI"}, "choice_same"),
        ({"choice-C": " \u200b"}, "text_missing"),
        ({"choice-C": "a\0"}, "text_not_storable"),
        ({"choice-C": "x" * 10_001}, "text_not_storable"),
        ({"choice-C": "roket"}, "text_same"),
        ({"choice-Z": "delman"}, "text_same"),
        ({"choice-Z": "delman", "choice-C": "delman"}, "field_unknown"),
        ({}, "text_same"),
    ):
        with refusal(code):
            change(project, rows[0], texts, "distractor")
    change(project, rows[0], {"choice-C": "delman", "choice-B": "air"}, "distractor")
    counted = sources.source_counts(made)
    assert (counted.distractors, counted.texts["distractor"], counted.typos) == (1, 2, 0)
    assert counted.reasons == {("distractor", "obvious"): 2}


def test_an_answer_has_to_stay_a_span_of_its_passage(project: Project) -> None:
    made = a_set(project, passage_rows(), "passage")
    unit, rows = first(made)
    passage = unit.fields[0]["text"]
    with refusal("answer_no_span") as caught:
        change(project, rows[0], {"passage": passage.replace("1950", "1951")})
    assert caught.value.details["answers"] == ["1950"]
    with refusal("answer_no_span"):
        change(project, rows[0], {"answer.1": "1952"})
    both = {"passage": passage.replace("1950", "1951"), "answer.1": "1951"}
    steps = change(project, rows[0], both).steps
    with refusal("answer_no_span"):
        undo(project, steps[0])
    remove(project, rows[0])
    undo(project, steps[0])


def test_a_later_step_on_the_same_text_is_taken_back_first(project: Project) -> None:
    _, rows = first(a_set(project, pair_rows(2)))
    one = change(project, rows[0], {"hypothesis.1": "Satu."}).steps[0]
    two = change(project, rows[0], {"hypothesis.1": "Dua."}).steps[0]
    with refusal("clean_up_covered"):
        undo(project, one)
    undo(project, two)
    undo(project, one)
    assert rows[0].unit.entries.count() == 2
    assert SourceUnit.objects.get(pk=rows[0].unit_id).fields[1]["text"] == "Ada 2 mangga di pasar."


# --- marks, reasons, versions -----------------------------------------------------------


def test_only_rows_with_a_passage_can_be_unanswerable_without_it(project: Project) -> None:
    made = a_set(project, passage_rows(), "passage")
    _, rows = first(made)
    done = row_unanswerable(project=project, unit_id=rows[0].unit_id, given=given(rows[0]))
    assert sources.source_counts(made).unanswerable == 1
    with refusal("row_unanswerable"):
        row_unanswerable(project=project, unit_id=rows[0].unit_id, given=given(rows[0]))
    undo(project, done.steps[0])
    assert sources.source_counts(made).unanswerable == 0
    _, pairs = first(a_set(project, pair_rows(1)))
    with refusal("no_passage"):
        row_unanswerable(project=project, unit_id=pairs[0].unit_id, given=given(pairs[0]))


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ({"reason": "", "words": ""}, "clean_reason_missing"),
        ({"reason": "", "words": "  "}, "clean_reason_missing"),
        ({"reason": "dull"}, "clean_reason_unknown"),
        ({"words": "a\0"}, "text_not_storable"),
        ({"words": "w" * 1001}, "text_not_storable"),
    ],
)
def test_every_step_has_a_reason(project: Project, said: dict[str, str], code: str) -> None:
    _, rows = first(a_set(project, pair_rows(1)))
    with refusal(code):
        remove(project, rows[0], **said)
    assert not CleanUp.objects.exists()


def test_a_project_has_reasons_of_its_own(project: Project) -> None:
    Project.objects.filter(pk=project.pk).update(settings={"clean_up_reasons": "dull: Nobody cares"})
    project.refresh_from_db()
    _, rows = first(a_set(project, pair_rows(2)))
    remove(project, rows[0], reason="dull")
    with refusal("clean_reason_unknown"):
        remove(project, rows[1], reason="obvious")
    remove(project, rows[1], reason="", words="Sudah usang.")


def test_who_is_behind_changes_nothing(project: Project) -> None:
    unit, rows = first(a_set(project, pair_rows(3, of_one=3)))
    stale = given(rows[0])
    remove(project, rows[1])
    for act in (
        lambda: row_remove(project=project, unit_id=unit.pk, given=stale),
        lambda: row_unanswerable(project=project, unit_id=unit.pk, given=stale),
        lambda: texts_change(project=project, unit_id=unit.pk, what="typo", texts={"premise": "x"}, given=stale),
        lambda: step_undo(project=project, unit_id=unit.pk, step_id=CleanUp.objects.get().pk, revision=1, by=None),
    ):
        with pytest.raises(Conflict) as refused:
            act()
        assert refused.value.code == "source_stale"
    assert CleanUp.objects.count() == 1


def test_a_removed_row_and_a_closed_project_are_left_alone(project: Project) -> None:
    _, rows = first(a_set(project, pair_rows(2)))
    remove(project, rows[0])
    with refusal("row_removed"):
        remove(project, rows[0])
    with refusal("row_removed"):
        change(project, rows[0], {"premise": "x"})
    with refusal("not_found"):
        remove(project, rows[1], entry_id=987654)
    project_close(project=project, closed=True, by=None)
    with refusal("source_closed"):
        remove(project, rows[1])


def test_another_projects_unit_is_not_there(project: Project) -> None:
    other = translations.a_translation_project("other")
    _, rows = first(a_set(other, pair_rows(1)))
    with refusal("not_found"):
        remove(project, rows[0])


def test_what_was_taken_back_counts_no_more(project: Project) -> None:
    made = a_set(project, pair_rows(2))
    _, rows = first(made)
    steps = [remove(project, rows[0]).steps[0], change(project, rows[1], {"premise": "Baru."}).steps[0]]
    for step in reversed(steps):
        undo(project, step)
    counted = sources.source_counts(made)
    assert (counted.removed, counted.typos, counted.final, counted.reasons) == (0, 0, 2, {})
    with pytest.raises(Invalid) as same:
        change(project, rows[0], {"premise": "Pedagang nomor 0 menjual mangga di pasar pagi."})
    assert same.value.code == "text_same"
