"""`manage.py runjobs`: the built-in runner of the embedded mode, in place of broker, worker and beat."""

import signal
import threading
import time
from collections.abc import Callable
from typing import Any

import structlog
from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser
from django.db import connection, connections

from annotation.jobs import queue as jobs
from annotation.jobs.models import Job

log = structlog.get_logger("runner")
# What a job in its middle has left to come to its next step; the next runner goes on with it.
GRACE_SECONDS = 10.0


class Command(BaseCommand):
    help = "Do background work without a broker: looks at the database, decides what is due, runs jobs, sweeps."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--once", action="store_true", help="do what is due now, then stop")
        parser.add_argument("--interval", type=float, default=0.2, help="seconds between looks")

    def handle(self, *args: Any, **options: Any) -> None:
        jobs.celery_app().loader.import_default_modules()  # a worker does this at its start: each app's tasks
        if not settings.REDIS_URL:
            # One runner and no worker: what still says "running" died with the last one.
            running = Job.objects.filter(state=Job.State.RUNNING)
            running.update(state=Job.State.QUEUED, lease="", lease_until=None)
        if options["once"]:
            for queue in jobs.JOB_QUEUES:
                _do_waiting_jobs(threading.Event(), queue)
            jobs.record_heartbeat(jobs.WORKER)
            _Timers().tick(everything=True)
        else:
            _run_timers(options["interval"])


def _run_timers(interval: float) -> None:
    """Timers here, each queue of jobs in a thread of its own: a long one holds up no decision, and a slow webhook no
    import. Until SIGTERM or Ctrl-C."""
    stop = threading.Event()

    def end(*_: object) -> None:
        stop.set()
        jobs.stop_soon()

    if threading.current_thread() is threading.main_thread():
        for name in (signal.SIGTERM, signal.SIGINT):
            signal.signal(name, end)
    # A daemon: where a job does not come to its next step in time, it is cut off like any that is killed.
    workers = [threading.Thread(target=_work, args=(stop, interval, queue), daemon=True) for queue in jobs.JOB_QUEUES]
    for worker in workers:
        worker.start()
    beat = _Timers()
    _repeat(stop, interval, lambda: beat.tick(everything=False))
    for worker in workers:
        worker.join(GRACE_SECONDS)


def _work(stop: threading.Event, interval: float, queue: jobs.JobQueue) -> None:
    """Do the jobs of a queue, on a database connection that is this thread's own."""
    next_heartbeat = 0.0

    def look() -> None:
        nonlocal next_heartbeat
        if queue == jobs.WORK and time.monotonic() >= next_heartbeat:
            jobs.record_heartbeat(jobs.WORKER)
            next_heartbeat = time.monotonic() + jobs.HEARTBEAT_SECONDS
        _do_waiting_jobs(stop, queue)

    try:
        _repeat(stop, interval, look)
    finally:
        connections.close_all()


def _repeat(stop: threading.Event, interval: float, do: Callable[[], object]) -> None:
    while not stop.is_set():
        try:
            do()
        except Exception:
            # A task that fails, or a database that is away, must not end the runner and with it the site.
            log.exception("runner_tick")
            connection.close()
        stop.wait(interval)


def _do_waiting_jobs(stop: threading.Event, queue: jobs.JobQueue) -> None:
    """Do jobs of a queue until none waits."""
    while not stop.is_set() and jobs.run_next(queue):
        pass


class _Timers:
    """The static beat schedule; each task is the very one that a worker would run."""

    def __init__(self) -> None:
        self._next: dict[str, float] = {}

    def tick(self, *, everything: bool) -> None:
        moment = time.monotonic()
        for name, entry in settings.CELERY_BEAT_SCHEDULE.items():
            if everything or moment >= self._next.get(name, 0.0):
                jobs.celery_app().tasks[entry["task"]].apply(throw=True)
                self._next[name] = time.monotonic() + float(str(entry["schedule"]))
