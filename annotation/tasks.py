"""The worker's way into long work."""

from celery import shared_task

from annotation import jobs


@shared_task(name="annotation.run_job")
def run_job(job_id: int) -> None:
    """Do one job; a message that comes twice or late finds it taken or done."""
    jobs.run(job_id)
