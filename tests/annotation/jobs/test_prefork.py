"""Celery's pool of processes, as config/prefork.py mends it."""

import os
import signal
import time
from typing import Any

from billiard import Process  # type: ignore[import-untyped]
from billiard.connection import wait  # type: ignore[import-untyped]
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


def works() -> None:
    """Until somebody ends it; where nobody does because he waits for it, it ends, and the test fails."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(10)
    signal.pause()


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


def test_the_end_of_one_is_not_taken_for_that_of_another_with_its_number() -> None:
    """A message and the end of a process come together; by the message it is replaced before its end is looked at."""
    old, new = Process(target=int), Process(target=works)
    pool, hub = Looked(new), Hub()
    read, write = os.pipe()

    def message() -> None:
        hub.remove(read)
        new.start()
        number = old._sentinel_poll
        pool._untrack_child_process(old, hub)
        # As the system does where it is the lowest that is free.
        new._sentinel_poll = os.dup2(new.sentinel, number)
        pool._track_child_process(new, hub)

    try:
        os.write(write, b"m")
        hub.add_reader(read, message)
        old.start()
        wait([old.sentinel])
        pool._track_child_process(old, hub)
        hub.run_once()
        assert (new.is_alive(), pool.found) == (True, "never looked")
        os.kill(new.pid, signal.SIGKILL)
        while pool.found == "never looked":
            hub.run_once()
    finally:
        old.join()
        new.join()
        hub.close()
        os.close(read)
        os.close(write)
    assert pool.found == -signal.SIGKILL
