"""The worker's way into long work."""

from celery import shared_task

from annotation.jobs import queue as jobs

# Long work may take longer than what is decided in passing: its lease is renewed with its progress.
MOST_SECONDS = 6 * 3600


@shared_task(name=jobs.TASK, time_limit=MOST_SECONDS)
def run_job() -> None:
    """Do the job that waits first, and wake a worker for the next; a message that comes twice or late finds none."""
    jobs.run_next()
    jobs.sweep_jobs()
