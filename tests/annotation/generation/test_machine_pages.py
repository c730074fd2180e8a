"""Pages of machine writing over HTTP: what leads and administrators see of runs, questions, instructions and cost."""

from collections.abc import Iterator
from decimal import Decimal

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.content.models.item import Item
from annotation.generation.actions.instructions import instruction_save
from annotation.generation.actions.runs import run_go_on
from annotation.generation.models import Call, Candidate, GenerationRun, MachineLimit, StepResult
from annotation.generation.queries import runs as machine
from annotation.generation.rules import instructions
from tests import factory
from tests import machine as made
from tests.machine_project import MachineProject
from tests.pay import browser_of
from tests.shared_worlds import SharedWorlds

pytestmark = pytest.mark.django_db


@pytest.fixture
def at(standing: SharedWorlds) -> MachineProject:
    return standing(MachineProject)


def pages_of(at: MachineProject) -> Iterator[str]:
    one = at.run.candidates.order_by("pk")[0]
    yield at.url("machine")
    yield at.url("machine_run", at.run.n)
    yield at.url("machine_run_csv", at.run.n)
    yield at.url("candidates", at.run.n)
    yield at.url("candidate", at.run.n, one.pk)
    yield at.url("instructions")
    yield at.url("instruction", "mcsqa-question")
    yield at.url("machine_cost")


def test_leads_and_administrators_read_everything(at: MachineProject) -> None:
    for url in pages_of(at):
        for who in (at.lead, at.boss):
            answer = browser_of(who).get(url)
            assert answer.status_code == 200, url


def test_a_project_without_a_recipe_has_no_such_pages() -> None:
    project, boss = factory.project(), factory.user(administrator=True)
    for name in ("machine", "machine_run_new", "instructions", "machine_cost"):
        assert browser_of(boss).get(reverse(name, args=[project.slug])).status_code == 404
    assert "/machine/" not in browser_of(boss).get(reverse("project", args=[project.slug])).content.decode()


def test_the_room_is_in_the_head_of_the_project(at: MachineProject) -> None:
    assert f'href="{at.url("machine")}"' in at.get("project")


@pytest.mark.parametrize("preset", ["mcsqa", "llm-gen", "llm-adapt"])
def test_a_new_project_says_what_comes_next(preset: str) -> None:
    boss = browser_of(factory.user(administrator=True))
    form = boss.get(reverse("project_new"), {"preset": preset}).context
    sent = {"preset": preset, "name": "New", "slug": f"new-{preset}", "language": "id"}
    rules = {f"protocol-{name}": value for name, value in form["rules"].initial.items() if value is not False}
    made_it = boss.post(reverse("project_new"), {**sent, **rules, "share": str(form["form"].initial["share"])})
    assert made_it["Location"] == reverse("project", args=[f"new-{preset}"])
    page = boss.get(made_it["Location"]).content.decode()
    assert "a budget, a first run" in page
    for room in ("machine", "materials"):
        assert f'href="{reverse(room, args=[f"new-{preset}"])}"' in page
    overview = boss.get(reverse("machine", args=[f"new-{preset}"])).content.decode()
    assert "Nothing is there yet that questions could be made from" in overview
    assert (
        "There is nothing to begin with"
        in boss.get(reverse("machine_run_new", args=[f"new-{preset}"])).content.decode()
    )


@pytest.mark.parametrize("recipe", ["llm-gen", "llm-adapt"])
def test_pages_are_there_whatever_the_recipe(recipe: str) -> None:
    project, boss = made.a_machine_project(recipe=recipe), browser_of(factory.user(administrator=True))
    run = made.a_run(project, 2)
    one = run.candidates.order_by("pk")[0]
    for route, more in (
        ("machine", ()),
        ("machine_run_new", ()),
        ("machine_run", (run.n,)),
        ("candidates", (run.n,)),
        ("candidate", (run.n, one.pk)),
        ("instructions", ()),
        ("machine_cost", ()),
    ):
        assert boss.get(reverse(route, args=[project.slug, *more])).status_code == 200, route
    told = machine.report_of_run(run)
    dropped = sum(row.dropped for row in told.rows)
    assert told.begun == dropped + told.people.asked
    assert told.people.unasked == 0


