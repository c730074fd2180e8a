"""Tokens of people's scripts, and the answers that are given again to the same key."""

from django.conf import settings
from django.db import models
from django.db.models.functions import Now

from annotation.api import rules
from annotation.core.models import DatedModel


class ApiTokenQuerySet(models.QuerySet["ApiToken"]):
    """Tokens, and those that still work."""

    def live(self) -> "ApiTokenQuerySet":
        """Neither revoked nor over, by the database's clock."""
        return self.filter(revoked_at=None, expires_at__gt=Now())


class ApiToken(DatedModel):
    """What a script gives in place of a password; of its secret only the SHA-256 is stored.

    It may do what its `scopes` say, in the projects that it names (None: in all), and never more than its owner may.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="api_tokens")
    name = models.CharField(max_length=rules.LONGEST_NAME)
    secret_hash = models.CharField(max_length=64)
    scopes = models.JSONField(default=list)
    projects = models.JSONField(null=True)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    objects = ApiTokenQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["secret_hash"], name="api_token_hash_once"),
            models.CheckConstraint(
                condition=models.Q(expires_at__gt=models.F("at")), name="api_token_expires_after_it_was_made"
            ),
        ]
        verbose_name = "API token"

    def __str__(self) -> str:
        return self.name


class IdempotentAnswer(DatedModel):
    """What a request with an `Idempotency-Key` was answered: the same key is answered the same, and does nothing."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    key = models.CharField(max_length=rules.LONGEST_KEY)
    request_hash = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField(default=0)
    body = models.TextField(blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "key"], name="idempotent_answer_key_once")]

    def __str__(self) -> str:
        return self.key
