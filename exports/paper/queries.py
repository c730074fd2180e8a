"""A report for whoever may see Insights: of their project, and of others of theirs beside it."""

from collections.abc import Sequence

from annotation.core import access
from annotation.core.access import Membership
from exports.paper.sources import ProjectSources, newest_release, sources_of
from exports.releases.models import Release
from exports.releases.queries import card_text, releases, visible_files


def report_sources(membership: Membership, beside: Sequence[str] = ()) -> list[ProjectSources]:
    """What a report tells of the project and of those beside it. Raises NotFound, Forbidden as each one's Insights."""
    others = [slug for slug in dict.fromkeys(beside) if slug != membership.project.slug]
    places = [membership, *(access.lead_membership(membership.user, slug) for slug in others)]
    return [_sources(place) for place in places]


def _sources(place: Membership) -> ProjectSources:
    release = _shown_release(place)
    return sources_of(place.project, release, card_text(visible_files(place, release)) if release else "")


def _shown_release(place: Membership) -> Release | None:
    return newest_release(releases(place).defer(None))


def projects_beside(membership: Membership) -> list[Membership]:
    """The other projects of the viewer, as lead or administrator, whose items are made of the same parts; by name."""
    here = membership.project
    return [
        place
        for place in access.memberships(membership.user)
        if place.sees_all and place.project.pk != here.pk and place.project.kind_spec.shape == here.kind_spec.shape
    ]
