"""Pay: rates, approvals, an append-only ledger of approved entries, disputes and other adjustments."""

from uuid import UUID

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from annotation.content.models.item import Item
from annotation.core.models import DatedModel
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project, Target


class Action(models.TextChoices):
    """What is paid for: a finished action of a writer, validator or lead. Answers in a study are votes there."""

    WRITE = "write", _("writing")
    CORRECT = "correct", _("correcting what was returned")
    VOTE = "vote", _("voting or reviewing")
    ASSESS = "assess", _("checking a machine-written item")
    QUIZ = "quiz", _("answering the voters' quiz")
    WRITER_QUIZ = "writerquiz", _("answering the writers' quiz")


class Unit(models.TextChoices):
    """What a rate counts; LoraxBench pays for source sentences (Appendix C)."""

    SENTENCE = "sentence", _("sentence")
    FIELD = "field", _("field")
    ITEM = "item", _("item")
    VOTE = "vote", _("vote")
    SET = "set", _("set")


class Rate(DatedModel):
    """What one unit of an action is worth from `at` on, in a project or in one of its targets; append-only.

    The newest of a project, target and action is in force, a target's own before the project's; an amount of 0 ends
    it. `currency` is ISO 4217.
    """

    project = models.ForeignKey(Project, models.PROTECT, related_name="rates")
    target = models.ForeignKey(Target, models.PROTECT, null=True, blank=True, related_name="rates")
    action = models.CharField(max_length=10, choices=Action.choices)
    unit = models.CharField(max_length=10, choices=Unit.choices)
    amount = models.DecimalField(max_digits=12, decimal_places=4)
    currency = models.CharField(max_length=3)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")

    class Meta:
        constraints = [models.CheckConstraint(condition=models.Q(amount__gte=0), name="rate_not_negative")]
        indexes = [models.Index(fields=["project", "action", "-id"], name="rate_in_force")]

    def __str__(self) -> str:
        return f"{self.action} {self.amount} {self.currency}"


class Approval(DatedModel):
    """That an administrator approved what people had earned up to a day, and nobody had approved.

    Nothing of it changes but the day on which its people were paid; None: nobody said so. Money is sent elsewhere.
    """

    project = models.ForeignKey(Project, models.PROTECT, related_name="approvals")
    end = models.DateField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    paid_on = models.DateField(null=True)


class LedgerEntry(models.Model):
    """What one action earned when it was approved, as it was counted then: amount = units × rate; append-only.

    `key` names the action (`vote:123`, `set:45`). Its first entry has `n` 1; where a paid action is taken back or
    counted again, the next approval adds an adjusting entry, `n` 2 and so on, of the difference. What nobody approved
    has no entry: it follows from what was done (`earnings.py`, which gives it as entries that are not stored).
    """

    approval = models.ForeignKey(Approval, models.PROTECT, related_name="entries")
    annotator = models.ForeignKey(Annotator, models.PROTECT, related_name="ledger", db_index=False)
    target = models.ForeignKey(Target, models.PROTECT, related_name="+", db_index=False)
    item = models.ForeignKey(Item, models.PROTECT, null=True, related_name="+", db_index=False)
    rate = models.ForeignKey(Rate, models.PROTECT, related_name="+", db_index=False)
    key = models.CharField(max_length=80)
    n = models.PositiveSmallIntegerField()
    at = models.DateTimeField()
    units = models.IntegerField()
    amount = models.DecimalField(max_digits=20, decimal_places=4)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["key", "n"], name="ledger_action_once"),
            models.CheckConstraint(
                condition=models.Q(n=1, units__gte=0) | (models.Q(n__gt=1) & ~models.Q(units=0)),
                name="ledger_first_earns_others_adjust",
            ),
            models.CheckConstraint(
                condition=models.Q(units__gte=0, amount__gte=0) | models.Q(units__lte=0, amount__lte=0),
                name="ledger_amount_like_units",
            ),
        ]
        indexes = [models.Index(fields=["annotator", "at"], name="ledger_of_person")]
        verbose_name_plural = "ledger entries"

    # What `earnings.entries` finds beside the columns.
    digest: str
    disputed: bool
    said: "list[Adjustment]"

    def __str__(self) -> str:
        return f"{self.key} #{self.n}"

    @property
    def token(self) -> UUID:
        """What names the action to people."""
        return UUID(self.digest)

    @property
    def adjusted(self) -> "Adjustment | None":
        """The adjustment that holds, if there is one."""
        return max(
            (each for each in self.said if each.units is not None),
            key=lambda each: (each.answered_at, each.pk),
            default=None,
        )


class Adjustment(DatedModel):
    """What was said of the pay of one action: a dispute by whose it is, an administrator's answer, or both.

    `units` is how many the action counts from then on, 0 where it is taken back; None leaves it as it is. The newest
    one with units holds. `words` are empty where nobody had asked. It names the action by its key, approved or not.
    """

    annotator = models.ForeignKey(Annotator, models.PROTECT, related_name="adjustments")
    key = models.CharField(max_length=80)
    words = models.TextField(blank=True)
    answer = models.TextField(blank=True)
    units = models.PositiveIntegerField(null=True)
    answered_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    answered_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["key"], condition=models.Q(answered_at__isnull=True), name="dispute_open_once"
            ),
            models.CheckConstraint(
                condition=(
                    models.Q(answered_at__isnull=True, answered_by__isnull=True, answer="", units__isnull=True)
                    & ~models.Q(words="")
                )
                | (models.Q(answered_at__isnull=False, answered_by__isnull=False) & ~models.Q(answer="")),
                name="adjustment_answered_whole",
            ),
        ]
        indexes = [models.Index(fields=["key"], name="adjustment_of_action")]
