"""What monitors ask: is it alive, can it work, how far is it behind."""

from ipaddress import ip_network
from typing import Any

import pytest
from django.db import OperationalError, connection
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client

from annotation.content.models.item import Item
from annotation.jobs import queue as jobs
from annotation.jobs.models import Heartbeat, Job
from config import health, migrated
from tests import factory
from validation.voting import tasks

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def fresh_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a process that has just started and has not looked at the migrations yet."""
    monkeypatch.setattr(migrated, "_seen", [])


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
    assert client.get("/readyz").json()["migrated"] is True


def everything_works() -> None:
    tasks.sweep()
    jobs.record_heartbeat(jobs.WORKER)


def test_ready_says_how_far_behind(client: Client) -> None:
    project = factory.project()
    items = factory.written_pairs(project, factory.member(project, "writer"), 1)
    Heartbeat.objects.all().delete()
    Item.objects.filter(pk=items[0].pk).update(due_at="2026-01-01T00:00:00Z")
    state = client.get("/readyz").json()
    assert state["oldest_due_seconds"] > 3600
    assert (state["ready"], state["decider_late"], state["decider_seen_seconds"]) == (False, True, None)
    everything_works()
    answer = client.get("/readyz")
    state = answer.json()
    assert (answer.status_code, state["ready"], state["oldest_due_seconds"]) == (200, True, 0)
    assert max(state["decider_seen_seconds"], state["worker_seen_seconds"]) < health.LATE_SECONDS


@pytest.mark.parametrize("dead", ["decider", "worker"])
def test_not_ready_without_one_of_the_processes(client: Client, dead: str) -> None:
    """Each shows by itself that it is alive: the decider lives while no job is done, and the other way round."""
    everything_works()
    Heartbeat.objects.filter(name=dead).update(at="2026-01-01T00:00:00Z")
    answer = client.get("/readyz")
    state = answer.json()
    late = {part: state[f"{part}_late"] for part in ("decider", "worker")}
    assert (answer.status_code, state["ready"]) == (503, False)
    assert late == {part: part == dead for part in late}


def test_a_worker_whose_hands_are_full_is_not_late(client: Client) -> None:
    """No beat comes through while all of its processes do long jobs; their progress says that it lives."""
    everything_works()
    Heartbeat.objects.filter(name="worker").delete()
    job = Job.objects.create(kind="release")
    assert jobs.worker_is_quiet(60)
    assert jobs.claim(job.pk) is not None
    assert (client.get("/readyz").json()["worker_late"], jobs.worker_is_quiet(60)) == (False, False)
    Job.objects.filter(pk=job.pk).update(lease_until="2026-01-01T00:00:00Z")
    assert (client.get("/readyz").json()["worker_late"], jobs.worker_is_quiet(60)) == (True, True)


def test_not_ready_where_the_disk_is_full(client: Client, settings: Any) -> None:
    everything_works()
    assert client.get("/readyz").json()["disk_full"] is False
    settings.DISK_MIN_BYTES = 1 << 60
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()["disk_full"]) == (503, True)


@pytest.mark.parametrize(
    ("proxies", "headers", "inside"),
    [
        (0, {"REMOTE_ADDR": "127.0.0.1"}, True),
        (0, {"REMOTE_ADDR": "10.1.2.3"}, True),
        (0, {"REMOTE_ADDR": "::ffff:192.168.0.4"}, True),
        (0, {"REMOTE_ADDR": "93.184.216.34"}, False),
        (0, {"REMOTE_ADDR": "2606:2800:220:1::1"}, False),
        # A proxy that was not named: it is near, whoever asks through it.
        (0, {"REMOTE_ADDR": "127.0.0.1", "HTTP_X_FORWARDED_FOR": "10.0.0.1"}, False),
        (1, {"REMOTE_ADDR": "172.18.0.5", "HTTP_X_FORWARDED_FOR": "93.184.216.34"}, False),
        (1, {"REMOTE_ADDR": "172.18.0.5", "HTTP_X_FORWARDED_FOR": "10.0.0.1, 93.184.216.34"}, False),
        (1, {"REMOTE_ADDR": "172.18.0.5", "HTTP_X_FORWARDED_FOR": "10.0.0.1"}, True),
        (2, {"REMOTE_ADDR": "172.18.0.5", "HTTP_X_FORWARDED_FOR": "10.0.0.1"}, False),
    ],
)
def test_only_who_is_inside_is_told_more(
    client: Client, settings: Any, proxies: int, headers: dict[str, Any], inside: bool
) -> None:
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = proxies
    everything_works()
    for status, ready in ((200, True), (503, False)):
        answer = client.get("/readyz", **headers)
        assert answer.status_code == status
        assert (answer.json() == {"ready": ready}) is not inside
        Heartbeat.objects.all().delete()


def test_whoever_monitors_is_told_by_address(client: Client, settings: Any) -> None:
    settings.READYZ_NETWORKS = [ip_network("93.184.216.34")]
    assert "database" in client.get("/readyz", REMOTE_ADDR="93.184.216.34").json()
    assert "database" not in client.get("/readyz", REMOTE_ADDR="127.0.0.1").json()


def test_no_page_before_every_migration(client: Client) -> None:
    """New code on a database that is not yet its own: 503 for everything, and not 500; nothing is stored."""
    applied = MigrationRecorder.Migration.objects.filter(app="exports").latest("id")
    name = applied.name
    applied.delete()
    try:
        for path in ("/", "/accounts/login/", "/p/none/", "/nowhere"):
            answer = client.get(path)
            assert (answer.status_code, "Retry-After" in answer) == (503, True), path
        assert client.post("/accounts/login/", {"login": "a@example.org", "password": "x"}).status_code == 503
        assert client.get("/healthz").status_code == 200
    finally:
        MigrationRecorder(connection).record_applied("exports", name)
    assert client.get("/accounts/login/").status_code == 200


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_only_looking_is_allowed(client: Client, path: str) -> None:
    assert client.post(path).status_code == 405
    assert client.get(path).headers["Cache-Control"] == "no-store"
