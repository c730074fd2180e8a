"""Which notices a person has seen, and whether and when they get e-mails."""

from django.conf import settings
from django.db import models


class NoticeState(models.Model):
    """One person's notices. A notice itself is no row: it follows from what happened (queries.py).

    `seen_at`: up to when they marked them as read. `mails`: whether they get the daily e-mail, in their `zone` (empty:
    the site's). `day` is the last one of theirs that was dealt with, `mailed_until` the end of what was sent.
    """

    user = models.OneToOneField(settings.AUTH_USER_MODEL, models.PROTECT, primary_key=True, related_name="notices")
    seen_at = models.DateTimeField(null=True, blank=True)
    mails = models.BooleanField(default=True)
    zone = models.CharField(max_length=60, blank=True)
    day = models.DateField(null=True, blank=True)
    mailed_until = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(mailed_until__isnull=True) | models.Q(day__isnull=False),
                name="notices_mailed_on_a_day",
            )
        ]

    def __str__(self) -> str:
        return f"notices of {self.user_id}"
