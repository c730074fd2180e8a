"""Group work on cultural prompts: sessions, what groups are asked first, and the writers' second pass (Kalahi §3)."""

from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from annotation.content.models.item import Item
from annotation.content.models.source import Concept
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project


class Session(models.Model):
    """A meeting of a group: its name, its day, and who took part in words that name nobody (Kalahi Appendix B)."""

    class Purpose(models.TextChoices):
        ELICITATION = "elicitation", _("elicitation")
        REVIEW = "review", _("group review")

    project = models.ForeignKey(Project, models.PROTECT, related_name="sessions")
    purpose = models.CharField(_("purpose"), max_length=12, choices=Purpose.choices)
    name = models.CharField(_("name"), max_length=120)
    held_on = models.DateField(_("date"))
    participants = models.TextField(_("participants"), blank=True)
    by = models.ForeignKey(Annotator, models.PROTECT, null=True, related_name="+", db_index=False)
    at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "purpose", "name"], name="session_name_once"),
        ]

    def __str__(self) -> str:
        return self.name


class ElicitationQuestion(models.Model):
    """A question that a group answers before anybody writes a prompt (Kalahi Appendix A). `retired` ones are kept."""

    project = models.ForeignKey(Project, models.PROTECT, related_name="elicitation")
    sort = models.CharField(max_length=40)
    text = models.TextField()
    position = models.PositiveIntegerField()
    version = models.PositiveIntegerField(default=1)
    retired_at = models.DateTimeField(null=True, blank=True)
    at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "position"], name="elicitation_place_once"),
            models.CheckConstraint(condition=~models.Q(text=""), name="elicitation_has_text"),
        ]

    def __str__(self) -> str:
        return self.text[:60]


class ElicitationAnswer(models.Model):
    """What a group, or one of its writers, answered; at hand while writing, under a topic where it has one."""

    project = models.ForeignKey(Project, models.PROTECT, related_name="+")
    question = models.ForeignKey(ElicitationQuestion, models.PROTECT, related_name="answers")
    session = models.ForeignKey(Session, models.PROTECT, null=True, blank=True, related_name="answers")
    topic = models.ForeignKey(Concept, models.PROTECT, null=True, blank=True, related_name="answers")
    by = models.ForeignKey(Annotator, models.PROTECT, related_name="+", db_index=False)
    text = models.TextField()
    at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~models.Q(text=""), name="elicitation_answer_has_text")
        ]

    def __str__(self) -> str:
        return self.text[:60]


class SecondLook(models.Model):
    """One writer's second pass over a prompt after the group review: four ticks for the text that they saw."""

    project = models.ForeignKey(Project, models.PROTECT, related_name="+", db_index=False)
    item = models.ForeignKey(Item, models.PROTECT, related_name="second_looks")
    annotator = models.ForeignKey(Annotator, models.PROTECT, related_name="+")
    revision_n = models.PositiveIntegerField()
    authentic = models.BooleanField(default=False)
    natural = models.BooleanField(default=False)
    spelling = models.BooleanField(default=False)
    grammar = models.BooleanField(default=False)
    words = models.TextField(blank=True)
    at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["item", "annotator", "revision_n"], name="second_look_once")
        ]

    def __str__(self) -> str:
        return f"{self.item_id} {self.annotator_id}"
