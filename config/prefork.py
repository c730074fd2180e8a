"""Celery's pool of processes, with two faults of Celery 5.7 corrected: it sees that a process has ended, and which.

A pool is told that a process ends when that closes its files, which is a moment before the kernel says so to whoever
asks. Asked in between, Celery takes it for alive, is not told again, and notices it by a timer, up to five seconds
later; a job that was given to it, or came when there was no other, waits as long. With a process for each job that is
after many of them.

What the pool is told of comes in batches, by the number of an open file. A message in the same batch can make it look
after its processes first: the one that ended is replaced, and the file of the new one is given the same number. What
was told of the old one is then taken for the end of the new one, which is alive and waits for work.
"""

from multiprocessing.connection import wait
from typing import Any

from celery.concurrency import prefork
from celery.concurrency.asynpool import AsynPool


class Processes(AsynPool):
    """Processes of a worker."""

    def _event_process_exit(self, hub: Any, proc: Any) -> None:
        """Wait for what is about to end: it has closed its files, and does nothing any more. Others are let be."""
        if not wait([proc._sentinel_poll], timeout=0):
            return
        proc.join()
        super()._event_process_exit(hub, proc)  # type: ignore[no-untyped-call]


class TaskPool(prefork.TaskPool):
    """The pool that CELERY_WORKER_POOL names."""

    Pool = Processes
