"""Addresses that events are sent to, and what was sent to them."""

from datetime import datetime

from django.conf import settings
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from annotation.core.database import now
from annotation.core.models import DatedModel
from annotation.core.models.feed import FeedEvent
from annotation.core.models.project import Project


class WebhookQuerySet(models.QuerySet["Webhook"]):
    """Webhooks, and those that events are sent to."""

    def live(self) -> "WebhookQuerySet":
        """Neither ended nor stopped."""
        return self.filter(ended_at=None, stopped_at=None)


class Webhook(DatedModel):
    """One address and the types of events that are sent to it.

    Its secret is sealed for its origin; after a rotation what is sent is signed with the old one too until `old_until`.
    `failing_since` is when a series of failures began that no success has ended, `failures` how many of them were the
    address's; while it is `paused_until` nothing is sent: too many failed in a row, or it asked to be left alone.
    """

    class Stopped(models.TextChoices):
        GONE = "gone", _("the address answered that it is gone (410)")
        FAILING = "failing", _("a week of failures")
        BY_HAND = "by_hand", _("stopped by an administrator")

    project = models.ForeignKey(Project, models.PROTECT, related_name="webhooks")
    url = models.CharField(max_length=500)
    types = models.JSONField(default=list)
    secret_sealed = models.TextField()
    old_secret_sealed = models.TextField(blank=True)
    old_until = models.DateTimeField(null=True, blank=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    failing_since = models.DateTimeField(null=True, blank=True)
    failures = models.PositiveIntegerField(default=0, db_default=0)
    paused_until = models.DateTimeField(null=True, blank=True)
    stopped_at = models.DateTimeField(null=True, blank=True)
    stopped_why = models.CharField(max_length=8, choices=Stopped.choices, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    objects = WebhookQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(stopped_at__isnull=True, stopped_why="")
                | (models.Q(stopped_at__isnull=False) & ~models.Q(stopped_why="")),
                name="webhook_stopped_says_why",
            ),
            models.UniqueConstraint(
                fields=["project", "url"],
                condition=models.Q(ended_at__isnull=True),
                name="webhook_address_once",
            ),
        ]

    def __str__(self) -> str:
        return self.url

    @property
    def rests_until(self) -> datetime | None:
        """Until when nothing is sent to it; None where it may be sent something now."""
        return self.paused_until if self.paused_until and self.paused_until > now() else None


class Delivery(DatedModel):
    """One event for one webhook: waiting until it was taken, or until there is no sense in trying on.

    `n` and `subject` are the event's, so that those of a webhook are found in their order by an index.
    `next_at` is when it is tried again; `lease_until` while somebody is sending it. What the receiver said last is its
    status, or a code where there was no answer; its words are not kept.
    """

    class State(models.TextChoices):
        WAITING = "waiting", _("waiting")
        TAKEN = "taken", _("taken")
        GIVEN_UP = "given_up", _("given up")

    webhook = models.ForeignKey(Webhook, models.PROTECT, related_name="deliveries", db_index=False)
    event = models.ForeignKey(FeedEvent, models.PROTECT, related_name="deliveries")
    n = models.PositiveBigIntegerField()
    subject = models.CharField(max_length=200, blank=True)
    state = models.CharField(max_length=8, choices=State.choices, default=State.WAITING)
    attempts = models.PositiveIntegerField(default=0)
    next_at = models.DateTimeField(db_default=Now())
    lease_until = models.DateTimeField(null=True, blank=True)
    begun_at = models.DateTimeField(db_default=Now())
    tried_at = models.DateTimeField(null=True, blank=True)
    last_status = models.PositiveSmallIntegerField(null=True)
    last_fault = models.CharField(max_length=20, blank=True)
    seconds = models.FloatField(null=True, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["webhook", "event"], name="delivery_once")]
        indexes = [
            models.Index(fields=["webhook", "n"], condition=models.Q(state="waiting"), name="delivery_waiting"),
            models.Index(fields=["webhook", "next_at"], condition=models.Q(state="waiting"), name="delivery_due"),
        ]

    def __str__(self) -> str:
        return f"{self.webhook_id} {self.event_id} {self.state}"
