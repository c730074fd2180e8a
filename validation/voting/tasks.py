"""The decider's tasks. What they do is imported by the process that does it: who only runs jobs needs none of it."""

from celery import shared_task


@shared_task(name="validation.decide_due")
def decide_due() -> None:
    """Decide until nothing is due."""
    from validation.voting import sweeping

    sweeping.decide_due()


@shared_task(name="validation.sweep")
def sweep() -> None:
    """Find what a lost ring, a dead worker or a left assignment left behind."""
    from validation.voting import sweeping

    sweeping.sweep()
