"""What models predicted for a release, and which releases show the results to everybody."""

from django.conf import settings
from django.db import models

from annotation.core.models import DatedModel
from annotation.jobs.models import Job
from exports.releases.models import Release


class Predictions(DatedModel):
    """A model's answers to a release, from one file, and what they scored. Never changed; a mistake is withdrawn.

    `given` has by the row's id the label (`l`, empty: no answer), probabilities (`p`), MC1 with MC2 (`mc`) and a text
    (`t`), as far as the file told them. `outcomes` has by id what each scored, for comparisons with other models. Both
    are shown to nobody. A `baseline` came from no file (baseline.py). `restart` names which of a model's restarts it
    is, empty where nobody said; `digest` is that of restart and file.
    """

    release = models.ForeignKey(Release, models.PROTECT, related_name="predictions")
    n = models.PositiveIntegerField()
    model = models.CharField(max_length=120)
    restart = models.CharField(max_length=40, blank=True, db_default="")
    digest = models.CharField(max_length=64)
    given = models.JSONField(default=dict)
    outcomes = models.JSONField(default=dict)
    result = models.JSONField(default=dict)
    baseline = models.BooleanField(default=False)
    job = models.OneToOneField(Job, models.PROTECT, null=True, related_name="predictions_of")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    withdrawn_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["release", "n"], name="predictions_number_once"),
            models.UniqueConstraint(
                fields=["release", "model", "digest"],
                condition=models.Q(withdrawn_at__isnull=True),
                name="predictions_file_once",
            ),
            models.UniqueConstraint(
                fields=["release"], condition=models.Q(baseline=True), name="predictions_baseline_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.release_id} {self.n} {self.model}"


class Leaderboard(models.Model):
    """Whether the results of a release's models are shown to everybody, and who decided so."""

    release = models.OneToOneField(Release, models.PROTECT, primary_key=True, related_name="leaderboard")
    public = models.BooleanField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")

    def __str__(self) -> str:
        return f"{self.release_id} {self.public}"
