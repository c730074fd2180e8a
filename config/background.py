"""`python -m config.background [decider] [worker]`: a server's background work, both parts where none is named.

All that they need is loaded once; each part is then forked and shares that memory. A part that ends is started again.
SIGTERM ends all, each when it has done what it has begun. `--check` says by its exit code whether the parts answer.
"""

import argparse
import gc
import math
import multiprocessing
import os
import resource
import signal
import sys
import threading
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from multiprocessing.connection import wait
from types import FrameType
from typing import NamedTuple

import structlog
from celery.beat import Scheduler, Service
from celery.signals import task_postrun, task_prerun, worker_ready
from celery.utils.nodenames import gethostname, nodename
from django.conf import settings

from annotation.jobs.supervise import end_with_parent
from config.celery import app, load
from config.migrated import wait_until_migrated

log = structlog.get_logger("background")
GRACE_SECONDS = 40
AGAIN_SECONDS = 2
WATCH_SECONDS = 5
ENDING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
# What Celery imports by name when a part begins.
LATE = (
    "billiard.popen_fork",
    "billiard.sharedctypes",
    "celery.app.control",
    "celery.app.log",
    "celery.apps.worker",
    "celery.backends.base",
    "celery.concurrency.thread",
    "celery.contrib.django.task",
    "celery.worker.autoscale",
    "celery.worker.consumer",
    "celery.worker.control",
    "celery.worker.request",
    "config.prefork",
)


def decider(queue: str) -> None:
    """Decide and sweep, in two threads: a sweep does not wait for a long decision. A third is the clock."""
    running: dict[str, float] = {}
    task_prerun.connect(lambda task_id, **_: running.update({task_id: time.monotonic()}), weak=False)
    task_postrun.connect(lambda task_id, **_: running.pop(task_id, None), weak=False)
    threading.Thread(target=_watch, args=(running,), daemon=True).start()
    worker_ready.connect(lambda **_: threading.Thread(target=_beat, daemon=True).start(), weak=False)
    _work("decider", queue, pool="threads", concurrency=2)


def worker(queue: str) -> None:
    """Do jobs, each in a process that ends with it; a second one is begun where there is more to do."""
    _work("worker", queue, autoscale=(2, 1), max_tasks_per_child=1)


class Part(NamedTuple):
    """What runs in a process of its own, and the queue that it serves."""

    begin: Callable[[str], None]
    queue: str


PARTS = {"decider": Part(decider, "due"), "worker": Part(worker, "jobs")}


def _beat() -> None:
    """Celery's beat. When it sent a task last need not outlive it: that is seconds ago. Without it a decider ends."""
    try:
        Service(app, scheduler_cls=Scheduler).start()
    finally:
        os.kill(os.getpid(), signal.SIGTERM)


def _work(name: str, queues: str, **pool: object) -> None:
    at_work = app.Worker(
        hostname=nodename(name, gethostname()),
        queues=queues,
        loglevel="INFO",
        quiet=True,
        without_gossip=True,
        without_mingle=True,
        **pool,
    )
    at_work.start()
    sys.exit(at_work.exitcode or 0)


def _watch(running: dict[str, float]) -> None:
    """What a pool of processes does for each: a task that hangs ends the decider, and so does memory that has grown."""
    while True:
        time.sleep(WATCH_SECONDS)
        oldest = time.monotonic() - min([*running.values()], default=math.inf)
        if number := overdue(oldest, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss):
            log.warning("decider_ends", task_seconds=round(max(oldest, 0)), signal=number.name)
            os.kill(os.getpid(), number)


def overdue(seconds: float, kib: int) -> signal.Signals | None:
    """How a decider ends whose oldest task has run for so long, and that once held so much memory; None: it goes on."""
    if seconds > settings.CELERY_TASK_TIME_LIMIT:
        return signal.SIGKILL
    return signal.SIGTERM if kib > settings.CELERY_WORKER_MAX_MEMORY_PER_CHILD else None


class Background:
    """Forks the parts, starts again what ended, until a signal comes."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = names
        self.stopping = False
        self.processes: dict[str, multiprocessing.process.BaseProcess] = {}

    def run(self) -> None:
        for number in ENDING:
            signal.signal(number, self._stop)
        while not self.stopping:
            for name in self.names:
                if name not in self.processes:
                    self.processes[name] = self._start(name)
            wait([process.sentinel for process in self.processes.values()], timeout=1)
            ended = [name for name, process in self.processes.items() if not process.is_alive()]
            for name in ended:
                log.warning("part_ended", part=name, code=self.processes.pop(name).exitcode)
            if ended and not self.stopping:
                time.sleep(AGAIN_SECONDS)
        self._end()

    def _stop(self, number: int, frame: FrameType | None) -> None:
        self.stopping = True

    def _start(self, name: str) -> multiprocessing.process.BaseProcess:
        process = multiprocessing.get_context("fork").Process(target=_begin, args=(name,), name=name)
        # A signal that comes meanwhile waits until whoever it is for can take it.
        signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
        process.start()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)
        return process

    def _end(self) -> None:
        for process in self.processes.values():
            process.terminate()
        deadline = time.monotonic() + GRACE_SECONDS
        for process in self.processes.values():
            process.join(max(0.0, deadline - time.monotonic()))
            process.kill()


def _begin(name: str) -> None:
    """In the new process: as it was before the supervisor took its signals."""
    for number in ENDING:
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)
    end_with_parent(name)
    wait_until_migrated()
    PARTS[name].begin(PARTS[name].queue)


def answer(names: Sequence[str]) -> bool:
    """Whether each part answers on this machine within ten seconds."""
    asked = [nodename(name, gethostname()) for name in names]
    return len(app.control.ping(destination=asked, timeout=10, limit=len(asked))) == len(asked)


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="config.background", description="Do a server's background work.")
    parser.add_argument("--check", action="store_true", help="only say by the exit code whether it is done")
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"{', '.join(PARTS)}; default: all")
    given = parser.parse_args(arguments)
    names = given.parts or list(PARTS)
    if unknown := sorted({*names} - {*PARTS}):
        parser.error(f"no part: {', '.join(unknown)}")
    if given.check:
        return 0 if answer(names) else 1
    # Nothing that is imported is garbage, and no collection is to write to what the parts share.
    gc.disable()
    load(decides=False)
    for module in LATE:
        import_module(module)
    app.finalize()
    gc.freeze()
    gc.enable()
    Background(names).run()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
