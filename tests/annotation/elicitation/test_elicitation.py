"""Elicitation: questions of a lead, answers of a group, at hand while writing and hidden from judges."""

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotation.concepts.actions import concepts_add_typed
from annotation.core.errors import Conflict, Forbidden, Invalid, NotFound
from annotation.core.messages import EVENTS, PROBLEMS
from annotation.core.models.member import Annotator, Event
from annotation.core.models.project import Project
from annotation.elicitation.actions import (
    elicitation_add,
    elicitation_answer,
    elicitation_answer_change,
    elicitation_change,
    elicitation_retire,
    elicitation_seed,
)
from annotation.elicitation.models import ElicitationAnswer, ElicitationQuestion, Session
from annotation.elicitation.queries import answers_at_hand
from annotation.presets.elicitation import QUESTIONS
from tests import factory
from tests.prompts import a_prompt_project, a_prompt_share, a_topic
from tests.questions import a_question_project

pytestmark = pytest.mark.django_db
EMPTY: dict[str, Any] = {"text": "  \n "}


@pytest.fixture
def project() -> Project:
    made = a_prompt_project("rasa")
    assert elicitation_seed(project=made, by=None) == len(QUESTIONS)
    return made


@pytest.fixture
def writer(project: Project) -> Annotator:
    return factory.member(project, "writer")


@pytest.fixture
def lead(project: Project) -> Annotator:
    return factory.member(project, "lead")


def browser_of(place: Annotator) -> Client:
    assert place.user is not None
    client = Client()
    client.force_login(place.user)
    return client


def question(project: Project, place: int = 1) -> ElicitationQuestion:
    return ElicitationQuestion.objects.get(project=project, position=place)


def answer(by: Annotator, text: str = "Tamu dilayani dulu.", place: int = 1, **more: Any) -> ElicitationAnswer:
    asked = question(by.project, place)
    return elicitation_answer(annotator=by, question_id=asked.pk, text=text, **more)


def session(project: Project, purpose: str = "elicitation", name: str = "Kelompok satu") -> Session:
    return Session.objects.create(project=project, purpose=purpose, name=name, held_on="2026-03-01")


# --- questions ------------------------------------------------------------------------------


def test_a_new_project_of_prompts_asks_in_its_language_and_only_once(project: Project) -> None:
    asked = list(project.elicitation.order_by("position"))
    assert [one.text for one in asked] == [one.text("id") for one in QUESTIONS]
    assert [one.position for one in asked] == list(range(1, len(QUESTIONS) + 1))
    assert elicitation_seed(project=project, by=None) == 0
    elicitation_change(
        project=project,
        question_id=asked[0].pk,
        by=factory.user(),
        version=1,
        sort="experience",
        text="Apa yang selalu ada?",
    )
    assert elicitation_seed(project=project, by=None) == 1
    assert project.elicitation.count() == len(QUESTIONS) + 1


def test_a_project_made_from_the_preset_has_its_questions_and_others_have_none() -> None:
    other = a_question_project()
    with pytest.raises(NotFound):
        elicitation_seed(project=other, by=None)
    assert not other.elicitation.exists()


def test_a_lead_changes_takes_out_and_asks_again(project: Project, lead: Annotator) -> None:
    asked, by = question(project), lead.user
    assert by is not None
    of: dict[str, Any] = {"project": project, "question_id": asked.pk, "by": by}
    changed = elicitation_change(**of, version=1, sort="likes", text=" Apa\r\nlagi? ")
    assert (changed.text, changed.sort, changed.version) == ("Apa\nlagi?", "likes", 2)
    with pytest.raises(Conflict) as refusal:
        elicitation_change(**of, version=1, sort="likes", text="Lain?")
    assert refusal.value.code == "elicitation_stale"
    assert elicitation_retire(**of, version=2, retired=True).version == 3
    assert question(project).retired_at is not None
    elicitation_retire(**of, version=3, retired=False)
    assert question(project).retired_at is None
    told = list(Event.objects.filter(project=project, verb__startswith="elicitation").order_by("pk"))
    assert [one.verb for one in told[1:]] == [
        "elicitation_changed",
        "elicitation_retired",
        "elicitation_asked_again",
    ]
    assert told[1].data["before"] == asked.text
    assert {one.verb for one in told} <= set(EVENTS)


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"sort": "weather", "text": "Ya?"}, "elicitation_sort_unknown"),
        ({"sort": "likes", "text": " \n"}, "elicitation_question_missing"),
        ({"sort": "likes", "text": "a\x00b"}, "text_not_storable"),
        ({"sort": "likes", "text": "a" * 1001}, "text_not_storable"),
    ],
)
def test_a_question_that_cannot_be_kept_is_refused(
    project: Project, lead: Annotator, given: dict[str, str], code: str
) -> None:
    assert lead.user is not None
    with pytest.raises(Invalid) as refusal:
        elicitation_add(project=project, by=lead.user, **given)
    assert refusal.value.code == code
    assert code in PROBLEMS
    assert project.elicitation.count() == len(QUESTIONS)


# --- answers --------------------------------------------------------------------------------


