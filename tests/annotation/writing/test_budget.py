"""What writing costs: statements of saving a slot while typing, and of submitting a set of six."""

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotation.content.models.item import Item
from annotation.content.models.source import Allocation, Draft
from annotation.text import checks
from annotation.writing.actions.allocation import allocations_assign
from tests import factory

pytestmark = pytest.mark.django_db
# The two that the suite's own transaction adds to each of ours are counted; about a tenth above what it takes.
MOST_AUTOSAVE, MOST_SUBMIT = 13, 24


@pytest.fixture
def allocation() -> Allocation:
    project = factory.project()
    writer = factory.member(project, "writer")
    factory.premises(project, 1)
    allocations_assign(target=project.targets.get(), writers=[writer], size=1)
    return Allocation.objects.get(writer=writer)


@pytest.fixture
def browser(client: Client, allocation: Allocation) -> Client:
    assert allocation.writer.user is not None
    client.force_login(allocation.writer.user)
    client.get(f"/p/{allocation.project.slug}/write/{allocation.token}/")
    return client


def statements(browser: Client, path: str, fields: dict[str, Any], status: int) -> list[str]:
    """What the database is asked."""
    with CaptureQueriesContext(connection) as said:
        answer = browser.post(path, fields)
    assert answer.status_code == status, answer.content
    return [query["sql"] for query in said]


def test_saving_a_slot_and_submitting_a_set(
    browser: Client, allocation: Allocation, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs: list[int] = []
    run = checks.run_checks

    def counted(*given: Any) -> Any:
        runs.append(1)
        return run(*given)

    monkeypatch.setattr(checks, "run_checks", counted)
    base = f"/p/{allocation.project.slug}/write/{allocation.token}/"
    texts = {f"text_{key}": text for key, text in factory.SET.items()}
    saving = statements(browser, f"{base}save/e1/", {"text_e1": factory.SET["e1"], "version": "0"}, 200)
    assert Draft.objects.get().version == 1
    assert len(saving) <= MOST_AUTOSAVE, (len(saving), saving)
    assert len(runs) == 1
    submitting = statements(browser, f"{base}submit/", texts | {"version_e1": "1"}, 302)
    assert Item.objects.count() == Draft.objects.count() == 6
    assert len(submitting) <= MOST_SUBMIT, (len(submitting), submitting)
    assert len(runs) == 2
    read = [sql for sql in submitting if 'FROM "annotation_allocation"' in sql and "JOIN" in sql]
    assert len(read) == 1, read
