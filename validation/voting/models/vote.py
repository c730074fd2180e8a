"""Votes, and the system's decisions on them."""

from django.db import models
from django.db.models import OuterRef
from django.db.models.functions import Now

from annotation.content.models.item import Item
from annotation.core.models.member import Annotator
from annotation.core.models.project import GuidelineVersion, Project


class Vote(models.Model):
    """One annotator's independent judgement of one item; the revision seen is recorded with it.

    `n` numbers the votes of an item under its row lock, so a release that froze an item's `votes_n` knows for
    ever which votes it holds. A vote that no longer counts stays, with when and why. `unsure` and `ambiguous` are None
    where it is not known whether the annotator said so, as of many imported votes. `client_id` was drawn by the browser
    that sent it: sent again, whenever, it is the same vote. `seconds` is None where the card was taken along.
    """

    class Withdrawn(models.TextChoices):
        TAKEN_BACK = "taken_back"
        VOIDED = "voided"
        NEW_MEANING = "new_meaning"

    project = models.ForeignKey(Project, models.PROTECT, related_name="votes", db_index=False)
    item = models.ForeignKey(Item, models.PROTECT, related_name="votes", db_index=False)
    annotator = models.ForeignKey(Annotator, models.PROTECT, related_name="votes", db_index=False)
    n = models.PositiveIntegerField()
    epoch = models.PositiveSmallIntegerField()
    round = models.PositiveSmallIntegerField()
    revision_n = models.PositiveIntegerField()
    guideline = models.ForeignKey(GuidelineVersion, models.PROTECT, null=True, related_name="+", db_index=False)
    label = models.CharField(max_length=40)
    answers = models.JSONField(default=dict, blank=True)
    unsure = models.BooleanField(null=True)
    ambiguous = models.BooleanField(null=True)
    comment = models.TextField(blank=True)
    client_id = models.UUIDField(null=True, blank=True, editable=False)
    seconds = models.FloatField(null=True, blank=True)
    imported = models.BooleanField(default=False)
    surplus = models.BooleanField(default=False)
    cast_at = models.DateTimeField(db_default=Now(), editable=False)
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    withdrawn_version = models.PositiveIntegerField(null=True, blank=True)
    withdrawn_why = models.CharField(max_length=12, blank=True)
    withdrawn_reason = models.TextField(blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["item", "epoch", "annotator"],
                condition=models.Q(withdrawn_at__isnull=True),
                name="vote_one_standing",
            ),
            models.UniqueConstraint(fields=["item", "n"], name="vote_number_once"),
            models.UniqueConstraint(
                fields=["annotator", "client_id"],
                condition=models.Q(client_id__isnull=False),
                name="vote_sent_once",
            ),
            models.CheckConstraint(
                condition=models.Q(imported=True) | models.Q(unsure__isnull=False, ambiguous__isnull=False),
                name="vote_here_says_marks",
            ),
            models.CheckConstraint(
                condition=models.Q(withdrawn_at__isnull=True, withdrawn_why="", withdrawn_version__isnull=True)
                | (models.Q(withdrawn_at__isnull=False, withdrawn_version__isnull=False) & ~models.Q(withdrawn_why="")),
                name="vote_withdrawn_says_why",
            ),
        ]
        indexes = [
            models.Index(fields=["annotator", "-id"], name="vote_of_person"),
            # Few: pages of insights count them to say what came since.
            models.Index(fields=["project"], condition=models.Q(withdrawn_at__isnull=False), name="vote_withdrawn"),
        ]

    def __str__(self) -> str:
        return f"{self.item_id} #{self.n}"


class Verdict(models.Model):
    """What the system decided about an item at a step: ask for a round, gold, no consensus; append-only."""

    project = models.ForeignKey(Project, models.PROTECT, related_name="+", db_index=False)
    item = models.ForeignKey(Item, models.PROTECT, related_name="verdicts", db_index=False)
    version = models.PositiveIntegerField()
    epoch = models.PositiveSmallIntegerField()
    event = models.CharField(max_length=20)
    round = models.PositiveSmallIntegerField()
    asked = models.PositiveSmallIntegerField(default=0)
    label = models.CharField(max_length=40, blank=True)
    hopeless = models.BooleanField(default=False)
    votes_n = models.PositiveIntegerField(default=0)
    at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["item", "version"], name="verdict_step_once")]

    def __str__(self) -> str:
        return f"{self.item_id} v{self.version} {self.event}"


def latest_votes_of(annotator: OuterRef) -> models.QuerySet[Vote]:
    """Somebody's votes, the latest first, by the index of a person's votes (`vote_of_person`), however few they are.

    With the person given as equal the planner walks the votes of everybody backwards until it finds some of theirs.
    """
    own = Vote.objects.filter(annotator__gte=annotator, annotator__lte=annotator)
    return own.order_by("annotator", "-pk")
