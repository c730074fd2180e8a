"""What monitors ask: is it alive, can it work, how far is it behind."""

import pytest
from django.db import OperationalError, connection
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client

from annotation.models import Heartbeat, Item
from config import health
from tests import factory
from validation import tasks

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def fresh_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a process that has just started and has not looked at the migrations yet."""
    monkeypatch.setattr(health, "_seen_migrated", [])


def test_alive_without_a_database(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_: object) -> None:
        raise OperationalError

    monkeypatch.setattr(connection, "ensure_connection", away)
    connection.close()
    assert client.get("/healthz").status_code == 200
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()) == (503, {"ready": False, "database": False})


def test_not_ready_while_a_migration_is_pending(client: Client) -> None:
    applied = MigrationRecorder.Migration.objects.filter(app="exports").latest("id")
    name = applied.name
    applied.delete()
    try:
        answer = client.get("/readyz")
        assert (answer.status_code, answer.json()["migrated"]) == (503, False)
    finally:
        MigrationRecorder(connection).record_applied("exports", name)
    assert client.get("/readyz").status_code == 200


def test_ready_says_how_far_behind(client: Client) -> None:
    project = factory.project()
    items = factory.written(project, factory.member(project, "writer"), 1)
    Heartbeat.objects.all().delete()
    Item.objects.filter(pk=items[0].pk).update(due_at="2026-01-01T00:00:00Z")
    state = client.get("/readyz").json()
    assert (state["ready"], state["worker_late"], state["worker_seen_seconds"]) == (True, True, None)
    assert state["oldest_due_seconds"] > 3600
    tasks.sweep()
    state = client.get("/readyz").json()
    assert (state["worker_late"], state["oldest_due_seconds"]) == (False, 0)
    assert state["worker_seen_seconds"] < health.LATE_SECONDS
    Heartbeat.objects.update(at="2026-01-01T00:00:00Z")
    assert client.get("/readyz").json()["worker_late"] is True


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_only_looking_is_allowed(client: Client, path: str) -> None:
    assert client.post(path).status_code == 405
    assert client.get(path).headers["Cache-Control"] == "no-store"
