"""Asking for the tables of a release, and the job that computes and stores them."""

from collections.abc import Sequence
from typing import Any

from django.db import transaction
from django.db.models.functions import Now

from annotation.core.database import locked
from annotation.core.errors import Conflict
from annotation.core.models.user import User
from annotation.jobs import queue as jobs
from annotation.jobs.models import Job
from exports.releases.models import Release
from exports.statistics.models import ReleaseStatistics

JOB_KIND = "release_statistics"


def statistics_ask(*, release: Release, by: User | None, here: bool = False) -> Job:
    """Have the tables of a release computed; never twice at the same time. `here` where the caller runs the job.

    Raises Conflict where the release is not ready.
    """
    if release.state != Release.State.READY:
        raise Conflict(code="release_not_ready")
    with transaction.atomic():
        fresh = locked(Release.objects.filter(pk=release.pk)).get()
        args: dict[str, Any] = {"release": fresh.pk}
        under_way = Job.objects.filter(
            project=fresh.project_id, kind=JOB_KIND, state__in=jobs.UNFINISHED, args=args
        ).first()
        job = under_way or jobs.enqueue(kind=JOB_KIND, project=release.project, by=by, args=args, here=here)
        ReleaseStatistics.objects.update_or_create(release=fresh, defaults={"job": job})
    return job


def statistics_ask_all(*, releases: Sequence[Release], by: User | None, here: bool = False) -> list[Job]:
    """Have the tables of the projects of a release computed. Raises Conflict where it is not ready."""
    return [statistics_ask(release=release, by=by, here=here) for release in releases]


def statistics_store(*, release: Release, tables: dict[str, Any], people: dict[str, Any]) -> None:
    """Keep what was computed."""
    values = {"tables": tables, "people": people, "at": Now()}
    ReleaseStatistics.objects.update_or_create(release=release, defaults=values)
