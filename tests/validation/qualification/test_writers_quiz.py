"""The quiz of writers over HTTP, on PostgreSQL: nothing to write before it is passed, apart from the quiz of voters."""

from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse

from annotation.content.models.item import Item
from annotation.content.models.source import Draft
from annotation.core.models.member import Annotator, Event
from annotation.projects.actions.projects import project_settings_change
from annotation.writing.actions.allocation import allocations_assign
from tests import factory, review
from tests.api import assert_refused, script
from tests.pay import a_rate, entries
from tests.quality import lead_of, user_of
from validation.people.queries import personal_data_of
from validation.qualification import queries
from validation.qualification.actions import attempt_begin, attempt_hand_in, quiz_item_add
from validation.qualification.models import QuizAttempt, QuizItem, Role
from validation.voting.models.assignment import Assignment

pytestmark = pytest.mark.django_db
SETTINGS = {"spacing": 0, "writer_quiz_questions": 2, "writer_quiz_right": 2}


@pytest.fixture
def browser() -> Client:
    return Client()


def world(**settings: Any) -> tuple[review.World, Annotator]:
    """Four items in the writers' quiz and one to train writers on; a newcomer who writes and votes has two premises."""
    at = review.world(3, settings={**SETTINGS, **settings}, opened=False)
    items = list(Item.objects.filter(project=at.project).order_by("pk"))
    Item.objects.filter(pk__in=[item.pk for item in items[:12]]).update(sampled=False, due_at=None)
    review.decide()
    for n, item in enumerate(items[:5]):
        asks(at, item, role=Role.WRITER, training=n == 4)
    newcomer = factory.member(at.project, "writer", "validator")
    factory.premises(at.project, 2, start=10)
    allocations_assign(target=at.project.targets.get(), writers=[newcomer], size=2)
    return at, newcomer


def asks(at: review.World, item: Item, **more: Any) -> QuizItem:
    given: dict[str, Any] = {"item_id": item.pk, "accepted": [item.author_label], "by": lead_of(at)}
    return quiz_item_add(project=at.project, explanation="because of this", **given, **more)


def here(at: review.World, what: str) -> str:
    return f"projects/{at.project.slug}/{what}"


def url(at: review.World, name: str = "writers_quiz", *args: object) -> str:
    return reverse(name, args=[at.project.slug, *args])


def marked(attempt: QuizAttempt, *, right: bool) -> dict[int, str]:
    rows = QuizItem.objects.in_bulk(attempt.items)
    return {pk: row.accepted[0] if right else review.WRONG[row.accepted[0]] for pk, row in rows.items()}


def sends(at: review.World, client: Client, *, right: bool) -> Any:
    """Begin an attempt, and hand it in with only right or only wrong answers."""
    assert client.post(url(at)).status_code == 302
    attempt = QuizAttempt.objects.get(done_at=None, training=False)
    return client.post(url(at), {f"answer-{pk}": key for pk, key in marked(attempt, right=right).items()})


def test_nothing_to_write_before_it_is_passed(browser: Client) -> None:
    at, person = world()
    a_rate(at.project, "writerquiz", "0.5", unit="set")
    browser.force_login(user_of(person))
    token = person.allocations.order_by("position")[0].token
    for address in (url(at, "write"), url(at, "write_set", token)):
        assert browser.get(address).headers["Location"] == url(at)
    page = browser.get(url(at)).content.decode()
    assert "before you write" in page
    assert "You have 2 attempts" in page
    assert "because of this" not in page
    assert sends(at, browser, right=True).status_code == 302
    page = browser.get(url(at)).content.decode()
    assert page.count("because of this") == 2
    assert f'href="{url(at, "write")}"' in page
    assert browser.get(url(at, "write")).headers["Location"] == url(at, "write_set", token)
    assert browser.get(url(at, "write_set", token)).status_code == 200
    assert [(each.rate.action, each.units) for each in entries(at.project, person)] == [("writerquiz", 1)]
    attempt = QuizAttempt.objects.get()
    asked = QuizItem.objects.filter(pk__in=attempt.items).values("item")
    states = Assignment.objects.filter(annotator=person, item__in=asked).values_list("state", flat=True)
    assert list(states) == ["barred"] * 2


