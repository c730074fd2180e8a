"""Long work: enqueue in the business transaction, claim by a lease, report progress, finish under a fence.

The Job table is the queue of record in every mode. With a broker a message says that something waits, and the worker
takes what waits first; without one the built-in runner (`manage.py runjobs`) looks by itself. A job that dies is found
by the sweep and resumed from what it saved; one that kills its worker three times is failed.
"""

import mmap
import secrets
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from importlib import import_module
from typing import Any, NamedTuple

import structlog
from django.conf import settings
from django.db import DatabaseError, connection, transaction
from django.db.models import F, Max, Q, QuerySet
from django.db.models.functions import Coalesce, Greatest, Now
from django.utils.module_loading import import_string

from annotation.core import declared, public_pages
from annotation.core.database import seconds_from_now
from annotation.core.errors import Refusal, SiteFault
from annotation.core.models.project import Project
from annotation.core.models.user import User
from annotation.files import StoreUnavailable
from annotation.jobs.ending import EndedBySignal, signals_raised
from annotation.jobs.models import Heartbeat, Job

log = structlog.get_logger("jobs")
LEASE_SECONDS = 60
MOST_ATTEMPTS = 3
# So long a job waits for a store of files that does not answer.
STORE_SECONDS = 60
# So long a job that failed waits for its next attempt.
RETRY_SECONDS = 15
# So many messages may wait to be read: as many as a worker has processes.
MOST_MESSAGES = 2
# After so long a job that can go on later lets others have its worker.
TURN_SECONDS = 20.0
# Parts of the background work that say that they are alive: the one that decides and sweeps, the one that does jobs.
DECIDER, WORKER = "decider", "worker"
HEARTBEAT_SECONDS = 15.0
# Commands that are to be run every night; each records here when it ended well.
NIGHTLY = BACKUP, CHECK_BACKUP, CHECK_INTEGRITY = "backup", "check_backup", "check_integrity"
UNFINISHED = (Job.State.QUEUED, Job.State.RUNNING)


class JobQueue(NamedTuple):
    """Jobs that wait for each other and for no others: the task that does them, and the queue of its messages."""

    task: str
    name: str

    def filter(self) -> Q:
        """The jobs of this queue."""
        sends = Q(kind__in=[*declared.entries("sending_jobs")])
        return sends if self == SENDING else ~sends


# What only sends to other people's servers waits for them: it holds up no import, and no import holds it up.
WORK, SENDING = JobQueue("annotation.run_job", "jobs"), JobQueue("annotation.send", "sends")
JOB_QUEUES = (WORK, SENDING)

# Set in the process that is to stop, read in those that it forked to do the work: they share this byte.
_stop_flag = mmap.mmap(-1, 1)


def share_ending() -> None:
    """Have a byte of one's own, shared with what is forked from now on: each part of a server ends alone."""
    global _stop_flag
    _stop_flag = mmap.mmap(-1, 1)


def stop_soon(*, stop: bool = True) -> None:
    """Have the jobs of this worker (of this process and of those forked from it) give way at their next step."""
    _stop_flag[0] = stop


class JobLost(Exception):
    """Another worker has the job now, or it was cancelled: stop without a further effect."""


class PostponeJob(Exception):
    """Nothing can be done for so many seconds: the job waits, its worker does not, and it is not called fruitless."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = max(seconds, 0.0)


class Handle:
    """What a handler holds of its job: the row, and the only way to save progress."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self._begun = time.monotonic()

    def should_stop(self) -> bool:
        """Whether a job that can go on later should raise PostponeJob(0): its worker is to stop, or it had its turn."""
        return bool(_stop_flag[0]) or time.monotonic() - self._begun > TURN_SECONDS

    def progress(self, done: int, total: int | None = None) -> None:
        """Save how far it came and renew the lease; raises JobLost where the lease is not ours any more."""
        values: dict[str, Any] = {"done": done, "lease_until": seconds_from_now(LEASE_SECONDS)}
        if done > self.job.farthest:
            # Farther than any attempt before: what was killed for its length is not poison.
            values |= {"fruitless": 0, "farthest": done}
        if total is not None:
            values["total"] = total
        mine = Job.objects.filter(pk=self.job.pk, lease=self.job.lease, state=Job.State.RUNNING)
        if not mine.update(**values):
            raise JobLost
        self.job.done, self.job.farthest = done, max(done, self.job.farthest)

    def lock_claim(self) -> None:
        """Inside the transaction of an effect: lock our claim, or raise JobLost."""
        mine = Job.objects.select_for_update().filter(pk=self.job.pk, lease=self.job.lease, state=Job.State.RUNNING)
        if not mine.exists():
            raise JobLost


