"""Items, a chunk at a time. What looks broken is read again under the item's lock before it is said to be."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction
from django.db.models import F, Q
from django.db.models.functions import Now

from annotation.answers import PlaceLost, Question, label_of
from annotation.content import shapes
from annotation.content.models.item import Item, Revision
from annotation.content.queries import contents
from annotation.core.database import locked, now
from annotation.core.models.project import Project
from annotation.jobs.models import Import, Job
from annotation.jobs.queue import MOST_ATTEMPTS, UNFINISHED
from annotation.kinds import Kind
from annotation.writing.actions.revising import revise
from validation.consensus import stages
from validation.integrity.base import Breach
from validation.integrity.rules import (
    AUTHOR,
    LEAD,
    NEW_MEANING,
    BrokenInvariant,
    Event,
    Facts,
    VoteFact,
    broken_invariants,
    expected_epoch,
    expected_gold,
    expected_stage,
)
from validation.voting.actions import steps
from validation.voting.actions.asked_again import prepare_asking_again
from validation.voting.actions.decide import decide_item
from validation.voting.actions.flags import update_doubt
from validation.voting.actions.marked_places import has_places, lead_gold
from validation.voting.actions.verdicts import (
    decision_of,
    is_reviewed,
    protocol_of,
    questions_of,
    standing_votes,
)
from validation.voting.actions.votes import withdraw_vote
from validation.voting.carried_votes import answers_now, contents_of, without_places
from validation.voting.models.assignment import Assignment
from validation.voting.models.review import Flag, Review
from validation.voting.models.vote import Verdict, Vote

CHUNK = 500


def check_items(project: Project | None, repair: bool) -> Iterator[Breach]:
    """Compare every item with what its rows say; votes that arrive meanwhile are no breach."""
    # Few projects and protocols, many items: each is read once a chunk.
    items = Item.objects.filter(project__kept_for=None).prefetch_related("project", "protocol").order_by("pk")
    if project is not None:
        items = items.filter(project=project)
    last = 0
    while chunk := list(items.filter(pk__gt=last)[:CHUNK]):
        for item_id, facts in facts_of(chunk).items():
            if broken_invariants(facts):
                yield from _confirmed(item_id, repair)
        last = chunk[-1].pk


def _confirmed(item_id: int, repair: bool) -> list[Breach]:
    with transaction.atomic():
        item, found = _read(item_id)
        left = found
        if found and repair:
            item_repair(item=item, facts=facts_of([item])[item_id])
            left = _read(item_id)[1]
        still = {(one.invariant, one.what) for one in left}
    new = [one for one in left if (one.invariant, one.what) not in {(f.invariant, f.what) for f in found}]
    return [
        Breach(
            invariant=one.invariant,
            project=item.project.slug,
            subject=item.key,
            what=one.what,
            found=one.found,
            expected=one.expected,
            repaired=repair and (one.invariant, one.what) not in still,
        )
        for one in (*found, *new)
    ]


def _read(item_id: int) -> tuple[Item, list[BrokenInvariant]]:
    item = locked(Item.objects.select_related("project", "protocol").filter(pk=item_id)).get()
    return item, broken_invariants(facts_of([item])[item_id])


@dataclass
class _Rows:
    """What belongs to one item."""

    events: list[Event] = field(default_factory=list)
    votes: list[VoteFact] = field(default_factory=list)
    revisions: int = 0
    content: dict[str, Any] = field(default_factory=dict)
    assignments: list[int] = field(default_factory=list)
    open_flags: list[str] = field(default_factory=list)
    flag_versions: list[int] = field(default_factory=list)
    revised: list[int] = field(default_factory=list)

    def revision_at(self, version: int) -> int:
        """The number of the revision that stood at a version of the item."""
        return sum(step <= version for step in self.revised)


def facts_of(items: Sequence[Item]) -> dict[int, Facts]:
    """Each item's facts by id; the items come with project and protocol."""
    rows: dict[int, _Rows] = defaultdict(_Rows)
    ids = [item.pk for item in items]
    _read_events(ids, rows)
    _read_votes(ids, rows)
    for item_id, code, version, closed_version, closed in Flag.objects.filter(item__in=ids).values_list(
        "item_id", "code", "version", "closed_version", "closed_at"
    ):
        if closed is None:
            rows[item_id].open_flags.append(code)
        rows[item_id].flag_versions.append(max(version, closed_version or 0))
    open_assignments = Assignment.objects.filter(item__in=ids, state=Assignment.State.OPEN)
    for item_id, epoch in open_assignments.values_list("item_id", "epoch"):
        rows[item_id].assignments.append(epoch)
    texts = contents(items)
    _carry_places(items, rows)
    moment = now()
    return {
        item.pk: _facts(item, rows[item.pk], texts.get(item.pk), item.due_at is not None and item.due_at <= moment)
        for item in items
    }


