"""`python -m config.background [decider] [worker]`: a server's background work, both parts where none is named.

What both need is loaded once; the decider is then forked beside the worker and shares that memory. A decider that
ends is started again; a worker that ends, ends both, and whoever started them starts them again. SIGTERM ends both,
each when it has done what it has begun. `--check` says by its exit code whether the parts answer.
"""

import argparse
import gc
import math
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import NamedTuple, NoReturn

import structlog
from celery.beat import Scheduler, Service
from celery.signals import task_postrun, task_prerun, worker_ready, worker_shutting_down
from celery.utils.nodenames import gethostname, nodename
from django.conf import settings

from annotation.jobs.supervise import end_with_parent, name_process
from config.celery import app, load_tasks
from config.migrated import wait_until_migrated

log = structlog.get_logger("background")
GRACE_SECONDS = 40
RESTART_SECONDS = 2
WATCH_SECONDS = 5
# For so long a job's process waits for another job: it holds 12 MiB, and another one takes 20 ms.
os.environ.setdefault("AUTOSCALE_KEEPALIVE", "5")
# What Celery imports by name when a part begins.
LATE_MODULES = (
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


def decider(queues: str) -> NoReturn:
    """Decide and sweep, in two threads: a sweep does not wait for a long decision. A third is the clock, and two more
    send to webhooks: they wait for other people's servers most of the time."""
    from annotation.jobs.tasks import MOST_SENDING  # Django's models are there only now

    running: dict[str, float] = {}
    task_prerun.connect(lambda task_id, **_: running.update({task_id: time.monotonic()}), weak=False)
    task_postrun.connect(lambda task_id, **_: running.pop(task_id, None), weak=False)
    threading.Thread(target=_watch_pool, args=(running,), daemon=True).start()
    worker_ready.connect(lambda **_: threading.Thread(target=_run_beat, daemon=True).start(), weak=False)
    _work("decider", queues, pool="threads", concurrency=2 + MOST_SENDING)


def worker(queues: str) -> NoReturn:
    """Do jobs, two at a time, each in a process that begins and ends with it."""
    _work("worker", queues, autoscale=(2, 0), max_tasks_per_child=1)


class Part(NamedTuple):
    """What runs in a process of its own, and the queues that it serves, with commas between them."""

    begin: Callable[[str], NoReturn]
    queues: str


PARTS = {"decider": Part(decider, "due,sends"), "worker": Part(worker, "jobs")}


def _run_beat() -> None:
    """Celery's beat. When it sent a task last need not outlive it: that is seconds ago. Without it a decider ends."""
    try:
        Service(app, scheduler_cls=Scheduler).start()
    finally:
        os.kill(os.getpid(), signal.SIGTERM)


def _treat_sighup_as_sigterm(**_: object) -> None:
    """SIGHUP ends a part like SIGTERM: Celery would start this program again, without what it shares."""
    signal.signal(signal.SIGHUP, lambda *_: os.kill(os.getpid(), signal.SIGTERM))


def _stop(*_: object) -> NoReturn:
    sys.exit(0)


def _work(name: str, queues: str, **pool: object) -> NoReturn:
    at_work = app.Worker(
        hostname=nodename(name, gethostname()),
        queues=queues,
        loglevel="INFO",
        quiet=True,
        without_gossip=True,
        without_mingle=True,
        **pool,
    )
    worker_ready.connect(_treat_sighup_as_sigterm)
    at_work.start()
    sys.exit(at_work.exitcode or 0)


def _watch_pool(running: dict[str, float]) -> None:
    """What a pool of processes does for each: a task that hangs ends the decider, and so does memory that has grown."""
    while True:
        time.sleep(WATCH_SECONDS)
        oldest = time.monotonic() - min([*running.values()], default=math.inf)
        if number := ending_signal(oldest, _most_memory()):
            log.warning("decider_ends", task_seconds=round(max(oldest, 0)), signal=number.name)
            os.kill(os.getpid(), number)


def _most_memory() -> int:
    """The most KiB that this program held at once; what `getrusage` says begins with those of whoever started it."""
    try:
        status = Path("/proc/self/status").read_text()
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return int(status.partition("VmHWM:")[2].split()[0])


def ending_signal(seconds: float, kib: int) -> signal.Signals | None:
    """How a decider ends whose oldest task has run for so long, and that once held so much memory; None: it goes on."""
    if seconds > settings.CELERY_TASK_TIME_LIMIT:
        return signal.SIGKILL
    return signal.SIGTERM if kib > settings.CELERY_WORKER_MAX_MEMORY_PER_CHILD else None


class DeciderProcess:
    """The decider beside a worker: forked before that begins, started again when it ends, ended with it.

    The two share what was loaded by then. A worker that has begun is forked for its jobs only: another process would
    hold open the files by which the worker learns that a job's process ended. The next decider is a new program.
    """

    def __init__(self) -> None:
        self.ending = threading.Event()
        self.pid: int | None = os.fork() or None
        if self.pid is None:
            end_with_parent()
            _run_part("decider")
        worker_shutting_down.connect(self.terminate, weak=False)
        self.thread = threading.Thread(target=self._keep, daemon=True)
        self.thread.start()

    def terminate(self, **_: object) -> None:
        """It ends when it has done what it has begun; the worker does the same meanwhile."""
        self.ending.set()
        self._signal(signal.SIGTERM)

    def join(self) -> None:
        """Wait for its end, not for ever."""
        if not self.ending.is_set():
            self.terminate()
        self.thread.join(GRACE_SECONDS)
        self._signal(signal.SIGKILL)

    def _signal(self, number: signal.Signals) -> None:
        if self.pid is not None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def _keep(self) -> None:
        assert self.pid is not None  # noqa: S101 - this is the process that forked
        code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        self.pid = None
        while not self.ending.is_set():
            log.warning("part_ended", part="decider", code=code)
            if not self.ending.wait(RESTART_SECONDS):
                code = self._again()

    def _again(self) -> int:
        """Run another one to its end. Its exit code; -1 where none could be started."""
        command = [sys.executable, "-m", "config.background", "decider"]
        try:
            another = subprocess.Popen(command, preexec_fn=end_with_parent)
        except (OSError, subprocess.SubprocessError):
            log.exception("decider_not_started")
            return -1
        with another:
            self.pid = another.pid
            if self.ending.is_set():
                another.terminate()
            another.wait()
            self.pid = None
        return another.returncode


def _run_part(name: str) -> NoReturn:
    """Be this part, until it ends."""
    name_process(name)
    wait_until_migrated()
    PARTS[name].begin(PARTS[name].queues)


def parts_answer(names: Sequence[str], seconds: float = 10) -> bool:
    """Whether each part answers on this machine within so many seconds."""
    asked = [nodename(name, gethostname()) for name in names]
    return len(app.control.ping(destination=asked, timeout=seconds, limit=len(asked))) == len(asked)


def load_shared() -> None:
    """Import what both parts need: nothing of it is garbage, and no collection is to write to what they share."""
    gc.disable()
    load_tasks(decides=False)
    for module in LATE_MODULES:
        import_module(module)
    app.finalize()
    gc.freeze()
    gc.enable()


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="config.background", description="Do a server's background work.")
    parser.add_argument("--check", action="store_true", help="only say by the exit code whether it is done")
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"{', '.join(PARTS)}; default: all")
    given = parser.parse_args(arguments)
    names = given.parts or list(PARTS)
    if unknown := sorted({*names} - {*PARTS}):
        parser.error(f"no part: {', '.join(unknown)}")
    if given.check:
        return 0 if parts_answer(names) else 1
    # Until Celery takes them: as the first process of a container nothing else would end this one.
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _stop)
    load_shared()
    if len(names) == 1:
        _run_part(names[0])
    decider_process = DeciderProcess()
    try:
        _run_part("worker")
    finally:
        decider_process.join()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
