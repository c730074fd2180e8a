"""What jobs found out about a project's votes and texts, kept so that pages open at once."""

from django.db import models
from django.db.models.functions import Now

from annotation.content.models.item import Item
from annotation.core.models.project import Project
from annotation.jobs.models import Job

JOB_KIND = "insights"


class Insight(models.Model):
    """The tables of one insight (validation/insights) as they were last computed.

    `state` is the fingerprint of what they were computed from: while it is the same there is nothing to do.
    """

    project = models.ForeignKey(Project, models.PROTECT, related_name="insights")
    slug = models.CharField(max_length=40)
    tables = models.JSONField(default=dict)
    state = models.CharField(max_length=64)
    items = models.PositiveIntegerField(default=0)
    votes = models.PositiveIntegerField(default=0)
    seconds = models.FloatField(default=0)
    job = models.ForeignKey(Job, models.PROTECT, null=True, related_name="+", db_index=False)
    at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "slug"], name="insight_once")]

    def __str__(self) -> str:
        return f"{self.project_id} {self.slug}"


class InsightPoint(models.Model):
    """A point of a curve over time: figures of one day, the last ones of that day."""

    project = models.ForeignKey(Project, models.PROTECT, related_name="+", db_index=False)
    curve = models.CharField(max_length=40)
    day = models.DateField()
    figures = models.JSONField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "curve", "day"], name="insight_point_once")]

    def __str__(self) -> str:
        return f"{self.curve} {self.day}"


class Measure(models.Model):
    """What was measured of one item's text at a revision: measured anew only where the text is another.

    `figures` are those of annotation.text.artefacts by name. `sure` is how sure a classifier that never saw the
    source was of the item's label (0 to 1; None where it was not asked or gave another label).
    """

    item = models.OneToOneField(Item, models.PROTECT, primary_key=True, related_name="measure")
    project = models.ForeignKey(Project, models.PROTECT, related_name="+", db_index=False)
    revision_n = models.PositiveIntegerField()
    figures = models.JSONField()
    sure = models.FloatField(null=True, blank=True)

    class Meta:
        indexes = [
            models.Index(
                fields=["project", "-sure", "item"],
                condition=models.Q(sure__isnull=False),
                name="measure_sure",
            )
        ]

    def __str__(self) -> str:
        return f"{self.item_id} r{self.revision_n}"
