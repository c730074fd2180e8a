"""What workers do: decide what is due, and sweep. Both may run twice, late, or beside themselves."""

import structlog
from celery import shared_task
from django.db import InterfaceError, OperationalError

from annotation.actions import shares_lapse_all
from annotation.actions.chain import chains_mend
from annotation.jobs import DECIDER, beat, sweep_jobs
from annotation.learning import learn_grown
from validation import actions
from validation.actions.apart import decide_apart
from validation.actions.decide import BATCH, age_queues
from validation.actions.insights import insights_nightly
from validation.actions.nobody import EVERY_SECONDS, is_time
from validation.actions.source_cleaning import sources_watch

log = structlog.get_logger("decide")


@shared_task(name="validation.decide_due")
def decide_due() -> None:
    """Decide until nothing is due."""
    while _decide_some() >= BATCH:
        pass


def _decide_some() -> int:
    try:
        return actions.decide_due()
    except (OperationalError, InterfaceError):
        raise
    except Exception:
        log.exception("batch_not_decided")
        return decide_apart()


@shared_task(name="validation.sweep")
def sweep() -> None:
    """Find what a lost ring, a dead worker or a left seat left behind."""
    beat(DECIDER)
    actions.seats_expire()
    decide_due()
    age_queues()
    if is_time(EVERY_SECONDS):
        actions.flag_nobody_left()
        sources_watch()
        shares_lapse_all()
        learn_grown()
        insights_nightly()
    chains_mend()
    sweep_jobs()
