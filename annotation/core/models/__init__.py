"""Accounts, projects, members; and common parts of the models of all packages."""

from django.db import models
from django.db.models.functions import Now


class DatedModel(models.Model):
    """A row with the moment at which it was made, by the database's clock."""

    at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"{self._meta.verbose_name} {self.pk}"
