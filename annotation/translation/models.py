"""Translation: the rows of source sets and their clean-up, who works for which target, and what was learnt of it."""

from django.conf import settings
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from annotation.content.models.item import Item
from annotation.content.models.units import SourceSet, SourceUnit
from annotation.core.models import DatedModel
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project, Target


class SourceEntry(models.Model):
    """A row of a source set: what a release writes one line for in every target, with its label and split.

    `fields` names the unit's fields that it is made of, role to key: `{"premise": "premise", "hypothesis":
    "hypothesis.2"}`. `data` are the row's further columns, exported as they came. `upstream` is the item that it was
    taken from, `upstream_revision` and `upstream_hash` what that said when the set was frozen.
    """

    source_set = models.ForeignKey(SourceSet, models.PROTECT, related_name="entries", db_index=False)
    unit = models.ForeignKey(SourceUnit, models.PROTECT, related_name="entries")
    key = models.CharField(max_length=200)
    position = models.PositiveIntegerField()
    fields = models.JSONField()
    label = models.CharField(max_length=200, blank=True)
    split = models.CharField(max_length=20, blank=True)
    data = models.JSONField(default=dict)
    upstream = models.ForeignKey(Item, models.PROTECT, null=True, related_name="+")
    upstream_revision = models.PositiveIntegerField(default=0)
    upstream_hash = models.CharField(max_length=64, blank=True)
    upstream_changed = models.BooleanField(default=False)
    removed = models.BooleanField(default=False)
    unanswerable = models.BooleanField(default=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["source_set", "key"], name="source_entry_key_once")]
        verbose_name_plural = "source entries"

    def __str__(self) -> str:
        return self.key


class CleanUp(DatedModel):
    """One step of cleaning a source set, append-only: what was done to a row, why, and the texts before and after.

    The four kinds are those of the paper's Table 2 and §3.4; `undone` takes a removal or a mark back.
    """

    class What(models.TextChoices):
        REMOVED = "removed", _("Removed")
        TYPO = "typo", _("Fixed typo")
        DISTRACTOR = "distractor", _("Improved distractor")
        UNANSWERABLE = "unanswerable", _("Unanswerable without its passage")
        UNDONE = "undone", _("Taken back")

    project = models.ForeignKey(Project, models.PROTECT, related_name="clean_ups")
    unit = models.ForeignKey(SourceUnit, models.PROTECT, related_name="clean_ups")
    entry = models.ForeignKey(SourceEntry, models.PROTECT, null=True, related_name="clean_ups")
    what = models.CharField(max_length=12, choices=What.choices)
    reason = models.CharField(max_length=40, blank=True)
    words = models.TextField(blank=True)
    field = models.CharField(max_length=60, blank=True)
    before = models.TextField(blank=True)
    after = models.TextField(blank=True)
    revision = models.PositiveIntegerField()
    undoes = models.OneToOneField("self", models.PROTECT, null=True, related_name="undone_by")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(what="undone", undoes__isnull=False)
                | (~models.Q(what="undone") & models.Q(undoes__isnull=True)),
                name="clean_up_undone_says_what",
            )
        ]


class TargetMember(DatedModel):
    """That somebody works for a target: what they translate or review there follows from their roles."""

    target = models.ForeignKey(Target, models.PROTECT, related_name="members", db_index=False)
    annotator = models.ForeignKey(Annotator, models.PROTECT, related_name="target_memberships")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["target", "annotator"], name="target_member_once")]


class TargetStatistics(models.Model):
    """What the checks learnt of a target from its accepted translations (lengths, letters); made again by a job.

    `target` is empty for the source's own language. `n` is how many translations (or source units) it was learnt from.
    """

    project = models.ForeignKey(Project, models.PROTECT, related_name="statistics")
    target = models.ForeignKey(Target, models.PROTECT, null=True, related_name="statistics")
    what = models.CharField(max_length=12)
    n = models.PositiveIntegerField()
    data = models.JSONField()
    at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["target", "what"], name="learnt_once_a_target"),
            models.UniqueConstraint(
                fields=["project", "what"],
                condition=models.Q(target__isnull=True),
                name="learnt_once_of_source",
            ),
        ]
        verbose_name_plural = "target statistics"

    def __str__(self) -> str:
        return f"{self.target_id} {self.what}"