Handler = Callable[[Handle], dict[str, Any]]
_handlers: dict[str, Handler] = {}


def handles(kind: str) -> Callable[[Handler], Handler]:
    """Register the function that does jobs of this kind; what it returns is kept as the job's result."""

    def register(handler: Handler) -> Handler:
        _handlers[kind] = handler
        return handler

    return register


def handler(kind: str) -> Handler | None:
    """The function that does jobs of this kind; its module, which an app declares, is imported now."""
    module = (declared.entries("jobs") | declared.entries("sending_jobs")).get(kind)
    if module is not None:
        import_module(module)
    return _handlers.get(kind)


def celery_app() -> Any:
    """The Celery application, which only those import who send a message or do its tasks."""
    return import_string(settings.MUFAKAT_CELERY_APP)


def enqueue(
    *,
    kind: str,
    project: Project | None,
    by: User | None,
    args: dict[str, Any],
    here: bool = False,
    urgent: bool = False,
) -> Job:
    """Add a job in the caller's transaction and wake a worker once that is committed.

    `here` where the caller does it (`run_here`): nobody is woken, and the sweep finds it should the caller end first.
    `urgent` where a person waits for it: it is taken before others.
    """
    job = Job.objects.create(kind=kind, project=project, by=by, args=args, urgent=urgent)
    if not here:
        transaction.on_commit(lambda: wake_worker(SENDING if kind in declared.entries("sending_jobs") else WORK))
    return job


def send_wake_up(task: str, queue: str, **options: Any) -> None:
    """Send a message that says only that something waits, unless enough of them wait in that queue to be read."""
    app = celery_app()
    with app.producer_or_acquire() as producer:
        if producer.channel.client.llen(queue) < MOST_MESSAGES:
            app.send_task(task, producer=producer, ignore_result=True, **options)


def wake_worker(queue: JobQueue) -> bool:
    """Tell who does such jobs that one waits, where there is a broker; False where it is down: the sweep does it
    again."""
    if not settings.REDIS_URL:
        return True
    try:
        send_wake_up(queue.task, queue.name)
    except Exception as error:
        log.warning("job_not_rung", error=type(error).__name__)
        return False
    return True


def _claimable_filter() -> Q:
    """Jobs that can be taken up now: queued and not told to wait, or given up by a worker that died."""
    patient = Q(not_before=None) | Q(not_before__lt=Now())
    return Q(patient, state=Job.State.QUEUED) | Q(state=Job.State.RUNNING, lease_until__lt=Now())


def _waiting() -> QuerySet[Job]:
    """Jobs that can be claimed now: urgent ones first, then those that have waited longest."""
    return Job.objects.filter(_claimable_filter()).order_by("-urgent", Coalesce("not_before", "at"), "pk")


def claim(job_id: int) -> Job | None:
    """Take a queued job, or a running one whose lease has passed; None where somebody has it."""
    lease = secrets.token_hex(16)
    taken = Job.objects.filter(_claimable_filter(), pk=job_id).update(
        state=Job.State.RUNNING,
        lease=lease,
        lease_until=seconds_from_now(LEASE_SECONDS),
        not_before=None,
        attempts=F("attempts") + 1,
        fruitless=F("fruitless") + 1,
        started_at=Now(),
    )
    return Job.objects.get(pk=job_id) if taken else None


def _claim_next(queue: JobQueue) -> Job | None:
    """Take the job that waits first and that nobody is taking; None where none waits."""
    with transaction.atomic():
        job_id = (
            _waiting().filter(queue.filter()).select_for_update(skip_locked=True).values_list("pk", flat=True).first()
        )
        return None if job_id is None else claim(job_id)


def run_next(queue: JobQueue = WORK) -> bool:
    """Do the job of this queue that waits first to its end; False where none waits."""
    job = _claim_next(queue)
    if job is not None:
        _perform(job)
    return job is not None


def run(job_id: int) -> None:
    """Do this job to its end, unless somebody has it."""
    job = claim(job_id)
    if job is not None:
        _perform(job)


