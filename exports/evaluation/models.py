"""A human evaluation: a drawn part of a release that people answer, in a project of its own."""

from django.conf import settings
from django.db import models

from annotation.content.models.item import Item
from annotation.core.models import DatedModel
from annotation.core.models.project import Project
from exports.releases.models import Release


class Evaluation(DatedModel):
    """Items of a release's dev and test that five people answer (mCSQA §4.1), without seeing what is right."""

    release = models.ForeignKey(Release, models.PROTECT, related_name="evaluations")
    project = models.OneToOneField(Project, models.PROTECT, related_name="evaluation_of")
    seed = models.CharField(max_length=80)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")


class EvaluationRow(models.Model):
    """One item of an evaluation: what it was in the release, the right answer there, and the item that is answered."""

    evaluation = models.ForeignKey(Evaluation, models.PROTECT, related_name="rows", db_index=False)
    item = models.OneToOneField(Item, models.PROTECT, related_name="evaluation_row")
    of = models.ForeignKey(Item, models.PROTECT, related_name="+", db_index=False)
    split = models.CharField(max_length=20)
    level = models.CharField(max_length=10, blank=True)
    answer = models.CharField(max_length=40)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["evaluation", "of"], name="evaluation_row_once")]

    def __str__(self) -> str:
        return f"{self.evaluation_id} {self.of_id}"
