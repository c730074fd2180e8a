"""The review loop: actions of leads, flags with their reasons, proposals and comments."""

from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from annotation.content.models.item import Item
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.jobs.models import Job
from validation.voting.models.vote import Vote


class Review(models.Model):
    """One action of a QC lead (or of a writer who sends a returned item back); append-only.

    `answers` are those by which a lead settled an item whose voters answer questions; `label` is their key. `job` is
    the act on many items that it is part of.
    """

    project = models.ForeignKey(Project, models.PROTECT, related_name="+", db_index=False)
    item = models.ForeignKey(Item, models.PROTECT, related_name="reviews", db_index=False)
    version = models.PositiveIntegerField()
    event = models.CharField(max_length=20)
    by = models.ForeignKey(Annotator, models.PROTECT, related_name="+")
    error_type = models.CharField(max_length=60, blank=True)
    words = models.TextField(blank=True)
    label = models.CharField(max_length=40, blank=True)
    answers = models.JSONField(null=True, blank=True)
    job = models.ForeignKey(Job, models.PROTECT, null=True, related_name="reviews", db_index=False)
    at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["item", "version"], name="review_step_once")]
        indexes = [
            models.Index(fields=["job"], condition=models.Q(job__isnull=False), name="review_of_many"),
        ]

    def __str__(self) -> str:
        return f"{self.item_id} {self.event}"


class Flag(models.Model):
    """A reason to look. Opened and closed at numbered steps, so that a release knows which were open then."""

    project = models.ForeignKey(Project, models.PROTECT, related_name="flags")
    item = models.ForeignKey(Item, models.PROTECT, related_name="flags")
    code = models.CharField(max_length=30)
    detail = models.JSONField(default=dict, blank=True)
    by = models.ForeignKey(Annotator, models.PROTECT, null=True, related_name="+", db_index=False)
    version = models.PositiveIntegerField()
    at = models.DateTimeField(db_default=Now(), editable=False)
    closed_at = models.DateTimeField(null=True, blank=True)
    closed_version = models.PositiveIntegerField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["item", "code"],
                condition=models.Q(closed_at__isnull=True),
                name="flag_open_once",
            ),
            models.CheckConstraint(
                condition=models.Q(closed_at__isnull=True, closed_version__isnull=True)
                | models.Q(closed_at__isnull=False, closed_version__isnull=False),
                name="flag_closed_at_a_step",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.item_id} {self.code}"


class Proposal(models.Model):
    """A correction that a validator proposes; it does not hold the item, votes are for the text shown."""

    class State(models.TextChoices):
        OPEN = "open", _("open")
        ACCEPTED = "accepted", _("accepted")
        DECLINED = "declined", _("declined")
        TAKEN_BACK = "taken_back", _("taken back")

    project = models.ForeignKey(Project, models.PROTECT, related_name="+", db_index=False)
    item = models.ForeignKey(Item, models.PROTECT, related_name="proposals")
    vote = models.ForeignKey(Vote, models.PROTECT, null=True, related_name="proposals")
    by = models.ForeignKey(Annotator, models.PROTECT, related_name="+")
    field = models.CharField(max_length=60)
    text = models.TextField()
    revision_n = models.PositiveIntegerField()
    state = models.CharField(max_length=10, choices=State.choices, default=State.OPEN)
    decided_by = models.ForeignKey(Annotator, models.PROTECT, null=True, related_name="+", db_index=False)
    decided_at = models.DateTimeField(null=True, blank=True)
    words = models.TextField(blank=True)
    at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        indexes = [
            models.Index(fields=["project"], condition=models.Q(state="open"), name="proposal_open"),
        ]

    def __str__(self) -> str:
        return f"{self.item_id} {self.field}"
