"""The Celery application. config/background.py starts a server's workers; `celery -A config worker` works as well."""

import gc
import os
from importlib import import_module
from typing import Any

import structlog
from celery import Celery
from celery.signals import setup_logging, task_postrun, task_prerun, worker_init, worker_ready, worker_shutting_down
from django.conf import settings
from django.db import DatabaseError, InterfaceError, connection

from config import broker, logs, schedule, start

start.load_settings()
# Django's checks would load every address and view: `manage.py check` makes them.
os.environ |= {"CELERY_SKIP_CHECKS": "1"}
app = Celery("mufakat")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["annotation.jobs", "validation.voting"])
broker.fix()


if settings.MUFAKAT_TRACES:
    from config import traces

    task_prerun.connect(traces.task_begins, weak=False)
    task_postrun.connect(traces.task_ends, weak=False)


def load_tasks(*, decides: bool) -> None:
    """Import each app's tasks, and what a decider does: a job's code is imported by the process that does the job."""
    app.loader.import_default_modules()
    if decides:
        import_module("validation.voting.sweeping")


def prepare_child(sender: Any, **_: Any) -> None:
    """What each child of a worker needs is imported once, and no collection writes to what they share."""
    from annotation.jobs.queue import (
        share_ending,
    )  # Django's models are there only when the worker has started

    share_ending()
    load_tasks(decides=schedule.DEFAULT_QUEUE in sender.app.amqp.queues.consume_from)
    gc.freeze()


def keep_heartbeat(sender: Any, **_: Any) -> None:
    """A worker of jobs says by its own timer that it is alive: a message would wait behind those of jobs."""
    from annotation.jobs.queue import HEARTBEAT_SECONDS, WORK

    if WORK.name in sender.app.amqp.queues.consume_from:
        _record_heartbeat()
        sender.timer.call_repeatedly(HEARTBEAT_SECONDS, _record_heartbeat)


def _record_heartbeat() -> None:
    """The connection is closed again: processes for jobs are forked from this one."""
    from annotation.files import sweep_scratch
    from annotation.jobs.queue import WORKER, record_heartbeat

    try:
        record_heartbeat(WORKER)
    except (DatabaseError, InterfaceError) as error:
        structlog.get_logger("background").warning("heartbeat_not_stored", error=type(error).__name__)
    finally:
        connection.close()
    sweep_scratch()  # this machine's own, which may be another one than the decider's


def stop_jobs(**_: Any) -> None:
    """A worker that is asked to stop waits for its jobs: those that can go on later do not keep it waiting."""
    from annotation.jobs.queue import stop_soon

    stop_soon()


worker_init.connect(prepare_child)
worker_ready.connect(keep_heartbeat)
worker_shutting_down.connect(stop_jobs)
setup_logging.connect(logs.set_up)
