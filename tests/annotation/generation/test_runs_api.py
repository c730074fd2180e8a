"""Machine runs over the API: endpoints without secrets, budget, a run from estimate to end, materials, instructions."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from annotation.core.models.project import Project
from annotation.core.models.user import User
from annotation.generation.models import Call, GenerationRun
from annotation.generation.queries.runs import recipe_of
from annotation.generation.rules import recipes
from annotation.generation.rules.recipes.forms import ITEM
from tests import factory, machine
from tests.api import Script, assert_refused, script
from tests.exports.machine import make_questions

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    made = machine.a_machine_project("mesin")
    machine.materials(made, 3)
    return made


@pytest.fixture
def boss() -> User:
    return factory.user("boss@example.org", administrator=True)


def chosen(project: Project, endpoint: int) -> dict[str, int]:
    return {step.slug: endpoint for step in recipe_of(project).steps if step.asked == "chat"}


def begun(asked: Script, project: Project, **more: object) -> dict[str, object]:
    endpoint = machine.an_endpoint(price_in=1, price_out=2)
    sent = {"name": "One", "endpoints": chosen(project, endpoint.pk), "count": 2, **more}
    answer = asked.post("projects/mesin/runs", sent)
    assert answer.status_code == 201, answer.content
    found: dict[str, object] = answer.json()
    return found


def test_endpoints_have_no_secrets(project: Project, boss: User) -> None:
    address = "https://model.example.org/v1"
    machine.an_endpoint(address=address, key_sealed="sealed-words", key_host="model.example.org")
    answer = script(boss).get("endpoints")
    [row] = answer.json()["results"]
    assert row["has_key"]
    assert not any(secret in answer.content.decode() for secret in ("sealed-words", "model.example.org"))
    assert_refused(script(boss, "read", projects=["mesin"]).get("endpoints"), 403, "token_of_some_projects")
    assert_refused(script(factory.member(project, "lead").user).get("endpoints"), 403, "forbidden")


def test_a_run_from_its_estimate_to_its_end(project: Project, boss: User) -> None:
    asked, lead = script(boss), script(factory.member(project, "lead").user)
    endpoint = machine.an_endpoint()
    guess = asked.post("projects/mesin/runs:estimate", {"endpoints": chosen(project, endpoint.pk), "count": 2})
    assert [row["step"] for row in guess.json()["steps"]] == list(chosen(project, endpoint.pk))
    with machine.answering():
        run = begun(asked, project)
        assert (run["n"], run["state"]) == (1, "running")
        machine.finish(GenerationRun.objects.get())
    done = lead.get("projects/mesin/runs/1").json()
    assert (done["state"], done["done"]) == ("done", done["total"])
    assert sum(done["states"].values()) == run["begun"]
    assert [row["step"] for row in done["outcomes"]][: len(done["pinned"])]
    questions = lead.pages("projects/mesin/runs/1/candidates")
    assert len(questions) == run["begun"]
    whole = lead.get("projects/mesin/machine").json()
    assert (whole["materials"], whole["budget"], whole["states"]) == (3, None, done["states"])
    assert_refused(lead.post("projects/mesin/runs/1:cancel"), 403, "forbidden")
    assert_refused(asked.post("projects/mesin/runs/1:cancel"), 409, "run_over")


def test_a_run_step_by_step_is_steered(project: Project, boss: User) -> None:
    asked = script(boss)
    with machine.answering():
        run = begun(asked, project, stepwise=True)
        machine.finish(GenerationRun.objects.get())
    read = asked.get("projects/mesin/runs/1").json()
    assert (read["state"], read["reason"], read["until"]) == ("paused", "run_step_done", run["until"])
    assert_refused(asked.post("projects/mesin/runs/1:go-on", {"step": "nowhere"}), 409, "run_stale")
    for _ in range(2):  # sent twice it goes on once
        went = asked.post("projects/mesin/runs/1:go-on", {"step": read["following"]}).json()
        assert (went["state"], went["until"]) == ("running", read["following"])
    assert asked.post("projects/mesin/runs/1:pause").json()["state"] == "paused"
    assert asked.post("projects/mesin/runs/1:resume").json()["state"] == "running"
    assert asked.post("projects/mesin/runs/1:cancel").json()["state"] == "cancelled"


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        ({"endpoints": {"mcsqa-question": 987654321}}, "run_endpoint_missing"),
        ({"endpoints": {}}, "run_endpoint_missing"),
        ({"parameters": {"nowhere": {"temperature": 1}}}, "run_parameters_wrong"),
        ({"parameters": {"question": {"seed": 0.5}}}, "run_parameters_wrong"),
        ({"name": " "}, "field_blank"),
    ],
)
def test_what_is_no_run(project: Project, boss: User, sent: dict[str, object], code: str) -> None:
    assert_refused(script(boss).post("projects/mesin/runs", {"name": "One", "count": 1, **sent}), 400, code)
    assert not GenerationRun.objects.exists()


def test_the_budget_is_replaced_by_who_saw_it(project: Project, boss: User) -> None:
    asked, sent = script(boss), {"budget": "10.5", "currency": "USD", "per_minute": 5}
    set_at = asked.post("projects/mesin/machine:limit", sent).json()["budget_set_at"]
    assert_refused(asked.post("projects/mesin/machine:limit", sent), 409, "limit_stale")
    changed = asked.post("projects/mesin/machine:limit", {**sent, "budget": "12", "seen": set_at}).json()
    assert (changed["budget"], changed["spent"]) == (
        "12.00000000",
        [{"currency": "USD", "amount": "0.00000000"}],
    )
    assert not Call.objects.exists()


def test_items_of_another_project_are_chosen_as_on_the_page(boss: User) -> None:
    source, asked = factory.project("adapted", preset="llm-adapt"), script(boss)
    slug = next(each.slug for each in recipes.all_recipes() if each.sort == ITEM)
    factory.project("sunda", preset="llm-adapt", settings={"recipe": slug})
    make_questions(source, 2)
    taken = asked.post("projects/sunda/materials:take-items", {"project": "adapted"}).json()
    assert (taken["new"], taken["not_taken"]) == (0, {"submitted": 2})
    taken = asked.post("projects/sunda/materials:take-items", {"project": "adapted", "items": "all"}).json()
    assert (taken["new"], taken["not_taken"]) == (2, {})


def test_materials_and_instructions(project: Project, boss: User) -> None:
    asked = script(boss)
    rows = asked.pages("projects/mesin/materials", limit=2)
    assert [row["position"] for row in rows] == [1, 2, 3]
    assert_refused(asked.post("projects/mesin/materials:take-concepts"), 400, "materials_other_sort")
    file = SimpleUploadedFile("q.jsonl", b"{}")
    answer = asked.client.post("/api/v1/projects/mesin/materials:take-file", {"file": file}, headers=asked._headers({}))
    assert_refused(answer, 400, "materials_other_sort")
    [one, *_] = asked.get("projects/mesin/instructions").json()["instructions"]
    sent = {"name": one["name"], "version": one["version"], "text": "$nothing_that_there_is"}
    wrong = asked.post("projects/mesin/instructions", sent)
    assert_refused(wrong, 400, "instruction_wrong")
    assert "nothing_that_there_is" in wrong.json()["detail"]
    text = one["text"] + "\nBriefly."
    saved = asked.post("projects/mesin/instructions", {**sent, "text": text}).json()["instructions"]
    assert (saved[0]["version"], saved[0]["text"]) == (1, text)
    assert_refused(
        asked.post("projects/mesin/instructions", {**sent, "text": "Other. " + text}),
        409,
        "instruction_stale",
    )
