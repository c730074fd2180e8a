"""Validators of prompts sign that they took no part in making them (Kalahi §3.2; domain.md §6)."""

from django.db import transaction
from django.db.models.functions import Now

from annotation.core.models.member import Annotator, Event, Invitation
from annotation.core.models.project import Project


def is_asked(project: Project, *, validator: bool, writer: bool, reviewer: bool) -> bool:
    """Whether somebody with these roles has to sign.

    Who writes or reviews here as well cannot: the house knows what they had a part in, and keeps it from them.
    """
    return project.kind_spec.judged_apart and validator and not (writer or reviewer)


def invitation_asks(invitation: Invitation) -> bool:
    """Whether an invitation is accepted only with the signature."""
    return is_asked(
        invitation.project,
        validator=invitation.is_validator,
        writer=invitation.is_writer,
        reviewer=invitation.is_reviewer,
    )


def owes_signature(annotator: Annotator) -> bool:
    """Whether this member may see nothing to judge before they have signed."""
    return annotator.no_part_at is None and is_asked(
        annotator.project,
        validator=annotator.is_validator,
        writer=annotator.is_writer,
        reviewer=annotator.is_reviewer,
    )


def no_part_sign(*, annotator: Annotator) -> None:
    """Sign, once: the first time stays."""
    with transaction.atomic():
        if Annotator.objects.filter(pk=annotator.pk, no_part_at=None).update(no_part_at=Now()):
            data = {"annotator": annotator.pseudonym}
            Event.objects.create(
                project_id=annotator.project_id, actor_id=annotator.user_id, verb="no_part", data=data
            )
