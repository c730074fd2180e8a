"""Pay: rates, an append-only ledger of finished actions, periods that were approved, entries that are disputed."""

import uuid

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from annotation.content.models.item import Item
from annotation.core.models import DatedModel
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project, Target


class Action(models.TextChoices):
    """What is paid for: a finished action of a writer, validator, rater or writer of a correction."""

    WRITE = "write", _("writing")
    CORRECT = "correct", _("correcting what was returned")
    VOTE = "vote", _("voting or reviewing")
    RATE = "rate", _("rating an output")
    ASSESS = "assess", _("checking a machine-written item")
    COMPARE = "compare", _("comparing two machine-written items")


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


class LedgerEntry(DatedModel):
    """What one finished action earned, as the rate stood then; append-only, taken back by a reversal only.

    `key` names the action (`vote:123`, `set:45`) so that it is paid once, whatever is sent twice; `units` are counted
    when the entry is made. People name an entry by its `token`: a number would tell how much others did meanwhile.
    """

    REVERSED, AGAIN = "-", "~"

    project = models.ForeignKey(Project, models.PROTECT, related_name="ledger", db_index=False)
    annotator = models.ForeignKey(Annotator, models.PROTECT, related_name="ledger", db_index=False)
    target = models.ForeignKey(Target, models.PROTECT, null=True, related_name="+", db_index=False)
    item = models.ForeignKey(Item, models.PROTECT, null=True, related_name="ledger", db_index=False)
    rate = models.ForeignKey(Rate, models.PROTECT, related_name="+", db_index=False)
    action = models.CharField(max_length=10, choices=Action.choices)
    unit = models.CharField(max_length=10, choices=Unit.choices)
    units = models.PositiveIntegerField()
    amount = models.DecimalField(max_digits=20, decimal_places=4)
    currency = models.CharField(max_length=3)
    token = models.UUIDField(unique=True, default=uuid.uuid4, editable=False)
    key = models.CharField(max_length=80, unique=True)
    reverses = models.OneToOneField("self", models.PROTECT, null=True, related_name="reversed_by")
    reason = models.CharField(max_length=300, blank=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(reverses__isnull=True, amount__gte=0)
                | models.Q(reverses__isnull=False, amount__lte=0),
                name="ledger_only_reversals_take_back",
            )
        ]
        indexes = [
            models.Index(fields=["annotator", "at"], name="ledger_of_person"),
            models.Index(fields=["project", "at"], name="ledger_of_project"),
        ]
        verbose_name_plural = "ledger entries"

    def __str__(self) -> str:
        return self.key


class PayPeriod(DatedModel):
    """That an administrator approved what somebody earned in a project up to a day; append-only.

    `totals` are the amounts by currency, as texts.
    """

    project = models.ForeignKey(Project, models.PROTECT, related_name="pay_periods")
    annotator = models.ForeignKey(Annotator, models.PROTECT, related_name="pay_periods")
    start = models.DateField()
    end = models.DateField()
    totals = models.JSONField(default=dict)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")

    class Meta:
        constraints = [
            models.CheckConstraint(condition=models.Q(end__gte=models.F("start")), name="period_has_days")
        ]


class ApprovedEntry(models.Model):
    """That an entry belongs to an approved period: to one, for ever. The ledger itself is never written again."""

    entry = models.OneToOneField(LedgerEntry, models.PROTECT, primary_key=True, related_name="approved")
    period = models.ForeignKey(PayPeriod, models.PROTECT, related_name="entries")

    def __str__(self) -> str:
        return f"{self.period_id} {self.entry_id}"


class Dispute(DatedModel):
    """What somebody says against an entry of their own, and what an administrator answers."""

    entry = models.ForeignKey(LedgerEntry, models.PROTECT, related_name="disputes")
    words = models.TextField()
    answer = models.TextField(blank=True)
    answered_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    answered_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["entry"], condition=models.Q(answered_at__isnull=True), name="dispute_open_once"
            )
        ]
