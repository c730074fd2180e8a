"""Items with known answers that people are tried or trained on, and their attempts."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from annotation.content.models.item import Item
from annotation.core.models import DatedModel
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.core.rules.settings import MOST_ATTEMPTS


class Role(models.TextChoices):
    """Whose quiz it is: the words are those of the roles of members."""

    VALIDATOR = "validator", _("Voters")
    WRITER = "writer", _("Writers")


class QuizItem(DatedModel):
    """An item that the quiz of a role asks, or its training round (`training`): what counts as right, and why it does.

    It is in one of the four only, so that nobody is asked it twice. It is never a gold question, and whoever was asked
    it never votes on it.
    """

    project = models.ForeignKey(Project, models.PROTECT, related_name="quiz_items")
    item = models.OneToOneField(Item, models.PROTECT, related_name="asked_in_quiz")
    accepted = models.JSONField()
    explanation = models.TextField(blank=True)
    role = models.CharField(max_length=10, choices=Role.choices, default=Role.VALIDATOR)
    training = models.BooleanField(default=False)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    retired_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [models.CheckConstraint(condition=models.Q(role__in=Role.values), name="quiz_item_role_known")]

    def __str__(self) -> str:
        return str(self.item_id)


class QuizAttempt(DatedModel):
    """One attempt of a person at the quiz of a role, or at its training round: the items in their order, the answers
    by item.

    `needed` of the items had to be right when it began; `done_at` is when it was handed in.
    """

    annotator = models.ForeignKey(Annotator, models.PROTECT, related_name="quiz_attempts")
    role = models.CharField(max_length=10, choices=Role.choices, default=Role.VALIDATOR)
    n = models.PositiveSmallIntegerField()
    training = models.BooleanField(default=False)
    items = models.JSONField()
    answers = models.JSONField(default=dict)
    asked = models.PositiveSmallIntegerField()
    needed = models.PositiveSmallIntegerField()
    right = models.PositiveSmallIntegerField(default=0)
    done_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["annotator", "role", "training", "n"], name="quiz_attempt_once"),
            models.CheckConstraint(condition=models.Q(role__in=Role.values), name="quiz_attempt_role_known"),
            models.CheckConstraint(
                condition=models.Q(n__gte=1, n__lte=MOST_ATTEMPTS), name="quiz_attempt_five_at_most"
            ),
            models.CheckConstraint(
                condition=models.Q(right__lte=models.F("asked"), needed__lte=models.F("asked")),
                name="quiz_attempt_right_of_asked",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.annotator_id} {self.n}"

    @property
    def passed(self) -> bool:
        return self.done_at is not None and self.right >= self.needed
