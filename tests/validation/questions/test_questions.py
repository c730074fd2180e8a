"""Questions to the leads: who reads which, what a thread tells, and how an answer becomes part of the guidelines."""

from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.db.models import F
from django.db.models.functions import Now

from annotation.core.errors import Conflict, Invalid
from annotation.core.models.project import GuidelineVersion
from tests import factory
from tests.pay import browser_of
from tests.review import World, assign, cast_vote, decide, world
from validation import integrity
from validation.people.actions import account_delete
from validation.people.queries import personal_data_of
from validation.questions.actions import question_ask, question_publish, question_reply
from validation.questions.models import Question, Reply
from validation.questions.queries import QuestionSubject, subject_of

pytestmark = pytest.mark.django_db


def asked(at: World, text: str = "May an inference go beyond the text?", **about: Any) -> Question:
    return question_ask(annotator=at.validators[0], about=QuestionSubject(**about), text=text)


def address(at: World, question: Question | None = None) -> str:
    return f"/p/{at.project.slug}/questions/" + (f"{question.pk}/" if question else "")


def test_asked_on_the_card_answered_by_a_lead_and_read_by_who_asked() -> None:
    at = world()
    assignment = assign(at.item(), at.validators[0])
    client, lead = browser_of(at.validators[0]), browser_of(at.lead)
    form = client.get(address(at) + f"?assignment={assignment.token}").content.decode()
    assert at.item().hypothesis.text in form
    sent = client.post(address(at), {"assignment": assignment.token, "text": "Is <b> a shop a market?"})
    question = Question.objects.get()
    assert sent["Location"] == address(at, question)
    assert question.revision is not None
    assert question.revision.item == assignment.item
    assert "Is &lt;b&gt; a shop" in lead.get(address(at)).content.decode()
    assert lead.post(address(at, question), {"text": "Yes, if food is sold."}).status_code == 302
    told = client.get(address(at, question)).content.decode()
    assert "Yes, if food is sold." in told
    assert at.lead.pseudonym not in told


def test_a_thread_tells_neither_the_author_nor_labels_nor_votes() -> None:
    at = world()
    assignment = assign(at.item("c"), at.validators[0])
    cast_vote(assign(at.item("c"), at.validators[1]), "c", comment="It contradicts, plainly.")
    decide()
    question = asked(at, **vars(subject_of(at.validators[0], {"assignment": assignment.token})))
    for person in (at.validators[0], at.lead):
        told = browser_of(person).get(address(at, question)).content.decode()
        main = told[told.index('id="main"') :]
        assert at.item("c").hypothesis.text in main
        for hidden in (
            at.writer.pseudonym,
            at.validators[1].pseudonym,
            at.item("c").key,
            "contradict",
            "Contradiction",
        ):
            assert hidden not in main, hidden


def test_nobody_reads_threads_of_others() -> None:
    at = world()
    question = asked(at)
    for person in (at.validators[1], at.writer, factory.member(factory.project(), "lead")):
        client = browser_of(person)
        assert client.get(address(at, question)).status_code == 404
        assert client.post(address(at, question), {"text": "Me too"}).status_code == 404
        assert question.text not in client.get(address(at)).content.decode()
    assert not Reply.objects.exists()


def test_what_is_not_theirs_cannot_be_asked_about() -> None:
    at = world()
    token = assign(at.item(), at.validators[0]).token
    for sent in ({"assignment": token}, {"item": str(at.item().pk)}, {"item": "9" * 30}):
        client = browser_of(at.validators[1])
        assert client.get(address(at), sent).status_code == 404
        assert client.post(address(at), {**sent, "text": "What?"}).status_code == 404
    with pytest.raises(Invalid):
        subject_of(at.validators[1], {"role": "gold"})
    with pytest.raises(Invalid):
        subject_of(at.validators[1], {"section": "Labels"})


def test_a_lead_who_wrote_an_item_reads_no_question_about_it() -> None:
    at = world()
    at.item().__class__.objects.filter(pk=at.item().pk).update(author=at.lead)
    question = asked(at, revision=at.item().revisions.get())
    assert browser_of(at.lead).get(address(at, question)).status_code == 404
    assert browser_of(at.other_lead).get(address(at, question)).status_code == 200


