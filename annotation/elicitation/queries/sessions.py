"""What the pages of sessions read: which purposes are open to whom, and the sessions of those."""

from django.db.models import QuerySet

from annotation.core import access
from annotation.core.access import Membership, Viewer
from annotation.core.errors import Forbidden, NotFound
from annotation.elicitation.models.session import Session
from annotation.elicitation.rules.sessions import ELICITATION, REVIEW, purposes


def open_to(membership: Membership) -> list[str]:
    """The purposes whose sessions somebody may see: writers the questions asked first, reviewers the reviews."""
    seen = {
        ELICITATION: membership.sees_all or membership.is_writer,
        REVIEW: membership.sees_all or membership.is_reviewer,
    }
    return [purpose for purpose in purposes(membership.project.kind_spec.features) if seen[purpose]]


def sessions_place(user: Viewer, slug: str) -> Membership:
    """The viewer as somebody who sees sessions; NotFound where the kind has none."""
    found = access.membership(user, slug)
    if not purposes(found.project.kind_spec.features):
        raise NotFound
    if not open_to(found):
        raise Forbidden
    return found


def sessions_of(membership: Membership, purpose: str) -> QuerySet[Session]:
    """The sessions of a purpose, the latest first."""
    if purpose not in open_to(membership):
        raise Forbidden
    return Session.objects.filter(project=membership.project, purpose=purpose).order_by("-held_on", "-pk")
