"""Runs while they run: step by step, paused, resumed, cancelled; sent twice, by two at once, from two workers."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any
from unittest import mock

import pytest

from annotation.content.models.item import Item
from annotation.core.errors import Conflict, Invalid
from annotation.core.models.member import Event
from annotation.core.models.project import Project
from annotation.generation.actions.instructions import current_instruction, instruction_save
from annotation.generation.actions.runs import (
    run_cancel,
    run_create,
    run_go_on,
    run_pause,
    run_resume,
)
from annotation.generation.llm import calls
from annotation.generation.models import Call, GenerationRun, InstructionVersion
from annotation.generation.rules.recipes.base import (
    AskResult,
    Frame,
    Outcome,
    Recipe,
    Step,
    Work,
    kept_outcome,
)
from annotation.generation.rules.recipes.forms import SetData
from annotation.jobs import queue as jobs
from annotation.jobs.models import Job
from tests import factory, machine
from tests.race import run_at_once
from validation import integrity

STEPS = ["question", "refinement", "distractors", "answering"]


def a_begun_run(sets: int = 3, *, batch_size: int = 1, **more: Any) -> GenerationRun:
    of = machine.a_machine_project(settings={"batch_size": batch_size})
    machine.question_sets(of, sets)
    return machine.begin_run(of, **more)


def sound(project: Project) -> None:
    assert list(integrity.run(project=project)) == []


def verbs() -> list[str]:
    events = Event.objects.exclude(verb__in=["project_created", "run_created"]).order_by("pk")
    return list(events.values_list("verb", flat=True))


def refusal(call: Callable[[], object]) -> str:
    with pytest.raises((Conflict, Invalid)) as refused:
        call()
    return refused.value.code


# --- step by step --------------------------------------------------------------------------


@pytest.mark.django_db
def test_step_by_step() -> None:
    run = a_begun_run(stepwise=True)
    with machine.answering() as asked:
        for place, step in enumerate(STEPS):
            assert run.until == step
            machine.finish(run)
            assert set(asked) == {step}
            asked.clear()
            assert set(run.results.values_list("step", flat=True)) == set(STEPS[: place + 1])
            sound(run.project)
            if step != STEPS[-1]:
                assert (run.state, run.reason) == ("paused", "run_step_done")
                assert refusal(partial(run_resume, run=run, by=None)) == "run_step_done"
                run = run_go_on(run=run, by=None, step=STEPS[place + 1])
                # Sent twice, and sent by somebody who saw the step before.
                assert run_go_on(run=run, by=None, step=STEPS[place + 1]).state == "running"
                assert refusal(partial(run_go_on, run=run, by=None, step="none")) == "run_stale"
    assert run.state == "done"
    assert Item.objects.count() == 9
    assert verbs() == ["run_went_on"] * 3
    assert refusal(partial(run_go_on, run=run, by=None, step="question")) == "run_over"


@pytest.mark.django_db
def test_nothing_goes_on_while_a_step_is_done() -> None:
    run = a_begun_run(stepwise=True)
    assert refusal(partial(run_go_on, run=run, by=None, step="refinement")) == "run_stale"


# --- paused and cancelled ------------------------------------------------------------------


def stopping(run: GenerationRun, act: Callable[..., GenerationRun], at: int) -> machine.Answerer:
    """A model that answers, and somebody who pauses or cancels the run while it thinks of its `at`-th answer."""
    said: list[str] = []

    def says(step: str, prompt: calls.Prompt) -> str:
        said.append(step)
        if len(said) == at:
            act(run=run, by=None)
        return machine.model_answer(step, prompt)

    return says


@pytest.mark.django_db
@pytest.mark.parametrize("at", [1, 4, 8, 30])
def test_paused_and_resumed_asks_nothing_twice(at: int) -> None:
    run = a_begun_run()
    with machine.answering(stopping(run, run_pause, at)) as asked:
        assert machine.finish(run).state == "paused"
        assert run_pause(run=run, by=None).state == "paused"
        assert not machine.jobs_of(run)
        assert len(asked) < 30 or at == 30
        sound(run.project)
        assert run_resume(run=run, by=None).state == "running"
        assert run_resume(run=run, by=None).state == "running"
        assert machine.finish(run).state == "done"
    assert len(asked) == Call.objects.count() == 9 + 9 + 3 + 9
    assert run.candidates.filter(state="kept").count() == 9
    assert verbs() == ["run_paused", "run_resumed"]
    sound(run.project)


@pytest.mark.django_db
def test_cancelled_for_good() -> None:
    run = a_begun_run()
    with machine.answering(stopping(run, run_cancel, 12)):
        assert machine.finish(run).state == "cancelled"
    assert run.ended_at is not None
    kept_so_far = run.candidates.filter(state="kept").count()
    assert 0 < kept_so_far + run.candidates.filter(state="making").count() == 9
    assert run_cancel(run=run, by=None).state == "cancelled"
    for act in (run_pause, run_resume):
        assert refusal(partial(act, run=run, by=None)) == "run_over"
    assert refusal(partial(run_go_on, run=run, by=None, step="refinement")) == "run_over"
    assert verbs() == ["run_cancelled"]
    assert set(Job.objects.values_list("state", flat=True)) <= {"done", "cancelled"}
    sound(run.project)


@pytest.mark.django_db
def test_what_is_done_cannot_be_cancelled() -> None:
    run = a_begun_run(1)
    with machine.answering():
        machine.finish(run)
    assert refusal(partial(run_cancel, run=run, by=None)) == "run_over"


@pytest.mark.django_db
def test_a_run_that_cannot_be_answered_stops_with_the_reason() -> None:
    run = a_begun_run(2)
    assert (machine.finish(run).state, run.reason) == ("paused", "not_recorded")
    assert verbs() == ["run_stopped"]
    assert not machine.jobs_of(run)
    sound(run.project)
    with machine.answering():
        run_resume(run=run, by=None)
        assert machine.finish(run).state == "done"


@pytest.mark.django_db
def test_what_waits_is_taken_up_later() -> None:
    run = a_begun_run(1)
    times: list[str] = []

    def answers(**told: Any) -> list[calls.CallResult]:
        times.append(told["step"])
        if len(times) in (1, 3, 4, 5, 6, 7, 8):
            raise jobs.PostponeJob(3600)
        return real(**told)

    with machine.answering():
        real = calls.answers
        # Taken away before what it stands on: the tests after it ask as everywhere.
        with mock.patch.object(calls, "answers", answers):
            assert machine.finish(run).state == "running"
            (job,) = Job.objects.filter(batch_of__run=run)
            assert (job.state, job.fruitless, run.results.count()) == ("queued", 0, 0)
            assert jobs.waiting_job_ids() == []
            assert machine.drive(run).state == "done"
    sound(run.project)


# --- a step that breaks --------------------------------------------------------------------


def toy(breaks: Callable[[Work], bool]) -> Recipe:
    """Two steps that ask nothing; the second breaks on some."""

    def begin(frame: Frame, key: str, group: str, data: Any) -> list[Work]:
        options = [{"key": "A", "text": "a", "role": "answer"}, {"key": "B", "text": "b", "role": ""}]
        content = {"concept": data["source"], "question": "Why?", "options": options}
        return [Work(key, key, group, data, content)]

    def keeps(frame: Frame, works: Sequence[Work], answered: Sequence[AskResult]) -> dict[str, Outcome]:
        if any(breaks(work) for work in works):
            raise ZeroDivisionError
        return {work.key: kept_outcome(work) for work in works}

    steps = (
        Step("one", "One", lambda frame, works, _: {w.key: kept_outcome(w) for w in works}),
        Step("two", "Two", keeps),
    )
    return Recipe("toy", "Toy", "Toy", "set", "set", "sets", SetData, begin, steps)


def registered(monkeypatch: pytest.MonkeyPatch, recipe: Recipe) -> None:
    monkeypatch.setattr("annotation.generation.rules.recipes._registry", lambda: {recipe.slug: recipe})


@pytest.mark.django_db
def test_a_step_that_breaks_on_one_question_loses_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    registered(monkeypatch, toy(lambda work: work.key == "set-00002"))
    of = machine.a_machine_project()
    machine.question_sets(of, 4)
    run = machine.finish(run_create(project=of, by=None, name="toy", recipe="toy"))
    assert run.state == "done"
    (lost,) = run.candidates.filter(state="dropped")
    assert (lost.key, lost.step, lost.reason) == ("set-00002", "two", "step_failed")
    assert lost.params == {"error": "ZeroDivisionError"}
    assert Item.objects.count() == 3
    sound(of)


@pytest.mark.django_db
def test_a_step_that_breaks_on_all_pauses_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    registered(monkeypatch, toy(lambda work: work.key in ("set-00001", "set-00002")))
    of = machine.a_machine_project(settings={"batch_size": 2})
    machine.question_sets(of, 6)
    run = machine.drive(run_create(project=of, by=None, name="toy", recipe="toy"))
    assert (run.state, run.reason) == ("paused", "run_batch_failed")
    (job,) = Job.objects.filter(state="failed")
    assert (job.error, job.fruitless) == ("ZeroDivisionError", jobs.MOST_ATTEMPTS)
    assert run.candidates.filter(state="kept").count() == 4
    assert run.results.filter(step="one").count() == 6
    sound(of)
    registered(monkeypatch, toy(lambda work: False))
    assert machine.finish(run_resume(run=run, by=None)).state == "done"
    sound(of)


# --- two at once ---------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
def test_two_workers_on_one_batch_store_it_once() -> None:
    run = a_begun_run(1)
    (job,) = machine.jobs_of(run)
    first = jobs.claim(job.pk)
    assert first is not None
    Job.objects.filter(pk=job.pk).update(lease_until="2020-01-01T00:00:00Z")
    handler = jobs.handler("generate")
    assert handler is not None

    def slow() -> object:
        return handler(jobs.Handle(first))

    with machine.answering():
        results = run_at_once([slow, partial(jobs.run, job.pk)])
    assert [type(result).__name__ for result in results].count("JobLost") <= 1
    machine.drive(run)
    assert run.state == "done"
    assert run.results.count() == 12
    assert Item.objects.count() == 3
    sound(run.project)


@pytest.mark.django_db(transaction=True)
def test_a_job_that_was_lost_has_no_further_effect() -> None:
    run = a_begun_run(1)
    (job,) = machine.jobs_of(run)
    first = jobs.claim(job.pk)
    assert first is not None
    run_pause(run=run, by=None)
    run_resume(run=run, by=None)
    handler = jobs.handler("generate")
    assert handler is not None
    with machine.answering():
        with pytest.raises(jobs.JobLost):
            handler(jobs.Handle(first))
        assert run.results.count() == 0
        assert machine.finish(run).state == "done"
    sound(run.project)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("act", [run_pause, run_cancel])
def test_sent_by_two_at_once(act: Callable[..., GenerationRun]) -> None:
    run = a_begun_run(1)
    assert not any(isinstance(found, Exception) for found in run_at_once([partial(act, run=run, by=None)] * 4))
    assert len(verbs()) == 1


@pytest.mark.django_db(transaction=True)
def test_a_new_run_sent_by_two_at_once_is_one() -> None:
    of = machine.a_machine_project()
    machine.question_sets(of, 2)
    endpoint = machine.an_endpoint()
    found = run_at_once([partial(machine.begin_run, of, endpoint=endpoint, name="once")] * 3)
    assert sorted(type(each).__name__ for each in found) == ["Conflict", "Conflict", "GenerationRun"]
    assert GenerationRun.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_pauses_and_steps_at_once_end_well() -> None:
    """Whoever pauses while steps are stored waits for them or they for him: no deadlock, nothing half stored."""
    run = a_begun_run(6)

    def work() -> None:
        with machine.answering():
            machine.finish(run)

    def fuss() -> None:
        for _ in range(12):
            run_pause(run=run, by=None)
            run_resume(run=run, by=None)

    results = run_at_once([work, fuss])
    assert results == [None, None] or all(isinstance(each, Conflict | None) for each in results)
    with machine.answering():
        assert machine.drive(run).state == "done"
    assert run.candidates.filter(state="kept").count() == 18
    sound(run.project)


# --- instructions --------------------------------------------------------------------------


@pytest.mark.django_db
def test_instructions_are_numbered_and_checked() -> None:
    of, by, name = machine.a_machine_project(), factory.user(), "mcsqa-question"
    house = current_instruction(of, name)
    assert house.n == 0
    save = partial(instruction_save, project=of, by=by, name=name)
    assert save(text=house.text.replace("\n", "\r\n")) == house
    one = save(text=house.text + "Please.\r\n", note="politely", seen=0)
    assert (one.n, one.text) == (1, house.text + "Please.\n")
    assert save(text=house.text + "Please.\n", seen=0) == one
    assert refusal(partial(save, text=house.text + "No.", seen=0)) == "instruction_stale"
    assert save(text=house.text + "No.", seen=1).n == 2
    assert save(text=house.text).n == 3
    assert refusal(partial(save, text="  ")) == "instruction_wrong"
    assert refusal(partial(save, text="$nothing")) == "instruction_wrong"
    assert refusal(partial(save, text="a\x00")) == "text_not_storable"
    assert refusal(partial(save, text="a", name="none")) == "instruction_unknown"
    versions = InstructionVersion.objects.order_by("n").values_list("n", "note")
    assert list(versions) == [(1, "politely"), (2, ""), (3, "")]
    assert verbs() == ["instruction_saved"] * 3
