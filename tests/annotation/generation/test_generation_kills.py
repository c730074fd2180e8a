"""A worker that is killed in the middle of a run: the next one goes on, nothing is asked, paid or stored twice."""

import os
import random
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import redis

from annotation.core.models.project import Project
from annotation.generation.models import GenerationRun
from annotation.jobs import queue as jobs
from annotation.jobs.models import Job
from tests import llm_server, machine, services
from tests.annotation.generation.test_generation_server import all_accounted_for, nothing_paid_twice, says
from tests.wait import wait_until

pytestmark = [pytest.mark.django_db(transaction=True)]
CALLS_OF_A_SET = 3 + 3 + 1 + 3


class Gate:
    """Lets requests through until one of them is the `at`-th; that one and all behind it wait until it is opened."""

    def __init__(self, at: int) -> None:
        self.at, self.n, self.lock = at, 0, threading.Lock()
        self.reached, self.opened = threading.Event(), threading.Event()

    def pass_through(self, seen: llm_server.ReceivedRequest) -> str:
        with self.lock:
            self.n += 1
            waits = self.n >= self.at
        if waits:
            self.reached.set()
            self.opened.wait(60)
        return ""


class Site:
    """A run, the server that it asks, and workers that may be killed."""

    def __init__(self, server: llm_server.Server, env: dict[str, str], folder: Path) -> None:
        self.server, self.env, self.folder = server, env, folder
        self.workers: list[services.Process] = []

    def worker(self) -> services.Process:
        log = self.folder / f"worker{len(self.workers)}.log"
        self.workers.append(services.start_worker(log, env=self.env))
        return self.workers[-1]

    def begin(self, sets: int, batch_size: int = 2) -> tuple[Project, GenerationRun]:
        of = machine.a_machine_project(settings={"batch_size": batch_size})
        machine.question_sets(of, sets)
        endpoint = machine.a_server_endpoint(of, self.server.url, seconds=60, at_once=2)
        return of, machine.begin_run(of, endpoint=endpoint)

    def killed_at(self, at: int) -> None:
        """Kill the worker while the endpoint thinks of its `at`-th answer, with all that it started."""
        gate = Gate(at)
        self.server.misdeed_of = gate.pass_through
        worker = self.worker()
        wait_until(gate.reached.is_set, 60, "the endpoint to be asked")
        worker.kill()
        gate.opened.set()
        self.server.misdeed_of = lambda seen: ""

    def swept(self, run: GenerationRun) -> bool:
        """What the sweep and time do; whether the run is over."""
        machine.expire_waits(run)
        machine.update_one_by_one(Job.objects.filter(batch_of__run=run, state="queued"), at="2020-01-01T00:00:00Z")
        jobs.sweep_jobs()
        run.refresh_from_db()
        return run.state != GenerationRun.State.RUNNING

    def finished(self, run: GenerationRun) -> None:
        """The leases of the dead pass, and a new worker does the rest."""
        running = Job.objects.filter(batch_of__run=run, state="running")
        running.update(lease_until="2020-01-01T00:00:00Z")
        self.worker()
        wait_until(lambda: self.swept(run), 120, "the run to be done")


@pytest.fixture
def site(transactional_db: None, process_env: dict[str, str], tmp_path: Path) -> Iterator[Site]:
    with (
        llm_server.serving(answer=says) as server,
        redis.Redis.from_url(os.environ["REDIS_URL"]) as client,
    ):
        client.flushdb()
        made = Site(server, process_env, tmp_path)
        yield made
        for worker in made.workers:
            worker.kill()
        client.flushdb()


def test_a_killed_worker_is_taken_over(site: Site) -> None:
    """F01: one that asks, killed with two batches in its hands."""
    of, run = site.begin(4)
    site.killed_at(13)
    run.refresh_from_db()
    assert run.state == "running"
    assert run.candidates.filter(state="making").exists()
    site.finished(run)
    all_accounted_for(run, of, 12)
    nothing_paid_twice(site.server)
    assert len(site.server.paid) == 4 * CALLS_OF_A_SET


@pytest.mark.faults
@pytest.mark.timeout(1200)
def test_workers_killed_at_ten_random_points_of_one_run(site: Site, capsys: pytest.CaptureFixture[Any]) -> None:
    """F01: ten kills in one run of thirty questions, wherever it just was."""
    of, run = site.begin(10)
    chance, stood = random.Random("F01"), []
    for _ in range(10):
        site.killed_at(chance.randrange(1, 9))
        stood.append(len(site.server.paid))
        running = Job.objects.filter(batch_of__run=run, state="running")
        running.update(lease_until="2020-01-01T00:00:00Z", fruitless=0)
        site.swept(run)
    site.finished(run)
    all_accounted_for(run, of, 30)
    nothing_paid_twice(site.server)
    assert len(site.server.paid) == 10 * CALLS_OF_A_SET
    with capsys.disabled():
        print(f"\nF01 generation: killed when {stood} of {10 * CALLS_OF_A_SET} calls were paid")
