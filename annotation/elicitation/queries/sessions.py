"""What the pages of sessions read: which purposes are open to whom, and the sessions of those."""

from django.db.models import QuerySet

from annotation.core import access
from annotation.core.access import Place, Viewer
from annotation.core.errors import Forbidden, NotFound
from annotation.elicitation.models.session import Session
from annotation.elicitation.rules.sessions import ELICITATION, REVIEW, purposes


def open_to(spot: Place) -> list[str]:
    """The purposes whose sessions somebody may see: writers the questions asked first, reviewers the reviews."""
    seen = {ELICITATION: spot.sees_all or spot.is_writer, REVIEW: spot.sees_all or spot.is_reviewer}
    return [purpose for purpose in purposes(spot.project.kind_spec.features) if seen[purpose]]


def sessions_place(user: Viewer, slug: str) -> Place:
    """The viewer as somebody who sees sessions; NotFound where the kind has none."""
    found = access.place(user, slug)
    if not purposes(found.project.kind_spec.features):
        raise NotFound
    if not open_to(found):
        raise Forbidden
    return found


def sessions_of(spot: Place, purpose: str) -> QuerySet[Session]:
    """The sessions of a purpose, the latest first."""
    if purpose not in open_to(spot):
        raise Forbidden
    return Session.objects.filter(project=spot.project, purpose=purpose).order_by("-held_on", "-pk")
