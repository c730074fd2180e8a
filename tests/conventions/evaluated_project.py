"""The tests' project of questions of which a release is evaluated: answered by people in a project of its own."""

import tempfile
from collections.abc import Mapping
from dataclasses import replace

from django.test import override_settings

from annotation.content.models.item import Item
from annotation.core.models.member import Annotator
from annotation.core.models.user import User
from annotation.jobs import queue as jobs
from exports.evaluation.study import TYPE
from exports.releases.actions import release_freeze
from exports.releases.rules.settings import preset
from tests import factory
from tests.conventions.named_objects import Things
from tests.questions import a_question, a_question_project
from validation.studies.actions.studies import study_create


def with_evaluation(
    things: Things, crowd: Mapping[str, Annotator], administrator: User, *, twice: bool = False
) -> Things:
    """A release of two questions, and its evaluation; `twice`: a number that the other project lacks."""
    project = a_question_project(f"{things.slug}-answered")
    places = {
        name: factory.member(project, name, account=crowd[name].user)
        for name in ("writer", "validator", "lead")
        if name in crowd
    }
    for _ in range(2):
        a_question(project, places["writer"])
    Item.objects.filter(project=project).update(sampled=False, due_at=None)
    rules = preset("idcsqa").changed({"not_sampled": "test"})
    with tempfile.TemporaryDirectory() as folder, override_settings(MUFAKAT_DATA_DIR=folder):
        for _ in range(1 + twice):
            release = release_freeze(project=project, rules=rules, by=None)
            assert release.job is not None
            assert not jobs.run_here(release.job).error
    release.refresh_from_db()
    slugs = [f"{things.slug}-people", f"{things.slug}-people-again"][: 1 + twice]
    sent = {"release": release.n, "dev": 100, "test": 100, "people": 1}
    made = [study_create(kind=TYPE, project=project, slug=slug, by=administrator, sent=sent) for slug in slugs]
    return replace(things, answered=project.slug, answered_release=str(release.n), study=str(made[-1].n))