def test_a_published_answer_is_in_the_guidelines_marked_as_changed_and_in_nobodys_name() -> None:
    at = world()
    question = asked(at, role="validation", section="Labels")
    question_reply(question=question, by=at.lead.user, text="No.")  # type: ignore[arg-type]
    sent = {
        "question": "Beyond the *text*?",
        "answer": "No: stay with it.",
        "roles": ["writing", "validation"],
    }
    publish = address(at, question) + "publish/"
    assert browser_of(at.validators[0]).post(publish, sent).status_code == 403
    assert browser_of(at.lead).post(publish, {**sent, "roles": []}).status_code == 422
    assert browser_of(at.lead).post(publish, sent).status_code == 302
    assert browser_of(at.lead).post(publish, sent).status_code == 409
    versions = GuidelineVersion.objects.filter(project=at.project, n=2)
    assert {each.role for each in versions} == {"writing", "validation"}
    other = browser_of(at.validators[1])
    page = other.get(f"/p/{at.project.slug}/guidelines/").content.decode()
    assert "Beyond the *text*?" in page
    assert "not read yet" in page
    listed = other.get(address(at)).content.decode()
    assert "No: stay with it." in listed
    assert at.validators[0].pseudonym not in listed


def test_two_answers_stand_under_one_heading() -> None:
    at = world()
    for text in ("First?", "Second?"):
        question_publish(
            question=asked(at, text),
            by=at.lead.user,  # type: ignore[arg-type]
            asked=text,
            answer="Yes.",
            roles=["validation"],
        )
    newest = GuidelineVersion.objects.filter(project=at.project, role="validation").latest("n")
    assert newest.text.count("## ") - newest.text.count("### ") >= 1
    assert newest.text.index("First?") < newest.text.index("Second?")
    lines = newest.text.splitlines()
    assert len({line for line in lines if "Pertanyaan" in line or "Questions and answers" in line}) == 1


def test_the_button_pressed_twice_asks_and_answers_once() -> None:
    at = world()
    assert asked(at) == asked(at)
    question = asked(at)
    for _ in range(2):
        question_reply(question=question, by=at.lead.user, text="No.")  # type: ignore[arg-type]
    assert Reply.objects.count() == 1
    assert asked(at) != question


def test_what_was_typed_is_kept_where_it_cannot_be_taken() -> None:
    at = world()
    client = browser_of(at.validators[0])
    answer = client.post(address(at), {"role": "validation", "section": "Nowhere", "text": "Kept words"})
    assert answer.status_code == 422
    assert "Kept words" in answer.content.decode()
    assert client.post(address(at), {"text": "   "}).status_code == 422


@pytest.mark.parametrize(
    ("wrong", "name"),
    [
        ({"text": ""}, "question_has_text"),
        ({"section": "Labels"}, "question_section_of_guidelines"),
        ({"published_at": Now()}, "question_published_whole"),
        ({"published_answer": "Yes"}, "question_published_whole"),
        ({"role": "writing"}, "question_about_one_thing"),
    ],
)
def test_the_database_holds(wrong: dict[str, Any], name: str) -> None:
    at = world()
    question = asked(at, revision=at.item().revisions.get())
    with pytest.raises(IntegrityError, match=name), transaction.atomic():
        Question.objects.filter(pk=question.pk).update(**wrong)


def test_integrity_finds_a_question_about_another_project() -> None:
    at, other = world(), world()
    question = asked(at)
    assert not [each for each in integrity.run(project=at.project) if each.invariant == "Q1"]
    Question.objects.filter(pk=question.pk).update(revision=other.item().revisions.get())
    Reply.objects.create(question=question, by=at.lead.user, by_asker=True, text="No.")  # type: ignore[misc]
    found = [each for each in integrity.run(project=at.project) if each.invariant == "Q1"]
    assert len(found) == 2


def test_questions_are_among_ones_data_and_go_with_ones_words() -> None:
    at = world()
    kept, gone = asked(at, "Mine, published"), asked(at, "Mine alone")
    user = at.validators[0].user
    assert user is not None
    question_reply(question=gone, by=user, text="More of mine")
    question_publish(question=kept, by=at.lead.user, asked="Said so", answer="Yes", roles=["writing"])  # type: ignore[arg-type]
    told = personal_data_of(user)["projects"][0]["questions"]
    assert [row["text"] for row in told] == ["Mine, published", "Mine alone"]
    assert told[1]["replies"][0]["mine"]
    account_delete(user=user, password=factory.PASSWORD)
    assert list(Question.objects.values_list("text", flat=True)) == ["Said so"]
    assert not Reply.objects.exists()


def test_who_asked_publishes_nothing() -> None:
    at = world()
    question = question_ask(annotator=at.lead, about=QuestionSubject(), text="Mine?")
    with pytest.raises(Exception, match="forbidden"):
        question_publish(question=question, by=at.lead.user, asked="a", answer="b", roles=["writing"])  # type: ignore[arg-type]
    question_publish(question=question, by=at.other_lead.user, asked="a", answer="b", roles=["writing"])  # type: ignore[arg-type]
    with pytest.raises(Conflict):
        question_publish(question=question, by=at.other_lead.user, asked="a", answer="b", roles=["writing"])  # type: ignore[arg-type]
    assert Question.objects.filter(published_at__gte=F("at")).exists()
