"""The tables of a release, computed by their job."""

from annotation.jobs import queue as jobs
from annotation.jobs.models import Job
from exports.releases.models import Release
from exports.statistics.actions import statistics_ask
from exports.statistics.models import ReleaseStatistics


def computed(release: Release) -> ReleaseStatistics:
    job = jobs.run_here(statistics_ask(release=release, by=None, here=True))
    assert job.state == Job.State.DONE, job.error
    return ReleaseStatistics.objects.get(release=release)