def test_it_lets_nobody_vote_nor_the_voters_quiz_write(browser: Client) -> None:
    at, person = world(quiz_questions=1, quiz_right=1)
    free = Item.objects.filter(project=at.project, sampled=False, asked_in_quiz=None)[:2]
    for item in list(free):
        asks(at, item)
    browser.force_login(user_of(person))
    assert browser.get(url(at, "vote")).headers["Location"] == url(at, "quiz")
    sends(at, browser, right=True)
    person.refresh_from_db()
    assert (person.writer_qualified_at is not None, person.qualified_at) == (True, None)
    assert browser.get(url(at, "vote")).headers["Location"] == url(at, "quiz")
    voter = attempt_begin(annotator=person)
    attempt_hand_in(attempt=voter, answers=marked(voter, right=True))
    assert b'name="assignment"' in browser.get(url(at, "vote")).content
    # Nobody is asked an item in both.
    mine = QuizAttempt.objects.filter(annotator=person)
    assert [(each.role, each.n) for each in mine.order_by("pk")] == [("writer", 1), ("validator", 1)]
    first, second = mine.order_by("pk")
    assert not set(first.items) & set(second.items)
    sums = {role: queries.qualification_sums(at.project, role) for role in Role.values}
    assert [(sums[role]["people"], sums[role]["asked"]) for role in ("validator", "writer")] == [
        (1, 1),
        (1, 2),
    ]


def test_two_attempts_with_other_questions_then_a_lead_decides(browser: Client) -> None:
    at, person = world()
    browser.force_login(user_of(person))
    for _ in range(2):
        assert sends(at, browser, right=False).status_code == 302
    first, second = QuizAttempt.objects.order_by("n")
    assert not set(first.items) & set(second.items)
    assert browser.post(url(at)).status_code == 409
    assert browser.get(url(at, "write")).headers["Location"] == url(at)
    lead = Client()
    lead.force_login(lead_of(at))
    page = lead.get(url(at, "qualification"), {"role": "writer"}).content.decode()
    assert "0 of 2, 0 of 2" in page
    assert "0–53 %" in page
    waive = url(at, "quiz_waive", person.pk) + "?role=writer"
    assert waive in page
    assert person.pseudonym in page
    # The page of voters' results tells of voters.
    assert "0 of 2" not in lead.get(url(at, "qualification")).content.decode()
    assert lead.post(waive, {"reason": "talked it through"}).status_code == 302
    assert Event.objects.get(verb="quiz_waived").data["role"] == "writer"
    person.refresh_from_db()
    assert (person.writer_qualified_at is not None, person.qualified_at) == (True, None)
    assert browser.get(url(at, "write")).headers["Location"] != url(at)
    assert queries.qualification_sums(at.project, "writer")["waived"] == 1
    assert queries.qualification_sums(at.project, "validator")["waived"] == 0


def test_one_attempt_where_the_project_gives_one(browser: Client) -> None:
    at, person = world(writer_quiz_attempts=1)
    browser.force_login(user_of(person))
    assert "You have 1 attempt." in browser.get(url(at)).content.decode()
    sends(at, browser, right=False)
    assert browser.post(url(at)).status_code == 409


def test_nobody_is_asked_about_their_own_texts() -> None:
    at, _ = world()
    client = Client()
    client.force_login(user_of(at.writer))
    assert client.post(url(at)).status_code == 409
    assert not QuizAttempt.objects.exists()


