"""The job that sends events to webhooks: every due delivery once, each attempt recorded."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from functools import partial
from typing import Any

import structlog
from django.conf import settings
from django.core.mail import send_mail
from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Coalesce, Now
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import translation

from annotation.core import sealing
from annotation.core.database import now, seconds_from_now
from annotation.core.errors import Conflict
from annotation.core.language import mail_language
from annotation.core.links import site_link
from annotation.core.models.user import User
from annotation.generation.llm import guard, wire
from annotation.jobs.queue import Handle, PostponeJob, handles
from annotation.webhooks import rules
from annotation.webhooks.actions import (
    KIND,
    due_delivery_filter,
    due_webhook_filter,
    feed_number,
    webhook_stop,
)
from annotation.webhooks.models import Delivery, Webhook

log = structlog.get_logger("webhooks")
# While somebody sends a delivery nobody else does; longer than an attempt can take.
LEASE_SECONDS = 60.0
# How many rows are read at a time.
DELIVERIES_A_PAGE = 200
# While an address does not answer, the others are told of what is new as often.
LOOK_SECONDS = 1.0


@handles(KIND)
def webhooks_deliver(handle: Handle) -> dict[str, Any]:
    """Number the project's new events, then send what is due. What waits longer is found by the sweep.

    Each address is sent one message at a time, all addresses at once, so that one with much to be told, or one that
    does not answer, holds up no other.
    """
    project, sent = handle.job.project_id, 0
    assert project is not None  # noqa: S101 - jobs of this kind belong to a project
    feed_number(project)
    live = Webhook.objects.live().filter(due_webhook_filter(), project=project).select_related("project").order_by("pk")
    turns = [_WebhookTurn(webhook) for webhook in live]
    in_flight: dict[Future[wire.Reply], _WebhookTurn] = {}
    with ThreadPoolExecutor(max(len(turns), 1)) as pool:
        idle = list(turns)
        while True:
            stopping = handle.should_stop()
            if not stopping:
                in_flight |= {pool.submit(attempt): turn for turn in idle if (attempt := turn.next_attempt())}
            if not in_flight:
                break
            answered, _ = wait(in_flight, LOOK_SECONDS, FIRST_COMPLETED)
            idle = [in_flight.pop(future) for future in answered]
            for turn, future in zip(idle, answered, strict=True):
                turn.take_in(future.result())
            sent += len(answered)
            handle.progress(handle.job.done + len(answered))
            if not answered and not stopping:  # somebody is slow: the others are told meanwhile of what is new
                feed_number(project)
                idle = [turn for turn in turns if turn not in in_flight.values()]
    if handle.should_stop():
        raise PostponeJob(0)
    return {"sent": sent}


class _WebhookTurn:
    """One pass over what waits for a webhook, in its order.

    What is about the same as something before it that was not taken is left for another pass.
    """

    def __init__(self, webhook: Webhook) -> None:
        self.webhook = webhook
        self._over = self._taken = False
        self._last = 0
        self._held: set[str] = set()
        self._sendable = self._pass()
        self._delivery: Delivery | None = None

    def next_attempt(self) -> Callable[[], wire.Reply] | None:
        """What sends the next delivery that is ours to send; None where there is none now."""
        self._delivery = None if self._over else next(self._sendable, None)
        if self._delivery is None:
            self._sendable = self._pass()  # from there on: what comes meanwhile
            return None
        return _attempt(self._delivery)

    def take_in(self, reply: wire.Reply) -> None:
        """Keep what the attempt came to; one that failed slowly ends the pass."""
        assert self._delivery is not None  # noqa: S101 - what was sent
        self._taken = _record(self._delivery, reply)
        self._over = not self._taken and reply.seconds >= rules.SLOW_SECONDS

    def _pass(self) -> Iterator[Delivery]:
        """Deliveries that are ours to send, one after another; set `_taken` before the next is asked for."""
        rows = Delivery.objects.filter(webhook=self.webhook.pk, state=Delivery.State.WAITING)
        while page := list(rows.filter(n__gt=self._last).select_related("event").order_by("n")[:DELIVERIES_A_PAGE]):
            for delivery in page:
                self._last = delivery.n
                if delivery.subject and delivery.subject in self._held:
                    continue
                delivery.webhook = self.webhook
                self._taken = False
                if _claim(delivery):
                    yield delivery
                    if not Webhook.objects.live().filter(due_webhook_filter(), pk=self.webhook.pk).exists():
                        self._over = True
                        return
                if not self._taken:
                    self._held.add(delivery.subject)


def _claim(delivery: Delivery) -> bool:
    """Whether it is due and nobody is sending it: then it is ours for a minute."""
    claimed = Delivery.objects.filter(due_delivery_filter(), pk=delivery.pk).update(
        lease_until=seconds_from_now(LEASE_SECONDS), attempts=F("attempts") + 1, tried_at=Now()
    )
    delivery.attempts += 1
    return bool(claimed)


def _attempt(delivery: Delivery) -> Callable[[], wire.Reply]:
    """One attempt, which touches no database: it may be made in a thread. It never raises for what the receiver or
    the network does."""
    webhook, event = delivery.webhook, delivery.event
    try:
        target = guard.parse(webhook.url)
        secrets = _secrets(webhook, target.origin)
    except (guard.AddressRefused, sealing.KeyLost) as error:
        fault = "refused" if isinstance(error, guard.AddressRefused) else "secret_lost"
        return partial(wire.Reply, fault=fault)
    data = {**event.data, "project": webhook.project.slug}
    if event.subject:
        read = rules.item_path(webhook.project.slug, event.subject)
        data |= {"item": event.subject, "url": site_link(read)}
    sent = rules.body(event.type, event.at, data)
    id = rules.message_id(event.project_id, delivery.n)
    signed = rules.headers(secrets, id, int(time.time()), sent)
    return partial(wire.post, target, "", sent, signed, seconds=rules.SEND_SECONDS)


def _secrets(webhook: Webhook, origin: str) -> list[str]:
    """The secrets that are valid, the present one first. Raises KeyLost."""
    valid = [webhook.secret_sealed]
    if webhook.old_until is not None and webhook.old_until > now():
        valid.append(webhook.old_secret_sealed)
    return [sealing.unseal(sealed, origin) for sealed in valid]


def _record(delivery: Delivery, reply: wire.Reply) -> bool:
    """Keep what an attempt came to, and whether the event was taken: any answer of the 200s does, whatever its body.

    A failure holds up what is about the same item, and nothing else; only after several of them in a row, or where it
    asks for patience, is the address left alone. An answer about one message (most of the 400s) is none of these.
    """
    taken = 200 <= reply.status < 300
    wait = rules.pause_before_retry(delivery.attempts, f"{delivery.webhook_id}:{delivery.event_id}")
    mine = Delivery.objects.filter(pk=delivery.pk, attempts=delivery.attempts, state=Delivery.State.WAITING)
    outcome = {
        "last_status": reply.status or None,
        "last_fault": "" if reply.status else reply.fault,
        "seconds": reply.seconds,
        "lease_until": None,
    }
    webhooks = Webhook.objects.filter(pk=delivery.webhook_id)
    if taken:
        mine.update(state=Delivery.State.TAKEN, **outcome)
        webhooks.exclude(failing_since=None).update(failing_since=None, failures=0, paused_until=None)
        return True
    with transaction.atomic():
        mine.update(next_at=seconds_from_now(wait), **outcome)
        mine.filter(begun_at__lt=seconds_from_now(-rules.MOST_SECONDS)).update(state=Delivery.State.GIVEN_UP)
        webhooks.update(failing_since=Coalesce("failing_since", Now()))
        if not rules.is_about_message(reply.status):
            _count_failure(webhooks, reply)
    log.info("webhook_not_taken", webhook=delivery.webhook_id, status=reply.status, fault=reply.fault)
    if reply.status == rules.STATUS_GONE:
        _stop(delivery.webhook, Webhook.Stopped.GONE)
    elif webhooks.filter(Q(failing_since__lt=seconds_from_now(-rules.FAILING_SECONDS))).exists():
        _stop(delivery.webhook, Webhook.Stopped.FAILING)
    return False


def _count_failure(webhooks: QuerySet[Webhook], reply: wire.Reply) -> None:
    """One more failure of this address, in the caller's transaction; after several in a row it is left alone."""
    webhooks.update(failures=F("failures") + 1)
    number, failures = webhooks.values_list("pk", "failures").get()
    pause = rules.pause_of_address(failures, reply.status, reply.retry_after, str(number))
    if pause is not None:
        webhooks.update(paused_until=seconds_from_now(pause))


def _stop(webhook: Webhook, why: Webhook.Stopped) -> None:
    """Stop it, and inform the site's administrators by mail; the project's page shows it too."""
    try:
        if not webhook_stop(webhook=webhook, why=why, by=None):
            return
    except Conflict:  # it was ended meanwhile
        return
    link = site_link(reverse("webhooks", args=[webhook.project.slug]))
    people = User.objects.filter(is_administrator=True, is_active=True).values_list("email", flat=True)
    try:
        for email in people:
            with translation.override(mail_language(email)):
                context = {"webhook": webhook, "project": webhook.project, "why": why.label, "link": link}
                subject = render_to_string("annotation/webhooks/mail/stopped_subject.txt", context)
                body = render_to_string("annotation/webhooks/mail/stopped.txt", context)
            send_mail(" ".join(subject.split()), body, settings.DEFAULT_FROM_EMAIL, [email])
    except OSError as error:
        log.warning("mail_not_sent", error=type(error).__name__)
