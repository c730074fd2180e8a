"""Concepts that somebody may see."""

from annotation.content.models.source import Concept
from annotation.content.queries import has_concepts
from annotation.core.access import Membership, Viewer, membership, memberships, project_for_leads
from annotation.core.errors import Forbidden, NotFound, first_or_not_found
from annotation.core.models.project import Project


def concepts_membership(user: Viewer, slug: str) -> Membership:
    """The viewer as somebody who sees the project's concepts: writer, lead or administrator.

    NotFound where the kind has none: its writers start from something else.
    """
    found = membership(user, slug)
    if not has_concepts(found.project):
        raise NotFound
    if not (found.sees_all or found.is_writer):
        raise Forbidden
    return found


def concept(membership: Membership, concept_id: int) -> Concept:
    """One concept: any for leads and administrators, for writers one that they proposed."""
    found = Concept.objects.select_related("target", "proposed_by").filter(pk=concept_id, project=membership.project)
    if not membership.sees_all:
        found = found.filter(proposed_by=membership.annotator, proposed_by__isnull=False)
    return first_or_not_found(found)


def concept_source_projects(membership: Membership) -> list[Project]:
    """The other projects whose concepts the viewer may take over: those that they lead or administer."""
    own = project_for_leads(membership)
    others = [other.project for other in memberships(membership.user) if other.sees_all]
    return [other for other in others if other.pk != own.pk and has_concepts(other)]
