"""Diagnostic sets (IndoNLI §5), and ratings of model outputs by fixed groups of raters (Kalahi Appendix I)."""

from django.conf import settings
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

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


class RatingRun(models.Model):
    """One rating of outputs: its criteria and sample as they were when it was opened."""

    class State(models.TextChoices):
        PREPARED = "prepared", _("prepared")
        OPEN = "open", _("open")
        CLOSED = "closed", _("closed")

    project = models.ForeignKey(Project, models.PROTECT, related_name="rating_runs")
    name = models.CharField(_("name"), max_length=120)
    seed = models.CharField(max_length=80)
    sample = models.PositiveIntegerField()
    criteria = models.JSONField(default=list)
    state = models.CharField(max_length=8, choices=State.choices, default=State.PREPARED)
    version = models.PositiveIntegerField(default=1)
    at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "name"], name="rating_run_name_once")]

    def __str__(self) -> str:
        return self.name


class Generation(models.Model):
    """What a model answered to a prompt; who it was is hidden until the run is closed. `group` rates it."""

    run = models.ForeignKey(RatingRun, models.PROTECT, related_name="generations")
    item = models.ForeignKey(Item, models.PROTECT, related_name="generations")
    model = models.CharField(max_length=120)
    text = models.TextField()
    sampled = models.BooleanField(default=False)
    group = models.PositiveSmallIntegerField(null=True, blank=True)
    at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["run", "item", "model"], name="generation_once"),
            models.CheckConstraint(condition=~models.Q(text=""), name="generation_has_text"),
        ]

    def __str__(self) -> str:
        return f"{self.run_id} {self.item_id}"


class Rating(models.Model):
    """One rater's answers about one output: dealt when the run opens (in drawn order), answered once."""

    run = models.ForeignKey(RatingRun, models.PROTECT, related_name="ratings")
    generation = models.ForeignKey(Generation, models.PROTECT, related_name="ratings")
    annotator = models.ForeignKey(Annotator, models.PROTECT, related_name="ratings")
    token = models.CharField(max_length=32, unique=True)
    position = models.PositiveIntegerField()
    answers = models.JSONField(default=dict, blank=True)
    comment = models.TextField(blank=True)
    seconds = models.FloatField(null=True, blank=True)
    shown_at = models.DateTimeField(null=True, blank=True)
    answered_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["generation", "annotator"], name="rating_once_a_person"),
        ]
        indexes = [
            models.Index(
                fields=["annotator", "position"],
                condition=models.Q(answered_at__isnull=True),
                name="rating_waiting",
            )
        ]

    def __str__(self) -> str:
        return f"{self.generation_id} {self.annotator_id}"
