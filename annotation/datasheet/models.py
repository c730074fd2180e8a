"""What a project says of itself and of its people in its releases: licence, statement, consent, demographics."""

from django.conf import settings as conf
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from annotation.core.models import DatedModel
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.datasheet.rules import CHOICES, LARGEST_THRESHOLD, THRESHOLD


class About(models.Model):
    """Licence, citation, ethics approval and data statement of a project. One row, made when first said.

    `statement` has the sections of annotation.datasheet.rules by their keys, `answers` those to its questions;
    `threshold` is the smallest group of people that a release counts.
    """

    project = models.OneToOneField(Project, models.PROTECT, related_name="about")
    licence = models.CharField(_("licence"), max_length=80, blank=True)
    citation = models.TextField(_("citation"), blank=True)
    homepage = models.CharField(_("home page"), max_length=200, blank=True)
    ethics_board = models.CharField(_("ethics board"), max_length=200, blank=True)
    ethics_number = models.CharField(_("number of the approval"), max_length=80, blank=True)
    threshold = models.PositiveSmallIntegerField(
        _("smallest group of people"),
        default=THRESHOLD,
        validators=[MinValueValidator(1), MaxValueValidator(LARGEST_THRESHOLD)],
    )
    statement = models.JSONField(default=dict, blank=True)
    answers = models.JSONField(default=dict, db_default={}, blank=True)
    version = models.PositiveIntegerField(default=1)

    class Meta:
        constraints = [models.CheckConstraint(condition=models.Q(threshold__gte=1), name="about_threshold_counts")]

    def __str__(self) -> str:
        return f"{self.project_id}"


class ConsentVersion(DatedModel):
    """What members agree to before they say anything about themselves, at a moment; append-only.

    With `asks_again` an agreement to an earlier version is none to this one; without, its meaning is the same.
    """

    project = models.ForeignKey(Project, models.PROTECT, related_name="consents")
    n = models.PositiveIntegerField()
    text = models.TextField()
    asks_again = models.BooleanField()
    by = models.ForeignKey(conf.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "n"], name="consent_number_once")]


class Consent(DatedModel):
    """A member's agreement to one version, until they end it; one stands at a time."""

    annotator = models.ForeignKey(Annotator, models.PROTECT, related_name="consents")
    version = models.ForeignKey(ConsentVersion, models.PROTECT, related_name="given")
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["annotator"], condition=models.Q(ended_at__isnull=True), name="consent_one_stands"
            )
        ]


class Demographics(DatedModel):
    """What a member said about themselves in one project, all of it optional; the row goes when they say so.

    Only while a consent stands. `least` is the smallest group that they agreed to be counted in; the region that they
    answer from stands on their place.
    """

    annotator = models.OneToOneField(Annotator, models.PROTECT, related_name="demographics")
    native_language = models.CharField(_("native language"), max_length=80, blank=True)
    country = models.CharField(_("country"), max_length=80, blank=True, default="", db_default="")
    ethnicity = models.CharField(_("ethnicity"), max_length=80, blank=True)
    domicile = models.CharField(_("where you live"), max_length=80, blank=True)
    years_there = models.CharField(max_length=20, blank=True, choices=CHOICES["years_there"])
    education = models.CharField(max_length=20, blank=True, choices=CHOICES["education"])
    age_band = models.CharField(max_length=20, blank=True, choices=CHOICES["age_band"])
    gender = models.CharField(_("gender"), max_length=80, blank=True)
    income_group = models.CharField(max_length=20, blank=True, choices=CHOICES["income_group"])
    expertise = models.CharField(_("expertise"), max_length=80, blank=True)
    least = models.PositiveSmallIntegerField(default=THRESHOLD)