def _read_events(ids: Iterable[int], rows: dict[int, _Rows]) -> None:
    revisions = Revision.objects.filter(item__in=ids)
    for item_id, n, version, event in revisions.values_list("item_id", "n", "version", "event"):
        rows[item_id].events.append(Event(version, event))
        rows[item_id].revised.append(version)
        rows[item_id].revisions = max(rows[item_id].revisions, n)
    last = revisions.filter(n=F("item__revision_n")).values_list("item_id", "content")
    for item_id, content in last:
        rows[item_id].content = content
    for table in (Verdict, Review):
        found = table._default_manager.filter(item__in=ids)
        for item_id, version, event, label in found.values_list("item_id", "version", "event", "label"):
            rows[item_id].events.append(Event(version, event, label))


def _carry_places(items: Sequence[Item], rows: dict[int, _Rows]) -> None:
    """Let what was marked in an earlier text of an item say where it stands in the present one.

    Two statements a chunk at most, none where nobody marks anything.
    """
    marked = [item for item in items if has_places(item)]
    if not marked:
        return
    by_lead = Review.objects.filter(item__in=marked, event=stages.ADJUDICATE, answers__isnull=False)
    given = {(row.item_id, row.version): row.answers or {} for row in by_lead}
    wanted = {(item.pk, vote.revision) for item in marked for vote in rows[item.pk].votes}
    wanted |= {(item, rows[item].revision_at(version)) for item, version in given}
    there = contents_of(wanted)
    for item in marked:
        own, asked, kind = rows[item.pk], questions_of(item), item.project.kind_spec
        for place, vote in enumerate(own.votes):
            if vote.withdrawn is None and vote.epoch == item.epoch:
                before = there.get((item.pk, vote.revision), {})
                own.votes[place] = _carried_vote(vote, kind, asked, before, own.content)
        for place, step in enumerate(own.events):
            if (answers := given.get((item.pk, step.version))) is not None:
                before = there.get((item.pk, own.revision_at(step.version)), {})
                with suppress(PlaceLost):
                    label = label_of(asked, answers_now(kind, asked, answers, before, own.content))
                    own.events[place] = step._replace(label=label)


def _carried_vote(
    vote: VoteFact, kind: Kind, asked: Sequence[Question], before: Mapping[str, Any], now: Mapping[str, Any]
) -> VoteFact:
    try:
        answers = answers_now(kind, asked, vote.answers, before, now)
    except PlaceLost as lost:
        return vote._replace(answers=without_places(asked, vote.answers), lost=str(lost))
    return vote._replace(answers=answers, label=label_of(asked, answers))


_VOTE = (
    "n",
    "epoch",
    "annotator_id",
    "annotator__pseudonym",
    "label",
    "round",
    "answers",
    "withdrawn_version",
    "withdrawn_why",
    "ambiguous",
    "surplus",
    "revision_n",
)


def _read_votes(ids: Iterable[int], rows: dict[int, _Rows]) -> None:
    """The columns of VoteFact in its order: whole votes would take longer than all that is compared."""
    found = Vote.objects.filter(item__in=ids).order_by("n").values_list("item_id", *_VOTE)
    for item_id, *columns in found:
        rows[item_id].votes.append(VoteFact(*columns))


def _facts(item: Item, rows: _Rows, present: Mapping[str, Any] | None, due: bool) -> Facts:
    return Facts(
        version=item.version,
        stage=item.stage,
        epoch=item.epoch,
        round=item.round,
        pending=item.pending,
        slots_free=item.slots_free,
        votes_n=item.votes_n,
        revision_n=item.revision_n,
        gold=item.gold,
        gold_from=item.gold_from,
        doubt=item.doubt,
        returns=item.returns,
        waits_for_decision=due,
        author=item.author_id,
        author_label=item.author_label,
        protocol=protocol_of(item),
        labels=item.project.kind_spec.question.label_keys,
        events=rows.events,
        revisions=rows.revisions,
        votes=rows.votes,
        assignments=sum(epoch == item.epoch for epoch in rows.assignments),
        assignments_elsewhere=sum(epoch != item.epoch for epoch in rows.assignments),
        flags=rows.open_flags,
        flags_beyond=sum(version > item.version for version in rows.flag_versions),
        content_kept=_is_kept(rows.content, present),
        reviewed=is_reviewed(item),
        asked=questions_of(item),
        gold_answers=item.gold_answers,
        route=item.route,
    )


