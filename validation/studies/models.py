"""Studies: items drawn from a project and judged in a separate one."""

from django.conf import settings
from django.db import models

from annotation.content.models.item import Item
from annotation.core.models import DatedModel
from annotation.core.models.project import Project


class Study(DatedModel):
    """A project derived from another one: what was drawn from `derived_from` is asked in `project`, by ordinary votes.

    `kind` is the slug of its StudyType, `n` counts the studies of a project and kind. `seed` is what it was drawn with,
    `options` what else its report needs. It goes on until its project is closed.
    """

    project = models.OneToOneField(Project, models.PROTECT, related_name="study")
    derived_from = models.ForeignKey(Project, models.PROTECT, related_name="studies", db_index=False)
    kind = models.CharField(max_length=20)
    n = models.PositiveIntegerField()
    seed = models.CharField(max_length=80)
    options = models.JSONField(default=dict, blank=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")

    class Meta:
        verbose_name_plural = "studies"
        constraints = [
            models.UniqueConstraint(fields=["derived_from", "kind", "n"], name="study_number_once"),
            models.CheckConstraint(
                condition=~models.Q(project=models.F("derived_from")), name="study_of_another_project"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.derived_from_id} {self.kind} {self.n}"


class StudyRow(models.Model):
    """One item of a study: what it was made from, as that was when drawn, and what its report compares answers with.

    `data` (gold, the model that wrote it, the split) stands here alone: nobody who answers is shown a row.
    """

    study = models.ForeignKey(Study, models.PROTECT, related_name="rows", db_index=False)
    item = models.OneToOneField(Item, models.PROTECT, related_name="study_row")
    of_item = models.ForeignKey(Item, models.PROTECT, null=True, blank=True, related_name="studied")
    revision_n = models.PositiveIntegerField(null=True, blank=True)
    position = models.PositiveIntegerField()
    data = models.JSONField(default=dict, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "position"], name="study_place_once"),
            models.CheckConstraint(
                condition=models.Q(of_item__isnull=True, revision_n__isnull=True)
                | models.Q(of_item__isnull=False, revision_n__isnull=False),
                name="study_row_of_a_revision",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.study_id} {self.position}"
