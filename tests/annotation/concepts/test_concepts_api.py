"""Concepts over the API: proposed, sent back, approved and added, with the refusals of the pages."""

import pytest

from annotation.content.models.source import Concept
from annotation.core.models.project import Project
from tests import factory
from tests.api import Script, assert_refused, script
from tests.questions import a_concept, a_question_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    made = a_question_project("soal")
    a_concept(made, "tikar pandan")
    return made


def asking(project: Project, role: str) -> Script:
    return script(factory.member(project, role).user)


def test_from_a_proposal_to_approval(project: Project) -> None:
    writer, other = asking(project, "writer"), asking(project, "writer")
    lead = asking(project, "lead")
    sent = {"category": "culture", "text": "cobek batu", "source": "brainstorming"}
    made = writer.post("projects/soal/concepts:propose", sent)
    assert (made.status_code, made.json()["state"], made.json()["mine"]) == (201, "proposed", True)
    one = f"projects/soal/concepts/{made.json()['id']}"
    assert other.get(one).status_code == 404
    [row] = [row for row in other.pages("projects/soal/concepts") if row["text"] == "cobek batu"]
    assert (row["mine"], row["proposed_by"], row["words"]) == (False, None, None)
    assert_refused(lead.post(f"{one}:return", {"version": 9, "words": "Which?"}), 409, "stale")
    assert lead.post(f"{one}:return", {"version": 1, "words": "Which?"}).json()["state"] == "returned"
    assert writer.get(one).json()["words"] == "Which?"
    assert_refused(writer.post(f"{one}:change", {"version": 2, "category": "place"}), 400, "concept_text_alone")
    again = writer.post(f"{one}:change", {"version": 2, "text": "cobek dari batu kali"}).json()
    assert (again["state"], again["version"]) == ("proposed", 3)
    assert_refused(writer.post(f"{one}:approve", {"version": 3}), 403, "forbidden")
    assert lead.post(f"{one}:approve", {"version": 3}).json()["state"] == "approved"
    changed = lead.post(f"{one}:change", {"version": 4, "parallel": "mortar"}).json()
    assert (changed["parallel"], changed["text"]) == ("mortar", "cobek dari batu kali")


def test_a_lead_changes_concepts_with_the_scope_for_it_alone(project: Project) -> None:
    user = factory.member(project, "lead").user
    there = Concept.objects.get()
    sent, path = {"version": there.version, "parallel": "mat"}, f"projects/soal/concepts/{there.pk}:change"
    assert_refused(script(user, "read", "annotate").post(path, sent), 400, "concept_text_alone")
    assert script(user, "manage").post(path, sent).json()["parallel"] == "mat"


def test_nearly_equal_ones_are_asked_about(project: Project) -> None:
    lead = asking(project, "lead")
    sent = {"category": "culture", "texts": ["tikar pandan", "tikar pandam", "anglo"]}
    answer = lead.post("projects/soal/concepts:add", sent)
    assert_refused(answer, 400, "concept_near")
    assert answer.json()["near"] == [{"text": "tikar pandam", "others": ["tikar pandan"]}]
    assert Concept.objects.count() == 1
    key = {"Idempotency_Key": "one"}
    for _ in range(2):
        made = lead.post("projects/soal/concepts:add", {**sent, "sure": True}, **key)
        assert made.json()["added"] + made.json()["there"] == 3
    assert lead.pages("projects/soal/concepts", category="culture", state="approved", fields="text")


def test_another_projects_are_taken_over_by_who_leads_both(project: Project) -> None:
    other = a_question_project("lain")
    a_concept(other, "gerobak")
    lead = factory.member(project, "lead")
    asked = script(lead.user)
    assert_refused(asked.post("projects/soal/concepts:take-over", {"project": "lain"}), 400, "concepts_source_missing")
    factory.member(other, "lead", account=lead.user)
    assert asked.post("projects/soal/concepts:take-over", {"project": "lain"}).json()["added"] == 1
    limited = script(lead.user, "manage", projects=["soal"])
    assert_refused(
        limited.post("projects/soal/concepts:take-over", {"project": "lain"}), 400, "concepts_source_missing"
    )


def test_who_sees_none(project: Project) -> None:
    assert_refused(asking(project, "validator").get("projects/soal/concepts"), 403, "forbidden")
    nli = factory.project("nli")
    assert_refused(asking(nli, "lead").get("projects/nli/concepts"), 404, "not_found")