def test_writers_and_leads_answer_for_themselves_or_a_session(
    project: Project, writer: Annotator, lead: Annotator
) -> None:
    topic, held = a_topic(project, "Kondangan"), session(project)
    given = answer(writer, " Selalu ada\r\nkopi. ", topic="kondangan", session_id=held.pk)
    assert (given.text, given.topic, given.session, given.by) == ("Selalu ada\nkopi.", topic, held, writer)
    assert answer(lead).session is None
    with pytest.raises(Forbidden):
        answer(factory.member(project, "validator"))
    for more, code in (
        (EMPTY, "elicitation_answer_missing"),
        ({"text": "a" * 4001}, "text_not_storable"),
        ({"topic": "pesta kebun"}, "elicitation_topic_unknown"),
        ({"topic": "a\x00"}, "elicitation_topic_unknown"),
        ({"session_id": session(project, "review", "Dua").pk}, "elicitation_session_unknown"),
    ):
        with pytest.raises(Invalid) as refusal:
            answer(writer, **more)
        assert refusal.value.code == code
        assert code in PROBLEMS


def test_who_answered_changes_it_and_what_it_said_is_kept(project: Project, writer: Annotator) -> None:
    held = session(project)
    given = answer(writer, "Dulu begini.", session_id=held.pk)
    changed = elicitation_answer_change(annotator=writer, answer_id=given.pk, text="Sekarang begitu.")
    assert (changed.text, changed.session) == ("Sekarang begitu.", held)
    told = Event.objects.get(project=project, verb="elicitation_answer_changed")
    assert told.data == {"answer": given.pk, "before": "Dulu begini."}
    elicitation_answer_change(annotator=writer, answer_id=given.pk, text="Sekarang begitu.")
    assert Event.objects.filter(verb="elicitation_answer_changed").count() == 1
    with pytest.raises(NotFound):
        elicitation_answer_change(annotator=factory.member(project, "writer"), answer_id=given.pk, text="Bukan.")


def test_nothing_is_answered_that_is_taken_out_elsewhere_or_closed(project: Project, writer: Annotator) -> None:
    asked, other = question(project), a_prompt_project()
    elicitation_seed(project=other, by=None)
    with pytest.raises(NotFound):
        elicitation_answer(annotator=writer, question_id=question(other).pk, text="Ya.")
    elicitation_retire(project=project, question_id=asked.pk, by=factory.user(), version=1, retired=True)
    with pytest.raises(NotFound):
        answer(writer)
    Project.objects.filter(pk=project.pk).update(closed_at="2026-01-01T00:00Z")
    with pytest.raises(Conflict) as refusal:
        answer(writer, place=2)
    assert refusal.value.code == "closed_elicitation"


# --- pages ----------------------------------------------------------------------------------


def test_writers_see_the_groups_answers_and_validators_nothing(
    project: Project, writer: Annotator, lead: Annotator
) -> None:
    answer(writer, "Kopi dan kacang rebus.")
    for place in (writer, lead, factory.member(project, "writer")):
        assert "Kopi dan kacang rebus." in browser_of(place).get("/p/rasa/elicitation/").content.decode()
    assert browser_of(factory.member(project, "validator")).get("/p/rasa/elicitation/").status_code == 403
    assert browser_of(writer).get(f"/p/{a_question_project().slug}/elicitation/").status_code == 404


def test_an_answer_is_given_and_changed_on_the_page(project: Project, writer: Annotator) -> None:
    client, held, asked = browser_of(writer), session(project), question(project)
    sent = {"text": "Kopi.", "topic": "", "session": held.pk}
    done = client.post(f"/p/rasa/elicitation/{asked.pk}/answer/", sent)
    assert done.headers["Location"] == f"/p/rasa/elicitation/sessions/{held.pk}/#question-{asked.pk}"
    given = ElicitationAnswer.objects.get()
    assert (given.text, given.session) == ("Kopi.", held)
    done = client.post(f"/p/rasa/elicitation/answers/{given.pk}/", {"text": "Teh."})
    assert done.headers["Location"] == f"/p/rasa/elicitation/#question-{asked.pk}"
    given.refresh_from_db()
    assert given.text == "Teh."


@pytest.mark.parametrize("form", ["answer", "own"])
def test_what_was_typed_stands_in_its_form_when_it_is_refused(project: Project, writer: Annotator, form: str) -> None:
    client, given = browser_of(writer), answer(writer)
    pk = given.pk if form == "own" else given.question_id
    path = f"answers/{pk}/" if form == "own" else f"{pk}/answer/"
    refused = client.post(f"/p/rasa/elicitation/{path}", {"text": "Panjang sekali", "topic": "pesta kebun"})
    page = refused.content.decode()
    assert refused.status_code == 422
    assert PROBLEMS["elicitation_topic_unknown"] in page
    assert page.count("Panjang sekali</textarea>") == 1
    assert page.count('value="pesta kebun"') == 1
    assert ">\nPanjang sekali</textarea>" in page.split(f'id="{form}-{pk}-text"')[1][:400]


