"""A project: one dataset under construction, its targets, and its numbered protocols and guidelines."""

import secrets

from django.conf import settings as conf
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from annotation import kinds
from annotation.core.database import locked
from annotation.core.errors import Conflict
from annotation.core.models import DatedModel
from annotation.core.rules import error_types
from annotation.core.rules.settings import ProjectSettings

SECRET_BYTES = 32


def kind_choices() -> list[tuple[str, str]]:
    """The registry's kinds; a function, so that a new kind needs no migration."""
    return [(kind.slug, kind.name) for kind in kinds.all_kinds()]


def new_secret() -> str:
    """What the order of options and the ids in releases are drawn with."""
    return secrets.token_hex(SECRET_BYTES)


class Project(models.Model):
    """One dataset under construction: a kind, a language, a protocol, a team, its guidelines.

    `pays` since somebody set a rate: finished actions are then written into the ledger. `secret` is what the order of
    options on cards and the ids in releases are drawn with: releases print the seed, so whoever has one could tell from
    it where the writer's answer stands. It never changes, and is shown, exported or logged nowhere. `kept_for`: nobody
    belongs to this project or sees it; it keeps questions for another one, apart from all that is counted there.
    """

    slug = models.SlugField(_("short name"), unique=True, max_length=60)
    name = models.CharField(_("name"), max_length=200)
    description = models.TextField(_("description"), blank=True)
    kind = models.CharField(_("kind"), max_length=40, choices=kind_choices)
    preset = models.CharField(max_length=40, blank=True)
    language = models.CharField(_("language"), max_length=35)
    seed = models.CharField(_("seed"), max_length=80)
    secret = models.CharField(max_length=64, blank=True, editable=False, default=new_secret)
    sample_share = models.DecimalField(
        _("share of items validated"),
        max_digits=5,
        decimal_places=4,
        default=1,
        validators=[MinValueValidator(0), MaxValueValidator(1)],
    )
    settings = models.JSONField(default=dict, blank=True)
    pays = models.BooleanField(default=False)
    version = models.PositiveIntegerField(default=1)
    closed_at = models.DateTimeField(null=True, blank=True)
    created_by = models.ForeignKey(conf.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    kept_for = models.OneToOneField("self", models.PROTECT, null=True, blank=True, related_name="keeps")

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(kept_for__isnull=True) | models.Q(closed_at__isnull=False),
                name="project_kept_is_closed",
            ),
            models.CheckConstraint(
                condition=models.Q(sample_share__gte=0) & models.Q(sample_share__lte=1),
                name="project_share_is_a_share",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def rules(self) -> ProjectSettings:
        """The project's settings, typed, with defaults where it says nothing."""
        return ProjectSettings.from_stored(self.settings)

    @property
    def error_types(self) -> tuple[tuple[str, str], ...]:
        """What an item can be returned for, code and words: the project's own list, or that of its kind."""
        return error_types.parse(self.rules.error_types) or self.kind_spec.authoring.error_types

    @property
    def kind_spec(self) -> kinds.Kind:
        return kinds.get(self.kind)

    @classmethod
    def lock(cls, pk: int, closed: str = "") -> "Project":
        """The row of a project, locked. Raises Conflict with the code `closed`, where one is given, if it is closed."""
        project = locked(cls.objects.filter(pk=pk)).get()
        if closed and project.closed_at is not None:
            raise Conflict(code=closed)
        return project


class Target(models.Model):
    """Where queues belong: one per target or register, one by default. `buckets` is the highest priority in use.

    A target has the `name` of its language, and for a register a `description` and a short list of `words`:
    `[[word, what it stands for], …]`, by which a page hints and a check tells the registers of a language apart.
    `version` counts the changes of these; nothing new begins in one that has `ended_at`. `members_only`: its items are
    voted on by its members alone.
    """

    project = models.ForeignKey(Project, models.PROTECT, related_name="targets")
    key = models.CharField(max_length=40, default="main")
    language = models.CharField(max_length=35)
    register = models.CharField(max_length=80, blank=True)
    name = models.CharField(max_length=80, blank=True)
    description = models.TextField(blank=True)
    words = models.JSONField(default=list, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    members_only = models.BooleanField(default=False, db_default=False)
    version = models.PositiveIntegerField(default=1)
    buckets = models.PositiveSmallIntegerField(default=4)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "key"], name="target_key_once")]

    def __str__(self) -> str:
        return f"{self.project_id}/{self.key}"

    @property
    def title(self) -> str:
        """What people call the target: its language, and the register where it has one."""
        return self._called(self.name or self.language)

    @property
    def local_title(self) -> str:
        """The same for a page: the language by its name in the reader's, where that is known."""
        return self._called(gettext(self.name) if self.name else self.language)

    def _called(self, name: str) -> str:
        return f"{name} ({self.register})" if self.register else name


class ProtocolVersion(DatedModel):
    """The rules of consensus at a moment; append-only. An item keeps the one that it was opened under.

    `digest` is the SHA-256 of the rules, with which the version was sealed when it was made (`Protocol.digest`).
    """

    project = models.ForeignKey(Project, models.PROTECT, related_name="protocols")
    n = models.PositiveIntegerField()
    rules = models.JSONField()
    digest = models.CharField(max_length=64, default="", db_default="", editable=False)
    by = models.ForeignKey(conf.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "n"], name="protocol_number_once")]


class TaskVersion(DatedModel):
    """A team's own task as its project had it described; append-only. `kind` is the slug that the description gives.

    `description` is the task as JSON has it (annotation/tasks/rules/task.py); `kind` holds its hash.
    """

    project = models.ForeignKey(Project, models.PROTECT, related_name="tasks")
    n = models.PositiveIntegerField()
    kind = models.CharField(max_length=40, db_index=True)
    description = models.JSONField()
    by = models.ForeignKey(conf.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "n"], name="task_number_once"),
            models.CheckConstraint(condition=models.Q(kind__startswith="task-"), name="task_kind_is_of_a_task"),
        ]


class GuidelineVersion(DatedModel):
    """The guidelines for writers or validators, in Markdown; append-only."""

    class Role(models.TextChoices):
        WRITING = "writing", _("Writing")
        VALIDATION = "validation", _("Voting")

    project = models.ForeignKey(Project, models.PROTECT, related_name="guidelines")
    role = models.CharField(max_length=12, choices=Role.choices)
    n = models.PositiveIntegerField()
    text = models.TextField()
    note = models.CharField(max_length=300, blank=True)
    by = models.ForeignKey(conf.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "role", "n"], name="guideline_number_once")]
