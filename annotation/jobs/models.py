"""Long work: the Job table is the queue of record in every mode; a broker only rings the bell."""

from django.conf import settings
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from annotation.core.models.project import Project


class Job(models.Model):
    """Something that takes longer than a request. Claimed by a lease, fenced by its token, resumed from `done`.

    `fruitless` counts the attempts since one came `farthest`: poison is what never comes farther. An attempt that
    begins again from nothing has to pass what others did before it.
    """

    class State(models.TextChoices):
        QUEUED = "queued", _("waiting")
        RUNNING = "running", _("running")
        DONE = "done", _("done")
        FAILED = "failed", _("failed")
        CANCELLED = "cancelled", _("cancelled")

    kind = models.CharField(max_length=40)
    project = models.ForeignKey(Project, models.PROTECT, null=True, related_name="jobs")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    args = models.JSONField(default=dict)
    # A person waits for it on a page: it is taken before others.
    urgent = models.BooleanField(default=False, db_default=False)
    state = models.CharField(max_length=10, choices=State.choices, default=State.QUEUED)
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    result = models.JSONField(default=dict)
    error = models.TextField(blank=True)
    # It failed for what was asked of it, which `error` says to whoever asked: no fault of the site.
    refused = models.BooleanField(default=False, db_default=False)
    attempts = models.PositiveSmallIntegerField(default=0)
    fruitless = models.PositiveSmallIntegerField(default=0)
    farthest = models.PositiveIntegerField(default=0)
    lease = models.CharField(max_length=32, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    # It waits for something elsewhere (an endpoint that asked for patience) and is not taken up before.
    not_before = models.DateTimeField(null=True, blank=True)
    at = models.DateTimeField(db_default=Now(), editable=False)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes = [
            models.Index(fields=["id"], condition=models.Q(state__in=["queued", "running"]), name="job_unfinished"),
            models.Index(
                fields=["finished_at"], condition=models.Q(state="failed", refused=False), name="job_failed_at"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.pk}"


class Heartbeat(models.Model):
    """When a part of the background work was last seen alive: `decider`, `worker` (jobs); one row a name.

    Also when a command that is to be run every night last ended well.
    """

    name = models.CharField(max_length=20, primary_key=True)
    at = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return self.name


class Import(models.Model):
    """One file taken in: where it is kept, how its columns are read, and its outcome.

    `what` it brings: the kind's own items or sources, a source set of translations, which can also be taken from
    a project or a release and then has no file, finished questions that a machine adapts, read at once, or documents
    (`path` is a folder then) that snippets are cut from, which come in as another import.
    """

    class What(models.TextChoices):
        ITEMS = "items"
        SOURCE_SET = "source_set"
        MATERIALS = "materials"
        DOCUMENTS = "documents"

    job = models.OneToOneField(Job, models.PROTECT, null=True, related_name="import_of")
    project = models.ForeignKey(Project, models.PROTECT, related_name="imports")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    name = models.CharField(max_length=255)
    path = models.CharField(max_length=255)
    what = models.CharField(max_length=10, choices=What.choices, default=What.ITEMS)
    mapping = models.JSONField(default=dict)
    accepted = models.PositiveIntegerField(default=0)
    unchanged = models.PositiveIntegerField(default=0)
    refused = models.PositiveIntegerField(default=0)
    at = models.DateTimeField(db_default=Now(), editable=False)

    def __str__(self) -> str:
        return self.name


class ImportRow(models.Model):
    """A refused row: its number, the field, the reason, and what to do."""

    source = models.ForeignKey(Import, models.PROTECT, related_name="rows")
    n = models.PositiveIntegerField()
    field = models.CharField(max_length=80, blank=True)
    reason = models.CharField(max_length=500)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["source", "n", "field"], name="import_row_once")]

    def __str__(self) -> str:
        return f"{self.n} {self.field}"
