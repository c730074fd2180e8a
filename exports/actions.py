"""The only writers of releases: freeze, and note who took a file away."""

from dataclasses import replace
from typing import Any

from django.db import transaction
from django.db.models import Count, Max, Q

from annotation import jobs
from annotation.errors import Conflict
from annotation.models import Event, Project, Share, User
from exports import sql
from exports.building import JOB_KIND
from exports.models import Release
from exports.rules.settings import SplitRules


def release_freeze(*, project: Project, rules: SplitRules, by: User | None) -> Release:
    """Put down every item of the project as it stands, and have the files built from that in the background.

    One short transaction: people go on writing and voting, and what they do no longer touches this release.
    Raises Conflict where there is nothing to release.
    """
    with transaction.atomic():
        # A lock that other rows may refer through: a vote's foreign key to the project does not wait for it.
        fresh = Project.objects.select_for_update(no_key=True).get(pk=project.pk)
        last = Release.objects.filter(project=fresh).aggregate(n=Max("n"))["n"] or 0
        release = Release.objects.create(
            project=fresh,
            n=last + 1,
            rules=replace(rules, seed=rules.seed or fresh.seed).to_dict(),
            context=_context(fresh),
            by=by,
        )
        if not sql.freeze_rows(release=release.pk, project=fresh.pk):
            raise Conflict("There is nothing to release: nobody has submitted an item.", code="nothing_there")
        release.job = jobs.enqueue(kind=JOB_KIND, project=fresh, by=by, args={"release": release.pk})
        release.save(update_fields=["job"])
    return release


def _context(project: Project) -> dict[str, Any]:
    """What a release tells beside its rows: protocols, guidelines, and sets that were begun but not submitted."""
    return {
        "protocols": [
            {"n": n, "rules": rules} for n, rules in project.protocols.order_by("n").values_list("n", "rules")
        ],
        "guidelines": [
            {"role": role, "n": n} for role, n in sorted(project.guidelines.values_list("role", "n"))
        ],
        "unfinished": unfinished_sets(project),
    }


def unfinished_sets(project: Project) -> list[dict[str, Any]]:
    """Sets with something written that nobody submitted (ruling 12), by premise."""
    begun = (
        Share.objects.filter(project=project, state__in=[Share.State.OPEN, Share.State.LAPSED])
        .annotate(written=Count("drafts", filter=~Q(drafts__content__text="")))
        .filter(written__gt=0)
        .values_list("premise__key", "writer__pseudonym", "written")
    )
    return [{"premise": key, "writer": writer, "written": n} for key, writer, n in sorted(begun)]


def release_downloaded(*, release: Release, name: str, by: User) -> None:
    """Note who took which file."""
    Event.objects.create(
        project_id=release.project_id,
        actor=by,
        verb="release_downloaded",
        data={"release": release.n, "file": name},
    )
