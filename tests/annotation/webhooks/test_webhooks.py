"""Webhooks: signed, in order, at least once, and no receiver harms anybody (reliability.md)."""

import json
import threading
from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.db import transaction
from django.db.models.functions import Now
from django.urls import reverse
from django.utils import timezone
from standardwebhooks.webhooks import Webhook as Oracle
from standardwebhooks.webhooks import WebhookVerificationError

from annotation.core.errors import Conflict, Invalid
from annotation.core.messages import problem_words
from annotation.core.models.feed import FeedEvent
from annotation.core.models.project import Project
from annotation.core.models.user import User
from annotation.core.rules import feed
from annotation.jobs import queue as jobs
from annotation.jobs.models import Job
from annotation.webhooks import actions, rules
from annotation.webhooks.models import Delivery, Webhook
from tests import factory
from tests.annotation.webhooks.receiver import Receiver, receiving
from tests.annotation.webhooks.sending import entered, happened, items_of, work
from validation.voting import sweeping

pytestmark = pytest.mark.django_db
REFUSED = {
    "https://10.0.0.1/x": "private",
    "https://169.254.169.254/latest": "private",
    "https://[::1]/x": "private",
    "http://example.org/x": "not_https",
    "https://me:secret@example.org/": "with_user",
    "https://example.org:22/": "port",
    "https://0x7f.1/": "host",
    "https://example.org/?a=b": "unlike",
    "nonsense": "not_https",
}


def test_a_message_is_what_its_receiver_can_check(project: Project, boss: User, receiver: Receiver) -> None:
    opened = entered(project, boss, receiver)
    happened(project, "p1-e1")
    work(project)
    (message,) = receiver.seen
    checked = Oracle(opened.secret).verify(message.body, message.headers)
    assert checked["type"] == feed.SETTLED
    read = "http://testserver/api/v1/projects/berita/items/p1-e1"
    assert checked["data"] == {"project": "berita", "item": "p1-e1", "label": "e", "url": read}
    assert message.headers["webhook-id"] == f"msg_{project.pk}_1"
    with pytest.raises(WebhookVerificationError):
        Oracle(rules.new_secret()).verify(message.body, message.headers)
    assert Delivery.objects.get().state == Delivery.State.TAKEN


@pytest.mark.parametrize("key", ["p1-e1", "a/b", "ä ö?#%&=+;", "’“〜", "..", "x" * 190])
def test_an_item_is_read_where_the_message_says(key: str) -> None:
    assert rules.item_path("berita", key) == reverse("api_item", args=["berita", key])


def test_after_a_rotation_both_secrets_hold_for_a_day(project: Project, boss: User, receiver: Receiver) -> None:
    first = entered(project, boss, receiver)
    second = actions.webhook_rotate(webhook=first.webhook, by=boss)
    happened(project, "a")
    work(project)
    Webhook.objects.update(old_until=Now() - timedelta(seconds=1))
    happened(project, "b")
    work(project)
    during, later = receiver.seen
    for opened in (first, second):
        Oracle(opened.secret).verify(during.body, during.headers)
    Oracle(second.secret).verify(later.body, later.headers)
    with pytest.raises(WebhookVerificationError):
        Oracle(first.secret).verify(later.body, later.headers)


def test_only_what_was_asked_for_since_it_was_entered(project: Project, boss: User, receiver: Receiver) -> None:
    happened(project, "before")
    entered(project, boss, receiver, feed.SETTLED)
    other = factory.project("lain")
    happened(project, "flagged", type=feed.FLAGGED)
    happened(other, "elsewhere")
    happened(project, "settled")
    work(project)
    work(project)
    assert items_of(receiver) == ["settled"]
    assert list(FeedEvent.objects.filter(project=project).order_by("n").values_list("n", flat=True)) == [
        1,
        2,
        3,
    ]


