"""`manage.py runjobs`: the built-in runner of the embedded mode, in place of broker, worker and beat."""

import signal
import threading
import time
from typing import Any

import structlog
from celery import current_app
from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser
from django.db import connection

from annotation import jobs
from annotation.models import Job

log = structlog.get_logger("runner")


class Command(BaseCommand):
    help = (
        "Do background work without a broker: looks at the database, decides what is due, runs jobs, sweeps."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--once", action="store_true", help="do what is due now, then stop")
        parser.add_argument("--interval", type=float, default=0.2, help="seconds between looks")

    def handle(self, *args: Any, **options: Any) -> None:
        stop = threading.Event()
        if threading.current_thread() is threading.main_thread():
            for name in (signal.SIGTERM, signal.SIGINT):
                signal.signal(name, lambda *_: stop.set())
        current_app.loader.import_default_modules()  # a worker does this at its start: each app's tasks
        if not settings.REDIS_URL:
            # One runner and no worker: what still says "running" died with the last one.
            running = Job.objects.filter(state=Job.State.RUNNING)
            running.update(state=Job.State.QUEUED, lease="", lease_until=None)
        beat = _Timers()
        while not stop.is_set():
            if options["once"]:
                beat.tick(everything=True)
                return
            try:
                beat.tick(everything=False)
            except Exception:
                # A task that fails, or a database that is away, must not end the runner and with it the site.
                log.exception("runner_tick")
                connection.close()
            stop.wait(options["interval"])


class _Timers:
    """The static beat schedule, kept by this loop; each task is the very one that a worker would run."""

    def __init__(self) -> None:
        self._next: dict[str, float] = {}

    def tick(self, *, everything: bool) -> None:
        for job_id in jobs.waiting():
            jobs.run(job_id)
        moment = time.monotonic()
        for name, entry in settings.CELERY_BEAT_SCHEDULE.items():
            if everything or moment >= self._next.get(name, 0.0):
                current_app.tasks[entry["task"]].apply(throw=True)
                self._next[name] = time.monotonic() + float(str(entry["schedule"]))
