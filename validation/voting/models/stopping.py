"""The steps of two-agree-audit: every first vote and every decided audit, in the order in which they were taken."""

from django.db import models
from django.db.models.functions import Now

from annotation.content.models.item import Item
from annotation.core.models.project import ProtocolVersion
from validation.consensus.audit import ROUTES


class StopStep(models.Model):
    """One step of a protocol version's audits; append-only. The last one of an item is what stands of it.

    `agrees`: author and first voter agree undoubted. `q` is the item's chance of an audit, where it has one; `changed`
    what its audit found (None: open, or no audit). `account` is where the audits stood after the step
    (`audit.AuditState`): a function of the steps before, kept so that the next one need not take them all again.
    """

    protocol = models.ForeignKey(ProtocolVersion, models.PROTECT, related_name="stop_steps", db_index=False)
    n = models.PositiveIntegerField()
    item = models.ForeignKey(Item, models.PROTECT, related_name="stop_steps", db_index=False)
    epoch = models.PositiveSmallIntegerField()
    event = models.CharField(max_length=8, choices=[("first", "first"), ("outcome", "outcome")])
    agrees = models.BooleanField()
    doubt = models.BooleanField()
    route = models.CharField(max_length=14)
    q = models.FloatField(null=True)
    changed = models.BooleanField(null=True)
    account = models.JSONField()
    at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["protocol", "n"], name="stop_step_number_once"),
            models.CheckConstraint(
                condition=models.Q(q__isnull=True) | models.Q(q__gt=0, q__lte=1),
                name="stop_step_q_is_a_chance",
            ),
            models.CheckConstraint(condition=models.Q(route__in=ROUTES), name="stop_step_route_is_known"),
            models.CheckConstraint(
                condition=models.Q(route="two_agree", q__isnull=False, agrees=True)
                | models.Q(route="audited", q__isnull=False, agrees=True)
                | models.Q(route__in=["disagreement", "doubt", "panel"]),
                name="stop_step_drawn_with_a_chance",
            ),
        ]
        indexes = [models.Index(fields=["item", "-n"], name="stop_step_of_item")]

    def __str__(self) -> str:
        return f"{self.protocol_id} #{self.n}"
