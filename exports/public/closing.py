"""Public pages that are closed because votes that their files show are asked for again (core/public_pages.py)."""

from collections.abc import Collection
from typing import Any

from django.db.models import Q

from annotation.core.database import locked
from annotation.core.models.member import Event
from annotation.core.models.user import User
from exports.public.models import Publication
from exports.public.queries import public_votes
from exports.releases.models import Release, ReleaseRow


class Publications:
    """The open pages of releases, each named by its project and number (`slug/n`)."""

    def showing(self, items: Any) -> dict[str, str]:
        """The open pages that show votes on one of the items.

        Their releases stay locked: whoever opens a page at this moment waits, and then sees what became of the items.
        """
        rows = ReleaseRow.objects.filter(item__in=items, votes_n__gt=0)
        holding = Release.objects.filter(pk__in=rows.order_by().values("release"))
        wholes = {whole or pk for pk, whole in holding.values_list("pk", "whole")}
        if not wholes:
            return {}
        list(locked(Release.objects.filter(pk__in=wholes).order_by("pk")).values_list("pk", flat=True))
        pages = Publication.objects.select_related("release__project").filter(release__in=wholes, public=True)
        return {
            f"{page.release.project.slug}/{page.release.n}": page.title
            for page in pages
            if any(public_votes(part).filter(item__in=items).exists() for part in _parts(page.release))
        }

    def close(self, names: Collection[str], *, by: User | None, is_confirmed: bool) -> None:
        """Close pages; the event says whether somebody confirmed it, and is what leads are told."""
        for name in sorted(names):
            slug, _, n = name.rpartition("/")
            release = Release.objects.get(project__slug=slug, n=n)
            Publication.objects.filter(release=release).update(public=False, by=by)
            told = {} if is_confirmed else {"unattended": True}
            Event.record(release.project_id, by, "release_closed", release=release.n, **told)


def _parts(release: Release) -> list[Release]:
    return list(Release.objects.filter(Q(pk=release.pk) | Q(whole=release.pk)))


PAGES = Publications()