def test_a_claim_costs_the_same_however_much_waits(
    project: Project, boss: User, receiver: Receiver, django_assert_max_num_queries: Any
) -> None:
    entered(project, boss, receiver)
    for count in (10, 300):
        happened(project, *(f"{count}-{n}" for n in range(count)))
        actions.number_new_events()
        job = Job.objects.get(kind=actions.KIND, state=Job.State.QUEUED)
        # Numbering and pages once; a claim, its record and the looks at job and webhook for each.
        with django_assert_max_num_queries(30 + 8 * count):
            jobs.run_here(job)
    assert len(receiver.seen) == 310


def test_a_crash_between_the_commit_and_the_delivery_loses_nothing(
    project: Project, boss: User, receiver: Receiver
) -> None:
    entered(project, boss, receiver)
    happened(project, "a")
    actions.number_new_events()
    job = Job.objects.get(kind=actions.KIND)
    # A worker took the job, claimed the delivery, and died before it sent anything.
    jobs.claim(job.pk)
    actions.feed_number(project.pk)
    Delivery.objects.update(lease_until=Now() + timedelta(seconds=60), attempts=1)
    actions.continue_due_webhooks()
    assert Job.objects.filter(kind=actions.KIND).count() == 1
    Job.objects.update(lease_until=Now() - timedelta(seconds=1))
    Delivery.objects.update(lease_until=Now() - timedelta(seconds=1))
    assert jobs.run_here(job).state == Job.State.DONE
    assert items_of(receiver) == ["a"]


def test_whoever_decides_has_events_told_at_once_even_while_a_job_is_about_to_end(
    project: Project, boss: User, receiver: Receiver
) -> None:
    entered(project, boss, receiver)
    happened(project, "a", type=feed.FLAGGED)
    sweeping.decide_due()
    assert FeedEvent.objects.get().n == 1
    assert not Job.objects.exists()  # nobody is told of flags
    happened(project, "b")
    sweeping.decide_due()
    jobs.claim(Job.objects.get(kind=actions.KIND).pk)
    happened(project, "c")
    sweeping.decide_due()
    sweeping.decide_due()
    assert Job.objects.filter(kind=actions.KIND).count() == 2


def test_what_was_rolled_back_is_told_to_nobody(project: Project, boss: User, receiver: Receiver) -> None:
    entered(project, boss, receiver)
    with transaction.atomic():
        happened(project, "never")
        transaction.set_rollback(True)
    work(project)
    assert receiver.seen == []


@pytest.mark.parametrize(
    ("status", "headers", "body"),
    [
        (301, {"Location": "http://127.0.0.1:1/"}, b""),
        (200, {}, b"x" * (5 << 20)),
        (429, {"Retry-After": "9999999"}, b""),
    ],
    ids=["redirect", "huge answer", "asks for months of patience"],
)
def test_a_strange_receiver_is_tried_again_within_hours_at_most(
    project: Project, boss: User, receiver: Receiver, status: int, headers: dict[str, str], body: bytes
) -> None:
    entered(project, boss, receiver)
    receiver.answers = [(status, headers, body)]
    happened(project, "a")
    work(project)
    assert len(receiver.seen) == 1
    delivery = Delivery.objects.get()
    assert delivery.state == (Delivery.State.TAKEN if status == 200 else Delivery.State.WAITING)
    assert delivery.next_at <= timezone.now() + timedelta(hours=9)


def test_a_slow_receiver_is_waited_for_so_long_and_no_longer(
    project: Project, boss: User, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rules, "SEND_SECONDS", 0.3)
    receiver.hold = threading.Event()
    entered(project, boss, receiver)
    happened(project, "a")
    work(project)
    delivery = Delivery.objects.get()
    assert (delivery.state, delivery.last_fault, delivery.last_status) == ("waiting", "timeout", None)


