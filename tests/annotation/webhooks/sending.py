"""Webhooks of a test: entered, told of, sent to."""

import json
from datetime import timedelta

from django.db.models.functions import Now

from annotation.core.models.feed import FeedEvent
from annotation.core.models.project import Project
from annotation.core.models.user import User
from annotation.core.rules import feed
from annotation.jobs import queue as jobs
from annotation.jobs.models import Job
from annotation.webhooks import actions
from annotation.webhooks.models import Delivery, Webhook
from tests.annotation.webhooks.receiver import Receiver


def entered(project: Project, boss: User, receiver: Receiver, *types: str) -> actions.NewWebhook:
    return actions.webhook_create(project=project, url=receiver.url, types=types or (feed.SETTLED,), by=boss)


def happened(project: Project, *subjects: str, type: str = feed.SETTLED) -> None:
    for subject in subjects:
        FeedEvent.record(project.pk, type, subject, label="e")


def work(project: Project) -> None:
    """What the decider, the sweep and a worker do, once."""
    actions.number_new_events()
    actions.continue_due_webhooks()
    for job in Job.objects.filter(kind=actions.KIND, state=Job.State.QUEUED):
        assert jobs.run_here(job).state == Job.State.DONE


def wake(receiver: Receiver) -> None:
    """Have all pauses be over."""
    Webhook.objects.filter(url=receiver.url).update(paused_until=Now() - timedelta(seconds=1))
    Delivery.objects.filter(webhook__url=receiver.url).update(next_at=Now())


def items_of(receiver: Receiver) -> list[str]:
    return [json.loads(message.body)["data"]["item"] for message in receiver.seen]