def test_the_run_says_how_many_each_step_took_in_and_dropped(at: MachineProject) -> None:
    told = machine.report_of_run(at.run)
    by_step = {row.step.slug: row for row in told.rows}
    assert list(by_step) == ["question", "refinement", "distractors", "answering"]
    for slug, row in by_step.items():
        results = StepResult.objects.filter(run=at.run, step=slug)
        assert row.came == results.count()
        assert row.dropped == results.filter(outcome="dropped").count()
        assert row.spent.calls == Call.objects.filter(run=at.run, step=slug).count()
    assert told.begun == 9
    assert told.states["making"] == 0
    assert told.spent.tokens == 120 * Call.objects.filter(run=at.run).count()
    assert told.progress.is_complete


def test_numbers_lead_to_the_questions_behind_them(at: MachineProject) -> None:
    one = at.run.candidates.filter(state="kept").order_by("pk")[0]
    Candidate.objects.filter(pk=one.pk).update(state="dropped", step="refinement", reason="no_question_mark")
    one.results.filter(step="refinement").update(outcome="dropped", reason="no_question_mark")
    page = at.get("machine_run", at.run.n)
    behind = f"{at.url('candidates', at.run.n)}?state=dropped&amp;step=refinement&amp;reason=no_question_mark"
    assert behind in page
    assert "It does not end with a question mark" in page
    assert "no_question_mark<" not in page
    shown = at.get("candidates", at.run.n, state="dropped", step="refinement", reason="no_question_mark")
    assert one.key in shown
    assert "1 question" in shown
    assert shown.count('scope="row"') == 1


def test_what_people_made_of_the_hard_ones_is_a_step_of_its_own(at: MachineProject) -> None:
    hard = list(Item.objects.filter(project=at.project, candidate__content__made__level="hard").order_by("pk"))
    assert len(hard) > 2
    Item.objects.filter(pk=hard[0].pk).update(stage="settled", gold="yes", gold_from="votes", due_at=None)
    Item.objects.filter(pk=hard[1].pk).update(stage="no_consensus", due_at=None)
    people = machine.report_of_run(at.run).people
    assert (people.asked, people.kept, people.dropped) == (len(hard), 1, 1)
    assert people.waiting == len(hard) - 2
    assert people.in_all == 1 + people.unasked
    assert "hard: dropped by people" in at.get("machine_run", at.run.n)


def test_a_question_shows_each_step_before_and_after_with_its_calls(at: MachineProject) -> None:
    one = at.run.candidates.filter(item__isnull=False).order_by("pk")[0]
    page = at.get("candidate", at.run.n, one.pk)
    assert "<ins>" in page
    assert "model-of-tests" in page
    assert "temperature = 0" in page
    assert one.content["question"] in page.replace("<ins>", "").replace("</ins>", "")
    assert reverse("item", args=[at.project.slug, one.item_id]) in page


def test_an_answer_of_a_model_is_no_markup(at: MachineProject) -> None:
    hostile = "<script>alert(1)</script>"
    one = at.run.candidates.order_by("pk")[0]
    StepResult.objects.filter(run=at.run).update(content={**one.content, "question": hostile})
    Call.objects.filter(run=at.run).update(answer=hostile, state="unusable", fault="no_json")
    Candidate.objects.filter(pk=one.pk).update(content={**one.content, "question": hostile})
    for page in (
        at.get("candidate", at.run.n, one.pk),
        at.get("candidates", at.run.n),
        at.get("machine_run", at.run.n),
    ):
        assert hostile not in page
        assert "&lt;script&gt;" in page
        assert "no_json" not in page


def test_questions_of_another_run_are_not_found(at: MachineProject) -> None:
    other = MachineProject()
    theirs = other.run.candidates.order_by("pk")[0]
    assert browser_of(at.lead).get(at.url("candidate", at.run.n, theirs.pk)).status_code == 404
    assert browser_of(at.lead).get(at.url("machine_run", 77)).status_code == 404


# --- begin, go on, pause, cancel -----------------------------------------------------------


def filled(at: MachineProject, **more: str) -> dict[str, str]:
    key = str(at.endpoint.pk)
    steps = ("question", "refinement", "distractors", "answering")
    given = {f"endpoint-{step}": key for step in steps}
    return {"name": "Second", "count": "2", "makes": "items", **given, "temperature-question": "0.3", **more}


