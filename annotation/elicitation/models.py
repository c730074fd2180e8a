"""Group work on cultural prompts: sessions, questions, the second look, and a group's proposals (Kalahi §3)."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from annotation.content.models.item import Item
from annotation.content.models.source import Concept
from annotation.core.models import DatedModel
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project


class Session(DatedModel):
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

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "purpose", "name"], name="session_name_once")]

    def __str__(self) -> str:
        return self.name


class ElicitationQuestion(DatedModel):
    """A question that a group answers before anybody writes a prompt (Kalahi Appendix A). `retired` ones are kept."""

    project = models.ForeignKey(Project, models.PROTECT, related_name="elicitation")
    sort = models.CharField(max_length=40)
    text = models.TextField()
    position = models.PositiveIntegerField()
    version = models.PositiveIntegerField(default=1)
    retired_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "position"], name="elicitation_place_once"),
            models.CheckConstraint(condition=~models.Q(text=""), name="elicitation_has_text"),
        ]

    def __str__(self) -> str:
        return self.text[:60]


class ElicitationAnswer(DatedModel):
    """What a group, or one of its writers, answered; at hand while writing, under a topic where it has one."""

    project = models.ForeignKey(Project, models.PROTECT, related_name="+")
    question = models.ForeignKey(ElicitationQuestion, models.PROTECT, related_name="answers")
    session = models.ForeignKey(Session, models.PROTECT, null=True, blank=True, related_name="answers")
    topic = models.ForeignKey(Concept, models.PROTECT, null=True, blank=True, related_name="answers")
    by = models.ForeignKey(Annotator, models.PROTECT, related_name="+", db_index=False)
    text = models.TextField()

    class Meta:
        constraints = [models.CheckConstraint(condition=~models.Q(text=""), name="elicitation_answer_has_text")]

    def __str__(self) -> str:
        return self.text[:60]


class SecondLook(DatedModel):
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

    class Meta:
        constraints = [models.UniqueConstraint(fields=["item", "annotator", "revision_n"], name="second_look_once")]


class Suggestion(DatedModel):
    """A proposal of a group about one prompt; `data` holds what it proposes, by the form that it has.

    reword: part → text; rephrase: option key → text; combine: the other prompt's key and the joined parts; split:
    the parts of both halves; variation: the personal situation of a new one.
    """

    class Form(models.TextChoices):
        REWORD = "reword", _("reword")
        COMBINE = "combine", _("combine with another prompt")
        SPLIT = "split", _("split in two")
        REPHRASE = "rephrase", _("rephrase a response")
        VARIATION = "variation", _("add a variation")

    class State(models.TextChoices):
        OPEN = "open", _("open")
        ACCEPTED = "accepted", _("accepted")
        DECLINED = "declined", _("declined")
        TAKEN_BACK = "taken_back", _("taken back")

    project = models.ForeignKey(Project, models.PROTECT, related_name="+", db_index=False)
    session = models.ForeignKey(Session, models.PROTECT, related_name="suggestions")
    item = models.ForeignKey(Item, models.PROTECT, related_name="suggestions")
    form = models.CharField(max_length=10, choices=Form.choices)
    data = models.JSONField(default=dict)
    words = models.TextField(blank=True)
    revision_n = models.PositiveIntegerField()
    by = models.ForeignKey(Annotator, models.PROTECT, related_name="+")
    state = models.CharField(max_length=10, choices=State.choices, default=State.OPEN)
    decided_by = models.ForeignKey(Annotator, models.PROTECT, null=True, related_name="+", db_index=False)
    decided_at = models.DateTimeField(null=True, blank=True)
    reason = models.TextField(blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=~models.Q(state="declined") | ~models.Q(reason=""),
                name="suggestion_declined_with_reason",
            ),
            models.CheckConstraint(
                condition=models.Q(state="open", decided_at__isnull=True)
                | (~models.Q(state="open") & models.Q(decided_at__isnull=False)),
                name="suggestion_decided_at",
            ),
        ]
        indexes = [models.Index(fields=["project"], condition=models.Q(state="open"), name="suggestion_open")]


class Remark(DatedModel):
    """One contribution to the thread of a proposal."""

    project = models.ForeignKey(Project, models.PROTECT, related_name="+", db_index=False)
    suggestion = models.ForeignKey(Suggestion, models.PROTECT, related_name="remarks")
    by = models.ForeignKey(Annotator, models.PROTECT, related_name="+", db_index=False)
    text = models.TextField()

    def __str__(self) -> str:
        return self.text[:60]


class Lineage(DatedModel):
    """Which prompt came from which, and how; append-only."""

    class How(models.TextChoices):
        VARIATION = "variation", _("variation of")
        SPLIT = "split", _("split from")
        COMBINE = "combine", _("combined from")

    project = models.ForeignKey(Project, models.PROTECT, related_name="+", db_index=False)
    item = models.ForeignKey(Item, models.PROTECT, related_name="origins")
    origin = models.ForeignKey(Item, models.PROTECT, related_name="offspring")
    how = models.CharField(max_length=10, choices=How.choices)
    suggestion = models.ForeignKey(Suggestion, models.PROTECT, null=True, related_name="+", db_index=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["item", "origin"], name="lineage_once"),
            models.CheckConstraint(condition=~models.Q(item=models.F("origin")), name="lineage_not_of_itself"),
        ]
