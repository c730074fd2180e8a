"""One act of a QC lead on many items: a job, each item a transaction of its own, as if done alone; and its undoing.

The items come with the versions that the lead saw: one to which something else happened since is left out and counted.
A job that runs a second time finds its own reviews, and does nothing twice.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from django.db import transaction
from django.db.models import F, QuerySet

from annotation.content.models.item import Item
from annotation.core.errors import Conflict, Invalid, NotFound, Refusal
from annotation.core.models.member import Annotator
from annotation.core.public_pages import require_confirmation
from annotation.jobs.models import Job
from annotation.jobs.queue import Handle, PostponeJob, enqueue, handles, run_here
from validation.consensus import stages
from validation.review.actions.decisions import approval_undo, approve, flag_close, reopen
from validation.review.rules.many import ACT_NAMES, APPROVE, CLOSE, EXCLUDE, MOST, STALE, UNDO, BulkAct
from validation.voting.actions import steps
from validation.voting.actions.steps import exclude
from validation.voting.models.review import Review
from validation.voting.rules.flags import FLAG_NAMES

KIND = "review_many"
# So many are done while the page waits; more are left to a worker.
AT_ONCE = 30
SAVED_EVERY = 10


def many_begin(*, lead: Annotator, wish: BulkAct, items: Sequence[tuple[int, int]]) -> Job:
    """Do an act to these items (id, version that was seen). Raises Invalid for what the act alone would refuse."""
    if wish.act not in ACT_NAMES:
        raise Invalid(field="act", code="choice_unknown")
    if wish.act == CLOSE and wish.flag not in FLAG_NAMES:
        raise Invalid(field="flag", code="flag_missing")
    if not 0 < len(items) <= MOST:
        raise Invalid(field="items", code="many_none")
    words = steps.checked_words(wish.words, field="words", required=wish.act == EXCLUDE)
    payload = {"act": wish.act, "flag": wish.flag, "words": words}
    return _begin_job(lead, payload, items)


def undo_begin(*, lead: Annotator, job: Job) -> Job:
    """Take an act back on those of its items to which nothing happened since; Conflict where there are none.

    Raises ClosesPages where public pages show votes on items that were excluded by it, and are asked about again.
    """
    steps_to_undo = undoable_steps(job)
    items = list(steps_to_undo.values_list("item", "version"))
    if not items:
        raise Conflict(code="many_none")
    require_confirmation(steps_to_undo.filter(event=stages.EXCLUDE).order_by().values("item"), by=lead.user)
    return _begin_job(lead, {"act": UNDO, "undoes": job.pk}, items)


def undoable_steps(job: Job) -> QuerySet[Review]:
    """The steps of an act after which nothing happened to their items; none of what undoes."""
    if job.args["act"] == UNDO:
        return Review.objects.none()
    return Review.objects.filter(job=job, item__version=F("version")).order_by("item")


def _begin_job(lead: Annotator, payload: Mapping[str, object], items: Sequence[tuple[int, int]]) -> Job:
    here = len(items) <= AT_ONCE
    with transaction.atomic():
        args = {**payload, "lead": lead.pk, "items": sorted(items)}
        job = enqueue(kind=KIND, project=lead.project, by=lead.user, args=args, here=here, urgent=True)
    return run_here(job) if here else job


@handles(KIND)
def many_do(handle: Handle) -> dict[str, object]:
    """Do the act to one item after the other; the result counts what was done and, by reason, what was left out."""
    job = handle.job
    lead = Annotator.objects.get(pk=job.args["lead"])
    items: list[tuple[int, int]] = [(item, version) for item, version in job.args["items"]]
    already = set(Review.objects.filter(job=job).values_list("item", flat=True))
    left: list[tuple[int, str]] = []
    for n, (item_id, version) in enumerate(items):
        if n % SAVED_EVERY == 0:
            handle.progress(n, len(items))
            if handle.should_stop():
                raise PostponeJob(0)
        if item_id in already:
            continue
        try:
            _act_and_mark(job, lead, item_id, version)
        except Refusal as refusal:
            left.append((item_id, _reason(refusal)))
    handle.progress(len(items), len(items))
    done = Review.objects.filter(job=job).count()
    return {"done": done, "left": left, "why": Counter(why for _, why in left)}


def _reason(refusal: Refusal) -> str:
    if isinstance(refusal, NotFound):
        return "not_found"
    return STALE if refusal.code == "stale" else refusal.code


def _act_and_mark(job: Job, lead: Annotator, item_id: int, version: int) -> None:
    """The act on one item, its row marked as part of the job in the same transaction."""
    with transaction.atomic():
        item = _act(job, lead, item_id, version)
        Review.objects.filter(item=item, version=item.version).update(job=job)


def _act(job: Job, lead: Annotator, item_id: int, version: int) -> Item:
    act, words = job.args["act"], job.args.get("words", "")
    if act == APPROVE:
        return approve(lead=lead, item_id=item_id, version=version, words=words)
    if act == EXCLUDE:
        return exclude(lead=lead, item_id=item_id, version=version, words=words)
    if act == CLOSE:
        return flag_close(lead=lead, item_id=item_id, version=version, flag=job.args["flag"], words=words)
    undone = Review.objects.get(item=item_id, version=version, job=job.args["undoes"])
    if undone.event == stages.EXCLUDE:
        return reopen(lead=lead, item_id=item_id, version=version)
    return approval_undo(lead=lead, item_id=item_id, version=version)
