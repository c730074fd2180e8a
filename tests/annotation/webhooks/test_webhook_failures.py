"""Receivers that fail: one delivery is sent again, others go on, several in a row make a pause."""

import threading
from datetime import timedelta

import pytest
from django.db.models.functions import Now
from django.utils import timezone

from annotation.core.models.feed import FeedEvent
from annotation.core.models.project import Project
from annotation.core.models.user import User
from annotation.jobs import queue as jobs
from annotation.jobs.models import Job
from annotation.webhooks import actions, deliver, rules
from annotation.webhooks.models import Delivery, Webhook
from tests.annotation.webhooks.receiver import Receiver, receiving
from tests.annotation.webhooks.sending import entered, happened, items_of, wake, work

pytestmark = pytest.mark.django_db


def test_what_is_not_taken_comes_again_and_behind_it_what_is_about_the_same(
    project: Project, boss: User, receiver: Receiver
) -> None:
    entered(project, boss, receiver)
    receiver.answers = [(422, {}, b""), (204, {}, b"")]
    happened(project, "a", "b", "a")
    work(project)
    assert items_of(receiver) == ["a", "b"]  # the second of a waits for the first
    waiting = Delivery.objects.filter(state=Delivery.State.WAITING)
    assert list(waiting.order_by("event__n").values_list("attempts", "last_status")) == [(1, 422), (0, None)]
    waiting.update(next_at=Now())
    Webhook.objects.update(paused_until=None)
    work(project)
    assert items_of(receiver) == ["a", "b", "a", "a"]
    ids = [message.headers["webhook-id"] for message in receiver.seen]
    assert ids[2] == ids[0]  # a repeat is known by its id
    assert ids[3] != ids[0]
    assert Webhook.objects.get().failing_since is None


def test_an_address_that_fails_holds_up_no_other_and_is_left_alone_for_a_while(
    project: Project, boss: User, receiver: Receiver
) -> None:
    with receiving() as broken:
        broken.answer(503)
        entered(project, boss, broken)
        entered(project, boss, receiver)
        happened(project, *"abcdefgh")
        work(project)
        # However slow this machine is, the pause is not over.
        Webhook.objects.filter(url=broken.url).update(paused_until=timezone.now() + timedelta(hours=1))
        work(project)
        assert items_of(broken) == [*"abcde"]
        assert items_of(receiver) == [*"abcdefgh"]
        for failures in (6, 7):  # one more look at it, and a longer pause
            wake(broken)
            work(project)
            failing = Webhook.objects.get(url=broken.url)
            assert (failing.failures, items_of(broken)[-1], len(broken.seen)) == (failures, "a", failures)
            assert failing.rests_until is not None
            assert failing.rests_until > timezone.now() + timedelta(seconds=20 if failures == 6 else 90)
        wake(broken)
        broken.answer(200)
        work(project)
        assert items_of(broken)[7:] == [*"abcdefgh"]
        assert not Webhook.objects.exclude(failing_since=None, failures=0, paused_until=None).exists()


def test_an_address_that_never_answers_holds_up_no_other_and_is_tried_once_in_a_pass(
    project: Project, boss: User, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other is told while it hangs, of what comes meanwhile too."""
    monkeypatch.setattr(rules, "SEND_SECONDS", 30.0)
    monkeypatch.setattr(rules, "SLOW_SECONDS", 0.0)
    monkeypatch.setattr(deliver, "LOOK_SECONDS", 0.05)
    with receiving() as hanging:
        hanging.hold = hold = threading.Event()
        hanging.answer(503)
        entered(project, boss, hanging)
        entered(project, boss, receiver)
        happened(project, "a", "b", "c")
        look = actions.feed_number

        def looked(project_id: int) -> bool:
            if len(receiver.seen) == 3 and FeedEvent.objects.count() == 3:
                happened(project, "d")
            if len(receiver.seen) == 4:
                hold.set()
            return look(project_id)

        monkeypatch.setattr(deliver, "feed_number", looked)
        work(project)
        assert items_of(receiver) == [*"abcd"]
        assert items_of(hanging) == ["a"]
        assert Webhook.objects.get(url=hanging.url).failures == 1


def test_one_failure_holds_up_what_is_about_the_same_item_and_nothing_else(
    project: Project, boss: User, receiver: Receiver
) -> None:
    """One in twenty answers is 500: all but those are taken in one pass, in one job, with no pause."""
    entered(project, boss, receiver)
    refused = {n for n in range(400) if n % 20 == 7}
    receiver.answers = [(500 if n in refused else 204, {}, b"") for n in range(400)]
    happened(project, *(f"i{n}" for n in range(400)), "i7")
    work(project)
    assert Job.objects.get().result == {"sent": 400}
    assert Webhook.objects.get().rests_until is None
    waiting = Delivery.objects.filter(state=Delivery.State.WAITING)
    assert set(waiting.values_list("subject", flat=True)) == {f"i{n}" for n in refused}
    assert [*waiting.filter(subject="i7").order_by("n").values_list("attempts", flat=True)] == [1, 0]
    wake(receiver)
    work(project)
    assert not waiting.exists()
    assert items_of(receiver)[-2:] == ["i387", "i7"]


@pytest.mark.parametrize("status", [429, 503])
def test_an_address_that_asks_for_patience_gets_it_at_once(
    project: Project, boss: User, receiver: Receiver, status: int
) -> None:
    entered(project, boss, receiver)
    receiver.answers = [(status, {} if status == 429 else {"Retry-After": "600"}, b""), (204, {}, b"")]
    happened(project, "a", "b")
    work(project)
    assert items_of(receiver) == ["a"]
    paused = Webhook.objects.get()
    assert (paused.failures, paused.rests_until is not None) == (1, True)
    actions.webhook_start(webhook=paused, by=boss)
    work(project)
    assert items_of(receiver) == ["a", "a", "b"]
    assert Webhook.objects.get().failures == 0


def test_what_is_sent_waits_for_no_other_job_and_no_other_job_for_it(
    project: Project, boss: User, receiver: Receiver
) -> None:
    """A worker of other jobs passes them over, and who sends takes nothing else; a slow receiver is no sign of life."""
    entered(project, boss, receiver)
    happened(project, "a")
    actions.number_new_events()
    other = jobs.enqueue(kind="nobody-knows", project=project, by=None, args={})
    assert jobs.run_next()
    assert not jobs.run_next()
    other.refresh_from_db()
    assert (other.state, receiver.seen) == (Job.State.FAILED, [])
    jobs.claim(Job.objects.get(kind=actions.KIND).pk)
    assert jobs.worker_is_quiet(60)
    assert jobs.last_seen()[jobs.WORKER] is None
    Job.objects.update(lease_until=Now() - timedelta(seconds=1))
    assert jobs.run_next(jobs.SENDING)
    assert items_of(receiver) == ["a"]
