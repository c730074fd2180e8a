"""The Celery application; the worker starts from here: `celery -A config worker`."""

import os
from typing import Any

from celery import Celery
from celery.signals import setup_logging, worker_shutting_down

from config import broker, logs

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.production")
app = Celery("mufakat")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["annotation.jobs", "validation.voting"])
broker.mend()


def stop_jobs(**told: Any) -> None:
    """A worker that is asked to stop waits for its jobs: those that can go on later do not keep it waiting."""
    from annotation.jobs.queue import stop_soon  # Django's models are there only when the worker has started

    stop_soon()


def log_lines_of_json(**told: Any) -> None:
    """Celery would add handlers and formats of its own, in workers and in beat."""
    logs.use(os.environ.get("LOG_LEVEL") or "INFO")


worker_shutting_down.connect(stop_jobs)
setup_logging.connect(log_lines_of_json)
