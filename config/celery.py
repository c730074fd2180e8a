"""The Celery application; the worker starts from here: `celery -A config worker`."""

import gc
import os
from importlib import import_module
from typing import Any

from celery import Celery
from celery.signals import setup_logging, worker_init, worker_shutting_down

from config import broker, logs, schedule

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.production")
# Django's checks would load every address and view: `manage.py check` and `migrate` make them.
os.environ |= {"CELERY_SKIP_CHECKS": "1"}
app = Celery("mufakat")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["annotation.jobs", "validation.voting"])
broker.fix()


def stop_jobs(**told: Any) -> None:
    """A worker that is asked to stop waits for its jobs: those that can go on later do not keep it waiting."""
    from annotation.jobs.queue import stop_soon  # Django's models are there only when the worker has started

    stop_soon()


def load_before_fork(sender: Any, **told: Any) -> None:
    """What each child of a decider needs is imported once, and no collection writes to what they share.

    Jobs are imported by the child that does one, which ends with it (`--max-tasks-per-child 1`).
    """
    if schedule.DEFAULT_QUEUE in sender.app.amqp.queues.consume_from:
        import_module("validation.voting.sweeping")
    gc.freeze()


worker_init.connect(load_before_fork)
worker_shutting_down.connect(stop_jobs)
setup_logging.connect(logs.set_up)