def test_an_administrator_begins_a_run(at: MachineProject) -> None:
    made.materials(at.project, 4, start=10)
    answer = at.post("machine_run_new", **filled(at, stepwise="on", fresh="on", seed="s2", makes="none"))
    run = GenerationRun.objects.get(name="Second")
    assert answer["Location"] == at.url("machine_run", run.n)
    assert (run.stepwise, run.makes_items, run.seed) == (True, False, "s2")
    assert run.candidates.count() == 6
    first = run.plan["steps"][0]
    assert first["endpoint"] == at.endpoint.pk
    assert first["parameters"]["temperature"] == 0.3
    assert first["parameters"]["seed"] == 0


def test_what_was_typed_is_kept_where_a_run_cannot_begin(at: MachineProject) -> None:
    answer = at.post("machine_run_new", **filled(at, name=at.run.name, count="1"))
    assert answer.status_code == 409
    assert "There is a run with this name already" in answer.content.decode()
    nobody = at.post("machine_run_new", **filled(at, **{"endpoint-question": ""}))
    assert nobody.status_code == 422
    assert 'value="Second"' in nobody.content.decode()
    none_left = at.post("machine_run_new", **filled(at, fresh="on"))
    assert none_left.status_code == 422
    assert "There is nothing that questions could be made from" in none_left.content.decode()
    assert GenerationRun.objects.count() == 1


def test_looking_what_it_costs_begins_nothing(at: MachineProject) -> None:
    whole = at.post("machine_run_new", **filled(at, wish="look", count="1000"))
    assert whole.status_code == 200
    assert "By what earlier runs of this project took" in whole.content.decode()
    part = browser_of(at.boss).post(
        at.url("machine_run_new"),
        filled(at, wish="look"),
        headers={"HX-Request": "true", "HX-Target": "estimate"},
    )
    assert part.status_code == 200
    assert part.content.decode().lstrip().startswith("<section")
    assert GenerationRun.objects.count() == 1


def test_the_estimate_is_what_earlier_calls_cost(at: MachineProject) -> None:
    """The same number of sources again: as many calls at the endpoint's prices, by each step's share left."""
    page = browser_of(at.boss).post(at.url("machine_run_new"), filled(at, wish="look", count="3"))
    lines = {line.step.slug: line for line in page.context["estimate"].steps}
    for row in machine.report_of_run(at.run).rows:
        assert lines[row.step.slug].calls == row.spent.calls
        price = row.spent.tokens_in * Decimal("0.5") + row.spent.tokens_out * Decimal("1.5")
        assert abs(lines[row.step.slug].amount - price / 1_000_000) < Decimal("0.00001")


def test_leads_begin_nothing_and_change_nothing(at: MachineProject) -> None:
    assert browser_of(at.lead).get(at.url("machine_run_new")).status_code == 403
    assert at.post("machine_run_new", who=at.lead, **filled(at)).status_code == 403
    for act in ("go-on", "pause", "resume"):
        assert at.post("machine_run_act", at.run.n, act, who=at.lead).status_code == 403
    assert at.post("machine_run_cancel", at.run.n, who=at.lead).status_code == 403
    sent = {"text": "$question", "version": "0"}
    assert at.post("instruction", "mcsqa-question", who=at.lead, **sent).status_code == 403
    assert at.post("machine_run_act", at.run.n, "burn").status_code == 404
    page = at.get("machine_run", at.run.n)
    assert "do-cancel" not in page


def test_a_run_step_by_step_is_seen_after_each_step() -> None:
    at = MachineProject(stepwise=True)
    seen = []
    for _ in range(4):
        page = at.get("machine_run", at.run.n, who=at.boss)
        told = machine.report_of_run(at.run)
        seen.append([row.came for row in told.rows])
        assert told.progress.is_complete
        assert "hx-get" not in page
        step = page.partition('name="step" value="')[2].partition('"')[0]
        if not step:
            break
        answer = at.post("machine_run_act", at.run.n, "go-on", step=step)
        assert answer.status_code == 302
        again = at.post("machine_run_act", at.run.n, "go-on", step=step)
        assert again.status_code == 302
        at.run.refresh_from_db()
        assert "hx-get" in at.get("machine_run", at.run.n)
        with made.answering():
            made.finish(at.run)
    assert seen[0] == [9, 0, 0, 0]
    assert seen[1][1] > 0
    assert seen[1][2] == 0
    assert at.run.state == "done"
    stale = at.post("machine_run_act", at.run.n, "go-on", step="refinement")
    assert stale.status_code == 409
    assert "This run is over" in stale.content.decode()


