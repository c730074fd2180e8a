"""Diagnostic sets: gold items whose phenomenon tags one expert other than the author goes through (IndoNLI §5)."""

from django.conf import settings
from django.db import models
from django.db.models.functions import Now

from annotation.content.models.item import Item
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project


class DiagnosticSet(models.Model):
    """So many settled items of a project, drawn by their gold labels."""

    project = models.ForeignKey(Project, models.PROTECT, related_name="diagnostic_sets")
    n = models.PositiveIntegerField()
    seed = models.CharField(max_length=80)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "n"], name="diagnostic_number_once")]

    def __str__(self) -> str:
        return f"{self.project_id} {self.n}"


class DiagnosticRow(models.Model):
    """One item of a set as it was when drawn, and the expert who goes through its tags; nobody yet where it is empty.

    The expert sees its `token`, which tells neither its place nor how many there are.
    """

    diagnostic = models.ForeignKey(DiagnosticSet, models.PROTECT, related_name="rows", db_index=False)
    item = models.ForeignKey(Item, models.PROTECT, related_name="diagnostic_rows")
    position = models.PositiveIntegerField()
    revision_n = models.PositiveIntegerField()
    gold = models.CharField(max_length=40)
    expert = models.ForeignKey(Annotator, models.PROTECT, null=True, related_name="diagnostic_rows")
    token = models.CharField(max_length=32, unique=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["diagnostic", "item"], name="diagnostic_row_once"),
            models.UniqueConstraint(fields=["diagnostic", "position"], name="diagnostic_place_once"),
        ]

    def __str__(self) -> str:
        return f"{self.diagnostic_id} {self.position}"


class DiagnosticAnswer(models.Model):
    """The tags of one row as an expert has them. Append-only but for `standing`: the newest one counts."""

    row = models.ForeignKey(DiagnosticRow, models.PROTECT, related_name="answers", db_index=False)
    expert = models.ForeignKey(Annotator, models.PROTECT, related_name="+", db_index=False)
    tags = models.JSONField()
    seconds = models.FloatField(default=0)
    standing = models.BooleanField(default=True)
    at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["row"], condition=models.Q(standing=True), name="diagnostic_answer_stands_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.row_id} {self.expert_id}"
