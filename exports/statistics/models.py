"""The tables of a release as they were last computed."""

from django.db import models
from django.db.models.functions import Now

from annotation.jobs.models import Job
from exports.releases.models import Release


class ReleaseStatistics(models.Model):
    """The tables of a release (exports/statistics/tables.py): by name their columns and rows.

    `people` has of whom the tables of people are, and is shown to nobody: later ones are held against it.
    """

    release = models.OneToOneField(Release, models.PROTECT, primary_key=True, related_name="statistics")
    tables = models.JSONField(default=dict)
    people = models.JSONField(default=dict)
    job = models.ForeignKey(Job, models.PROTECT, null=True, related_name="+")
    at = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return str(self.release_id)
