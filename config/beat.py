"""`celery -A config.beat beat`: the clock. It only sends names of tasks, so it loads neither Django nor the apps
(half the memory of a worker)."""

import os

from celery import Celery

from config import schedule

app = Celery("mufakat-beat", fixups=[], broker=os.environ.get("REDIS_URL", "redis://127.0.0.1:6379/0"))
app.conf.update(
    beat_schedule=schedule.BEAT_SCHEDULE,
    task_routes=schedule.TASK_ROUTES,
    task_default_queue=schedule.DEFAULT_QUEUE,
    broker_transport_options=schedule.TRANSPORT_OPTIONS,
    broker_connection_retry_on_startup=True,
    task_ignore_result=True,
    accept_content=["json"],
    task_serializer="json",
    timezone="UTC",
)
