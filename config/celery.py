"""The Celery application; the worker starts from here: `celery -A config worker`."""

import os

from celery import Celery

from config import broker

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.production")
app = Celery("mufakat")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
broker.mend()
