"""What people say of machine-written questions: verdicts with error types, and which of two runs wrote better."""

from django.conf import settings
from django.db import models
from django.db.models.functions import Now

from annotation.content.models.item import Item
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.generation.models import Candidate, GenerationRun


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


class Comparison(models.Model):
    """A blind comparison of what two runs made of the same materials (id-csqa Appendix A.2)."""

    project = models.ForeignKey(Project, models.PROTECT, related_name="comparisons")
    n = models.PositiveIntegerField()
    first = models.ForeignKey(GenerationRun, models.PROTECT, related_name="+", db_index=False)
    second = models.ForeignKey(GenerationRun, models.PROTECT, related_name="+", db_index=False)
    parts = models.JSONField()
    seed = models.CharField(max_length=80)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    ended_at = models.DateTimeField(null=True, blank=True)
    at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "n"], name="comparison_number_once"),
            models.CheckConstraint(condition=~models.Q(first=models.F("second")), name="comparison_of_two"),
        ]

    def __str__(self) -> str:
        return f"{self.project_id} {self.n}"


class ComparisonPair(models.Model):
    """Two questions from the same material, one of each run; `swapped`: the second run's is shown on the left.

    People see its `token`, which tells neither its place nor how many there are.
    """

    comparison = models.ForeignKey(Comparison, models.PROTECT, related_name="pairs", db_index=False)
    first = models.ForeignKey(Candidate, models.PROTECT, related_name="+", db_index=False)
    second = models.ForeignKey(Candidate, models.PROTECT, related_name="+", db_index=False)
    token = models.CharField(max_length=32, unique=True)
    swapped = models.BooleanField()
    position = models.PositiveIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["comparison", "first"], name="comparison_pair_once"),
            models.UniqueConstraint(fields=["comparison", "position"], name="comparison_place_once"),
        ]

    def __str__(self) -> str:
        return f"{self.comparison_id} {self.position}"


class Preference(models.Model):
    """Which side of a pair one person finds better, for each part: `left`, `right` or `equal`, as it was shown."""

    pair = models.ForeignKey(ComparisonPair, models.PROTECT, related_name="preferences", db_index=False)
    annotator = models.ForeignKey(Annotator, models.PROTECT, related_name="+", db_index=False)
    chosen = models.JSONField()
    comment = models.TextField(blank=True)
    seconds = models.FloatField(default=0)
    at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["pair", "annotator"], name="preference_once")]

    def __str__(self) -> str:
        return f"{self.pair_id} {self.annotator_id}"
