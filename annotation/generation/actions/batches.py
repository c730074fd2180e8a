"""The chain of a run's batches: a few are queued at once, the end of one queues the next, and none is forgotten."""

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.db.models.functions import Now

from annotation.core.models.member import Event
from annotation.generation.models import GenerationBatch, GenerationRun
from annotation.jobs.database import locked
from annotation.jobs.models import Job
from annotation.jobs.queue import UNFINISHED, cancel, enqueue

KIND = "generate"
# So many batches of one run wait for a worker or are with one: others' work comes in between.
IN_FLIGHT = 2
STEP_DONE, BATCH_FAILED = "run_step_done", "run_batch_failed"
State = GenerationRun.State
OVER = (State.DONE, State.CANCELLED)


def run_locked(run_id: int) -> GenerationRun:
    """The run, locked. The order is always run, job, project: whoever stores a step takes them so."""
    return locked(GenerationRun.objects.filter(pk=run_id)).get()


def batches_due(run: GenerationRun) -> QuerySet[GenerationBatch]:
    """The batches that have something to do now: of a run step by step, those that did not do the present step."""
    due = GenerationBatch.objects.filter(run=run, done=False)
    return due.filter(step=run.until) if run.stepwise else due


def chain_on(run: GenerationRun) -> None:
    """Queue what the run may do next, and end or pause it where nothing is left. The caller has locked the run."""
    if run.state != State.RUNNING:
        return
    due = batches_due(run)
    in_hand = due.filter(job__state__in=UNFINISHED).count()
    free = due.exclude(job__state__in=(*UNFINISHED, Job.State.FAILED)).order_by("n")
    batches = list(free[: max(0, IN_FLIGHT - in_hand)])
    for batch in batches:
        batch.job = enqueue(kind=KIND, project=run.project, by=run.by, args={"batch": batch.pk})
        batch.save(update_fields=["job"])
    if in_hand or batches:
        return
    if due.exists():
        _stopped(run, BATCH_FAILED)
    elif run.batches.filter(done=False).exists():
        _save(run, State.PAUSED, STEP_DONE)
    else:
        _save(run, State.DONE)


def run_stopped(run: GenerationRun, code: str) -> None:
    """Pause a run that cannot go on, with the reason's code. The caller has locked it."""
    jobs_cancel(run)
    _stopped(run, code)


def _stopped(run: GenerationRun, code: str) -> None:
    _save(run, State.PAUSED, code)
    data = {"n": run.n, "code": code}
    Event.objects.create(project=run.project, actor=None, verb="run_stopped", data=data)


def jobs_cancel(run: GenerationRun) -> None:
    """Take its batches out of the workers' hands: each stops before its next call. The caller has locked the run."""
    unfinished = Job.objects.filter(batch_of__run=run, state__in=UNFINISHED).order_by("pk")
    for job_id in unfinished.values_list("pk", flat=True):
        cancel(job_id=job_id)


def _save(run: GenerationRun, state: str, reason: str = "") -> None:
    run.state, run.reason = state, reason
    values = {"state": state, "reason": reason}
    GenerationRun.objects.filter(pk=run.pk).update(**values, **({"ended_at": Now()} if state in OVER else {}))


def chains_mend() -> int:
    """Go on with runs that nobody works for, though they are to be going on (a job failed); how many there were."""
    held = GenerationBatch.objects.filter(run=OuterRef("pk"), job__state__in=UNFINISHED)
    broken = GenerationRun.objects.filter(~Exists(held), state=State.RUNNING).order_by("pk")
    found = list(broken.values_list("pk", flat=True))
    for run_id in found:
        with transaction.atomic():
            chain_on(run_locked(run_id))
    return len(found)
