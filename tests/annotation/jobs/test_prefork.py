"""Celery's pool of processes, as config/prefork.py mends it."""

import os
import time
from typing import Any

from billiard import Process  # type: ignore[import-untyped]
from kombu.asynchronous import Hub

from config.prefork import Processes


class Looked(Processes):
    """A pool that notes what it knew of the process when it replaced those that have ended."""

    def __init__(self, process: Any) -> None:
        self.process: Any = process
        self.found: object = "never looked"

    def maintain_pool(self) -> None:
        self.found = self.process.exitcode


def closes_its_files_then_ends() -> None:
    os.closerange(3, 100)
    time.sleep(0.2)
    os._exit(7)


def test_who_replaces_a_process_sees_that_it_has_ended() -> None:
    process = Process(target=closes_its_files_then_ends)
    process.start()
    pool, hub = Looked(process), Hub()
    pool._track_child_process(process, hub)
    try:
        while pool.found == "never looked":
            hub.run_once()
    finally:
        process.join()
        hub.close()
    assert pool.found == 7