def test_nobody_begins_who_would_run_out_of_questions(browser: Client) -> None:
    """Two attempts of two questions ask for four that one knows nothing of."""
    at, person = world()
    browser.force_login(user_of(person))
    known = QuizItem.objects.filter(project=at.project, training=False)[0].item
    Item.objects.filter(pk=known.pk).update(author=person)
    assert browser.post(url(at)).status_code == 409
    assert not QuizAttempt.objects.exists()
    Item.objects.filter(pk=known.pk).update(author=at.writer)
    assert browser.post(url(at)).status_code == 302


def test_what_was_begun_before_the_quiz_can_be_sent(browser: Client) -> None:
    at, person = world(writer_quiz_questions=0)
    browser.force_login(user_of(person))
    token = person.allocations.order_by("position")[0].token
    assert browser.get(url(at, "write_set", token)).status_code == 200
    project_settings_change(project=at.project, by=None, changes={"writer_quiz_questions": 2})
    kept = browser.post(url(at, "write_autosave", token, "e1"), {"text_e1": "Ada orang.", "version": 0})
    assert kept.status_code == 200
    assert Draft.objects.get(allocation__token=token).content["text"] == "Ada orang."
    assert browser.get(url(at, "write")).headers["Location"] == url(at)
    # What came back to a writer, and what they handed in, stays open to them.
    for name in ("returned", "write_done"):
        assert browser.get(url(at, name)).status_code == 200


def test_leads_and_those_who_led_are_not_asked(browser: Client) -> None:
    at, _ = world()
    writing_lead = factory.member(at.project, "writer", "lead")
    browser.force_login(user_of(writing_lead))
    assert "You may write." in browser.get(url(at)).content.decode()
    assert browser.get(url(at, "write")).status_code == 200


def test_the_training_round_of_writers_is_their_own(browser: Client) -> None:
    at, person = world()
    browser.force_login(user_of(person))
    row = QuizItem.objects.get(training=True)
    page = browser.post(url(at, "writers_training"), follow=True).content.decode()
    assert "Question 1" in page
    told = browser.post(url(at, "writers_training"), {"item": row.pk, f"answer-{row.pk}": row.accepted[0]})
    assert "because of this" in told.content.decode()
    assert QuizAttempt.objects.get().role == "writer"
    assert browser.get(url(at, "write")).headers["Location"] == url(at)
    # Voters have no training round here, and no quiz.
    assert browser.get(url(at, "training")).status_code == 404
    own = personal_data_of(user_of(person))["projects"][0]["quizzes"]
    assert [(each["role"], each["training"], each["right"]) for each in own] == [("writer", True, 1)]


def test_the_quiz_of_a_writer_over_the_api() -> None:
    at, person = world()
    writer = script(person.user)
    assert_refused(writer.get(here(at, "allocations")), 403, "quiz_owed")
    assert_refused(writer.get(here(at, "quiz")), 404, "not_found")
    asked = writer.get(here(at, "quiz") + "?role=writer").json()
    assert asked == {"attempts": [], "left": 2, "qualified": False}
    begun = writer.post(here(at, "quiz:begin"), {"role": "writer"}).json()["attempts"][0]
    attempt = QuizAttempt.objects.get()
    answers = {str(pk): key for pk, key in marked(attempt, right=True).items()}
    assert [row["id"] for row in begun["items"]] == attempt.items
    done = writer.post(here(at, "quiz:hand-in"), {"role": "writer", "answers": answers}).json()
    assert (done["qualified"], done["left"]) == (True, 1)
    assert len(writer.pages(here(at, "allocations"))) == 2
    lead = script(at.lead.user)
    rows = lead.pages(here(at, "qualification") + "?role=writer")
    [mine] = [row for row in rows if row["attempts"]]
    assert (mine["pseudonym"], mine["role"], mine["bounds"][1]) == (person.pseudonym, "writer", 100.0)
    assert {row["role"] for row in lead.pages(here(at, "quiz-items"))} == {"writer"}
    given = {"role": "writer", "reason": "known"}
    waived = lead.post(here(at, f"members/{at.writer.pk}:waive-quiz"), given).json()
    assert (waived["role"], waived["qualified_at"] is not None) == ("writer", True)
    assert_refused(lead.post(here(at, f"members/{at.validators[0].pk}:waive-quiz"), given), 404, "not_found")


