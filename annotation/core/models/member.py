"""People in projects: an Annotator is a person's place in one, with roles and a stable pseudonym."""

import hashlib
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from annotation.core.models import DatedModel
from annotation.core.models.project import Project
from annotation.core.models.user import User

# Where a person's place keeps since when they may do the work of a role.
QUALIFIED_COLUMNS = {"validator": "qualified_at", "writer": "writer_qualified_at"}


class Annotator(models.Model):
    """A person's place in a project. An imported annotator has no user and keeps the published name.

    `no_part_at`: when they signed that they took no part in making the prompts. `has_led` stays: who was a lead has
    seen labels and votes, and is never a validator here, but where the project lets leads vote
    (`votes_leading`): then never on what they opened. `entry`: the entry conditions that they confirmed, as these
    were then. `paused_at`: since when they are given no new items to judge, until a lead decides otherwise;
    `qualified_at`: since when they have passed the voters' quiz, or were let in without; `writer_qualified_at`: the
    same of the writers' quiz.
    """

    project = models.ForeignKey(Project, models.PROTECT, related_name="annotators")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="memberships"
    )
    pseudonym = models.CharField(max_length=80)
    is_writer = models.BooleanField(_("writer"), default=False)
    is_validator = models.BooleanField(_("validator"), default=False)
    is_lead = models.BooleanField(_("QC lead"), default=False)
    is_reviewer = models.BooleanField(_("group reviewer"), default=False)
    has_led = models.BooleanField(default=False)
    votes_leading = models.BooleanField(default=False)
    no_part_at = models.DateTimeField(null=True, blank=True)
    imported = models.BooleanField(default=False)
    region = models.CharField(_("region"), max_length=80, blank=True)
    entry = models.JSONField(default=dict, blank=True)
    read_guidelines = models.JSONField(default=dict, blank=True)
    joined_at = models.DateTimeField(db_default=Now(), editable=False)
    left_at = models.DateTimeField(null=True, blank=True)
    paused_at = models.DateTimeField(null=True, blank=True)
    qualified_at = models.DateTimeField(null=True, blank=True)
    writer_qualified_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "user"], name="annotator_one_place"),
            models.UniqueConstraint(fields=["project", "pseudonym"], name="annotator_pseudonym_once"),
            models.CheckConstraint(
                condition=~models.Q(has_led=True, is_validator=True, votes_leading=False),
                name="annotator_lead_votes_where_allowed",
            ),
            models.CheckConstraint(
                condition=models.Q(is_lead=False) | models.Q(has_led=True), name="annotator_lead_has_led"
            ),
        ]

    def __str__(self) -> str:
        return self.pseudonym

    def owes_quiz(self, role: str) -> bool:
        """Whether they have to pass the quiz of a role (`validator`, `writer`) before they are given anything in it.

        Leads, and those who were, know what is right in the writers' quiz, so that they are not asked.
        """
        exempt = role == "writer" and self.has_led
        return (
            bool(self.project.rules.quiz(role).questions)
            and not exempt
            and getattr(self, QUALIFIED_COLUMNS[role]) is None
        )


class InvitationQuerySet(models.QuerySet["Invitation"]):
    """Invitations, and those that still work."""

    def open(self) -> "InvitationQuerySet":
        """Those that can still be accepted, by the database's clock."""
        return self.filter(accepted_at=None, revoked_at=None, expires_at__gt=Now())


class Invitation(DatedModel):
    """A single-use link bound to an e-mail address, a project, roles and, by their keys, targets.

    Only the token's hash is kept.
    """

    project = models.ForeignKey(Project, models.PROTECT, related_name="invitations")
    email = models.EmailField()
    is_writer = models.BooleanField(default=False)
    is_validator = models.BooleanField(default=False)
    is_lead = models.BooleanField(default=False)
    is_reviewer = models.BooleanField(default=False)
    targets = models.JSONField(default=list, blank=True)
    token_hash = models.CharField(max_length=64, unique=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    expires_at = models.DateTimeField()
    accepted_at = models.DateTimeField(null=True, blank=True)
    accepted_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+")
    revoked_at = models.DateTimeField(null=True, blank=True)

    objects = InvitationQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=~models.Q(is_lead=True, is_validator=True), name="invitation_lead_does_not_vote"
            ),
            models.CheckConstraint(
                condition=models.Q(accepted_at__isnull=True) | models.Q(revoked_at__isnull=True),
                name="invitation_accepted_or_revoked",
            ),
        ]

    @staticmethod
    def hash_of(token: str) -> str:
        """What is stored of a token: somebody who reads the database cannot use it."""
        return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


class Event(DatedModel):
    """The audit of changes that no append-only row records: settings, roles, hand-overs, exports."""

    project = models.ForeignKey(Project, models.PROTECT, null=True, related_name="events")
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    verb = models.CharField(max_length=40)
    data = models.JSONField(default=dict, blank=True)

    def __str__(self) -> str:
        return f"{self.verb} {self.at:%Y-%m-%d}"

    @classmethod
    def record(cls, project: Project | int, actor: User | None, verb: str, **data: Any) -> None:
        """Keep that somebody did something in a project (or the one of this key)."""
        key = project if isinstance(project, int) else project.pk
        cls.objects.create(project_id=key, actor=actor, verb=verb, data=data)