def test_a_run_is_paused_resumed_and_cancelled_after_a_question() -> None:
    at = MachineProject(stepwise=True)
    run_go_on(run=at.run, by=None, step="refinement")
    at.post("machine_run_act", at.run.n, "pause")
    at.run.refresh_from_db()
    assert at.run.state == "paused"
    assert "do-resume" in at.get("machine_run", at.run.n, who=at.boss)
    at.post("machine_run_act", at.run.n, "resume")
    at.run.refresh_from_db()
    assert at.run.state == "running"
    asked = at.get("machine_run_cancel", at.run.n, who=at.boss)
    assert "does not go on any more" in asked
    at.run.refresh_from_db()
    assert at.run.state == "running"
    at.post("machine_run_cancel", at.run.n)
    at.run.refresh_from_db()
    assert at.run.state == "cancelled"
    assert at.post("machine_run_act", at.run.n, "resume").status_code == 409


def test_why_a_run_stands_still_is_said_in_words(at: MachineProject) -> None:
    GenerationRun.objects.filter(pk=at.run.pk).update(state="paused", reason="run_batch_failed")
    page = at.get("machine_run", at.run.n)
    assert "Some questions could not be carried on" in page
    assert "run_batch_failed" not in page


# --- instructions --------------------------------------------------------------------------


def test_an_instruction_has_versions_with_their_differences(at: MachineProject) -> None:
    house = instructions.default_text("mcsqa-question")
    sent = {"text": f"Be brief.\n{house}", "note": "shorter", "version": "0"}
    assert at.post("instruction", "mcsqa-question", **sent).status_code == 302
    page = at.get("instruction", "mcsqa-question")
    assert all(words in page for words in ("Be brief.", "<ins>", "shorter"))
    assert "version 1" in at.get("instructions")
    back = {"text": "whatever", "version": "1", "wish": "house"}
    assert at.post("instruction", "mcsqa-question", **back).status_code == 302
    assert at.project.instructions.get(n=2).text.strip() == house.strip()


def test_an_instruction_that_cannot_be_filled_is_kept_in_the_form(at: MachineProject) -> None:
    answer = at.post("instruction", "mcsqa-question", text="Say $nothing.", version="0")
    assert answer.status_code == 422
    page = answer.content.decode()
    assert "names values that there are not here: nothing" in page
    assert "Say $nothing." in page
    instruction_save(project=at.project, by=None, name="mcsqa-question", text="Another one. $concept")
    stale = at.post("instruction", "mcsqa-question", text="Mine. $concept", version="0")
    assert stale.status_code == 409
    assert "Mine. $concept" in stale.content.decode()
    assert at.post("instruction", "llm-gen", text="x", version="0").status_code == 404


# --- few statements -----------------------------------------------------------------------


def many(at: MachineProject, count: int) -> None:
    """Further questions of the run, each with a result of every step."""
    one = at.run.candidates.order_by("pk")[0]
    rows = Candidate.objects.bulk_create(
        Candidate(
            project=at.project, run=at.run, batch=one.batch, material=one.material, key=f"more-{count}-{n}",
            content=one.content, state="dropped", step="refinement", reason="duplicate",
        )
        for n in range(count)
    )  # fmt: skip
    calls = list(Call.objects.filter(run=at.run).values_list("pk", flat=True))
    StepResult.objects.bulk_create(
        StepResult(run=at.run, candidate=row, step=step, outcome="kept", content=row.content, calls=calls[:2])
        for row in rows
        for step in ("question", "refinement")
    )


def test_pages_take_as_many_statements_at_ten_as_at_a_thousand(at: MachineProject) -> None:
    MachineLimit.objects.create(project=at.project, budget=10)
    client = Client()
    assert at.lead.user is not None
    client.force_login(at.lead.user)
    urls = [
        at.url("machine"),
        at.url("machine_run", at.run.n),
        at.url("candidates", at.run.n),
        at.url("machine_cost"),
    ]

    def counts() -> list[int]:
        found = []
        for url in urls:
            with CaptureQueriesContext(connection) as asked:
                assert client.get(url).status_code == 200
            found.append(len(asked))
        return found

    counts()
    many(at, 30)
    before = counts()
    many(at, 1000)
    assert counts() == before
    assert max(before) < 30, before