def test_leads_add_items_for_writers_on_the_page(browser: Client) -> None:
    at, _ = world()
    browser.force_login(lead_of(at))
    page, free = url(at, "qualification"), Item.objects.filter(asked_in_quiz=None, sampled=False)[0]
    chosen = browser.get(page, {"item": free.key, "role": "writer"}).content.decode()
    assert '<option value="writer" selected>' in chosen
    sent = {"role": "writer", "use": "quiz", "key": free.key, "accepted": ["e"], "explanation": ""}
    assert browser.post(page, sent).headers["Location"] == f"{page}?role=writer"
    assert QuizItem.objects.get(item=free).role == "writer"


@pytest.mark.parametrize("table", [QuizItem, QuizAttempt])
def test_the_database_knows_the_roles(table: type[QuizItem] | type[QuizAttempt]) -> None:
    _, person = world()
    attempt_begin(annotator=person, role="writer")
    with pytest.raises(IntegrityError, match="role_known"), transaction.atomic():
        table.objects.update(role="lead")


def test_writers_confirm_conditions_of_their_own(browser: Client) -> None:
    at, person = world(years=5, writer_years=15, writer_native_language="Sundanese")
    browser.force_login(user_of(person))
    entry = url(at, "entry")
    assert browser.get(url(at, "write")).headers["Location"] == entry
    page = browser.get(entry).content.decode()
    assert "Sundanese" in page
    assert "15 years" in page
    assert "5 years or" not in page
    sent = {"years": "5", "writer_years": "15", "writer_native_language": "Sundanese", "true_of_me": "on"}
    assert browser.post(entry, {**sent, "writer_years": "5"}).status_code == 409
    assert browser.post(entry, sent).status_code == 302
    assert browser.get(url(at, "write")).headers["Location"] == url(at)
    voter = Client()
    voter.force_login(user_of(at.validators[0]))
    assert "Sundanese" not in voter.get(entry).content.decode()
    assert voter.post(entry, {"years": "5", "true_of_me": "on"}).status_code == 302
    assert b'name="assignment"' in voter.get(url(at, "vote")).content
    # Whoever writes no more has confirmed more than is asked of them, and is not asked again.
    Annotator.objects.filter(pk=person.pk).update(is_writer=False)
    assert browser.get(url(at, "vote")).status_code == 200


@pytest.mark.parametrize("name", ["quiz_questions", "writer_quiz_questions"])
@pytest.mark.parametrize(("preset", "there"), [("kalahi", False), ("loraxbench", False), ("idcsqa", True)])
def test_a_quiz_is_offered_where_an_answer_can_be_known(preset: str, there: bool, name: str, browser: Client) -> None:
    project, boss = factory.project(preset=preset), factory.user(administrator=True)
    browser.force_login(boss)
    page = reverse("settings", args=[project.slug])
    form = browser.get(page).context["form"]
    assert (name in form.fields) == there
    # What a page of another project would send is not taken.
    values = {each.name: each.value() for each in form if each.value() is not False}
    assert browser.post(page, {**values, name: "10"}).status_code == 302
    project.refresh_from_db()
    assert getattr(project.rules, name) == (10 if there else 0)
    sent = script(boss).post(f"projects/{project.slug}/settings", {"version": project.version, "settings": {name: 9}})
    assert sent.status_code == (200 if there else 400)
    if not there:
        assert_refused(sent, 400, "setting_unknown")
        assert sent.json()["field"] == f"settings.{name}"
        assert "means nothing in this project" in sent.json()["detail"]