def _is_kept(content: Mapping[str, Any], present: Mapping[str, Any] | None) -> bool:
    """Whether the present text is that of the last revision; that there are no tags need not be said."""
    return present is not None and {"tags": [], **present} == {"tags": [], **content}


SECOND_VOTE_REASON = "check_integrity: a second standing vote of the same person"
LOST_PLACES_REASON = "check_integrity: words that votes mark do not stand in the text once"
OWN_VOTE_REASON = "check_integrity: a vote on one's own item"
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
    "gold_answers",
    "returns",
    "due_at",
)


def item_repair(*, item: Item, facts: Facts) -> None:
    """Bring an item that the caller has locked back to what its rows say, and let the system decide it."""
    with transaction.atomic():
        _renumber(item, facts)
        before = item.stage
        item.stage = expected_stage(facts) or before
        if stages.comes_back(before, item.stage):
            prepare_asking_again([item], by=None)
        item.epoch = expected_epoch(facts)
        item.save(update_fields=_REPAIRED)
        if any(vote.lost for vote in facts.standing):
            _ask_anew(item)
        _void_wrong_votes(item, facts)
        _repair_assignments(item)
        _repair_texts(item, facts)
        _repair_gold(item, facts)
        update_doubt(item=item)
        item.save(update_fields=_REPAIRED)
        if facts._replace(stage=item.stage).is_decided_by_votes:
            decide_item(item_id=item.pk)


def _ask_anew(item: Item) -> None:
    """Begin a new epoch of an item whose votes mark words that its text does not have, or not once."""
    old_epoch = item.epoch
    steps.move_stage(item, stages.CORRECT_NEW, None)
    item.epoch += 1
    content = Revision.objects.get(item=item, n=item.revision_n).content
    revise(item=item, content=content, by=None, event=stages.CORRECT_NEW, meaning="new", why=LOST_PLACES_REASON)
    steps.restart_validation(item, old_epoch)
    item.save(update_fields=_REPAIRED)


def _renumber(item: Item, facts: Facts) -> None:
    rows = [step.version for step in facts.events]
    rows += [vote.withdrawn for vote in facts.votes if vote.withdrawn is not None]
    item.version = max(rows, default=item.version)
    item.votes_n = max((vote.n for vote in facts.votes), default=0)
    item.revision_n = facts.revisions
    item.returns = sum(step.event in stages.RETURNS for step in facts.events)


def _void_wrong_votes(item: Item, facts: Facts) -> None:
    """Void what must not count: a second vote of one person, a vote on one's own item, one of an older text."""
    starts = [step.version for step in facts.steps if step.event in stages.STARTS_EPOCH]
    seen: set[int] = set()
    for vote in Vote.objects.filter(item=item, withdrawn_at=None).order_by("n"):
        if vote.annotator_id == item.author_id:
            withdraw_vote(vote=vote, item=item, why=Vote.Withdrawn.VOIDED, reason=OWN_VOTE_REASON)
        elif vote.epoch != item.epoch and starts:
            Vote.objects.filter(pk=vote.pk).update(
                withdrawn_at=Now(), withdrawn_version=starts[-1], withdrawn_why=NEW_MEANING
            )
        elif vote.annotator_id in seen:
            withdraw_vote(vote=vote, item=item, why=Vote.Withdrawn.VOIDED, reason=SECOND_VOTE_REASON)
        seen.add(vote.annotator_id)


def _repair_assignments(item: Item) -> None:
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


def _repair_texts(item: Item, facts: Facts) -> None:
    """The last revision is what the item says; a premise belongs to other pairs too and is left to a person."""
    if facts.content_kept:
        return
    content = Revision.objects.get(item=item, n=item.revision_n).content
    shapes.get(item.project.kind_spec.shape).update(item, content)


def _repair_gold(item: Item, facts: Facts) -> None:
    """What a lead or the writer gave is kept as they gave it; the system gives what the votes give."""
    if item.stage == stages.SETTLED and not facts._replace(stage=item.stage).is_decided_by_votes:
        item.gold, item.gold_from = expected_gold(facts._replace(stage=item.stage)) or ("", AUTHOR)
        return
    if item.stage == stages.ADJUDICATED:
        given = Review.objects.filter(item=item, event=stages.ADJUDICATE).order_by("version").last()
        assert given is not None  # noqa: S101 - the stage is the replay of the events
        (item.gold, item.gold_answers), item.gold_from = lead_gold(item, given), LEAD
        return
    if item.stage != stages.VOTING and facts._replace(stage=item.stage).is_decided_by_votes:
        item.round = decision_of(item, standing_votes([item])[item.pk]).round
    if item.stage != stages.SETTLED or item.gold_from in (LEAD, AUTHOR):
        item.gold = item.gold_from = ""
        item.gold_answers = None


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
