"""The work of the decider: decide due items, and sweep. Both may run twice, late, or at the same time."""

from collections.abc import Callable

import structlog
from django.db import InterfaceError, OperationalError

from annotation.content.actions.resting import rests_correct
from annotation.core import declared
from annotation.files import sweep_scratch
from annotation.generation.actions.batches import continue_stalled_runs
from annotation.jobs.queue import DECIDER, record_heartbeat, sweep_jobs
from annotation.webhooks.actions import continue_due_webhooks, number_new_events
from validation.voting.actions.assignments import assignments_expire
from validation.voting.actions.audits import make_all_held_due
from validation.voting.actions.decide import BATCH, age_queues, decide_one_by_one
from validation.voting.actions.decide import decide_due as actions_decide_due
from validation.voting.actions.nobody_left import EVERY_SECONDS, flag_nobody_left, is_look_due

log = structlog.get_logger("decide")


def decide_due() -> None:
    """Decide until nothing is due; what was decided, or happened on a page, is announced at once, and jobs begin."""
    more = True
    while more:
        more = _decide_batch() >= BATCH
        number_new_events()
    sweep_jobs()


def _decide_batch() -> int:
    try:
        return actions_decide_due()
    except (OperationalError, InterfaceError):
        raise
    except Exception:
        log.exception("batch_not_decided")
        return decide_one_by_one()


def sweep() -> None:
    """Do what a lost message, a dead worker or an abandoned assignment left. A part that fails stops no other."""
    parts: list[Callable[[], object]] = [sweep_jobs, assignments_expire, rests_correct, decide_due, age_queues]
    if is_look_due(EVERY_SECONDS):
        parts += [flag_nobody_left, make_all_held_due]
        parts += [declared.attribute("watches", name) for name in declared.entries("watches")]
    failed: list[Exception] = []
    record_heartbeat(DECIDER)
    for part in [*parts, continue_stalled_runs, continue_due_webhooks, sweep_scratch]:
        try:
            part()
        except (OperationalError, InterfaceError):
            raise
        except Exception as error:
            log.exception("not_swept", part=part.__name__)
            failed.append(error)
    if failed:
        raise failed[0]
