"""Webhooks: entered, tried, given a new secret, stopped and ended; events numbered, and deliveries made of them."""

from collections.abc import Sequence
from typing import NamedTuple

from django.db import IntegrityError, transaction
from django.db.models import Exists, Max, OuterRef, Q
from django.db.models.functions import Now

from annotation.core import sealing
from annotation.core.database import is_duplicate, locked, seconds_from_now
from annotation.core.errors import Conflict, Invalid, first_or_not_found
from annotation.core.models.feed import FeedEvent
from annotation.core.models.member import Event
from annotation.core.models.project import Project
from annotation.core.models.user import User
from annotation.core.rules import feed
from annotation.generation.llm import guard
from annotation.jobs import queue as jobs
from annotation.jobs.models import Job
from annotation.webhooks import rules
from annotation.webhooks.models import Delivery, Webhook

KIND = "webhooks"
# How many events are numbered at a time.
BATCH = 1000


class NewWebhook(NamedTuple):
    """A webhook, and its secret, which nobody can read again."""

    webhook: Webhook
    secret: str


def webhook_create(*, project: Project, url: str, types: Sequence[str], by: User) -> NewWebhook:
    """Tell an address of these types of events from now on.

    Raises Invalid for an address that may not be told, types that there are not, or too many webhooks; Conflict where
    the project has one with this address.
    """
    if not types or (set(types) - feed.TYPES.keys()):
        raise Invalid(field="types", code="webhook_types_wrong")
    try:
        target = guard.check_address(url)
    except guard.AddressRefused as refusal:
        raise Invalid(field="url", code=f"webhook_{refusal.code}") from refusal
    secret = rules.new_secret()
    try:
        with transaction.atomic():
            Project.lock(project.pk)
            if project.webhooks.filter(ended_at=None).count() >= rules.MOST_WEBHOOKS:
                raise Invalid(field="url", code="webhooks_too_many")
            webhook = Webhook.objects.create(
                project=project,
                url=url,
                types=sorted(set(types)),
                secret_sealed=sealing.seal(secret, target.origin),
                by=by,
            )
            Event.record(project, by, "webhook_created", webhook=webhook.pk, types=webhook.types)
    except IntegrityError as error:
        if not is_duplicate(error):
            raise
        raise Conflict(field="url", code="webhook_address_taken") from error
    return NewWebhook(webhook, secret)


def webhook_rotate(*, webhook: Webhook, by: User) -> NewWebhook:
    """Give it a new secret; the present one signs too for another day."""
    secret = rules.new_secret()
    origin = guard.parse(webhook.url).origin
    with transaction.atomic():
        fresh = _lock_open_webhook(webhook)
        fresh.old_secret_sealed, fresh.old_until = (
            fresh.secret_sealed,
            seconds_from_now(rules.ROTATION_SECONDS),
        )
        fresh.secret_sealed = sealing.seal(secret, origin)
        fresh.save(update_fields=["old_secret_sealed", "old_until", "secret_sealed"])
        Event.record(fresh.project_id, by, "webhook_rotated", webhook=fresh.pk)
    return NewWebhook(fresh, secret)


def webhook_stop(*, webhook: Webhook, why: str, by: User | None) -> bool:
    """Send nothing more until somebody starts it again; what waits stays waiting. False where it is stopped already."""
    with transaction.atomic():
        fresh = _lock_open_webhook(webhook)
        if fresh.stopped_at is not None:
            return False
        Webhook.objects.filter(pk=fresh.pk).update(stopped_at=Now(), stopped_why=why)
        Event.record(fresh.project_id, by, "webhook_stopped", webhook=fresh.pk, why=why)
    return True


def webhook_start(*, webhook: Webhook, by: User) -> None:
    """Send again, and at once what waited for less than three days."""
    with transaction.atomic():
        fresh = _lock_open_webhook(webhook)
        Webhook.objects.filter(pk=fresh.pk).update(
            stopped_at=None, stopped_why="", failing_since=None, failures=0, paused_until=None
        )
        fresh.deliveries.filter(state=Delivery.State.WAITING).update(next_at=Now())
        Event.record(fresh.project_id, by, "webhook_started", webhook=fresh.pk)
        ensure_job(fresh.project_id)


def webhook_end(*, webhook: Webhook, by: User) -> None:
    """End it for good: its secrets are deleted, and what waits is given up."""
    with transaction.atomic():
        fresh = _lock_open_webhook(webhook)
        Webhook.objects.filter(pk=fresh.pk).update(ended_at=Now(), secret_sealed="", old_secret_sealed="")
        fresh.deliveries.filter(state=Delivery.State.WAITING).update(state=Delivery.State.GIVEN_UP)
        Event.record(fresh.project_id, by, "webhook_ended", webhook=fresh.pk)


