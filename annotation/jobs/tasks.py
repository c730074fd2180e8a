"""The worker's way into long work, and the decider's into what is sent to other people's servers."""

import threading

from celery import shared_task

from annotation.jobs import queue as jobs

# Long work may take longer than what is decided in passing: its lease is renewed with its progress.
MOST_SECONDS = 6 * 3600
# So many jobs that send are done at once by one process: its other threads are there for decisions.
MOST_SENDING = 2
_sending = threading.BoundedSemaphore(MOST_SENDING)


@shared_task(name=jobs.WORK.task, time_limit=MOST_SECONDS)
def run_job() -> None:
    """Do the job that waits first, and wake a worker for the next; a message that comes twice or late finds none."""
    jobs.run_next()
    jobs.sweep_jobs()


@shared_task(name=jobs.SENDING.task)
def send() -> None:
    """Do the job that waits first of those that send; where enough are being done, whoever ends one looks again."""
    if not _sending.acquire(blocking=False):
        return
    try:
        jobs.run_next(jobs.SENDING)
    finally:
        _sending.release()
    jobs.sweep_jobs()
