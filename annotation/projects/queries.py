"""Invitations that can still be accepted, and the places that they gave."""

from annotation.core.access import Viewer, signed_in
from annotation.core.errors import first_or_not_found
from annotation.core.models.member import Annotator, Invitation


def invitation(token: str) -> Invitation:
    """The invitation of a link, if it can still be accepted; unknown, used, revoked and over look the same."""
    return first_or_not_found(
        Invitation.objects.open().select_related("project", "by").filter(token_hash=Invitation.hash_of(token))
    )


def invitation_held(invitation_id: int) -> Invitation | None:
    """The invitation that a session took along through log-in or sign-up, if it can still be accepted."""
    return Invitation.objects.open().select_related("project", "by").filter(pk=invitation_id).first()


def invitation_membership(user: Viewer, token: str) -> Annotator | None:
    """The place of somebody who accepted this link before."""
    person = signed_in(user)
    used = Invitation.objects.filter(token_hash=Invitation.hash_of(token), accepted_by=person)
    return (
        Annotator.objects.select_related("project")
        .filter(user=person, left_at=None, project__in=used.values("project"))
        .first()
    )