def test_a_question_on_the_second_page_is_where_one_comes_back_to(project: Project, lead: Annotator) -> None:
    client = browser_of(lead)
    for n in range(20):
        done = client.post("/p/rasa/elicitation/add/", {"sort": "likes", "text": f"Pertanyaan {n}?"})
    last = ElicitationQuestion.objects.get(text="Pertanyaan 19?")
    assert done.headers["Location"] == f"/p/rasa/elicitation/?page=2#question-{last.pk}"
    refused = client.post(f"/p/rasa/elicitation/{last.pk}/", {"sort": "likes", "text": "Baru?", "version": 7})
    assert refused.status_code == 409
    assert "Baru?</textarea>" in refused.content.decode()
    done = client.post(f"/p/rasa/elicitation/{last.pk}/retire/", {"version": 1})
    assert done.status_code == 302
    writer = browser_of(factory.member(project, "writer"))
    assert "Pertanyaan 19?" not in writer.get("/p/rasa/elicitation/?page=2").content.decode()
    assert "Pertanyaan 19?" in client.get("/p/rasa/elicitation/?page=2").content.decode()


def test_a_project_without_questions_takes_them_over_by_a_button(lead: Annotator) -> None:
    empty = a_prompt_project("kosong")
    client = browser_of(factory.member(empty, "lead", account=lead.user))
    assert "Take over the questions" in client.get("/p/kosong/elicitation/").content.decode()
    assert client.post("/p/kosong/elicitation/seed/").headers["Location"] == "/p/kosong/elicitation/"
    assert empty.elicitation.count() == len(QUESTIONS)
    writer = browser_of(factory.member(empty, "writer"))
    for path in ("seed/", "add/", f"{question(empty).pk}/"):
        assert writer.post(f"/p/kosong/elicitation/{path}").status_code == 403


def test_the_page_asks_the_database_the_same_however_much_was_answered(project: Project, writer: Annotator) -> None:
    client, topic, held = browser_of(writer), a_topic(project), session(project)
    counts = []
    for _ in range(2):
        with CaptureQueriesContext(connection) as caught:
            client.get("/p/rasa/elicitation/")
        counts.append(len(caught))
        for place in range(1, 13):
            answer(factory.member(project, "writer"), place=place, topic=topic.text, session_id=held.pk)
    assert counts[0] == counts[1] <= 14


# --- at hand while writing --------------------------------------------------------------------


def test_answers_are_at_hand_those_of_the_topic_first(project: Project, writer: Annotator) -> None:
    topic, other = a_topic(project), a_topic(project)
    answer(writer, "Tanpa topik.")
    answer(writer, "Topik lain.", topic=other.text)
    answer(writer, "Topik ini.", place=3, topic=topic.text)
    assert [one.text for one in answers_at_hand(project, topic)] == [
        "Topik ini.",
        "Topik lain.",
        "Tanpa topik.",
    ]
    allocation = a_prompt_share(topic, writer)
    page = browser_of(writer).get(f"/p/rasa/write/{allocation.token}/").content.decode()
    assert page.index("Topik ini.") < page.index("Topik lain.") < page.index("Tanpa topik.")
    assert page.count("this topic") == 1
    plain = a_question_project()
    with CaptureQueriesContext(connection) as caught:
        assert answers_at_hand(plain, None) == []
    assert len(caught) == 0


# --- where topics come from -------------------------------------------------------------------


def test_a_topic_keeps_where_it_comes_from(project: Project, writer: Annotator, lead: Annotator) -> None:
    a_topic(project, "kondangan", category="adat")
    sent = {"category": "adat", "text": "arisan\nronda malam", "source": " group  talk "}
    assert browser_of(lead).post("/p/rasa/concepts/add/", sent).status_code == 302
    assert project.concepts.get(text="arisan").extra == {"source": "group talk"}
    sent = {"category": "adat", "text": "mudik bersama", "source": "searches"}
    assert browser_of(writer).post("/p/rasa/concepts/propose/", sent).status_code == 302
    made = project.concepts.get(text="mudik bersama")
    assert made.extra == {"source": "searches"}
    page = browser_of(lead).get(f"/p/rasa/concepts/{made.pk}/").content.decode()
    assert 'value="searches"' in page
    changed = {"category": "adat", "text": "mudik", "source": "", "version": made.version}
    assert browser_of(lead).post(f"/p/rasa/concepts/{made.pk}/", changed).status_code == 302
    made.refresh_from_db()
    assert (made.text, made.extra) == ("mudik", {})
    with pytest.raises(Invalid):
        concepts_add_typed(
            target=project.targets.get(), category="adat", texts=["x"], by=factory.user(), source="a" * 201
        )


def test_only_kinds_with_elicitation_ask_where_it_comes_from() -> None:
    other = a_question_project()
    client = browser_of(factory.member(other, "lead"))
    asking = browser_of(factory.member(a_prompt_project("lain"), "lead"))
    assert "Where it comes from" in asking.get("/p/lain/concepts/").content.decode()
    page = client.get(f"/p/{other.slug}/concepts/").content.decode()
    assert "Where it comes from" not in page
