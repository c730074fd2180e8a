"""The worker's way into long work."""

from celery import shared_task

from annotation.jobs import queue as jobs

# Long work may take longer than what is decided in passing: its lease is renewed with its progress.
MOST_SECONDS = 6 * 3600


@shared_task(name="annotation.run_job", time_limit=MOST_SECONDS)
def run_job(job_id: int) -> None:
    """Do one job; a message that comes twice or late finds it taken or done."""
    jobs.run(job_id)


@shared_task(name="annotation.worker_alive")
def worker_alive() -> None:
    """Say that the worker that does jobs is there; one whose hands are full says so by its jobs' progress."""
    jobs.record_heartbeat(jobs.WORKER)
