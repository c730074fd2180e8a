"""What writers start from, who has which share of it, and what they typed but did not submit."""

from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from .people import Annotator
from .project import Lane, Project

MOST_SKIPS = 2


class PremiseQuerySet(models.QuerySet["Premise"]):
    """Premises, and those that can be given to a writer."""

    def free(self) -> "PremiseQuerySet":
        """In nobody's hands, not written for yet, and not skipped twice (rulings 12 and 13)."""
        held = Share.objects.filter(premise=models.OuterRef("pk"), state__in=Share.IN_HAND)
        return self.filter(~models.Exists(held), skips__lt=MOST_SKIPS, hypotheses__isnull=True)


class Premise(models.Model):
    """A text that hypotheses are written for (IndoNLI §3.1). `document` groups the snippets of one document."""

    class Size(models.TextChoices):
        SINGLE = "single", _("single sentence")
        DOUBLE = "double", _("two sentences")
        PARAGRAPH = "paragraph", _("paragraph")

    project = models.ForeignKey(Project, models.PROTECT, related_name="premises")
    lane = models.ForeignKey(Lane, models.PROTECT, related_name="+", db_index=False)
    key = models.CharField(max_length=200)
    text = models.TextField()
    text_hash = models.CharField(max_length=64, db_index=True)
    sentence_class = models.CharField(max_length=10, choices=Size.choices)
    document = models.CharField(max_length=200, blank=True)
    extra = models.JSONField(default=dict, blank=True)
    revision = models.PositiveIntegerField(default=1)
    skips = models.PositiveSmallIntegerField(default=0)
    at = models.DateTimeField(db_default=Now(), editable=False)

    objects = PremiseQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["lane", "key"], name="premise_key_once"),
            models.CheckConstraint(condition=~models.Q(text=""), name="premise_has_text"),
        ]
        indexes = [models.Index(fields=["project", "document"], name="premise_document")]

    def __str__(self) -> str:
        return self.key


class Share(models.Model):
    """One premise in the hands of one writer: open, submitted as a whole set, skipped, or gone back to the pool."""

    class State(models.TextChoices):
        OPEN = "open", _("open")
        SUBMITTED = "submitted", _("submitted")
        SKIPPED = "skipped", _("skipped")
        LAPSED = "lapsed", _("gone back")

    IN_HAND = (State.OPEN, State.SUBMITTED)

    project = models.ForeignKey(Project, models.PROTECT, related_name="shares")
    premise = models.ForeignKey(Premise, models.PROTECT, related_name="shares")
    writer = models.ForeignKey(Annotator, models.PROTECT, related_name="shares")
    state = models.CharField(max_length=10, choices=State.choices, default=State.OPEN)
    token = models.CharField(max_length=32, unique=True)
    position = models.PositiveIntegerField()
    skip_reason = models.CharField(max_length=300, blank=True)
    opened_at = models.DateTimeField(db_default=Now(), editable=False)
    touched_at = models.DateTimeField(db_default=Now())
    submitted_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["premise", "writer"], name="share_once_a_writer"),
            models.UniqueConstraint(
                fields=["premise"],
                condition=models.Q(state__in=["open", "submitted"]),
                name="share_one_writer_at_once",
            ),
        ]
        indexes = [
            models.Index(
                fields=["writer", "position"], condition=models.Q(state="open"), name="share_open_of_writer"
            )
        ]

    def __str__(self) -> str:
        return f"{self.premise_id} {self.writer_id}"


class Draft(models.Model):
    """What stands in one slot of a share: one overwritten row with a version, not a revision."""

    project = models.ForeignKey(Project, models.PROTECT, related_name="+")
    share = models.ForeignKey(Share, models.PROTECT, related_name="drafts")
    slot = models.CharField(max_length=20)
    content = models.JSONField(default=dict)
    version = models.PositiveIntegerField(default=1)
    updated_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [models.UniqueConstraint(fields=["share", "slot"], name="draft_once_a_slot")]

    def __str__(self) -> str:
        return f"{self.share_id} {self.slot}"
