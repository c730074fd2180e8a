"""Rating of model outputs: fixed groups of raters answer yes or no, criterion by criterion (Kalahi Appendix I)."""

from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from annotation.content.models.item import Item
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project


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
