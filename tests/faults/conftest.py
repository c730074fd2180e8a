"""What fault tests share: a worker of their own that may be killed, and time that passes for a lease."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from annotation.jobs.models import Job
from tests import services

PAST = "2020-01-01T00:00:00Z"
INCLUDE_HANDLERS = ("--include", "tests.faults.handlers")


def expire_lease(job: Job) -> None:
    """As if the lease's time were over, without waiting for it."""
    Job.objects.filter(pk=job.pk, state=Job.State.RUNNING).update(lease_until=PAST)


StartWorker = Callable[..., services.Process]


@pytest.fixture
def start_worker(transactional_db: None, process_env: dict[str, str], tmp_path: Path) -> Iterator[StartWorker]:
    """Starts workers on the tests' database and broker that know the kinds of tests.faults.handlers."""
    import redis

    started: list[services.Process] = []
    with redis.Redis.from_url(os.environ["REDIS_URL"]) as client:
        client.flushdb()

        def start(concurrency: int = 1) -> services.Process:
            log = tmp_path / f"worker{len(started)}.log"
            process = services.start_worker(log, env=process_env, concurrency=concurrency, extra=INCLUDE_HANDLERS)
            started.append(process)
            return process

        yield start
        for process in started:
            process.kill()
        client.flushdb()
