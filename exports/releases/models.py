"""A release: a frozen, numbered export. Its rows are frozen first, then written out in any format."""

from datetime import datetime
from typing import NamedTuple

from django.conf import settings
from django.db import models
from django.db.models.functions import Now
from django.db.models.lookups import IsNull
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy as _

from annotation.content.models.item import Item
from annotation.core.models import DatedModel
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.jobs.models import Job
from exports.releases.rules.signature import FILE as SIGNATURE


class Release(models.Model):
    """A frozen state of a project with its rules, seed, counts and checksums. Never changed once ready.

    A release of several projects is that of the first of them; the others' are its parts (`whole`), frozen in the
    same transaction, each under its own rules. `suffix` is what the files of its project are called by (`test_lay`).
    `published_at` is when its public files left the installation first: a page, a DOI, a hub. That is for good.
    `frozen_at` is when its rows stood as they are here, where they are those of the release that it replaces.
    """

    class State(models.TextChoices):
        FROZEN = "frozen", _("being built")
        READY = "ready", _("ready")
        FAILED = "failed", _("failed")

    project = models.ForeignKey(Project, models.PROTECT, related_name="releases")
    n = models.PositiveIntegerField()
    state = models.CharField(max_length=8, choices=State.choices, default=State.FROZEN)
    rules = models.JSONField(default=dict)
    counts = models.JSONField(default=dict)
    manifest = models.JSONField(default=dict)
    context = models.JSONField(default=dict)
    path = models.CharField(max_length=255, blank=True)
    whole = models.ForeignKey("self", models.PROTECT, null=True, blank=True, related_name="parts")
    suffix = models.CharField(max_length=40, blank=True)
    job = models.OneToOneField(Job, models.PROTECT, null=True, related_name="release_of")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    at = models.DateTimeField(db_default=Now(), editable=False)
    published_at = models.DateTimeField(null=True, blank=True)
    frozen_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "n"], name="release_number_once"),
            models.UniqueConstraint(
                fields=["whole", "suffix"], condition=models.Q(whole__isnull=False), name="release_part_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.project_id} {self.n}"

    @property
    def signing_key(self) -> str:
        """Which key signed its manifest; empty where it is not signed."""
        return str(self.manifest.get(SIGNATURE, {}).get("key", ""))

    @cached_property
    def replaced(self) -> "OtherVersion | None":
        """The version without withdrawn rows that stands for this release, once it is ready."""
        rows = (self.whole or self).replacements.all()
        newest = max((row for row in rows if row.release.state == self.State.READY), key=_number_of, default=None)
        return None if newest is None else self._other(newest.release, newest)

    @cached_property
    def replaces(self) -> "OtherVersion | None":
        """The release that this one stands for."""
        row: Replacement | None = getattr(self.whole or self, "replacement", None)
        return None if row is None else self._other(row.of, row)

    def _other(self, whole: "Release", row: "Replacement") -> "OtherVersion":
        """Another version by its number in the project of this one, which may be a part of it."""
        versions = [whole, *(whole.parts.all() if whole.project_id != self.project_id else ())]
        n = next(part.n for part in versions if part.project_id == self.project_id)
        return OtherVersion(n, row.kind, row.reason, row.at)


class OtherVersion(NamedTuple):
    """A version that stands for a release, or that it stands for: its number, and when and why that was."""

    n: int
    kind: str
    reason: str
    at: datetime

    @property
    def kind_name(self) -> str:
        """Why, in a few words."""
        return str(Replacement.Kind(self.kind).label)


def _number_of(row: "Replacement") -> int:
    return row.release_id


class ReleaseRow(models.Model):
    """One item as it stood when frozen: its numbers lead back to the revision and votes of that moment.

    Every row is written twice, when it is frozen and when its split is known; as few indexes as will do. Rows lie in
    the order of their items, as texts and votes do; `order` is the drawn place in which they are released.
    """

    release = models.ForeignKey(Release, models.PROTECT, related_name="rows", db_index=False)
    item = models.ForeignKey(Item, models.PROTECT, related_name="release_rows", db_index=False)
    order = models.BigIntegerField()
    key = models.CharField(max_length=220)
    version = models.PositiveIntegerField()
    revision_n = models.PositiveIntegerField()
    votes_n = models.PositiveIntegerField()
    epoch = models.PositiveSmallIntegerField()
    stage = models.CharField(max_length=14)
    round = models.PositiveSmallIntegerField()
    sampled = models.BooleanField()
    author_label = models.CharField(max_length=40, blank=True)
    gold = models.CharField(max_length=40, blank=True)
    gold_from = models.CharField(max_length=10, blank=True)
    split = models.CharField(max_length=20, blank=True)
    label = models.CharField(max_length=40, blank=True)
    label_source = models.CharField(max_length=12, blank=True)
    left_out = models.CharField(max_length=40, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["item", "release"], name="release_row_once")]
        indexes = [models.Index(fields=["release", "id"], name="release_row_window")]

    def __str__(self) -> str:
        return self.key


