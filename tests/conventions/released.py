"""A release for the route tests, and the set of pairs that nobody validates, which are its rows."""

import tempfile

from django.test import override_settings

from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.jobs import queue as jobs
from exports.releases.actions import release_freeze
from exports.releases.rules.settings import preset
from tests import factory


def not_sampled(project: Project, writer: Annotator) -> None:
    """A set that nobody validates: the rows of the release."""
    Project.objects.filter(pk=project.pk).update(sample_share=0)
    factory.written(Project.objects.get(pk=project.pk), writer)
    Project.objects.filter(pk=project.pk).update(sample_share=1)


def released(project: Project, *, twice: bool) -> int:
    """The number of a release that was built, its files gone since; `twice`: a number that the other project lacks."""
    with tempfile.TemporaryDirectory() as folder, override_settings(MUFAKAT_DATA_DIR=folder):
        for _ in range(1 + twice):
            release = release_freeze(
                project=project,
                rules=preset("indonli-lay").changed({"not_sampled": "train", "strict": "no"}),
                by=None,
            )
            assert release.job is not None
            assert not jobs.run_here(release.job).error
    return release.n
