"""Translation: source sets with their units and rows, people of targets, and translations."""

from django.conf import settings
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from annotation.content.models.item import Item
from annotation.core.models import DatedModel
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project, Target
from annotation.kinds import Source


class SourceSet(DatedModel):
    """One source of a translation project: a task with its shape of fields, filter and splits (domain.md §7).

    `origin` says where it was taken from: `{"from": "project" | "release" | "file", …}` with slug, number, file name
    and SHA-256 as far as these apply; `filter` is what was chosen from it. Frozen when translation starts: what
    changes at the source afterwards flags the translations and never alters them.
    """

    project = models.ForeignKey(Project, models.PROTECT, related_name="source_sets")
    key = models.SlugField(_("short name"), max_length=40)
    name = models.CharField(_("name"), max_length=200)
    task = models.CharField(_("task"), max_length=40)
    shape = models.CharField(_("shape"), max_length=20)
    origin = models.JSONField(default=dict)
    filter = models.JSONField(default=dict)
    frozen_at = models.DateTimeField(null=True, blank=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "key"], name="source_set_key_once")]

    def __str__(self) -> str:
        return self.key


class SourceUnit(DatedModel):
    """What is translated in one go: all rows that share a text (a premise with its hypotheses), or one row alone.

    `fields` is the present text, in order: `[{"key": "hypothesis.2", "role": "hypothesis", "text": …}]`; `revision`
    counts what clean-up made of it. `dropped` are texts that no living row needs: they are not translated, and come
    back with their row. `removed` once none of its rows is left. `body` is all its texts, to be searched.
    """

    project = models.ForeignKey(Project, models.PROTECT, related_name="source_units", db_index=False)
    source_set = models.ForeignKey(SourceSet, models.PROTECT, related_name="units")
    key = models.CharField(max_length=200)
    position = models.PositiveIntegerField()
    fields = models.JSONField()
    dropped = models.JSONField(default=list, blank=True)
    body = models.TextField(blank=True)
    sentences = models.PositiveSmallIntegerField()
    words = models.PositiveIntegerField()
    revision = models.PositiveIntegerField(default=1)
    removed = models.BooleanField(default=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "key"], name="source_unit_key_once")]
        indexes = [models.Index(fields=["source_set", "position"], name="source_unit_order")]

    def __str__(self) -> str:
        return self.key

    @property
    def text(self) -> str:
        """What a list shows of it: its first field."""
        return str(self.fields[0]["text"]) if self.fields else ""

    @property
    def as_source(self) -> Source:
        """The unit as kinds read it."""
        extra = {
            "set": self.source_set.key,
            "task": self.source_set.task,
            "shape": self.source_set.shape,
            "fields": self.fields,
            "revision": self.revision,
        }
        return Source(self.key, self.text, self.source_set.key, extra=extra)


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


class Translation(models.Model):
    """An item's present content in translation: the unit's fields in the target's language, in the same form.

    `source` is the unit's text that it was made from, and `unit_revision` its number; `text` is all fields together,
    to be searched; `more` are the content's further parts by name.
    """

    item = models.OneToOneField(Item, models.PROTECT, primary_key=True, related_name="translation")
    project = models.ForeignKey(Project, models.PROTECT, related_name="+", db_index=False)
    target = models.ForeignKey(Target, models.PROTECT, related_name="+", db_index=False)
    unit = models.ForeignKey(SourceUnit, models.PROTECT, related_name="translations")
    unit_revision = models.PositiveIntegerField(default=1)
    source = models.JSONField()
    fields = models.JSONField()
    text = models.TextField()
    more = models.JSONField(default=dict, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["target", "unit"], name="translation_once_a_target")]

    def __str__(self) -> str:
        return f"{self.target_id} {self.unit_id}"


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
