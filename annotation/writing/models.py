"""How texts were typed, where a project asks and their writer agreed: sums, never what was typed."""

from django.db import models
from django.db.models.functions import Now

from annotation.content.models.item import Item
from annotation.core.models import DatedModel
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.writing.rules.typing import NAMES, Typing


class TypingChoice(DatedModel):
    """What a writer answered when asked whether it may be recorded how they type; append-only, the newest counts."""

    annotator = models.ForeignKey(Annotator, models.PROTECT, related_name="typing_choices")
    agreed = models.BooleanField()


class TypingRecord(models.Model):
    """How the text of an item was typed, as it was submitted; all counts or none (see `rules.typing.Typing`).

    `length` is that of the text in characters. `attested`: its writer said that they wrote the set themselves (None:
    they were not asked).
    """

    item = models.OneToOneField(Item, models.PROTECT, primary_key=True, related_name="typing")
    project = models.ForeignKey(Project, models.PROTECT, related_name="+")
    length = models.PositiveIntegerField()
    attested = models.BooleanField(null=True)
    typed = models.PositiveIntegerField(null=True)
    pasted = models.PositiveIntegerField(null=True)
    inserted = models.PositiveIntegerField(null=True)
    longest = models.PositiveIntegerField(null=True)
    edits = models.PositiveIntegerField(null=True)
    pauses_short = models.PositiveIntegerField(null=True)
    pauses_middle = models.PositiveIntegerField(null=True)
    pauses_long = models.PositiveIntegerField(null=True)
    at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(**{f"{name}__isnull": True for name in NAMES})
                | models.Q(**{f"{name}__isnull": False for name in NAMES}),
                name="typing_all_counts_or_none",
            )
        ]

    def __str__(self) -> str:
        return f"{self.item_id}"

    @property
    def typing(self) -> Typing | None:
        """What was measured; None where nothing was."""
        if self.typed is None:
            return None
        return Typing(**{name: getattr(self, name) for name in NAMES})
