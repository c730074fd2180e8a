"""What a model answered to the question that people are asked; a table of its own, which nothing else counts."""

from django.db import models

from annotation.content.models.item import Item
from annotation.core.models import DatedModel
from annotation.core.models.project import Project
from annotation.generation.models import Endpoint


class ModelVote(DatedModel):
    """One model's label for one revision of an item; append-only. `label` is empty where its answer was none."""

    project = models.ForeignKey(Project, models.PROTECT, related_name="model_votes", db_index=False)
    item = models.ForeignKey(Item, models.PROTECT, related_name="model_votes", db_index=False)
    endpoint = models.ForeignKey(Endpoint, models.PROTECT, related_name="+", db_index=False)
    model = models.CharField(max_length=200)
    revision_n = models.PositiveIntegerField()
    label = models.CharField(max_length=40, blank=True)
    fault = models.CharField(max_length=60, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["item", "endpoint", "model", "revision_n"], name="model_vote_once"),
            models.CheckConstraint(condition=models.Q(label="") ^ models.Q(fault=""), name="model_vote_or_its_fault"),
        ]
        indexes = [models.Index(fields=["project", "endpoint"], name="model_vote_of_project")]
