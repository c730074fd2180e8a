"""Votes that were set aside together, pauses that wait for a lead's decision, gold questions."""

from django.conf import settings
from django.db import models
from django.db.models.functions import Now

from annotation.content.models.item import Item
from annotation.core.models import DatedModel
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from validation.voting.models.vote import Vote


class SetAside(DatedModel):
    """One act by which all standing votes of a person stop counting; `undone_at` is when it was taken back.

    `items` are those of the act, by their ids: what it has come to is told by its votes.
    """

    project = models.ForeignKey(Project, models.PROTECT, related_name="+", db_index=False)
    annotator = models.ForeignKey(Annotator, models.PROTECT, related_name="set_asides")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    reason = models.TextField()
    items = models.JSONField()
    job = models.ForeignKey("annotation.Job", models.PROTECT, null=True, related_name="+")
    undone_at = models.DateTimeField(null=True, blank=True)
    undone_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+")

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~models.Q(reason=""), name="set_aside_has_a_reason"),
            models.CheckConstraint(
                condition=models.Q(undone_at__isnull=True, undone_by__isnull=True)
                | models.Q(undone_at__isnull=False, undone_by__isnull=False),
                name="set_aside_undone_by_somebody",
            ),
        ]


class SetAsideVote(models.Model):
    """A vote of such an act, and the vote with the same answer that counts in its place since the act was undone."""

    act = models.ForeignKey(SetAside, models.PROTECT, related_name="votes")
    vote = models.OneToOneField(Vote, models.PROTECT, related_name="set_aside")
    restored = models.OneToOneField(Vote, models.PROTECT, null=True, blank=True, related_name="restores")

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(restored__isnull=True) | ~models.Q(restored=models.F("vote")),
                name="set_aside_restored_by_another",
            )
        ]

    def __str__(self) -> str:
        return str(self.vote_id)


class Pause(DatedModel):
    """A time in which a person is given nothing new to judge; it ends by a lead's decision, never by itself.

    `right` of `answered` gold questions are those that it began with, where figures began it; `by` is the lead who
    did otherwise.
    """

    class Decision(models.TextChoices):
        GO_ON = "go_on"
        STAY = "stay"

    annotator = models.ForeignKey(Annotator, models.PROTECT, related_name="pauses", db_index=False)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+")
    answered = models.PositiveIntegerField(default=0)
    right = models.PositiveIntegerField(default=0)
    reason = models.TextField(blank=True)
    decision = models.CharField(max_length=6, choices=Decision.choices, blank=True)
    words = models.TextField(blank=True)
    decided_at = models.DateTimeField(null=True, blank=True)
    decided_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["annotator"], condition=~models.Q(decision="go_on"), name="pause_one_a_person"
            ),
            models.CheckConstraint(
                condition=models.Q(decision="", decided_at__isnull=True, decided_by__isnull=True)
                | (
                    models.Q(decided_at__isnull=False, decided_by__isnull=False)
                    & ~models.Q(decision="")
                    & ~models.Q(words="")
                ),
                name="pause_decided_by_somebody",
            ),
            models.CheckConstraint(condition=models.Q(right__lte=models.F("answered")), name="pause_right_of_answered"),
        ]


class GoldQuestion(DatedModel):
    """An item with known answers that is asked among ordinary cards, as a copy (`item`) that is kept apart.

    The copy belongs to a project that is kept for this one: nothing that counts, computes or releases items or votes
    ever reads it. `accepted` are the labels that are right, `most` the people who are asked it at most, so that a text
    is not seen by more people than others are.
    """

    class Why(models.TextChoices):
        TEAM = "team"
        MISSED = "missed"
        CHANGED = "changed"
        LEAD = "lead"
        PUBLIC = "public"

    project = models.ForeignKey(Project, models.PROTECT, related_name="gold_questions")
    item = models.OneToOneField(Item, models.PROTECT, related_name="gold_question")
    of_item = models.OneToOneField(Item, models.PROTECT, related_name="asked_as_gold")
    epoch = models.PositiveSmallIntegerField()
    accepted = models.JSONField()
    most = models.PositiveSmallIntegerField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    retired_at = models.DateTimeField(null=True, blank=True)
    retired_why = models.CharField(max_length=8, choices=Why.choices, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~models.Q(item=models.F("of_item")), name="gold_question_is_a_copy"),
            models.CheckConstraint(condition=models.Q(most__gte=1), name="gold_question_asked_of_somebody"),
            models.CheckConstraint(
                condition=models.Q(retired_at__isnull=True, retired_why="")
                | (models.Q(retired_at__isnull=False) & ~models.Q(retired_why="")),
                name="gold_question_retired_says_why",
            ),
        ]


class GoldStanding(models.Model):
    """What a person answered to gold questions, in sums of five at least: they and their leads read no other figure.

    `answered` and `right` are of the last twenty since their last pause, `all_answered` and `all_right` of all.
    """

    annotator = models.OneToOneField(Annotator, models.PROTECT, primary_key=True, related_name="gold_standing")
    answered = models.PositiveIntegerField()
    right = models.PositiveIntegerField()
    all_answered = models.PositiveIntegerField()
    all_right = models.PositiveIntegerField()
    at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(right__lte=models.F("answered"), all_right__lte=models.F("all_answered")),
                name="gold_standing_right_of_answered",
            )
        ]

    def __str__(self) -> str:
        return f"{self.annotator_id} {self.right}/{self.answered}"


class Repeat(models.Model):
    """A person's own earlier item that comes to them again, as a copy (`item`) that is kept apart: self-agreement.

    Where answers are a matter of taste this stands in for gold questions.
    """

    annotator = models.ForeignKey(Annotator, models.PROTECT, related_name="repeats")
    item = models.OneToOneField(Item, models.PROTECT, related_name="repeat")
    of_vote = models.OneToOneField(Vote, models.PROTECT, related_name="repeated")

    def __str__(self) -> str:
        return f"{self.annotator_id} {self.item_id}"