def webhook_try(*, webhook: Webhook, by: User) -> Delivery:
    """Send a test event to it alone."""
    with transaction.atomic():
        fresh = _lock_open_webhook(webhook)
        if fresh.stopped_at is not None:
            raise Conflict(code="webhook_is_stopped")
        FeedEvent.record(fresh.project_id, feed.TEST, webhook=fresh.pk)
        Event.record(fresh.project_id, by, "webhook_tried", webhook=fresh.pk)
        feed_number(fresh.project_id)
        ensure_job(fresh.project_id)
        return fresh.deliveries.latest("n")


def delivery_replay(*, delivery: Delivery, by: User) -> None:
    """Send it again, whatever its outcome: receivers recognise a repeat by its id."""
    with transaction.atomic():
        fresh = _lock_open_webhook(delivery.webhook)
        if fresh.stopped_at is not None:
            raise Conflict(code="webhook_is_stopped")
        values = {"state": Delivery.State.WAITING, "next_at": Now(), "begun_at": Now()}
        fresh.deliveries.filter(pk=delivery.pk).update(**values)
        Event.record(fresh.project_id, by, "delivery_replayed", delivery=delivery.pk)
        ensure_job(fresh.project_id)


def _lock_open_webhook(webhook: Webhook) -> Webhook:
    """The webhook, locked. Raises Conflict where it was ended."""
    fresh = first_or_not_found(locked(Webhook.objects.filter(pk=webhook.pk)))
    if fresh.ended_at is not None:
        raise Conflict(code="webhook_over")
    return fresh


def feed_number(project: int) -> bool:
    """Number what was committed, and make its deliveries; whether there are any.

    Several may do it at once, and nothing is numbered twice.
    """
    found = False
    while (numbered := _number_some(project)).events == BATCH:
        found |= bool(numbered.deliveries)
    return found or bool(numbered.deliveries)


class _Numbered(NamedTuple):
    """How many events got their numbers, and how many deliveries were made of them."""

    events: int
    deliveries: int


def _number_some(project: int) -> _Numbered:
    with transaction.atomic():
        Project.lock(project)
        without = FeedEvent.objects.filter(project=project, n=None).order_by("pk")[:BATCH]
        events = list(without)
        if not events:
            return _Numbered(0, 0)
        last = FeedEvent.objects.filter(project=project).aggregate(last=Max("n"))["last"] or 0
        for n, event in enumerate(events, last + 1):
            event.n = n
        FeedEvent.objects.bulk_update(events, ["n"])
        webhooks = list(Webhook.objects.live().filter(project=project))
        made = Delivery.objects.bulk_create(
            Delivery(webhook=webhook, event=event, n=n, subject=event.subject)
            for n, event in enumerate(events, last + 1)
            for webhook in webhooks
            if _is_for(event, webhook)
        )
        return _Numbered(len(events), len(made))


def _is_for(event: FeedEvent, webhook: Webhook) -> bool:
    """Whether a webhook gets an event: of its types, since it was entered; for a test the one that is tried."""
    if event.type == feed.TEST:
        return bool(event.data.get("webhook") == webhook.pk)
    return event.type in webhook.types and event.at >= webhook.at


def due_delivery_filter() -> Q:
    """Deliveries that may be sent now, as far as one row says it: due, and nobody is sending them."""
    unheld = Q(lease_until=None) | Q(lease_until__lt=Now())
    return Q(unheld, state=Delivery.State.WAITING, next_at__lte=Now())


def due_webhook_filter() -> Q:
    """Webhooks that may be sent something now."""
    return Q(paused_until=None) | Q(paused_until__lte=Now())


def ensure_job(project: int) -> None:
    """Have a job send what is due, unless one is going to."""
    if not Job.objects.filter(kind=KIND, project=project, state=Job.State.QUEUED).exists():
        jobs.enqueue(kind=KIND, project=Project(pk=project), by=None, args={})


def number_new_events() -> None:
    """Number events that were committed, and queue them for webhooks.

    The decider does it whenever it is woken, and each second at the latest.
    """
    for project in FeedEvent.objects.filter(n=None).values_list("project", flat=True).distinct():
        if feed_number(project):
            with transaction.atomic():
                ensure_job(project)


def continue_due_webhooks() -> None:
    """Find projects with deliveries that are due, first attempts and later ones: the sweep calls it."""
    waiting = Delivery.objects.filter(due_delivery_filter(), webhook=OuterRef("pk"))
    at_work = Job.objects.filter(kind=KIND, project=OuterRef("project"), state__in=jobs.UNFINISHED)
    found = Webhook.objects.live().filter(due_webhook_filter(), Exists(waiting)).exclude(Exists(at_work))
    for project in found.values_list("project", flat=True).distinct():
        with transaction.atomic():
            ensure_job(project)
