"""Repairs: what can be computed anew is, by the same rules as in daily work; what cannot is left as it is.

Nothing is deleted. A vote that must not count is voided with the reason; a verdict that differs is written anew by
the house, with a row of its own.
"""

from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now

from annotation.content import shapes
from annotation.content.models.item import Item, Revision
from annotation.jobs.models import Import, Job
from annotation.jobs.queue import MOST_ATTEMPTS, UNFINISHED
from validation.consensus import stages
from validation.integrity.rules import (
    AUTHOR,
    LEAD,
    NEW_MEANING,
    Facts,
    expected_epoch,
    expected_gold,
    expected_stage,
)
from validation.review.actions.flags import weigh
from validation.voting.actions.decide import decide_item
from validation.voting.actions.verdicts import decision_of, standing_votes
from validation.voting.actions.votes import withdraw
from validation.voting.models.assignment import Assignment
from validation.voting.models.vote import Vote

DOUBLE = "check_integrity: a second standing vote of the same person"
OWN = "check_integrity: a vote on one's own item"
_REPAIRED = (
    "version",
    "stage",
    "epoch",
    "round",
    "pending",
    "slots_free",
    "votes_n",
    "revision_n",
    "gold",
    "gold_from",
    "returns",
    "due_at",
)


def item_repair(*, item: Item, facts: Facts) -> None:
    """Bring an item that the caller has locked back to what its rows say, and let the house decide it."""
    with transaction.atomic():
        _renumber(item, facts)
        item.stage = expected_stage(facts) or item.stage
        item.epoch = expected_epoch(facts)
        item.save(update_fields=_REPAIRED)
        _votes(item, facts)
        _assignments(item)
        _texts(item, facts)
        _gold(item, facts)
        weigh(item=item)
        item.save(update_fields=_REPAIRED)
        if facts._replace(stage=item.stage).by_votes:
            decide_item(item_id=item.pk)


def _renumber(item: Item, facts: Facts) -> None:
    rows = [step.version for step in facts.events]
    rows += [vote.withdrawn for vote in facts.votes if vote.withdrawn is not None]
    item.version = max(rows, default=item.version)
    item.votes_n = max((vote.n for vote in facts.votes), default=0)
    item.revision_n = facts.revisions
    item.returns = sum(step.event in stages.RETURNS for step in facts.events)


def _votes(item: Item, facts: Facts) -> None:
    """Void what must not count: a second vote of one person, a vote on one's own item, one of an older text."""
    starts = [step.version for step in facts.steps if step.event in stages.STARTS_EPOCH]
    seen: set[int] = set()
    for vote in Vote.objects.filter(item=item, withdrawn_at=None).order_by("n"):
        if vote.annotator_id == item.author_id:
            withdraw(vote=vote, item=item, why=Vote.Withdrawn.VOIDED, reason=OWN)
        elif vote.epoch != item.epoch and starts:
            Vote.objects.filter(pk=vote.pk).update(
                withdrawn_at=Now(), withdrawn_version=starts[-1], withdrawn_why=NEW_MEANING
            )
        elif vote.annotator_id in seen:
            withdraw(vote=vote, item=item, why=Vote.Withdrawn.VOIDED, reason=DOUBLE)
        seen.add(vote.annotator_id)


def _assignments(item: Item) -> None:
    """Open assignments belong to the epoch of an item in voting; afterwards slots are freed or asked for."""
    rows = Assignment.objects.filter(item=item, state=Assignment.State.OPEN)
    if item.stage == stages.VOTING:
        rows.exclude(epoch=item.epoch).update(state=Assignment.State.EXPIRED)
        item.pending, item.slots_free = rows.filter(epoch=item.epoch).count(), 0
        item.due_at = Now()
        return
    rows.update(state=Assignment.State.EXPIRED)
    item.pending = item.slots_free = 0
    if item.stage != stages.WRITTEN:
        item.due_at = None


def _texts(item: Item, facts: Facts) -> None:
    """The last revision is what the item says; a premise belongs to other pairs too and is left to a person."""
    if facts.content_kept:
        return
    content = Revision.objects.get(item=item, n=item.revision_n).content
    shapes.get(item.project.kind_spec.shape).update(item, content)


def _gold(item: Item, facts: Facts) -> None:
    """What a lead or the writer gave is kept as they gave it; the house gives what the votes give."""
    if item.stage == stages.SETTLED and not facts._replace(stage=item.stage).by_votes:
        item.gold, item.gold_from = expected_gold(facts._replace(stage=item.stage)) or ("", AUTHOR)
        return
    if item.stage == stages.ADJUDICATED:
        given = [step.label for step in facts.steps if step.event == stages.ADJUDICATE]
        item.gold, item.gold_from = given[-1], LEAD
        return
    if item.stage != stages.VOTING and facts._replace(stage=item.stage).by_votes:
        item.round = decision_of(item, standing_votes([item])[item.pk]).round
    if item.stage != stages.SETTLED or item.gold_from in (LEAD, AUTHOR):
        item.gold = item.gold_from = ""


def job_release(*, job_id: int) -> bool:
    """Give a job that nobody will take up back to the queue, or end one that was over; False where it went on."""
    unfinished = Job.objects.filter(pk=job_id, state__in=UNFINISHED)
    if unfinished.filter(fruitless__gt=MOST_ATTEMPTS).update(
        state=Job.State.FAILED, finished_at=Now(), lease="", lease_until=None
    ):
        return True
    lost = Q(lease="") | Q(lease_until=None) | Q(lease_until__lt=Now()) | Q(finished_at__isnull=False)
    if unfinished.filter(lost).update(state=Job.State.QUEUED, lease="", lease_until=None, finished_at=None):
        return True
    over = Job.objects.filter(pk=job_id).exclude(state__in=UNFINISHED)
    over.filter(finished_at=None).update(finished_at=Now())
    return bool(over.update(lease="", lease_until=None))


def import_recount(*, import_id: int, counts: dict[str, int]) -> bool:
    """Set an import's counts to what its job counted."""
    return bool(Import.objects.filter(pk=import_id).update(**counts))
