"""Who acts as QC lead: the leads of a project, and administrators, who become one by what they decide."""

from annotation.core import access
from annotation.core.access import Membership, Viewer
from annotation.core.actions.members import Roles, annotator_add
from annotation.core.errors import NotFound
from annotation.core.models.member import Annotator


def lead_place(user: Viewer, slug: str) -> tuple[Membership, Annotator]:
    """The viewer as QC lead; an administrator who is none here becomes one, keeping their other roles.

    Every decision stands under a pseudonym of its project, so whoever decides has a place in it. NotFound and
    Forbidden are raised as by `access.overseer`, Conflict where the person judges what is made here.
    """
    membership = access.overseer(user, slug)
    if not membership.is_lead:
        roles = Roles(writer=membership.is_writer, reviewer=membership.is_reviewer, lead=True)
        annotator_add(project=membership.project, user=membership.user, by=membership.user, **roles.to_dict())
        membership = access.overseer(user, slug)
    if membership.annotator is None:
        raise NotFound
    return membership, membership.annotator
