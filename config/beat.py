"""`python -m config.beat --schedule FILE`: the clock. It only sends names of tasks, so it loads neither Django nor the
apps (half the memory of a worker)."""

import argparse
import os

from celery import Celery
from celery.signals import setup_logging

from config import broker, logs, schedule

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
broker.fix()
setup_logging.connect(logs.set_up)


def main() -> None:
    """Send what is due until a signal ends it; the file keeps when each was sent last."""
    parser = argparse.ArgumentParser(prog="config.beat")
    parser.add_argument("--schedule", default="celerybeat-schedule", metavar="FILE")
    app.Beat(schedule=parser.parse_args().schedule, loglevel="INFO", quiet=True).run()


if __name__ == "__main__":
    main()
