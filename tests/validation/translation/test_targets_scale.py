"""22 targets as one: dealt, reviewed, asked for and released at a cost that does not grow with them."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotation.content.models.item import Item
from annotation.content.models.source import Allocation
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.jobs import queue as jobs
from exports.releases.actions import release_freeze
from exports.releases.rules.settings import preset
from tests import scale
from tests.translations import member
from tests.validation.imports_run import import_items
from validation.voting.actions.decide import decide_due
from validation.voting.models.assignment import Assignment

pytestmark = pytest.mark.django_db
COUNT, EACH = 30, 3
MOST_BUFFERS = 100
HTMX = {"HX-Request": "true"}


@pytest.fixture(autouse=True)
def data(tmp_path: Path, settings: Any) -> Path:
    settings.MUFAKAT_DATA_DIR = tmp_path / "data"
    settings.REDIS_URL = ""
    return tmp_path


def decide_all() -> None:
    while decide_due():
        pass


def imported(of: Project, folder: Path, count: int) -> None:
    code, found = import_items(of.slug, scale.parallel_file(folder / f"{of.slug}.jsonl", of, count))
    assert (code, found["accepted"]) == (0, count * of.targets.count()), found


def test_every_unit_is_dealt_once_in_every_target() -> None:
    spent = {}
    for count in (6, COUNT):
        project = scale.project(scale.TARGETS, count)
        people = scale.translators(project, EACH)
        with CaptureQueriesContext(connection) as said:
            assert scale.allocate_units(project, people, COUNT) == 22 * count
        spent[count] = len(said)
        dealt = Allocation.objects.filter(project=project).values_list("target__key", "unit")
        assert set(Counter(dealt).values()) == {1}
        loads = Counter(Allocation.objects.filter(project=project).values_list("writer__pseudonym", flat=True))
        assert set(loads.values()) == {count // EACH}
    assert spent[6] == spent[COUNT], spent


def test_the_next_item_costs_as_with_one_target(data: Path) -> None:
    figures = {}
    scale.empty_tables()
    for targets in (scale.TARGETS[-1:], scale.TARGETS):
        project = scale.project(targets, COUNT)
        imported(project, data, COUNT)
        decide_all()
        scale.analyze()
        target = scale.targets(project)[0]
        figures[len(targets)], _ = scale.measure_next_item(member(project, "validator", targets=(target.key,)), target)
    # So few rows are read whole: that it is as many pages at 3,000 is shown by tests/faults/test_long_targets.py.
    assert max(figures.values()) < MOST_BUFFERS, figures


def votes(client: Client, project: Project, person: Annotator) -> list[str]:
    """What the database is asked for a review whose answer is the next card; BEGIN and COMMIT are not counted."""
    assignment = Assignment.objects.get(annotator=person, state=Assignment.State.OPEN)
    with CaptureQueriesContext(connection) as said:
        answer = client.post(f"/p/{project.slug}/vote/{assignment.token}/", {"label": "approve"}, headers=HTMX)
    assert answer.status_code == 200, answer.content.decode()
    assert Assignment.objects.get(annotator=person, state=Assignment.State.OPEN).token in answer.content.decode()
    return [query["sql"] for query in said if query["sql"] not in ("BEGIN", "COMMIT")]


def test_a_review_takes_as_many_statements_in_one_of_22_targets(data: Path) -> None:
    """Who reviews for all of them is asked one statement more: which of them have something."""
    spent = {}
    for targets in (scale.TARGETS[-1:], scale.TARGETS):
        project = scale.project(targets, COUNT)
        imported(project, data, COUNT)
        decide_all()
        key = scale.targets(project)[0].key
        for name, chosen in (("one", (key,)), ("all", ())):
            person = member(project, "validator", targets=chosen)
            client = Client()
            assert person.user is not None
            client.force_login(person.user)
            client.get(f"/p/{project.slug}/vote/")
            votes(client, project, person)  # the first makes the cursor
            spent[name, len(targets)] = len(votes(client, project, person))
    assert spent["one", 22] == spent["one", 1], spent
    assert spent["all", 22] <= spent["all", 1] + 3, spent


def test_what_was_reviewed_is_released_row_by_row_in_every_target(data: Path) -> None:
    project = scale.project(scale.TARGETS, COUNT)
    file = scale.reviewed_file(data / "reviewed.jsonl", project, COUNT, EACH)
    assert import_items(project.slug, file)[1]["accepted"] == 22 * COUNT
    decide_all()
    assert set(Item.objects.values_list("stage", "gold")) == {("settled", "approve")}
    release = release_freeze(project=project, rules=preset("loraxbench"), by=None)
    assert release.job is not None
    job = jobs.run_here(release.job)
    assert job.error == ""
    release.refresh_from_db()
    folder = data / "data" / "releases"
    written = sorted(folder.rglob("sentences/*.jsonl")) + sorted(folder.rglob("sentences/**/*.jsonl"))
    files = {path.name: path.read_text().splitlines() for path in written}
    assert len(files) == 23, sorted(files)
    ids = {tuple(json.loads(line)["id"] for line in lines) for lines in files.values()}
    assert len(ids) == 1
    assert len(ids.pop()) == COUNT
