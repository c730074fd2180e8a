"""A webhook in the small world."""

from dataclasses import replace

from annotation.core import sealing
from annotation.core.models.feed import FeedEvent
from annotation.core.models.project import Project
from annotation.webhooks.models import Delivery, Webhook
from annotation.webhooks.rules import new_secret
from tests.conventions.named_objects import Things, mark


def with_webhook(things: Things) -> Things:
    """The same with a webhook of the project, to which something was to be delivered."""
    project = Project.objects.get(slug=things.slug)
    url = f"http://127.0.0.1:9/{things.slug}"
    sealed = sealing.seal(new_secret(), "http://127.0.0.1:9")
    webhook = Webhook.objects.create(project=project, url=url, types=["item.settled"], secret_sealed=sealed)
    event = FeedEvent.objects.create(project=project, n=1, type="item.settled", subject=mark("event"))
    delivery = Delivery.objects.create(webhook=webhook, event=event, n=1, subject=event.subject)
    return replace(things, webhook=str(webhook.pk), delivery=str(delivery.pk))
