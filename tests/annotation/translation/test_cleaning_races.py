"""Two at once: two clean-ups of one unit, a freeze and a clean-up, two freezes, two sets of one name."""

from functools import partial
from typing import Any

import pytest

from annotation.content.models.units import SourceSet, SourceUnit
from annotation.core.errors import Conflict, Invalid
from annotation.core.models.member import Event
from annotation.translation.actions.clean_up import (
    CleanUpResult,
    StepIn,
    row_remove,
    step_undo,
    texts_change,
)
from annotation.translation.actions.source_sets import (
    NewSourceSet,
    SetIn,
    source_set_create,
    source_set_freeze,
)
from annotation.translation.models import CleanUp
from tests import translations
from tests.race import run_at_once
from tests.translations import pair_rows

pytestmark = pytest.mark.django_db(transaction=True)


def codes(results: list[Any]) -> list[str]:
    return sorted(getattr(result, "code", "done") for result in results)


def test_of_two_clean_ups_at_once_one_is_behind() -> None:
    project = translations.a_translation_project("lorax")
    made = translations.a_source_set(project, pair_rows(8, of_one=8), frozen=False)
    unit, entries = made.units.get(), list(made.entries.order_by("position"))
    acts = [
        partial(
            row_remove,
            project=project,
            unit_id=unit.pk,
            given=StepIn(entry.pk, 1, None, "obvious"),
        )
        for entry in entries[:4]
    ]
    acts += [
        partial(
            texts_change,
            project=project,
            unit_id=unit.pk,
            what="typo",
            texts={"premise": f"Baru {n}."},
            given=StepIn(entries[5].pk, 1, None),
        )
        for n in range(4)
    ]
    results = run_at_once(acts)
    assert codes(results) == ["done", *["source_stale"] * 7]
    unit.refresh_from_db()
    assert (unit.revision, CleanUp.objects.count()) == (2, 1)


def test_a_step_is_taken_back_once() -> None:
    project = translations.a_translation_project("lorax")
    made = translations.a_source_set(project, pair_rows(2), frozen=False)
    unit, entry = made.units.get(), made.entries.order_by("position")[0]
    step = row_remove(project=project, unit_id=unit.pk, given=StepIn(entry.pk, 1, None, "obvious")).steps[0]
    back = partial(step_undo, project=project, unit_id=unit.pk, step_id=step.pk, revision=2, by=None)
    assert codes(run_at_once([back] * 6)) == ["done", *["source_stale"] * 5]
    assert CleanUp.objects.filter(what="undone").count() == 1


@pytest.mark.parametrize("round_", range(4))
def test_a_freeze_and_the_removal_of_the_last_row(round_: int) -> None:
    """Whoever is first: either nothing is left to be frozen, or the set is frozen and the step knows it."""
    project = translations.a_translation_project("lorax")
    made = translations.a_source_set(project, pair_rows(1), frozen=False)
    entry = made.entries.get()
    given = StepIn(entry.pk, 1, None, "obvious")
    froze, removed = run_at_once(
        [
            partial(source_set_freeze, source_set=made, by=None),
            partial(row_remove, project=project, unit_id=entry.unit_id, given=given),
        ]
    )
    assert isinstance(removed, CleanUpResult)
    if isinstance(froze, Invalid):
        assert (froze.code, removed.frozen) == ("source_set_empty", False)
    else:
        assert froze.frozen_at is not None
        assert removed.frozen
    made.refresh_from_db()
    assert (made.frozen_at is None) is isinstance(froze, Invalid)
    assert SourceUnit.objects.get().removed


def test_two_freezes_are_one() -> None:
    project = translations.a_translation_project("lorax")
    made = translations.a_source_set(project, pair_rows(2), frozen=False)
    results = run_at_once([partial(source_set_freeze, source_set=made, by=None)] * 4)
    assert len({result.frozen_at for result in results}) == 1
    assert Event.objects.filter(verb="source_set_frozen").count() == 1


def test_of_two_sets_of_one_name_one_is_made() -> None:
    project = translations.a_translation_project("lorax")
    make = partial(source_set_create, project=project, given=SetIn("set", "", "pair"), rows=pair_rows(4), by=None)
    results = run_at_once([make] * 4)
    assert sum(isinstance(result, NewSourceSet) for result in results) == 1
    assert {r.code for r in results if isinstance(r, Conflict)} == {"source_set_taken"}
    assert SourceSet.objects.get().entries.count() == 4
