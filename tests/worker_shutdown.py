"""Loaded into a worker (`--include tests.worker_shutdown`): files say that it was asked to stop, and that jobs know it.

Who is told is told in the order in which they asked for it: config.celery did before this was loaded.
"""

import os
from pathlib import Path
from typing import Any

from celery.signals import worker_shutting_down


def note(**told: Any) -> None:
    Path(os.environ["TOLD_TO_STOP"]).touch()


worker_shutting_down.connect(note)
