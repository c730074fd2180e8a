"""The batches of a run: a few are queued at once, the end of one queues the next; remaining questions are kept.

Questions that went through all steps become items of the project, where their run makes them.
"""

from collections.abc import Mapping, Sequence

from django.db import DataError, IntegrityError, transaction
from django.db.models import Exists, OuterRef, QuerySet

from annotation.concepts.actions import LONGEST_CATEGORY, ConceptIn, concepts_add
from annotation.content.actions.items import items_make_by_machine
from annotation.content.models.item import Item
from annotation.content.models.source import Concept
from annotation.core.database import locked, now
from annotation.core.errors import Conflict, Invalid
from annotation.core.models.member import Event
from annotation.core.models.project import Project
from annotation.generation.models import Candidate, GenerationBatch, GenerationRun, StepResult
from annotation.generation.rules.plans import ITEM_REFUSED, ITEMS, KEY_TAKEN
from annotation.jobs.models import Job
from annotation.jobs.queue import UNFINISHED, cancel, enqueue
from annotation.text.normalise import text_hash

KIND = "generate"
# So many batches of one run wait for a worker or are with one: others' work comes in between.
IN_FLIGHT = 2
STEP_DONE, BATCH_FAILED = "run_step_done", "run_batch_failed"
State = GenerationRun.State
FINAL_STATES = (State.DONE, State.CANCELLED)
# What refuses a question, and not the database as such: too long, missing, twice.
REFUSALS = (Conflict, Invalid, DataError, IntegrityError)


def run_locked(run_id: int) -> GenerationRun:
    """The run, locked. The order is always run, job, project: whoever stores a step takes them so."""
    return locked(GenerationRun.objects.filter(pk=run_id)).get()


def batches_due(run: GenerationRun) -> QuerySet[GenerationBatch]:
    """The batches that have something to do now: of a run step by step, those that did not do the present step."""
    due = GenerationBatch.objects.filter(run=run, done=False)
    return due.filter(step=run.until) if run.stepwise else due


def queue_next_batches(run: GenerationRun) -> None:
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
        _pause(run, BATCH_FAILED)
    elif run.batches.filter(done=False).exists():
        state_save(run, State.PAUSED, STEP_DONE)
    else:
        state_save(run, State.DONE)


def run_stop(run: GenerationRun, code: str) -> None:
    """Pause a run that cannot go on, with the reason's code. The caller has locked it."""
    cancel_batch_jobs(run)
    _pause(run, code)


def _pause(run: GenerationRun, code: str) -> None:
    """Save that a run cannot go on; the job that found it so ends by itself."""
    state_save(run, State.PAUSED, code)
    Event.record(run.project_id, None, "run_stopped", n=run.n, code=code)


def cancel_batch_jobs(run: GenerationRun) -> None:
    """Take its batches out of the workers' hands: each stops before its next call. The caller has locked the run."""
    unfinished = Job.objects.filter(batch_of__run=run, state__in=UNFINISHED).order_by("pk")
    for job_id in unfinished.values_list("pk", flat=True):
        cancel(job_id=job_id)


def state_save(run: GenerationRun, state: str, reason: str = "") -> None:
    run.state, run.reason = state, reason
    run.ended_at = now() if state in FINAL_STATES else None
    run.save(update_fields=["state", "reason", "until", "ended_at"])


def continue_stalled_runs() -> int:
    """Go on with runs that nobody works for, though they are to be going on (a job failed); how many there were."""
    held = GenerationBatch.objects.filter(run=OuterRef("pk"), job__state__in=UNFINISHED)
    broken = GenerationRun.objects.filter(~Exists(held), state=State.RUNNING).order_by("pk")
    runs = list(broken.values_list("pk", flat=True))
    for run_id in runs:
        with transaction.atomic():
            queue_next_batches(run_locked(run_id))
    return len(runs)


# --- what is left behind the last step ------------------------------------------------------------


def candidates_keep(*, run: GenerationRun, batch: GenerationBatch) -> None:
    """Keep what is left of a batch, as items where the run makes them; in the transaction that ends its last step.

    One whose key the project has already is dropped and says so; so is one that cannot be stored: it costs no other.
    """
    making = batch.candidates.filter(state=Candidate.State.MAKING).select_related("material__concept")
    left = list(making.order_by("pk"))
    if not left:
        return
    items: Mapping[str, Item] = {}
    refused: Mapping[str, str] = {}
    if run.makes_items:
        # One batch of a project at a time: keys and concepts are looked at before they are given out.
        project = Project.lock(run.project_id)
        items, refused = _make_items(project, left)
    for row in left:
        row.item = items.get(row.key)
        row.state = Candidate.State.KEPT
        if run.makes_items and row.item is None:
            row.state, row.step = Candidate.State.DROPPED, ITEMS
            row.reason = ITEM_REFUSED if row.key in refused else KEY_TAKEN
            row.params = {"error": refused[row.key]} if row.key in refused else {}
    Candidate.objects.bulk_update(left, ["item", "state", "step", "reason", "params"], batch_size=500)
    lost = {"run": run, "step": ITEMS, "outcome": StepResult.Outcome.DROPPED}
    StepResult.objects.bulk_create(
        StepResult(candidate=row, reason=row.reason, params=row.params, content=row.content, **lost)
        for row in left
        if row.state == Candidate.State.DROPPED
    )


def _make_items(project: Project, rows: Sequence[Candidate]) -> tuple[dict[str, Item], dict[str, str]]:
    """The items of these questions by key; where one is refused each is tried alone, and why goes with its key."""
    try:
        with transaction.atomic():
            keys, contents = [row.key for row in rows], [row.content for row in rows]
            return items_make_by_machine(project=project, sources=_concepts_of(rows), keys=keys, contents=contents), {}
    except REFUSALS as refusal:
        if len(rows) == 1:
            # A database's message may hold a text; its class does not.
            code = refusal.code if isinstance(refusal, (Conflict, Invalid)) else type(refusal).__name__
            return {}, {rows[0].key: code}
    items: dict[str, Item] = {}
    refused: dict[str, str] = {}
    for row in rows:
        one, why = _make_items(project, [row])
        items |= one
        refused |= why
    return items, refused


def _concepts_of(rows: Sequence[Candidate]) -> list[Concept]:
    """The concept of each question: that of its material, or the one that it names, made where it is new.

    A question stands in its own category, else in its material's group or the sort of what it is made from.
    """
    target = rows[0].material.target
    named = []
    for row in rows:
        category = str(row.content.get("category") or row.material.group or row.material.sort)
        concept = str(row.content["concept"]).strip()
        named.append(ConceptIn("", category.strip()[:LONGEST_CATEGORY], concept))
    hashes = [text_hash(each.text) for each in named]
    known = Concept.objects.filter(target=target, text_hash__in=set(hashes))
    there = {(concept.category, concept.text_hash): concept for concept in known}
    keys = [(each.category, text) for each, text in zip(named, hashes, strict=True)]
    new = {
        key: each
        for row, key, each in zip(rows, keys, named, strict=True)
        if row.material.concept is None and key not in there
    }
    if new:
        there |= dict(zip(new, concepts_add(target=target, rows=list(new.values())), strict=True))
    return [row.material.concept or there[key] for row, key in zip(rows, keys, strict=True)]
