"""What people say of machine-written questions: verdicts with error types."""

from django.db import models
from django.db.models.functions import Now

from annotation.content.models.item import Item
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project


class Assessment(models.Model):
    """A reviewer's verdict on one part of a machine-written item: no error, or one main error type (domain.md §5).

    Append-only: the newest of an item and part counts. `part` is concept, question or options; `error` is empty where
    there is none; further ones stand in `notes`. It is on the text as the machine wrote it, whatever was corrected.
    """

    project = models.ForeignKey(Project, models.PROTECT, related_name="assessments", db_index=False)
    item = models.ForeignKey(Item, models.PROTECT, related_name="assessments", db_index=False)
    part = models.CharField(max_length=10)
    n = models.PositiveIntegerField()
    error = models.CharField(max_length=30, blank=True)
    notes = models.TextField(blank=True)
    revision_n = models.PositiveIntegerField()
    by = models.ForeignKey(Annotator, models.PROTECT, null=True, related_name="+", db_index=False)
    at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["item", "part", "n"], name="assessment_number_once")]
        indexes = [models.Index(fields=["project", "part", "error"], name="assessment_table")]

    def __str__(self) -> str:
        return f"{self.item_id} {self.part} {self.error}"
