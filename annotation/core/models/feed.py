"""Events of a project for other systems: one append-only row for each, stored with the change that it reports."""

from collections.abc import Iterable
from typing import Any

from django.db import models

from annotation.core.models import DatedModel
from annotation.core.models.project import Project


class FeedEvent(DatedModel):
    """One event: its type (core/rules/feed.py), what it is about (`subject`, an item's key) and further keys, no texts.

    `n` numbers the events of a project once they are committed, in the order of their ids: who has read up to a number
    misses none, whichever transaction ended first. Until then it is null (`feed_number`).
    """

    project = models.ForeignKey(Project, models.PROTECT, related_name="feed", db_index=False)
    n = models.PositiveBigIntegerField(null=True)
    type = models.CharField(max_length=40)
    subject = models.CharField(max_length=200, blank=True)
    data = models.JSONField(default=dict, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "n"], name="feed_number_once")]
        indexes = [
            models.Index(fields=["project", "id"], condition=models.Q(n__isnull=True), name="feed_without_number")
        ]

    def __str__(self) -> str:
        return f"{self.type} {self.subject}"

    @classmethod
    def record(cls, project: int, type: str, subject: str = "", **data: Any) -> None:
        """Keep that something happened, in the transaction in which it did."""
        cls.objects.create(project_id=project, type=type, subject=subject, data=data)

    @staticmethod
    def record_all(events: Iterable["FeedEvent"]) -> None:
        """Keep several with one statement; none where there are none."""
        made = list(events)
        if made:
            FeedEvent.objects.bulk_create(made)
