"""The ledger against what was done: every finished action since the first rate has one entry, every entry an action.

The ledger is recounted from the actions themselves; what is missing is posted at the rate of its time, what its owner
took back is reversed. An entry that was made is never touched.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from django.db.models import F, Model, Q, QuerySet

from annotation.content.models.item import Revision
from annotation.content.models.source import Allocation
from annotation.core.models.project import Project
from annotation.pay import actions as pay
from annotation.pay import rules
from annotation.pay.models import LedgerEntry, Rate
from annotation.pay.rules import Counted
from validation.consensus import stages
from validation.integrity.base import Breach
from validation.review.models.assessment import Assessment, Preference
from validation.review.rules.assessments import QUESTION
from validation.studies.models import Rating
from validation.voting.models.vote import Vote

CHUNK = 500
# How a writer sends back what was returned to them: to the lead, or to another reviewer.
RESUBMITTED = (stages.RESUBMIT, stages.REVIEW_AGAIN)
INVARIANT = "P1"
ONE = Counted(item=1)
Row = TypeVar("Row", bound=Model)


@dataclass(frozen=True)
class Done:
    """A finished action as the ledger should know it."""

    key: str
    action: str
    annotator: int
    target: int
    item: int | None
    at: datetime
    counted: Counted


def check_pay(project: Project | None, repair: bool) -> Iterator[Breach]:
    """Actions without an entry, entries without an action, entries whose amount is not their units' worth."""
    paying = Project.objects.filter(pays=True).order_by("pk")
    if project is not None:
        paying = paying.filter(pk=project.pk)
    for each in paying:
        yield from _unpaid(each, repair)
        yield from _undone(each, repair)
        for entry in pay.unbalanced(LedgerEntry.objects.filter(project=each).select_related("rate")):
            worth = rules.worth(entry.units, entry.rate.amount) * (-1 if entry.reverses_id else 1)
            yield Breach("P2", each.slug, entry.key, "the amount", str(entry.amount), str(worth))


def done_since(project: Project, since: datetime) -> Iterator[list[Done]]:
    """Every finished action of a project since a moment that stands, in chunks: what the ledger is recounted from."""
    for action in (_submitted, _corrected, _votes, _rated, _assessed, _compared):
        yield from action(project, since)


def _submitted(project: Project, since: datetime) -> Iterator[list[Done]]:
    """Sets that writers submitted."""
    there = Allocation.objects.filter(project=project, state=Allocation.State.SUBMITTED)
    for allocations in _chunks(there.filter(submitted_at__gte=since)):
        yield list(_sets(project, allocations))


def _corrected(project: Project, since: datetime) -> Iterator[list[Done]]:
    """Returned items that their writers sent back corrected."""
    kind, language = project.kind_spec, project.language
    sent = Revision.objects.filter(project=project, event__in=RESUBMITTED, at__gte=since)
    for revisions in _chunks(sent.filter(by=F("item__author")).select_related("item")):
        yield [
            Done(
                pay.correct_key(each.pk),
                rules.CORRECT,
                each.item.author_id or 0,
                each.item.target_id,
                each.item_id,
                each.at,
                rules.counted(kind, [each.content], language),
            )
            for each in revisions
        ]


def _votes(project: Project, since: datetime) -> Iterator[list[Done]]:
    """Votes that were cast here: a voided one was work, one taken back was not, an imported one is none of ours."""
    cast = Vote.objects.filter(project=project, imported=False, cast_at__gte=since)
    cast = cast.exclude(withdrawn_why=Vote.Withdrawn.TAKEN_BACK)
    for votes in _chunks(cast.select_related("item__target")):
        yield list(_voted(project, votes))


def _rated(project: Project, since: datetime) -> Iterator[list[Done]]:
    rated = Rating.objects.filter(run__project=project, answered_at__gte=since)
    for ratings in _chunks(rated.select_related("generation__item")):
        items = [(each, each.generation.item) for each in ratings]
        yield [
            Done(
                pay.rate_key(each.pk, each.token),
                rules.RATE,
                each.annotator_id,
                item.target_id,
                item.pk,
                at,
                ONE,
            )
            for each, item in items
            if (at := each.answered_at) is not None
        ]


def _assessed(project: Project, since: datetime) -> Iterator[list[Done]]:
    """The first check of each machine-written item; every check says something of the question."""
    first = Assessment.objects.filter(project=project, part=QUESTION, n=1, at__gte=since, by__isnull=False)
    for checks in _chunks(first.select_related("item")):
        yield [
            Done(
                pay.assess_key(each.item_id),
                rules.ASSESS,
                each.by_id or 0,
                each.item.target_id,
                each.item_id,
                each.at,
                ONE,
            )
            for each in checks
        ]


def _compared(project: Project, since: datetime) -> Iterator[list[Done]]:
    compared = Preference.objects.filter(pair__comparison__project=project, at__gte=since)
    for preferences in _chunks(compared.select_related("pair__first__material")):
        targets = [(each, each.pair.first.material.target_id) for each in preferences]
        yield [
            Done(pay.compare_key(each.pk), rules.COMPARE, each.annotator_id, target, None, each.at, ONE)
            for each, target in targets
        ]


