"""Notices: what is told to whom, marked as read; the daily e-mail, once, by day, and switched off."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.core import mail
from django.core.mail import EmailMessage
from django.test import Client

from annotation.core.database import now
from annotation.core.models.user import User
from annotation.jobs import queue
from annotation.pay.actions import pay_approve
from annotation.pay.queries import today
from annotation.projects.actions.projects import guideline_publish, project_close
from annotation.writing.actions.allocation import allocations_assign
from tests import factory
from tests.pay import a_rate, an_administrator, browser_of
from tests.race import run_at_once
from tests.review import World, give_back, resubmit, world
from validation.notices import actions
from validation.notices.models import NoticeState
from validation.notices.queries import Notice, Span, count_unread, notices, users_to_mail
from validation.people.actions import account_delete
from validation.people.queries import personal_data_of
from validation.questions.actions import question_ask, question_reply
from validation.questions.queries import QuestionSubject

pytestmark = pytest.mark.django_db


def told(user: User) -> list[Notice]:
    return notices(user, Span(now() - timedelta(days=1), now()))


def words(user: User) -> set[str]:
    return {one.words for one in told(user)}


def person(at: World, number: int = 0) -> User:
    user = at.validators[number].user
    assert user is not None
    return user


def answered(at: World) -> User:
    question = question_ask(annotator=at.validators[0], about=QuestionSubject(), text="May I?")
    question_reply(question=question, by=at.lead.user, text="Yes.")  # type: ignore[arg-type]
    return person(at)


def test_each_sort_is_told_to_whom_it_concerns_and_to_nobody_else() -> None:
    at = world()
    writer, validator = at.writer.user, person(at)
    assert writer is not None
    assert words(writer) == set()
    assert words(validator) == {"There is something new to vote on"}
    resubmit(at, give_back(at, at.item()))
    give_back(at, at.item())  # twice, and one text all the same
    answered(at)
    a_rate(at.project, "write", "6000", currency="IDR")
    factory.written_pairs(at.project, at.writer)
    pay_approve(project=at.project, end=today(), by=an_administrator())
    factory.premises(at.project, 2, start=50)
    allocations_assign(target=at.project.targets.get(), writers=[at.writer], size=2)
    guideline_publish(project=at.project, role="writing", text="Anew.", by=at.lead.user)
    assert words(writer) == {
        "1 text was returned to you",
        "There are 2 new texts to write for",
        "The guidelines have changed",
        "Pay was approved",
    }
    assert words(validator) == {"There is something new to vote on", "Your question was answered"}
    assert "Your question was answered" not in words(person(at, 1))


def test_what_is_done_closed_or_left_is_told_no_more() -> None:
    at = world()
    user = answered(at)
    guideline_publish(project=at.project, role="validation", text="Anew.", by=at.lead.user)
    assert len(told(user)) == 3
    at.validators[0].__class__.objects.filter(pk=at.validators[0].pk).update(read_guidelines={"validation": 2})
    assert "The guidelines have changed" not in words(user)
    project_close(project=at.project, by=at.lead.user, closed=True)
    assert told(user) == []


def test_the_page_marks_what_is_new_until_it_is_marked_as_read() -> None:
    at = world()
    user, client = answered(at), browser_of(at.validators[0])
    assert count_unread(user) == 1
    page = client.get("/me/notices/")
    assert page.context["new"] == 1
    assert "Your question was answered" in page.content.decode()
    assert client.post("/me/notices/seen/", {"until": page.context["until"]}).status_code == 302
    assert count_unread(user) == 0
    assert client.post("/me/notices/seen/", {"until": "2001-01-01T00:00:00Z"}).status_code == 302
    assert count_unread(user) == 0
    for wrong in ("", "yesterday", "2026-13-01T00:00:00Z", "2026-01-01T00:00:00"):
        assert client.post("/me/notices/seen/", {"until": wrong}).status_code == 400


def test_my_work_shows_how_many_are_new() -> None:
    at = world()
    answered(at)
    assert browser_of(at.validators[0]).get("/").context["unread"] == 1
    assert browser_of(at.lead).get("/").context["unread"] == 0


# --- by e-mail -------------------------------------------------------------------------------


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Any:
    """`clock(moment)`: it is then for what sends e-mails; what happened before that day has settled."""

    def turn(moment: datetime) -> None:
        monkeypatch.setattr(actions, "now", lambda: moment)

    return turn


def noon_after(days: int = 0) -> datetime:
    """A moment behind all that a test did: of the next day, at noon."""
    tomorrow = now().astimezone(UTC) + timedelta(days=1 + days)
    return tomorrow.replace(hour=12, minute=0, second=0, microsecond=0)


def lately(user: User) -> None:
    """What the test did is in the span of the next e-mail."""
    NoticeState.objects.update_or_create(
        user=user,
        defaults={"day": now().date() - timedelta(days=2), "mailed_until": now() - timedelta(hours=1)},
    )


def test_one_mail_a_day_with_a_way_out_and_none_when_nothing_is_new(clock: Any) -> None:
    at = world()
    user = answered(at)
    lately(user)
    clock(noon_after())
    assert [actions.mail_notices(user=user) for _ in range(3)] == [True, False, False]
    (sent,) = mail.outbox
    assert isinstance(sent, EmailMessage)
    assert sent.to == [user.email]
    assert "Your question was answered" in sent.body
    assert f"http://testserver/p/{at.project.slug}/questions/" in sent.body
    assert sent.extra_headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    clock(noon_after(1))
    assert actions.mail_notices(user=user) is False
    assert len(mail.outbox) == 1


def test_it_is_written_in_the_language_of_the_profile(clock: Any) -> None:
    at = world()
    user = answered(at)
    lately(user)
    User.objects.filter(pk=user.pk).update(language="en")
    clock(noon_after())
    assert actions.mail_notices(user=user)
    assert mail.outbox[0].subject == "What is new for you"


@pytest.mark.parametrize(
    ("zone", "hour", "due"),
    [
        ("", 6, False),
        ("", 7, True),
        ("Asia/Jakarta", 23, False),  # 06:00 of the next day
        ("Asia/Jakarta", 0, True),
        ("America/New_York", 11, False),
        ("America/New_York", 13, True),
        ("Nowhere/Land", 7, True),
    ],
)
def test_it_waits_for_the_morning_where_they_are(clock: Any, zone: str, hour: int, due: bool) -> None:
    at = world()
    user = answered(at)
    lately(user)
    NoticeState.objects.filter(user=user).update(zone=zone)
    clock(noon_after().replace(hour=hour))
    assert actions.mail_notices(user=user) is due


def test_what_could_not_be_sent_is_told_the_day_after_and_not_twice(
    clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = world()
    user = answered(at)
    lately(user)
    clock(noon_after())
    with monkeypatch.context() as broken:
        broken.setattr(EmailMessage, "send", _refused)
        assert actions.mail_notices(user=user) is False
    assert actions.mail_notices(user=user) is False
    clock(noon_after(1))
    assert actions.mail_notices(user=user)
    assert len(mail.outbox) == 1


def _refused(*args: Any, **named: Any) -> int:
    raise ConnectionRefusedError


@pytest.mark.django_db(transaction=True)
def test_two_workers_write_once(clock: Any) -> None:
    at = world()
    user = answered(at)
    lately(user)
    clock(noon_after())
    sent = run_at_once([lambda: actions.mail_notices(user=user)] * 4)
    assert sum(bool(one) for one in sent) == 1
    assert len(mail.outbox) == 1


def test_the_link_in_the_mail_switches_it_off_without_a_login() -> None:
    at = world()
    user = answered(at)
    address = f"/notices/off/{actions.opt_out_token(user)}/"
    outside = Client(enforce_csrf_checks=True)
    assert outside.get(address).status_code == 200
    assert users_to_mail(noon_after()).filter(pk=user.pk).exists()
    assert outside.post(address, {"List-Unsubscribe": "One-Click"}).status_code == 200
    assert not users_to_mail(noon_after()).filter(pk=user.pk).exists()
    assert actions.mail_notices(user=user) is False
    assert outside.post(address[:-4] + "xxx/").status_code == 404
    browser_of(at.validators[0]).post("/me/notices/mails/", {"mails": "on"})
    assert users_to_mail(noon_after()).filter(pk=user.pk).exists()


def test_the_sweep_asks_for_one_job_and_none_where_no_mail_leaves(clock: Any, settings: Any) -> None:
    at = world()
    lately(answered(at))
    clock(noon_after())
    settings.EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"
    assert actions.notices_watch() is None
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    job = actions.notices_watch()
    assert job is not None
    assert actions.notices_watch() is None
    queue.run(job.pk)
    assert [each.to for each in mail.outbox].count([person(at).email]) == 1
    assert actions.notices_watch() is None


def test_what_is_kept_is_among_ones_data_and_goes_with_the_account() -> None:
    at = world()
    user = person(at)
    actions.zone_keep(user=user, zone="Asia/Jakarta")
    assert personal_data_of(user)["account"]["notices"]["zone"] == "Asia/Jakarta"
    account_delete(user=user, password=factory.PASSWORD)
    assert not NoticeState.objects.exists()


def test_the_zone_is_kept_from_my_work() -> None:
    at = world()
    client = browser_of(at.validators[0])
    for zone, kept in (("Asia%2FMakassar", "Asia/Makassar"), ("../etc/passwd", "Asia/Makassar")):
        client.cookies["zone"] = zone
        client.get("/")
        assert NoticeState.objects.get(user=person(at)).zone == kept


def test_the_head_of_every_page_says_how_many_are_new() -> None:
    at = world()
    answered(at)
    person(at).created_at = now() - timedelta(days=1)  # before the items
    person(at).save()
    client = Client()
    client.force_login(person(at))
    guidelines = f"/p/{at.project.slug}/guidelines/"
    assert "new notice" not in client.get(guidelines).content.decode()
    new = count_unread(person(at))
    assert new == 2
    client.get("/")
    assert f"{new} new notices" in client.get(guidelines).content.decode()
    client.post("/me/notices/seen/", {"until": now().isoformat()})
    client.get("/me/notices/")
    assert "new notice" not in client.get(guidelines).content.decode()