def _perform(job: Job) -> None:
    """Call the job's handler. A Refusal fails it with its reason; anything else leaves it for the next attempt."""
    if job.fruitless > MOST_ATTEMPTS:
        _finish(job, Job.State.FAILED, error=job.error or "It stopped its worker three times.")
        return
    do = handler(job.kind)
    if do is None:
        _finish(job, Job.State.FAILED, error=f"Nobody knows how to do {job.kind!r}.")
        return
    try:
        with public_pages.confirmed(None):
            result = do(Handle(job))
    except JobLost:
        return
    except PostponeJob as later:
        _postpone(job, later.seconds)
    except StoreUnavailable as error:
        _postpone(job, STORE_SECONDS, error=str(error))
    except Refusal as refusal:
        _finish(job, Job.State.FAILED, error=refusal.message, refused=not isinstance(refusal, SiteFault))
    except EndedBySignal as ended:
        renew_connection()
        _postpone(job, 0, error=f"{ended} Background work goes on with it.")
        raise
    except Exception as error:
        log.exception("job_failed", job=job.pk, kind=job.kind)
        last = job.fruitless >= MOST_ATTEMPTS
        # The message of an exception may hold a text; its class does not.
        _finish(job, Job.State.FAILED if last else Job.State.QUEUED, error=type(error).__name__)
    else:
        _finish(job, Job.State.DONE, result=result)


def renew_connection() -> None:
    """Have another connection to the database: a signal may have come in the middle of a statement."""
    if not connection.in_atomic_block:
        connection.close()


def _postpone(job: Job, seconds: float, *, error: str = "") -> None:
    """Give the job back until then; it counts as no attempt that came to nothing. `error` says what it waits for."""
    Job.objects.filter(pk=job.pk, lease=job.lease, state=Job.State.RUNNING).update(
        state=Job.State.QUEUED,
        error=error,
        lease="",
        lease_until=None,
        not_before=seconds_from_now(seconds),  # without a wait it still comes behind those that wait
        # Progress may have set it to zero since the claim counted it.
        fruitless=Greatest(F("fruitless") - 1, 0),
    )


def _finish(
    job: Job, state: Job.State, *, result: dict[str, Any] | None = None, error: str = "", refused: bool = False
) -> None:
    values: dict[str, Any] = {"state": state, "error": error, "refused": refused, "lease": "", "lease_until": None}
    if result is not None:
        values["result"] = result
    if state == Job.State.QUEUED:
        values["not_before"] = seconds_from_now(RETRY_SECONDS)
    else:
        values["finished_at"] = Now()
    Job.objects.filter(pk=job.pk, lease=job.lease, state=Job.State.RUNNING).update(**values)


def cancel(*, job_id: int) -> bool:
    """Stop a job at its next step; False where it had ended."""
    return bool(
        Job.objects.filter(pk=job_id, state__in=UNFINISHED).update(
            state=Job.State.CANCELLED, finished_at=Now(), lease="", lease_until=None
        )
    )


def waiting_job_ids(limit: int = 100) -> list[int]:
    """The ids of jobs that can be claimed now, in the order in which they are taken."""
    return list(_waiting().values_list("pk", flat=True)[:limit])


def sweep_jobs() -> None:
    """Wake whoever does it where a job waits: its message was lost, its worker died, or what it waited for is over."""
    for queue in JOB_QUEUES if settings.REDIS_URL else ():
        if _waiting().filter(queue.filter()).exists():
            wake_worker(queue)


def record_heartbeat(name: str) -> None:
    """Say that this part of the background work is alive."""
    Heartbeat.objects.update_or_create(name=name, defaults={"at": Now()})


def record_nightly(command: str) -> None:
    """Say that a nightly command ended well; it did so also where that cannot be stored."""
    try:
        record_heartbeat(command)
    except DatabaseError as error:
        log.warning("nightly_not_stored", command=command, error=type(error).__name__)


def worker_is_quiet(seconds: float) -> bool:
    """Whether nothing that does jobs showed itself for so long, by its beat or by a job's progress."""
    at_work = Job.objects.filter(
        WORK.filter(), state=Job.State.RUNNING, lease_until__gte=seconds_from_now(LEASE_SECONDS - seconds)
    )
    beaten = Heartbeat.objects.filter(name=WORKER, at__gte=seconds_from_now(-seconds))
    return not beaten.exists() and not at_work.exists()


def last_seen() -> dict[str, datetime | None]:
    """When each part of the background work last showed itself."""
    beaten = dict(Heartbeat.objects.filter(name__in=[DECIDER, WORKER]).values_list("name", "at"))
    until = Job.objects.filter(WORK.filter(), state=Job.State.RUNNING).aggregate(last=Max("lease_until"))["last"]
    at_work = until and until - timedelta(seconds=LEASE_SECONDS)
    seen = [moment for moment in (beaten.get(WORKER), at_work) if moment is not None]
    return {DECIDER: beaten.get(DECIDER), WORKER: max(seen, default=None)}


def run_here(job: Job) -> Job:
    """Do a job in this process (a management command without a broker finishes its jobs itself).

    Raises EndedBySignal where the process is told to end: the job waits then, and says so, or has failed.
    """
    with signals_raised():
        run(job.pk)
    job.refresh_from_db()
    return job
