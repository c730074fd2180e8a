"""The job that tells webhooks what happened: every due delivery once, each attempt recorded."""

import time
from typing import Any

import structlog
from django.conf import settings
from django.core.mail import send_mail
from django.db import transaction
from django.db.models import F, Q
from django.db.models.functions import Coalesce, Now
from django.template.loader import render_to_string
from django.urls import reverse

from annotation.core.accounts import site_link
from annotation.core.models.user import User
from annotation.generation.llm import guard, sealing, wire
from annotation.jobs.database import after, locked, now
from annotation.jobs.queue import Handle, Later, handles
from annotation.webhooks import rules
from annotation.webhooks.actions import KIND, due, feed_number, webhook_stop
from annotation.webhooks.models import Delivery, Webhook

log = structlog.get_logger("webhooks")
# While somebody sends a delivery nobody else does; longer than an attempt can take.
LEASE_SECONDS = 60.0


@handles(KIND)
def webhooks_deliver(handle: Handle) -> dict[str, Any]:
    """Number the project's new events, then send what is due. What waits longer is found by the sweep."""
    project, sent = handle.job.project_id, 0
    assert project is not None  # noqa: S101 - jobs of this kind belong to a project
    feed_number(project)
    while (delivery := _claimed(project)) is not None:
        _send(delivery)
        sent += 1
        handle.progress(handle.job.done + 1)
        if handle.stopping():
            raise Later(0)
    return {"sent": sent}


def _claimed(project: int) -> Delivery | None:
    """The delivery that is due first, which is ours for a minute; None where there is none."""
    with transaction.atomic():
        rows = Delivery.objects.filter(due(), webhook__in=Webhook.objects.live().filter(project=project))
        found = (
            locked(rows, skip=True).select_related("webhook__project", "event").order_by("event__n").first()
        )
        if found is not None:
            Delivery.objects.filter(pk=found.pk).update(
                lease_until=after(LEASE_SECONDS), attempts=F("attempts") + 1, tried_at=Now()
            )
            found.attempts += 1
        return found


def _send(delivery: Delivery) -> None:
    """One attempt, and what came of it. Never raises for what the receiver or the network does."""
    webhook, event = delivery.webhook, delivery.event
    try:
        target = guard.parse(webhook.url)
        secrets = _secrets(webhook, target.origin)
    except (guard.Refused, sealing.KeyLost) as error:
        _record(delivery, wire.Reply(fault="refused" if isinstance(error, guard.Refused) else "secret_lost"))
        return
    data = {**event.data, "project": webhook.project.slug}
    if event.subject:
        data |= {"item": event.subject}
    sent = rules.body(event.type, event.at, data)
    id = rules.message_id(event.project_id, event.n or 0)
    signed = rules.headers(secrets, id, int(time.time()), sent)
    _record(delivery, wire.post(target, "", sent, signed, seconds=rules.SEND_SECONDS))


def _secrets(webhook: Webhook, origin: str) -> list[str]:
    """The secrets that are valid, the present one first. Raises KeyLost."""
    valid = [webhook.secret_sealed]
    if webhook.old_until is not None and webhook.old_until > now():
        valid.append(webhook.old_secret_sealed)
    return [sealing.unseal(sealed, origin) for sealed in valid]


def _record(delivery: Delivery, reply: wire.Reply) -> None:
    """Keep what an attempt came to. Any answer of the 200s takes the event, whatever its body is."""
    taken = 200 <= reply.status < 300
    asked = min(reply.retry_after or 0.0, rules.PAUSES[-1])
    wait = max(rules.pause(delivery.attempts, f"{delivery.webhook_id}:{delivery.event_id}"), asked)
    mine = Delivery.objects.filter(pk=delivery.pk, attempts=delivery.attempts, state=Delivery.State.WAITING)
    told = {
        "last_status": reply.status or None,
        "last_fault": "" if reply.status else reply.fault,
        "seconds": reply.seconds,
        "lease_until": None,
    }
    webhooks = Webhook.objects.filter(pk=delivery.webhook_id)
    if taken:
        mine.update(state=Delivery.State.TAKEN, **told)
        webhooks.exclude(failing_since=None).update(failing_since=None)
        return
    with transaction.atomic():
        mine.update(next_at=after(wait), **told)
        mine.filter(begun_at__lt=after(-rules.MOST_SECONDS)).update(state=Delivery.State.GIVEN_UP)
        webhooks.update(failing_since=Coalesce("failing_since", Now()))
    log.info("webhook_not_taken", webhook=delivery.webhook_id, status=reply.status, fault=reply.fault)
    if reply.status == rules.GONE:
        _stop(delivery.webhook, Webhook.Stopped.GONE)
    elif webhooks.filter(Q(failing_since__lt=after(-rules.FAILING_SECONDS))).exists():
        _stop(delivery.webhook, Webhook.Stopped.FAILING)


def _stop(webhook: Webhook, why: Webhook.Stopped) -> None:
    """Stop it, and tell the site's administrators by mail; the project's page says it too."""
    webhook_stop(webhook=webhook, why=why, by=None)
    link = site_link(reverse("webhooks", args=[webhook.project.slug]))
    context = {"webhook": webhook, "project": webhook.project, "why": why.label, "link": link}
    subject = " ".join(render_to_string("annotation/webhooks/mail/stopped_subject.txt", context).split())
    body = render_to_string("annotation/webhooks/mail/stopped.txt", context)
    people = User.objects.filter(is_administrator=True, is_active=True).values_list("email", flat=True)
    try:
        for email in people:
            send_mail(subject, body, settings.DEFAULT_FROM_EMAIL, [email])
    except OSError as error:
        log.warning("mail_not_sent", error=type(error).__name__)
