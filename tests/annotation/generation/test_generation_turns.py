"""A run does not hold a worker: its jobs give way after a turn, and where their worker is to stop."""

import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis

from annotation.generation.models import GenerationRun
from annotation.jobs import queue as jobs
from annotation.jobs.models import Job
from tests import llm_server, machine, services
from tests.annotation.generation.test_generation_server import all_accounted_for, nothing_paid_twice, says
from tests.wait import wait_until


@pytest.fixture
def ending() -> Iterator[None]:
    jobs.stop_soon()
    yield
    jobs.stop_soon(stop=False)


def gave_way(run: GenerationRun) -> Job:
    """The run's one job, which waits for a worker though nothing keeps it from going on."""
    (job,) = Job.objects.filter(batch_of__run=run)
    assert job.pk in jobs.waiting_job_ids()
    assert (job.state, job.fruitless, job.done, job.error) == ("queued", 0, 1, "")
    assert set(run.results.values_list("step", flat=True)) == {"question"}
    return job


def one_batch() -> GenerationRun:
    of = machine.a_machine_project()
    machine.question_sets(of, 1)
    return machine.begin_run(of)


@pytest.mark.django_db
def test_a_job_that_had_its_turn_goes_on_behind_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "TURN_SECONDS", -1.0)
    run = one_batch()
    with machine.answering():
        jobs.run_here(*machine.jobs_of(run))
        job = gave_way(run)
        assert machine.jobs_of(run) == [job], "it can be taken up at once"
        assert machine.finish(run).state == "done"
    job.refresh_from_db()
    assert (job.state, job.attempts) == ("done", 4), "one turn for each step"


@pytest.mark.django_db
def test_a_job_whose_worker_is_to_stop_gives_way(ending: None) -> None:
    run = one_batch()
    with machine.answering():
        jobs.run_here(*machine.jobs_of(run))
    gave_way(run)


@pytest.mark.django_db
def test_a_job_within_its_turn_goes_on() -> None:
    run = one_batch()
    with machine.answering():
        jobs.run_here(*machine.jobs_of(run))
    assert [job.attempts for job in Job.objects.filter(batch_of__run=run)] == [1]


@pytest.mark.django_db(transaction=True)
def test_a_worker_that_is_shut_down_stops_behind_a_step(process_env: dict[str, str], tmp_path: Path) -> None:
    """What its parent is told is heard in the process that asks: SIGTERM, as at every restart of the service."""
    asked, go_on = threading.Event(), threading.Event()

    def waits(seen: llm_server.ReceivedRequest) -> str:
        asked.set()
        go_on.wait(60)
        return ""

    with (
        llm_server.serving(answer=says) as server,
        redis.Redis.from_url(os.environ["REDIS_URL"]) as client,
    ):
        client.flushdb()
        server.misdeed_of = waits
        of = machine.a_machine_project()
        machine.question_sets(of, 1)
        endpoint = machine.a_server_endpoint(of, server.url, seconds=60, at_once=4)
        run = machine.begin_run(of, endpoint=endpoint)
        heard = tmp_path / "heard"
        worker = services.start_worker(
            tmp_path / "worker.log",
            env={**process_env, "TOLD_TO_STOP": str(heard)},
            queues="jobs",
            extra=("--include", "tests.worker_shutdown"),
        )
        try:
            worker.wait_for(asked.is_set, 60)
            os.kill(worker.pid, signal.SIGTERM)
            # Not when it says that it stops: it says so a moment before its jobs are told.
            worker.wait_for(heard.exists, 60)
            go_on.set()
            wait_until(lambda: not worker.alive(), 60, "the worker to end")
        finally:
            go_on.set()
            worker.kill()
        gave_way(run)
        client.flushdb()
        machine.drive(run)
        all_accounted_for(run, of, 3)
        nothing_paid_twice(server)