def _chunks(rows: QuerySet[Row]) -> Iterator[list[Row]]:
    last = 0
    while chunk := list(rows.filter(pk__gt=last).order_by("pk")[:CHUNK]):
        yield chunk
        last = chunk[-1].pk


def _sets(project: Project, allocations: list[Allocation]) -> Iterator[Done]:
    """Sets as they were handed in: the first revisions of their items."""
    first = Revision.objects.filter(item__allocation__in=allocations, n=1).select_related("item")
    by_allocation: defaultdict[int | None, list[Revision]] = defaultdict(list)
    for each in first.order_by("item__allocation", "item"):
        by_allocation[each.item.allocation_id].append(each)
    for allocation in allocations:
        made = by_allocation[allocation.pk]
        if not made or allocation.submitted_at is None:
            continue
        yield Done(
            pay.set_key(allocation.pk),
            rules.WRITE,
            allocation.writer_id,
            made[0].item.target_id,
            made[0].item_id if len(made) == 1 else None,
            allocation.submitted_at,
            rules.counted(project.kind_spec, [each.content for each in made], project.language, sets=1),
        )


def _voted(project: Project, votes: list[Vote]) -> Iterator[Done]:
    seen = Revision.objects.filter(item__in={vote.item_id for vote in votes})
    contents = {(item, n): content for item, n, content in seen.values_list("item", "n", "content")}
    for vote in votes:
        content = contents[vote.item_id, vote.revision_n]
        yield Done(
            pay.vote_key(vote.pk),
            rules.VOTE,
            vote.annotator_id,
            vote.item.target_id,
            vote.item_id,
            vote.cast_at,
            rules.counted(project.kind_spec, [content], vote.item.target.language, votes=1),
        )


# --- both ways --------------------------------------------------------------------------


def _unpaid(project: Project, repair: bool) -> Iterator[Breach]:
    """Actions that earned something by the rates of their time, and have no entry."""
    rates = list(Rate.objects.filter(project=project))
    if not rates:
        return
    for chunk in done_since(project, min(rate.at for rate in rates)):
        paid = set(
            LedgerEntry.objects.filter(key__in=[done.key for done in chunk]).values_list("key", flat=True)
        )
        for done in chunk:
            rate = rules.in_force(rates, done.action, done.target, done.at)
            if done.key in paid or rate is None or not rate.amount or not done.counted.of(rate.unit):
                continue
            repaired = repair and pay.post(
                project=project.pk,
                annotator=done.annotator,
                target=done.target,
                action=done.action,
                key=done.key,
                counted=done.counted,
                item=done.item,
                rate=rate.pk,
            )
            yield Breach(
                INVARIANT, project.slug, done.key, "the entry of a finished action", "none", "one", repaired
            )


def _undone(project: Project, repair: bool) -> Iterator[Breach]:
    """Entries that stand though their owner took the action back, or that never had one."""
    entries = LedgerEntry.objects.filter(project=project, reverses=None, reversed_by=None)
    for chunk in _chunks(entries):
        keys = {_plain(entry.key) for entry in chunk}
        standing = _standing(keys)
        for entry in chunk:
            if _plain(entry.key) in standing:
                continue
            if repair:
                pay.unpost(key=_plain(entry.key))
            yield Breach(INVARIANT, project.slug, entry.key, "the entry", "stands", "taken back", repair)


def _plain(key: str) -> str:
    """The key of an action, also where its entry was counted anew."""
    return key.rstrip(LedgerEntry.AGAIN)


def _standing(keys: set[str]) -> set[str]:
    """Which of these keys name an action that was not taken back."""
    numbers: dict[str, set[int]] = {}
    for key in keys:
        kind, _, rest = key.partition(":")
        numbers.setdefault(kind, set()).add(int(rest.partition(":")[0]))
    votes = Vote.objects.filter(~Q(withdrawn_why=Vote.Withdrawn.TAKEN_BACK), pk__in=numbers.get("vote", ()))
    allocations = Allocation.objects.filter(pk__in=numbers.get("set", ()), state=Allocation.State.SUBMITTED)
    revisions = Revision.objects.filter(pk__in=numbers.get("correct", ()))
    ratings = Rating.objects.filter(pk__in=numbers.get("rate", ()), answered_at__isnull=False)
    assessed = Assessment.objects.filter(item__in=numbers.get("assess", ()), part=QUESTION, n=1)
    compared = Preference.objects.filter(pk__in=numbers.get("compare", ()))
    return {
        *map(pay.compare_key, compared.values_list("pk", flat=True)),
        *map(pay.vote_key, votes.values_list("pk", flat=True)),
        *map(pay.set_key, allocations.values_list("pk", flat=True)),
        *map(pay.correct_key, revisions.values_list("pk", flat=True)),
        *map(pay.assess_key, assessed.values_list("item_id", flat=True)),
        *(pay.rate_key(pk, token) for pk, token in ratings.values_list("pk", "token")),
    }
