"""Celery's pool of processes, with one fault of Celery 5.7 corrected: who replaces a process sees that it has ended.

A pool is told that a process ends when that closes its files, which is a moment before the kernel says so to whoever
asks. Asked in between, Celery takes it for alive, is not told again, and notices it by a timer, up to five seconds
later; a job that was given to it, or came when there was no other, waits as long. With a process for each job that is
after many of them.
"""

from typing import Any

from celery.concurrency import prefork
from celery.concurrency.asynpool import AsynPool


class Processes(AsynPool):
    """Processes of a worker."""

    def _event_process_exit(self, hub: Any, proc: Any) -> None:
        """Wait for what is about to end: it has closed its files, and does nothing any more."""
        proc.join()
        super()._event_process_exit(hub, proc)  # type: ignore[no-untyped-call]


class TaskPool(prefork.TaskPool):
    """The pool that CELERY_WORKER_POOL names."""

    Pool = Processes
