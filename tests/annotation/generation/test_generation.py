"""Runs of machine-written questions: what they pin, how their questions go step by step, and what becomes of them."""

import json
from typing import Any

import pytest

from annotation.content.models.item import Item
from annotation.content.models.source import Concept
from annotation.core.errors import Conflict, Invalid
from annotation.core.models.member import Event
from annotation.core.models.project import Project
from annotation.generation.actions.batches import IN_FLIGHT, continue_stalled_runs
from annotation.generation.actions.instructions import current_instruction, instruction_save
from annotation.generation.actions.runs import run_cancel, run_create, run_resume
from annotation.generation.models import Call, Candidate, Endpoint, GenerationRun, StepResult
from annotation.generation.rules.plans import Plan
from annotation.generation.rules.recipes.base import EASY, HARD
from annotation.jobs import queue as jobs
from annotation.jobs.models import Job
from annotation.projects.actions.projects import project_close, project_settings_change
from tests import factory, machine
from validation import integrity

pytestmark = pytest.mark.django_db
STEPS = ["question", "refinement", "distractors", "answering"]


def sound(project: Project) -> None:
    assert list(integrity.run(project=project)) == []


def states(run: GenerationRun) -> dict[str, int]:
    found: dict[str, int] = {}
    for state in run.candidates.values_list("state", flat=True):
        found[state] = found.get(state, 0) + 1
    return found


def half_dropped(step: str, prompt: Any) -> str:
    """Every other question has a word of its choices."""
    said = machine.model_answer(step, prompt)
    return said.replace("Whither does", "Is the dapur where") if step == "question" and "dapur" in str(prompt) else said


# --- from materials to items ---------------------------------------------------------------


def test_a_run_carries_every_question_to_its_end() -> None:
    of = machine.a_machine_project(settings={"batch_size": 4})
    run = machine.a_run(of, 10, says=half_dropped)
    assert (run.state, run.reason, run.n) == ("done", "", 1)
    assert run.ended_at is not None
    assert run.batches.count() == 3
    found = states(run)
    assert found["kept"] + found["dropped"] == 30
    assert found["dropped"] >= 3
    assert {(c.step, c.reason) for c in run.candidates.filter(state="dropped")} == {("question", "choice_in_question")}
    assert run.results.filter(step="answering").count() == found["kept"]
    assert run.results.filter(step="question").count() == 30
    assert Item.objects.filter(project=of).count() == found["kept"]
    assert set(Job.objects.values_list("state", "done", "total")) == {("done", 4, 4)}
    sound(of)


def test_hard_ones_go_to_people_at_once_and_easy_ones_to_nobody() -> None:
    of = machine.a_machine_project()
    run = machine.a_run(of, 12)
    levels = set()
    for one in run.candidates.select_related("item"):
        item = one.item
        assert item is not None
        level = one.content["made"]["level"]
        levels.add(level)
        assert (item.origin, item.author_id, item.allocation_id, item.key) == ("machine", None, None, one.key)
        assert (item.author_label, item.stage) == ("yes", "written")
        assert (item.sampled, item.due_at is not None) == ((True, True) if level == HARD else (False, False))
        (revision,) = item.revisions.all()
        assert (revision.content, revision.event, revision.by_id) == (one.content, "submit", None)
        assert revision.guideline_id is not None
        assert item.qa.more["made"] == one.content["made"]
    assert levels == {EASY, HARD}
    from validation.voting.actions.decide import decide_due

    while decide_due():
        pass
    opened = {item.key: item.stage for item in Item.objects.filter(project=of)}
    for one in run.candidates.all():
        assert opened[one.key] == ("voting" if one.content["made"]["level"] == HARD else "written")
    sound(of)


def test_concepts_are_found_or_made_once() -> None:
    of = machine.a_machine_project(settings={"batch_size": 1})
    machine.a_run(of, 3)
    assert sorted(Concept.objects.values_list("category", "text", "state")) == [
        ("AtLocation", f"{machine.THINGS[n]} {n}", "approved")
        for n in sorted((1, 2, 3), key=lambda n: machine.THINGS[n])
    ]
    assert {c.questions.count() for c in Concept.objects.all()} == {3}