class ReleaseSource(models.Model):
    """A row of a source set as it stood when frozen, with its unit's texts: what clean-up changes later is not in it.

    `names` say which of the unit's `texts` the row is made of, role to field key.
    """

    release = models.ForeignKey(Release, models.PROTECT, related_name="sources", db_index=False)
    source_set = models.CharField(max_length=40)
    task = models.CharField(max_length=40)
    shape = models.CharField(max_length=20)
    key = models.CharField(max_length=200)
    unit = models.CharField(max_length=200)
    unit_revision = models.PositiveIntegerField()
    position = models.PositiveIntegerField()
    label = models.CharField(max_length=200, blank=True)
    split = models.CharField(max_length=20, blank=True)
    data = models.JSONField()
    names = models.JSONField()
    texts = models.JSONField()
    unanswerable = models.BooleanField()

    class Meta:
        indexes = [models.Index(fields=["release", "id"], name="release_source_order")]

    def __str__(self) -> str:
        return self.key


class Withdrawal(DatedModel):
    """That no release from now on holds somebody's work, or what a takedown names; append-only, numbered in a project.

    `annotator` is whose texts and votes it is about; of a takedown it is None, and its `rows` name items and sources.
    """

    project = models.ForeignKey(Project, models.PROTECT, related_name="withdrawals")
    n = models.PositiveIntegerField()
    annotator = models.OneToOneField(Annotator, models.PROTECT, null=True, related_name="withdrawal")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "n"], name="withdrawal_number_once")]

    def __str__(self) -> str:
        return f"{self.project_id} {self.n}"


class TakedownRow(models.Model):
    """What a takedown names: an item, or a source (of the shape's model) with every item made from it."""

    withdrawal = models.ForeignKey(Withdrawal, models.PROTECT, related_name="rows")
    item = models.ForeignKey(Item, models.PROTECT, null=True, related_name="+")
    source = models.BigIntegerField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(item__isnull=True) ^ models.Q(source__isnull=True), name="takedown_names_one_thing"
            )
        ]

    def __str__(self) -> str:
        return f"{self.withdrawal_id}"


class Replacement(DatedModel):
    """That a release (`of`) was replaced by a version without rows, and why, in words that everybody may read."""

    class Kind(models.TextChoices):
        WITHDRAWAL = "withdrawal", _("withdrawal of consent")
        TAKEDOWN = "takedown", _("takedown for a rights holder")

    release = models.OneToOneField(Release, models.PROTECT, primary_key=True, related_name="replacement")
    of = models.ForeignKey(Release, models.PROTECT, related_name="replacements")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    reason = models.TextField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~models.Q(reason=""), name="replacement_has_reason"),
            models.CheckConstraint(condition=~models.Q(of=models.F("release")), name="replacement_of_another"),
        ]

    def __str__(self) -> str:
        return f"{self.of_id} {self.kind}"


class SigningKey(DatedModel):
    """A key with which this site signs releases, since `at`; its private half goes when another takes its place.

    Public keys stay for good: they say of an old release who signed it. `key` is what it is called in signatures. Of
    one that is revoked no signature counts: whoever has its private half can name any day.
    """

    key = models.CharField(max_length=16, unique=True)
    public_key = models.CharField(max_length=44)
    private_sealed = models.TextField(blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                IsNull(models.F("ended_at"), True),
                condition=models.Q(ended_at__isnull=True),
                name="signing_key_one_in_use",
            ),
            models.CheckConstraint(
                condition=models.Q(ended_at__isnull=True) ^ models.Q(private_sealed=""),
                name="signing_key_ended_is_public",
            ),
        ]

    def __str__(self) -> str:
        return self.key
