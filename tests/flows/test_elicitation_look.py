"""Elicitation in a browser: axe, widths, both schemes; an answer without a script, at hand while writing."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.elicitation.actions import elicitation_answer, elicitation_retire, elicitation_seed
from annotation.elicitation.models import ElicitationQuestion, Session
from tests import factory
from tests.flows.looks import assert_for_everybody, open_all
from tests.flows.test_concept_look import shoot
from tests.prompts import a_prompt_project, a_prompt_share, a_topic

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def project() -> Project:
    project = a_prompt_project("rasa")
    elicitation_seed(project=project, by=None)
    a_topic(project, "kondangan", extra={"source": "brainstorming"})
    Session.objects.create(project=project, purpose="elicitation", name="Kelompok satu", held_on="2026-03-01")
    return project


@pytest.fixture
def people(project: Project) -> dict[str, Annotator]:
    writer, lead = factory.member(project, "writer"), factory.member(project, "lead")
    asked, other = ElicitationQuestion.objects.filter(project=project).order_by("position")[:2]
    for by, question, topic in ((writer, asked, "kondangan"), (lead, asked, ""), (lead, other, "")):
        text = "Amplop tamu dicatat supaya nanti bisa dibalas.\nTetangga memasak sejak dua hari sebelumnya."
        elicitation_answer(annotator=by, question_id=question.pk, text=text, topic=topic)
    assert lead.user is not None
    elicitation_retire(project=project, question_id=other.pk, by=lead.user, version=1, retired=True)
    return {"writer": writer, "lead": lead}


def test_pages_look_right(project: Project, people: dict[str, Annotator], page_of: Callable[..., Page]) -> None:
    allocation = a_prompt_share(project.concepts.get(), people["writer"])
    session = Session.objects.get(project=project)
    for role, name, path in (
        ("writer", "elicitation", "elicitation/"),
        ("lead", "elicitation", "elicitation/"),
        ("writer", "session", f"elicitation/sessions/{session.pk}/"),
        ("writer", "at-hand", f"write/{allocation.token}/"),
        ("lead", "topics", "concepts/"),
    ):
        page = page_of(people[role].user)
        page.goto(f"/p/rasa/{path}")
        shoot(page, f"{name}-{role}")
        open_all(page)
        assert_for_everybody(page, (role, path))
        page.context.close()


@pytest.mark.parametrize("javascript", [True, False], ids=["script", "no script"])
def test_an_answer_is_given_and_found_beside_the_form(
    project: Project, people: dict[str, Annotator], page_of: Callable[..., Page], javascript: bool
) -> None:
    page = page_of(people["writer"].user, 360, javascript=javascript)
    page.goto("/p/rasa/elicitation/")
    asked = page.locator(".asked").nth(2)
    asked.locator("summary").first.click()
    asked.get_by_label("Answer", exact=True).fill("Kami bilang: lihat nanti.")
    asked.get_by_label("Topic").fill("kondangan")
    asked.get_by_role("button", name="Keep the answer").click()
    page.locator(".asked").nth(2).get_by_text("Kami bilang: lihat nanti.").first.wait_for()
    allocation = a_prompt_share(project.concepts.get(), people["writer"])
    page.goto(f"/p/rasa/write/{allocation.token}/")
    page.locator(".at-hand > summary").click()
    first = page.locator(".at-hand li").nth(1)
    assert "Kami bilang: lihat nanti." in first.inner_text()
    assert "this topic" in first.inner_text()