def test_questions_of_concepts_wait_for_a_lead_and_batches_hold_one_category() -> None:
    of = machine.a_machine_project(recipe="llm-gen", settings={"batch_size": 3})
    rows = machine.concepts(of, 10, categories=2)
    run = machine.begin_run(of)
    for batch in run.batches.all():
        groups = set(batch.candidates.values_list("material__group", flat=True))
        assert len(groups) == 1
        assert batch.candidates.values("material").distinct().count() <= 3
    assert run.batches.count() == 4
    assert run.candidates.values("material").distinct().count() == len(rows)


@pytest.mark.parametrize("recipe", ["llm-gen", "llm-adapt", "llm-translate"])
def test_what_is_reviewed_waits_for_a_lead_and_is_drawn_for_nobody(recipe: str) -> None:
    preset = "llm-adapt" if recipe == "llm-translate" else recipe
    of = machine.a_machine_project(recipe=preset, settings={"recipe": recipe, "batch_size": 2})
    run = machine.a_run(of, 5, endpoint=machine.an_endpoint())
    assert (run.state, states(run)) == ("done", {"kept": 5})
    for item in Item.objects.filter(project=of):
        assert (item.stage, item.sampled, item.due_at, item.origin) == ("submitted", False, None, "machine")
        assert item.author_label == "A"
        (revision,) = item.revisions.all()
        assert revision.event == "hand_in"
    if recipe == "llm-gen":
        concepts = {one.material.concept_id for one in run.candidates.select_related("material")}
        assert set(Item.objects.values_list("qa__concept", flat=True)) == concepts
    sound(of)


def test_translations_by_endpoints_of_all_sorts() -> None:
    of = machine.a_machine_project(recipe="llm-adapt", settings={"recipe": "llm-translate"})
    machine.items_elsewhere(of, 2)
    there, like = machine.an_endpoint("translation"), machine.an_endpoint("embedding")
    asked = {"translate": there, "back-translate": there, "likeness-1": like}
    run = machine.begin_run(of, endpoints=asked)
    assert [step["slug"] for step in run.plan["steps"]] == [*asked, "score"]
    with machine.answering():
        assert machine.finish(run).state == "done"
    for one in run.candidates.all():
        assert one.content["made"]["scores"] == {"chrf": 1.0, "likeness-1": 1.0}
    assert Call.objects.filter(step="translate").count() == 2 * 7
    assert states(run) == {"kept": 2}


def test_a_question_that_an_earlier_batch_has_is_dropped() -> None:
    def same(step: str, prompt: Any) -> str:
        said = json.loads(machine.model_answer(step, prompt))
        for one in said["questions"]:
            one["question"] = "Mana yang dibawa ke kebun, payung 1, kelambu 2, atau gerobak 3?"
        return json.dumps(said)

    of = machine.a_machine_project(recipe="llm-gen", settings={"batch_size": 1})
    run = machine.a_run(of, 3, says=same)
    assert sorted(run.candidates.values_list("state", "reason")) == [
        ("dropped", "duplicate"),
        ("dropped", "duplicate"),
        ("kept", ""),
    ]
    another = machine.a_machine_project(recipe="llm-gen", settings={"batch_size": 1})
    run = machine.a_run(another, 3, says=same, makes_items=False)
    assert states(run) == {"dropped": 2, "kept": 1}
    sound(another)


def test_a_run_that_makes_no_items() -> None:
    of = machine.a_machine_project()
    run = machine.a_run(of, 2, makes_items=False)
    assert states(run) == {"kept": 6}
    assert not Item.objects.exists()
    sound(of)


def test_a_key_that_is_taken_is_told_as_a_drop() -> None:
    of = machine.a_machine_project()
    machine.a_run(of, 2)
    with machine.answering() as asked:
        again = machine.finish(machine.begin_run(of))
    assert asked == [], "what was asked before is not asked again"
    assert states(again) == {"dropped": 6}
    assert set(again.candidates.values_list("step", "reason")) == {("items", "key_taken")}
    assert not again.candidates.exclude(item=None).exists()
    assert again.results.filter(step="items", outcome="dropped").count() == 6
    assert Item.objects.count() == 6
    sound(of)


