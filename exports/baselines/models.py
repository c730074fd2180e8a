"""Human baselines: what people with no other part in the projects answer to drawn items of releases (IndoNLI C)."""

from django.conf import settings
from django.db import models

from annotation.content.models.item import Item
from annotation.core.models import DatedModel
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project, new_secret
from exports.releases.models import Release
from validation.studies.models import DiagnosticSet


class Baseline(DatedModel):
    """A human baseline: `people` answer every drawn item, after a short text on the task and some examples.

    `secret` is what the order of options on their cards is drawn with: the seed follows from the project's, which
    releases print. It is empty in those drawn before there was one: they keep the seed.
    """

    project = models.ForeignKey(Project, models.PROTECT, related_name="baselines")
    n = models.PositiveIntegerField()
    people = models.PositiveSmallIntegerField()
    task = models.TextField()
    seed = models.CharField(max_length=80)
    secret = models.CharField(max_length=64, blank=True, editable=False, default=new_secret, db_default="")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "n"], name="baseline_number_once")]


class BaselineSource(models.Model):
    """What some of a baseline's items were drawn from: a release's test rows, or a diagnostic set.

    `frequent` is the label that most of its rows have: the answer where people make no majority.
    """

    baseline = models.ForeignKey(Baseline, models.PROTECT, related_name="sources", db_index=False)
    n = models.PositiveSmallIntegerField()
    release = models.ForeignKey(Release, models.PROTECT, null=True, related_name="+")
    diagnostic = models.ForeignKey(DiagnosticSet, models.PROTECT, null=True, related_name="+")
    frequent = models.CharField(max_length=40)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["baseline", "n"], name="baseline_source_once"),
            models.CheckConstraint(
                condition=models.Q(release__isnull=False, diagnostic__isnull=True)
                | models.Q(release__isnull=True, diagnostic__isnull=False),
                name="baseline_source_of_one",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.baseline_id} {self.n}"

    @property
    def of(self) -> Release | DiagnosticSet:
        result = self.release or self.diagnostic
        assert result is not None  # noqa: S101 - the database says so
        return result


class BaselineItem(models.Model):
    """One drawn item as it was in its source, with its gold label; an `example` is shown with it, never asked."""

    baseline = models.ForeignKey(Baseline, models.PROTECT, related_name="items", db_index=False)
    source = models.ForeignKey(BaselineSource, models.PROTECT, related_name="items", db_index=False)
    item = models.ForeignKey(Item, models.PROTECT, related_name="+", db_index=False)
    revision_n = models.PositiveIntegerField()
    gold = models.CharField(max_length=40)
    example = models.BooleanField()
    position = models.PositiveIntegerField()
    token = models.CharField(max_length=32, unique=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["baseline", "item"], name="baseline_item_once"),
            models.UniqueConstraint(fields=["baseline", "position"], name="baseline_place_once"),
        ]

    def __str__(self) -> str:
        return f"{self.baseline_id} {self.position}"


class BaselinePlace(DatedModel):
    """One of the people whose answers count, from their first answer on; what a replaced one said stays, uncounted."""

    baseline = models.ForeignKey(Baseline, models.PROTECT, related_name="places", db_index=False)
    annotator = models.ForeignKey(Annotator, models.PROTECT, related_name="baseline_places")
    replaced_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["baseline", "annotator"], name="baseline_person_once")]


class BaselineAnswer(DatedModel):
    """What one person answered: the label, and where options were shuffled the order in which they saw them."""

    asked = models.ForeignKey(BaselineItem, models.PROTECT, related_name="answers", db_index=False)
    annotator = models.ForeignKey(Annotator, models.PROTECT, related_name="baseline_answers")
    label = models.CharField(max_length=40)
    order = models.CharField(max_length=40, blank=True)
    seconds = models.FloatField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["asked", "annotator"], name="baseline_answer_once")]
