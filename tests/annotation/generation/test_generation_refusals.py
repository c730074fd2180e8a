"""What a machine wrote and the project cannot hold costs that one question: the others of its batch become items."""

import json
from typing import Any

import pytest

from annotation.content.models.item import Item, QAPair
from annotation.content.models.source import Concept
from annotation.generation.actions.batches import candidates_keep
from annotation.generation.actions.runs import run_resume
from annotation.generation.models import Candidate, GenerationRun
from annotation.generation.rules.recipes.written import LONGEST_CONCEPT
from annotation.projects.actions.projects import project_close
from tests import machine
from validation import integrity

pytestmark = pytest.mark.django_db
LONG = "x" * (LONGEST_CONCEPT + 1)


def made(recipe: str, **more: Any) -> GenerationRun:
    """A run of three questions in one batch."""
    of = machine.a_machine_project(recipe=recipe)
    return machine.a_run(of, 3, **more)


def test_the_longest_concept_is_what_the_columns_hold() -> None:
    assert Concept._meta.get_field("text").max_length == LONGEST_CONCEPT
    assert QAPair._meta.get_field("wording").max_length == LONGEST_CONCEPT


def test_a_concept_that_is_too_long_drops_its_question_alone() -> None:
    told: list[str] = []

    def says(step: str, prompt: Any) -> str:
        said = json.loads(machine.model_answer(step, prompt))
        if step == "adapt":
            told.append(step)
            if len(told) == 2:
                said.update(concept=LONG, question=f"Apa itu {LONG}?")
        return json.dumps(said)

    run = made("llm-adapt", says=says)
    assert run.state == "done"
    dropped = run.candidates.exclude(state="kept").values_list("step", "reason", "params")
    assert list(dropped) == [("adapt", "concept_too_long", {"most": LONGEST_CONCEPT})]
    assert Item.objects.count() == 2


@pytest.mark.parametrize(
    ("recipe", "wrong", "error"),
    [
        # A new concept that is refused; a wording that the column does not hold; a question that is none.
        ("llm-adapt", {"concept": LONG}, "text_not_storable"),
        ("llm-adapt", {"concept": " "}, "concept_text_missing"),
        ("llm-gen", {"concept": LONG}, "DataError"),
        ("llm-gen", {"question": ""}, "IntegrityError"),
    ],
)
def test_what_cannot_be_stored_is_dropped_at_the_end(recipe: str, wrong: dict[str, str], error: str) -> None:
    run = made(recipe, makes_items=False)
    GenerationRun.objects.filter(pk=run.pk).update(makes_items=True)
    run.refresh_from_db()
    run.candidates.update(state=Candidate.State.MAKING)
    _, bad, _ = run.candidates.order_by("pk")
    Candidate.objects.filter(pk=bad.pk).update(content={**bad.content, **wrong})
    for batch in run.batches.all():
        candidates_keep(run=run, batch=batch)
    bad.refresh_from_db()
    told = ("dropped", "items", "item_refused", {"error": error})
    assert (bad.state, bad.step, bad.reason, bad.params) == told
    assert list(bad.results.filter(step="items").values_list("reason", "params")) == [told[2:]]
    assert set(run.candidates.exclude(pk=bad.pk).values_list("state", flat=True)) == {"kept"}
    assert Item.objects.count() == 2
    assert list(integrity.run(project=run.project)) == []


def test_a_project_that_is_closed_during_the_last_step_gets_no_items() -> None:
    of = machine.a_machine_project()
    machine.question_sets(of, 1)
    run = machine.begin_run(of)

    def says(step: str, prompt: Any) -> str:
        if step == "answering":
            project_close(project=of, by=None, closed=True)
        return machine.model_answer(step, prompt)

    with machine.answering(says):
        machine.finish(run)
    assert (run.state, run.reason) == ("paused", "run_project_closed")
    assert not Item.objects.exists()
    assert not run.results.filter(step="answering").exists()
    project_close(project=of, by=None, closed=False)
    with machine.answering() as asked:
        run_resume(run=run, by=None)
        assert machine.finish(run).state == "done"
    assert asked == [], "what was answered is not asked again"
    assert Item.objects.count() == 3
    assert list(integrity.run(project=of)) == []