def test_what_runs_twice_doubles_nothing() -> None:
    of = machine.a_machine_project()
    run = machine.a_run(of, 2)
    before = (StepResult.objects.count(), Item.objects.count(), Call.objects.count())
    Job.objects.update(state="queued", done=0)
    machine.finish(run)
    assert (StepResult.objects.count(), Item.objects.count(), Call.objects.count()) == before
    sound(of)


# --- what is pinned ------------------------------------------------------------------------


def test_nothing_that_is_changed_later_alters_a_run() -> None:
    lead = factory.user()
    of = machine.a_machine_project()
    machine.question_sets(of, 1)
    endpoint = machine.an_endpoint(parameters={"max_tokens": 300})
    told = {"question": {"temperature": 0.25}}
    run = machine.begin_run(of, endpoint=endpoint, parameters=told, seed="other")
    text = current_instruction(of, "mcsqa-question").text
    changed = text.replace("$language", "$language, changed")
    assert instruction_save(project=of, by=lead, name="mcsqa-question", text=changed).n == 1
    project_settings_change(project=of, by=lead, changes={"batch_size": 7, "place": "Mars"})
    Endpoint.objects.update(model="another", parameters={"max_tokens": 5, "top_p": 0.1})
    with machine.answering():
        assert machine.finish(run).state == "done"
    assert set(Call.objects.values_list("model", flat=True)) == {"model-of-tests"}
    sent = {call.step: call.request["parameters"] for call in Call.objects.all()}
    assert sent["question"]["temperature"] == 0.25
    assert sent["refinement"]["temperature"] == 0.7
    assert {each["max_tokens"] for each in sent.values()} == {300}
    assert "changed" not in str(list(Call.objects.values_list("request", flat=True)))
    plan = Plan.from_json(run.plan)
    assert plan.to_json() == run.plan
    assert plan.step("question").instructions["mcsqa-question"].n == 0
    assert (plan.settings["batch_size"], run.seed) == (20, "other")
    later = machine.begin_run(of, endpoint=endpoint)
    assert Plan.from_json(later.plan).step("question").instructions["mcsqa-question"].n == 1
    assert Plan.from_json(later.plan).step("question").model == "another"


def test_materials_are_chosen_counted_or_left_out() -> None:
    of = machine.a_machine_project()
    rows = machine.question_sets(of, 6)
    chosen = machine.begin_run(of, materials=[rows[4].pk, rows[1].pk])
    keys = chosen.candidates.order_by("pk").values_list("material__key", flat=True)
    assert list(dict.fromkeys(keys)) == ["set-00002", "set-00005"]
    fresh = machine.begin_run(of, count=2, fresh=True)
    keys = fresh.candidates.order_by("pk").values_list("material__key", flat=True)
    assert sorted(set(keys)) == ["set-00001", "set-00003"]
    run_cancel(run=fresh, by=None)
    again = machine.begin_run(of, count=2, fresh=True)
    assert sorted(set(again.candidates.values_list("material__key", flat=True))) == ["set-00001", "set-00003"]


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"name": " "}, "run_name_missing"),
        ({"name": "n" * 121}, "run_name_missing"),
        ({"name": "taken"}, "run_name_taken"),
        ({"endpoints": {}}, "run_endpoint_missing"),
        ({"parameters": {"question": {"model": "x"}}}, "run_parameters_wrong"),
        ({"parameters": {"question": {"temperature": "hot"}}}, "run_parameters_wrong"),
        ({"materials": []}, "run_nothing"),
        ({"count": 0}, "run_nothing"),
    ],
)
def test_what_cannot_begin(change: dict[str, Any], code: str) -> None:
    of = machine.a_machine_project()
    machine.question_sets(of, 1)
    machine.begin_run(of, name="taken")
    with pytest.raises((Invalid, Conflict)) as refused:
        machine.begin_run(of, **{"name": "new", **change})
    assert refused.value.code == code
    assert GenerationRun.objects.count() == 1


def test_a_recipe_that_there_is_not() -> None:
    of = machine.a_machine_project()
    with pytest.raises(Invalid) as refused:
        run_create(project=of, by=None, name="new", recipe="none")
    assert refused.value.code == "run_recipe_unknown"


