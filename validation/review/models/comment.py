"""What leads and writers say of items."""

from django.db import models
from django.db.models.functions import Now

from annotation.content.models.item import Item
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project


class Comment(models.Model):
    """What leads and the writer say about an item; validators' words stand on their votes."""

    project = models.ForeignKey(Project, models.PROTECT, related_name="+", db_index=False)
    item = models.ForeignKey(Item, models.PROTECT, related_name="comments")
    by = models.ForeignKey(Annotator, models.PROTECT, related_name="+")
    text = models.TextField()
    at = models.DateTimeField(db_default=Now(), editable=False)

    def __str__(self) -> str:
        return self.text[:60]