def test_nobody_is_there(project: Project, boss: User) -> None:
    with receiving() as receiver:
        opened = entered(project, boss, receiver)
    happened(project, "a")
    work(project)
    delivery = Delivery.objects.get()
    assert (delivery.last_status, delivery.last_fault) == (None, "unreachable")
    Delivery.objects.update(begun_at=Now() - timedelta(days=3, seconds=1), next_at=Now())
    Webhook.objects.update(paused_until=None)
    work(project)
    assert Delivery.objects.get().state == Delivery.State.GIVEN_UP
    assert Webhook.objects.live().get() == opened.webhook


@pytest.mark.parametrize("gone", [True, False])
def test_one_that_is_gone_or_fails_for_a_week_is_stopped_and_administrators_are_told(
    project: Project, boss: User, receiver: Receiver, gone: bool
) -> None:
    opened = entered(project, boss, receiver)
    receiver.answer(410 if gone else 503)
    Webhook.objects.update(failing_since=None if gone else Now() - timedelta(days=7, seconds=1))
    happened(project, "a", "b")
    work(project)
    assert len(receiver.seen) == 1
    assert Webhook.objects.get().stopped_why == ("gone" if gone else "failing")
    assert [message.to for message in mail.outbox] == [["boss@example.org"]]
    work(project)
    assert len(receiver.seen) == 1
    receiver.answer(200)
    actions.webhook_start(webhook=opened.webhook, by=boss)
    work(project)
    assert items_of(receiver) == ["a", "a", "b"]


def test_a_test_message_and_a_replay(project: Project, boss: User, receiver: Receiver) -> None:
    opened = entered(project, boss, receiver)
    actions.webhook_create(project=project, url=receiver.url + "2", types=[feed.SETTLED], by=boss)
    tried = actions.webhook_try(webhook=opened.webhook, by=boss)
    work(project)
    actions.delivery_replay(delivery=tried, by=boss)
    work(project)
    assert [json.loads(message.body)["type"] for message in receiver.seen] == [feed.TEST] * 2
    assert len({message.headers["webhook-id"] for message in receiver.seen}) == 1


@pytest.mark.parametrize(("url", "why"), REFUSED.items())
def test_an_address_that_may_not_be_told_is_refused(project: Project, boss: User, url: str, why: str) -> None:
    with pytest.raises(Invalid) as refusal:
        actions.webhook_create(project=project, url=url, types=[feed.SETTLED], by=boss)
    assert (refusal.value.field, refusal.value.code) == ("url", f"webhook_address_{why}")
    words = problem_words(refusal.value.code)
    assert words != problem_words("nothing of the kind")
    assert "endpoint" not in words.lower().replace("endpoint_hosts", "")
    assert not Webhook.objects.exists()


def test_what_else_is_refused(project: Project, boss: User, receiver: Receiver) -> None:
    opened = entered(project, boss, receiver)
    with pytest.raises(Conflict):
        entered(project, boss, receiver)
    for types in ([], ["item.settled", "nothing"]):
        with pytest.raises(Invalid):
            actions.webhook_create(project=project, url=receiver.url + "x", types=types, by=boss)
    actions.webhook_end(webhook=opened.webhook, by=boss)
    for act in (actions.webhook_rotate, actions.webhook_try, actions.webhook_start, actions.webhook_end):
        with pytest.raises(Conflict):
            act(webhook=opened.webhook, by=boss)
    assert Webhook.objects.get().secret_sealed == ""
    entered(project, boss, receiver)


def test_pauses_grow_and_are_spread() -> None:
    for attempts in (1, 2, 9, 40):
        drawn = {rules.pause_before_retry(attempts, str(key)) for key in range(200)}
        middle = rules.PAUSE_SECONDS[min(attempts, len(rules.PAUSE_SECONDS)) - 1]
        assert 0.79 * middle < min(drawn) < 0.9 * middle < 1.1 * middle < max(drawn) < 1.21 * middle
    assert list(rules.PAUSE_SECONDS) == sorted(rules.PAUSE_SECONDS)
