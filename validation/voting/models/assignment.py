"""Assignments: who has a slot of which item until when; and a person's position in each queue."""

from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from annotation.content.models.item import Item
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project, Target

# The most that one person takes along in a target.
AHEAD_MOST = 25
# Where the card that follows the one on the screen waits; both are called the screen's.
NEXT_PLACE = AHEAD_MOST + 1
SCREEN_PLACES = (0, NEXT_PLACE)


class Assignment(models.Model):
    """One person's place at one item. Barred: has seen what a validator must not see, so is never offered it.

    `author` is copied from the item so that the database itself refuses an assignment at one's own item; `revision_n`
    is the text that was shown, whatever is corrected while it is. `by_secret`: the order of options on the card is
    drawn with the project's secret; assignments that were opened before projects had one keep the order drawn with
    the seed. `place` is 0 for the card on the screen, 1 to AHEAD_MOST for those taken along to be answered offline, and
    NEXT for the one that the page fetched while the one on the screen is read.
    """

    class State(models.TextChoices):
        BARRED = "barred", _("barred")
        OPEN = "open", _("open")
        DONE = "done", _("done")
        SKIPPED = "skipped", _("passed")
        EXPIRED = "expired", _("expired")

    project = models.ForeignKey(Project, models.PROTECT, related_name="+", db_index=False)
    target = models.ForeignKey(Target, models.PROTECT, related_name="+", db_index=False)
    item = models.ForeignKey(Item, models.PROTECT, related_name="assignments", db_index=False)
    annotator = models.ForeignKey(Annotator, models.PROTECT, related_name="assignments")
    author = models.ForeignKey(Annotator, models.PROTECT, null=True, related_name="+", db_index=False)
    epoch = models.PositiveSmallIntegerField(default=1)
    round = models.PositiveSmallIntegerField(default=1)
    revision_n = models.PositiveIntegerField(default=1)
    state = models.CharField(max_length=8, choices=State.choices)
    token = models.CharField(max_length=32)
    until = models.DateTimeField(null=True, blank=True)
    opened_at = models.DateTimeField(db_default=Now())
    reason = models.CharField(max_length=300, blank=True)
    by_secret = models.BooleanField(db_default=False)
    place = models.PositiveSmallIntegerField(db_default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["item", "annotator"], name="assignment_once_a_person"),
            # Not `unique=True` on the field: that makes a second index, for LIKE, of a row for every vote.
            models.UniqueConstraint(fields=["token"], name="assignment_token_once"),
            models.UniqueConstraint(
                fields=["annotator", "target", "place"],
                condition=models.Q(state="open"),
                name="assignment_one_open_a_place",
            ),
            models.CheckConstraint(condition=models.Q(place__lte=NEXT_PLACE), name="assignment_not_too_many_ahead"),
            models.CheckConstraint(
                condition=models.Q(author__isnull=True) | ~models.Q(annotator=models.F("author")),
                name="assignment_never_the_author",
            ),
            models.CheckConstraint(
                condition=~models.Q(state="open") | models.Q(until__isnull=False),
                name="assignment_open_has_an_end",
            ),
        ]
        indexes = [
            models.Index(fields=["until"], condition=models.Q(state="open"), name="assignment_open_until"),
        ]

    def __str__(self) -> str:
        return f"{self.item_id} {self.annotator_id} {self.state}"

    def drawn_with(self, project: Project) -> str:
        """What the order of options on this assignment's card is drawn with."""
        return project.secret if self.by_secret else project.seed


class Cursor(models.Model):
    """How far a person has come in each bucket (priority) of a target's queue, and the families just shown.

    Where cards are dealt by limits `dealt` counts those that they were given (validation/voting/rules/dealing.py) and
    `dealt_at` is when the last one was.
    """

    annotator = models.ForeignKey(Annotator, models.PROTECT, related_name="+", db_index=False)
    target = models.ForeignKey(Target, models.PROTECT, related_name="+", db_index=False)
    positions = models.JSONField(default=dict)
    recent = models.JSONField(default=list)
    dealt = models.JSONField(null=True, blank=True)
    dealt_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["annotator", "target"], name="cursor_once_a_target")]

    def __str__(self) -> str:
        return f"{self.annotator_id} {self.target_id}"


class Dealing(models.Model):
    """What limits the cards of a target, where its project's settings say so: as computed at a moment."""

    target = models.OneToOneField(Target, models.PROTECT, primary_key=True, related_name="dealing")
    limits = models.JSONField()
    at = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return str(self.target_id)
