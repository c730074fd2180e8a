"""Public releases, their citation, and error reports about them."""

from django.conf import settings
from django.db import models

from annotation.core.models import DatedModel
from exports.releases.models import Release


class Publication(DatedModel):
    """What the public page of a release says of it; `public` says whether the page is open.

    `creators` are lists of name, ORCID and affiliation, empty where they are not known. `files_withdrawn_at` is when
    the files of a release that was replaced were taken from its page.
    """

    release = models.OneToOneField(Release, models.PROTECT, primary_key=True, related_name="publication")
    public = models.BooleanField(default=False)
    title = models.CharField(max_length=200)
    creators = models.JSONField(default=list)
    publisher = models.CharField(max_length=200)
    year = models.PositiveSmallIntegerField()
    description = models.TextField(blank=True)
    keywords = models.CharField(max_length=300, blank=True)
    doi = models.CharField(max_length=200, blank=True)
    files_withdrawn_at = models.DateTimeField(null=True, blank=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")

    def __str__(self) -> str:
        return f"{self.release_id} {self.public}"


class Erratum(DatedModel):
    """An error in a release that somebody reported, without account and name; shown once a lead answered.

    One that is hidden (spam, nothing to do with the release) is never shown.
    """

    class State(models.TextChoices):
        OPEN = "open"
        ANSWERED = "answered"
        HIDDEN = "hidden"

    release = models.ForeignKey(Release, models.PROTECT, related_name="errata")
    n = models.PositiveIntegerField()
    item = models.CharField(max_length=220, blank=True)
    text = models.TextField()
    state = models.CharField(max_length=8, choices=State.choices, default=State.OPEN)
    answer = models.TextField(blank=True)
    answered_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    answered_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["release", "n"], name="erratum_number_once"),
            models.CheckConstraint(
                condition=~models.Q(state="answered") | ~models.Q(answer=""), name="erratum_answered_in_words"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.release_id} {self.n}"
