"""Setting all standing votes of a person aside, and undoing it: a job with a transaction for each item.

Nothing is deleted. What is set aside stays stored and paid; undone, each vote is stored again with its answer, as
the item's next one, and the system decides again from what then stands. A job that runs again finds what it did.
"""

from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Now

from annotation.content.models.item import Item
from annotation.core.database import locked
from annotation.core.errors import Conflict, Refusal, clean_typed
from annotation.core.models.member import Annotator, Event
from annotation.core.models.project import Project
from annotation.core.models.user import User
from annotation.core.public_pages import require_confirmation
from annotation.jobs.models import Job
from annotation.jobs.queue import Handle, PostponeJob, enqueue, handles, run_here
from validation.quality.models import SetAside, SetAsideVote
from validation.voting.actions.asked_again import confirm_without_votes
from validation.voting.actions.decide import decide_item
from validation.voting.actions.votes import withdraw_vote
from validation.voting.models.vote import Vote

KIND = "set_aside"
# So many items are done while the page waits; more are left to a worker.
AT_ONCE = 30
SAVED_EVERY = 10
LONGEST = 2000


def standing_votes_of(annotator: Annotator, by: User) -> QuerySet[Vote]:
    """The votes of somebody that count now, but on what `by` wrote: nobody judges the votes on their own items."""
    standing = Vote.objects.filter(annotator=annotator, withdrawn_at=None, epoch=F("item__epoch"))
    return standing.filter(item__project=annotator.project_id).exclude(item__author__user=by)


def set_aside_begin(*, annotator: Annotator, by: User, reason: str) -> SetAside:
    """Set aside all standing votes of a person. Raises Invalid without a reason, Conflict where none stands.

    Raises ClosesPages where public pages show votes on items that are asked about again without theirs.
    """
    reason = clean_typed(reason, "reason", LONGEST, missing="reason_missing")
    with transaction.atomic():
        Project.lock(annotator.project_id)
        items = sorted(standing_votes_of(annotator, by).values_list("item", flat=True))
        if not items:
            raise Conflict(code="votes_none")
        confirm_without_votes(items, annotator=annotator, by=by)
        act = SetAside.objects.create(
            project_id=annotator.project_id, annotator=annotator, by=by, reason=reason, items=items
        )
        Event.record(annotator.project_id, by, "votes_set_aside", annotator=annotator.pseudonym, votes=len(items))
        job = _begin_job(act, by, undo=False)
    return _do_at_once(act, job)


def set_aside_undo(*, act: SetAside, by: User) -> SetAside:
    """Let the votes of an act count again, where the items still mean the same. Conflict where it was undone.

    Raises ClosesPages where public pages show votes on its items: with more votes some may be asked about again.
    """
    with transaction.atomic():
        fresh = locked(SetAside.objects.filter(pk=act.pk)).get()
        if fresh.undone_at is not None:
            raise Conflict(code="set_aside_undone")
        if fresh.job is not None and fresh.job.state in (Job.State.QUEUED, Job.State.RUNNING):
            raise Conflict(code="set_aside_running")
        require_confirmation(fresh.items, by=by)
        SetAside.objects.filter(pk=act.pk).update(undone_at=Now(), undone_by=by)
        pseudonym = fresh.annotator.pseudonym
        Event.record(fresh.project_id, by, "votes_set_back", annotator=pseudonym, act=act.pk)
        job = _begin_job(fresh, by, undo=True)
    return _do_at_once(fresh, job)


def _begin_job(act: SetAside, by: User, *, undo: bool) -> Job:
    here = len(act.items) <= AT_ONCE
    job = enqueue(kind=KIND, project=act.project, by=by, args={"act": act.pk, "undo": undo}, here=here, urgent=True)
    SetAside.objects.filter(pk=act.pk).update(job=job)
    return job


def _do_at_once(act: SetAside, job: Job) -> SetAside:
    if len(act.items) <= AT_ONCE:
        run_here(job)
    act.refresh_from_db()
    return act


@handles(KIND)
def set_aside_do(handle: Handle) -> dict[str, object]:
    """Do the act, or undo it, on one item after the other; the result counts the votes, and what was left as it is."""
    act = SetAside.objects.get(pk=handle.job.args["act"])
    one = _restore if handle.job.args["undo"] else _void
    for n, item_id in enumerate(act.items):
        if n % SAVED_EVERY == 0:
            handle.progress(n, len(act.items))
            if handle.should_stop():
                raise PostponeJob(0)
        try:
            with transaction.atomic():
                one(act, locked(Item.objects.filter(pk=item_id)).get())
        except Refusal:
            continue
    handle.progress(len(act.items), len(act.items))
    votes = SetAsideVote.objects.filter(act=act)
    done = votes.exclude(restored=None).count() if handle.job.args["undo"] else votes.count()
    return {"done": done, "left": len(act.items) - done}


def _void(act: SetAside, item: Item) -> None:
    mine = Q(item=item, annotator=act.annotator_id, epoch=item.epoch, withdrawn_at=None)
    vote = Vote.objects.filter(mine).first()
    if vote is None:
        return
    withdraw_vote(vote=vote, item=item, why=Vote.Withdrawn.VOIDED, reason=act.reason)
    SetAsideVote.objects.create(act=act, vote=vote)
    decide_item(item_id=item.pk)


def _restore(act: SetAside, item: Item) -> None:
    """Store the vote again as the item's next: the same answer at the same revision, of the same round."""
    kept = SetAsideVote.objects.select_related("vote").filter(act=act, vote__item=item, restored=None).first()
    if kept is None or kept.vote.epoch != item.epoch:
        return
    standing = Vote.objects.filter(item=item, annotator=act.annotator_id, epoch=item.epoch, withdrawn_at=None)
    if standing.exists():
        return
    vote = Vote.objects.get(pk=kept.vote_id)
    vote.pk, vote.n, vote.client_id, vote.surplus = None, item.votes_n + 1, None, False
    vote.withdrawn_at = vote.withdrawn_version = None
    vote.withdrawn_why = vote.withdrawn_reason = ""
    vote.save(force_insert=True)
    SetAsideVote.objects.filter(pk=kept.pk).update(restored=vote)
    Item.objects.filter(pk=item.pk).update(votes_n=vote.n)
    decide_item(item_id=item.pk)
