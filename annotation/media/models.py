"""Images and sounds of a project."""

from django.conf import settings
from django.db import models
from django.db.models.functions import Length

from annotation.core.models import DatedModel
from annotation.core.models.project import Project
from annotation.media.rules.files import LONGEST_NAME, MOST_BYTES, TYPES, reference


class MediaFile(DatedModel):
    """A file under the name by which rows call it; its bytes lie under their hash, once for all names of a project.

    `width` and `height` are an image's pixels; a sound has none. `size` is in bytes. The name may tell what an item is,
    so nobody who votes is shown it.
    """

    project = models.ForeignKey(Project, models.PROTECT, related_name="media", db_index=False)
    name = models.CharField(max_length=LONGEST_NAME)
    sha256 = models.CharField(max_length=64)
    # Of what was uploaded, where it carried metadata: only administrators may download that.
    original_sha256 = models.CharField(max_length=64, blank=True, default="", db_default="")
    type = models.CharField(max_length=4, choices=[(each, each) for each in TYPES])
    size = models.PositiveIntegerField()
    width = models.PositiveIntegerField(null=True, blank=True)
    height = models.PositiveIntegerField(null=True, blank=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "name"], name="media_name_once"),
            models.CheckConstraint(condition=models.Q(type__in=list(TYPES)), name="media_of_a_known_type"),
            models.CheckConstraint(
                condition=models.Q(size__gte=1, size__lte=max(MOST_BYTES.values())), name="media_size_fits"
            ),
            models.CheckConstraint(
                condition=models.Q(models.lookups.Exact(Length("sha256"), 64)), name="media_hash_is_whole"
            ),
            models.CheckConstraint(
                condition=models.Q(width__isnull=True, height__isnull=True)
                | models.Q(width__isnull=False, height__isnull=False, width__gte=1, height__gte=1),
                name="media_width_with_height",
            ),
        ]
        indexes = [models.Index(fields=["project", "sha256"], name="media_by_hash")]

    def __str__(self) -> str:
        return self.reference

    @property
    def reference(self) -> str:
        """How items, pages and releases name it."""
        return reference(self.sha256, self.type)