def test_endpoints_that_cannot_be_asked() -> None:
    of = machine.a_machine_project()
    machine.question_sets(of, 1)
    chat, other, over = machine.an_endpoint(), machine.an_endpoint("embedding"), machine.an_endpoint()
    Endpoint.objects.filter(pk=over.pk).update(ended_at="2020-01-01T00:00:00Z")
    over.refresh_from_db()
    for wrong, code in ((other, "run_endpoint_unlike"), (over, "run_endpoint_ended")):
        asked = dict.fromkeys(STEPS, chat) | {"answering": wrong}
        with pytest.raises(Invalid) as refused:
            machine.begin_run(of, endpoints=asked)
        assert (refused.value.code, refused.value.details["step"]) == (code, "answering")


def test_a_closed_project_begins_nothing_and_goes_on_with_nothing() -> None:
    of = machine.a_machine_project()
    machine.question_sets(of, 1)
    run = machine.begin_run(of)
    project_close(project=of, by=None, closed=True)
    assert (machine.finish(run).state, run.reason) == ("paused", "run_project_closed")
    of.refresh_from_db()
    with pytest.raises(Conflict) as refused:
        machine.begin_run(of)
    assert refused.value.code == "run_project_closed"
    with pytest.raises(Conflict) as refused:
        run_resume(run=run, by=None)
    assert refused.value.code == "run_project_closed"


def test_a_project_whose_items_people_write_begins_nothing() -> None:
    of = factory.project()
    with pytest.raises(Invalid) as refused:
        run_create(project=of, by=None, name="new", recipe="mcsqa")
    assert refused.value.code == "run_recipe_unknown"


# --- the chain -----------------------------------------------------------------------------


def test_few_batches_are_queued_at_once_and_the_end_of_one_queues_the_next() -> None:
    of = machine.a_machine_project(settings={"batch_size": 1})
    machine.question_sets(of, 6)
    run = machine.begin_run(of)
    seen = []
    with machine.answering():
        while waiting := machine.jobs_of(run):
            seen.append(len(waiting))
            jobs.run_here(waiting[0])
    assert max(seen) == IN_FLIGHT
    assert seen == [2, 2, 2, 2, 2, 1]
    run.refresh_from_db()
    assert run.state == "done"


def test_a_batch_that_fails_is_shown_and_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    of = machine.a_machine_project(settings={"batch_size": 1})
    machine.question_sets(of, 3)
    run = machine.begin_run(of)
    (first, _) = machine.jobs_of(run)
    Job.objects.filter(pk=first.pk).update(state="failed", finished_at="2020-01-01T00:00:00Z")
    with machine.answering():
        machine.finish(run)
    assert (run.state, run.reason) == ("paused", "run_batch_failed")
    assert states(run) == {"kept": 6, "making": 3}
    assert Event.objects.filter(verb="run_stopped").count() == 1
    sound(of)
    with machine.answering():
        run_resume(run=run, by=None)
        assert machine.finish(run).state == "done"
    assert states(run) == {"kept": 9}
    sound(of)


def test_the_sweep_goes_on_with_what_nobody_does() -> None:
    of = machine.a_machine_project(settings={"batch_size": 1})
    machine.question_sets(of, 3)
    run = machine.begin_run(of)
    Job.objects.filter(batch_of__run=run).update(state="cancelled", finished_at="2020-01-01T00:00:00Z")
    breaches = [breach.what for breach in integrity.run(project=of)]
    assert breaches == ["jobs that go on with it"]
    assert continue_stalled_runs() == 1
    assert continue_stalled_runs() == 0
    with machine.answering():
        assert machine.finish(run).state == "done"
    Job.objects.update(state="failed")
    assert continue_stalled_runs() == 0
    sound(of)


def test_what_integrity_finds() -> None:
    of = machine.a_machine_project()
    run = machine.a_run(of, 2)
    one, two, three = run.candidates.order_by("pk")[:3]
    StepResult.objects.filter(candidate=one, step="refinement").delete()
    Candidate.objects.filter(pk=two.pk).update(item=None)
    StepResult.objects.filter(candidate=three, step="answering").update(outcome="dropped", reason="x")
    found = sorted((breach.subject.split(", ")[1], breach.what) for breach in integrity.run(project=of))
    assert found == sorted(
        [
            (one.key, "results of steps"),
            (two.key, "item"),
            (three.key, "dropped by a step, and carried on"),
        ]
    )
