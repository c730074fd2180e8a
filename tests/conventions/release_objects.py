"""A release for the route tests, and the set of pairs that nobody validates, which are its rows."""

import json
import tempfile
from pathlib import Path

from django.test import override_settings

from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.jobs import queue as jobs
from exports.predictions.actions import predictions_add
from exports.releases.actions import release_freeze
from exports.releases.models import Release
from exports.releases.rules.settings import preset
from exports.statistics.actions import statistics_ask
from tests import factory


def unvalidated_set(project: Project, writer: Annotator) -> None:
    """A set that nobody validates: the rows of the release."""
    Project.objects.filter(pk=project.pk).update(sample_share=0)
    factory.written_pairs(Project.objects.get(pk=project.pk), writer)
    Project.objects.filter(pk=project.pk).update(sample_share=1)


def build_release_once(project: Project, *, twice: bool) -> int:
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
            release.refresh_from_db()
        for name in ("one", "other")[: 1 + twice]:
            add_predictions(release, name, Path(folder))
        assert not jobs.run_here(statistics_ask(release=release, by=None, here=True)).error
    return release.n


def add_predictions(release: Release, model: str, folder: Path) -> None:
    """What a model says of the rows of a release that lies there: nothing."""
    key = release.project.kind_spec.export.id_column
    lines = (folder / release.path / "train.jsonl").read_bytes().splitlines()
    said = [json.dumps({"id": json.loads(line)[key], "prediction": ""}).encode() for line in lines]
    made = predictions_add(release=release, by=None, model=model, name="a.jsonl", chunks=[b"\n".join(said)])
    assert made.job is not None
    assert not jobs.run_here(made.job).error
