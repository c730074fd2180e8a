"""Deciding due items in batches, from their standing votes, by the pure engine.

One item that cannot be decided (a fault of ours, or stored rows that do not fit) holds up no other.
"""

import time
from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import orjson
import structlog
from django.db import InterfaceError, OperationalError, transaction
from django.db.models import Exists, F, OuterRef, Q
from django.db.models.functions import Now

from annotation.content.models.item import Item, items_due
from annotation.content.rules.queue_order import priority
from annotation.core.database import locked, now, seconds_from_now
from annotation.core.models.feed import FeedEvent
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project, ProtocolVersion
from annotation.core.rules import feed
from annotation.core.rules.settings import ProjectSettings
from annotation.jobs.bulk import any_of
from validation.consensus import stages
from validation.consensus.advance import DECIDED, Advance, ItemStanding, advance
from validation.consensus.audit import AUDITED
from validation.consensus.engine import OPEN, Decision
from validation.integrity.rules import AUTHOR
from validation.voting import wake
from validation.voting.actions import translation_reviews as reviewed
from validation.voting.actions.asked_again import prepare_asking_again
from validation.voting.actions.audits import record_first_votes
from validation.voting.actions.exclusions import close_gold_copies
from validation.voting.actions.flags import CODES_FROM_VOTES
from validation.voting.actions.opening import open_due
from validation.voting.actions.verdicts import (
    card_questions_of,
    decided_by_votes,
    decision_of,
    is_reviewed,
    protocol_of,
    standing_votes,
)
from validation.voting.models.review import Flag, Proposal
from validation.voting.models.vote import Verdict, Vote
from validation.voting.rules import flags as flag_rules

log = structlog.get_logger("decide")
BATCH = 500
PUT_OFF_SECONDS = 600
MOST_POLLS, POLL_SECONDS = 50, 0.1
_UPDATED = (
    "stage",
    "round",
    "gold",
    "gold_from",
    "gold_answers",
    "pending",
    "slots_free",
    "priority",
    "due_at",
    "doubt",
    "route",
)


def decide_all_due(projects: Collection[int]) -> None:
    """Decide whatever is due in these projects now, for commands: no worker may be running.

    What stays due although it was looked at (a worker holds it) is left after a few seconds.
    """
    due, polls = items_due(Now()).filter(project__in=projects), 0
    left = due.count()
    while left and polls < MOST_POLLS:
        decide_due()
        before, left = left, due.count()
        if left >= before:
            polls += 1
            time.sleep(POLL_SECONDS)


def decide_due(*, limit: int = BATCH) -> int:
    """Open what is due without votes, and decide up to `limit` due items; how many were looked at.

    May run twice, late, or beside itself.
    """
    with transaction.atomic():
        opened = open_due()
    # No copy is among them: whoever decides an item waits for its copies, and nobody who holds one waits for another.
    with transaction.atomic():
        items = list(locked(items_due(Now()), skip=True)[:limit])
        _decide(items)
    return opened + len(items)


def decide_item(*, item_id: int, by: Annotator | None = None) -> None:
    """Decide one item at once, whether or not it is due (repair, tests, a lead who waits).

    Raises ClosesPages where `by`, a lead, has to confirm that public pages are closed by it.
    """
    with transaction.atomic():
        _decide([locked(Item.objects.filter(pk=item_id)).get()], by)


def decide_one_by_one(*, limit: int = BATCH) -> int:
    """Decide up to `limit` due items each by itself, where the batch failed; how many were looked at.

    What cannot be decided is put off for ten minutes and logged; nothing of it is changed. Raises
    OperationalError where the database is away: that is no item's fault.
    """
    found = list(items_due(Now()).values_list("pk", flat=True)[:limit])
    for item_id in found:
        try:
            decide_item(item_id=item_id)
        except (OperationalError, InterfaceError):
            raise
        except Exception:
            log.exception("item_not_decided", item=item_id)
            Item.objects.filter(pk=item_id).update(due_at=seconds_from_now(PUT_OFF_SECONDS))
    return len(found)


@dataclass
class _BatchRows:
    """The rows that a batch writes, in bulk; `answered` are flags that a lead has closed: item, code, votes.

    `decided_by_votes` are the items that their votes excluded or returned, `acts` what the system does with those
    that their reviewers did not approve, `surplus` the votes that are beyond the decision now, and those that are not
    any more.
    """

    rules: dict[int, ProjectSettings]
    verdicts: list[Verdict]
    flags: list[Flag]
    flags_over: list[tuple[int, int]]
    moot: list[tuple[int, int, set[str]]]
    answered: set[tuple[int, str, tuple[int, ...]]]
    decided_by_votes: set[int]
    acts: list[reviewed.ReviewAct]
    surplus: dict[bool, list[int]]


def _decide(items: list[Item], by: Annotator | None = None) -> None:
    if not items:
        return
    rules = _attach_projects(items)
    # What is kept for another project is answered, and never decided; it is read like any other, so that taking an
    # answer back takes as long.
    mine = [item for item in items if item.project.kept_for_id is None]
    votes, moment = standing_votes(items), now()
    audits = record_first_votes(mine, votes)
    before, stages_before = {item.pk: item.version for item in items}, {item.pk: item.stage for item in items}
    open_proposals = Proposal.objects.filter(item__in=items, state=Proposal.State.OPEN)
    proposed = {vote_id for vote_id in open_proposals.values_list("vote_id", flat=True) if vote_id}
    open_flags: dict[int, set[str]] = defaultdict(set)
    for item_id, code in Flag.objects.filter(item__in=items, closed_at=None).values_list("item_id", "code"):
        open_flags[item_id].add(code)
    out = _BatchRows(
        rules,
        [],
        [],
        [],
        [],
        _flags_closed_by_people(items),
        decided_by_votes(items),
        [],
        {True: [], False: []},
    )
    for item in mine:
        decision = _decide_one(item, votes[item.pk], proposed, open_flags[item.pk], moment, out)
        if decision is not None and item.protocol_id in audits:
            audits[item.protocol_id].outcome(item, decision, votes[item.pk])
    for steps in audits.values():
        steps.save()
    # What is voted on from the beginning again.
    if anew := [item.pk for item in items if item.slots_free and item.round == 1]:
        close_gold_copies(anew)
    prepare_asking_again([item for item in mine if stages.comes_back(stages_before[item.pk], item.stage)], by=by)
    _save(items, before)
    if sum(steps.make_held_due() for steps in audits.values()):
        transaction.on_commit(wake.wake_worker)
    Verdict.objects.bulk_create(out.verdicts)
    for item_id, version in out.flags_over:
        Flag.objects.filter(item=item_id, code__in=CODES_FROM_VOTES, closed_at=None, version__lt=version).update(
            closed_at=Now(), closed_version=version
        )
    for item_id, version, codes in out.moot:
        Flag.objects.filter(item=item_id, code__in=codes, closed_at=None).update(
            closed_at=Now(), closed_version=version
        )
    # After the closing: a code is open once.
    Flag.objects.bulk_create(out.flags)
    FeedEvent.record_all(_events(out))
    for marked, pks in out.surplus.items():
        if pks:
            Vote.objects.filter(pk__in=pks).update(surplus=marked)
    for act in out.acts:
        reviewed.carry_out(act)


def _attach_projects(items: list[Item]) -> dict[int, ProjectSettings]:
    """Give the items their projects and protocols, each read once a batch; the projects' settings."""
    projects = Project.objects.in_bulk({item.project_id for item in items})
    protocols = ProtocolVersion.objects.in_bulk({item.protocol_id for item in items})
    for item in items:
        item.project, item.protocol = projects[item.project_id], protocols[item.protocol_id]
    return {pk: project.rules for pk, project in projects.items()}


def _flags_closed_by_people(items: list[Item]) -> set[tuple[int, str, tuple[int, ...]]]:
    """Flags that a person has closed: the same votes do not raise them again. Those of a recompute are the system's."""
    decided_by_votes = Verdict.objects.filter(item=OuterRef("item"), version=OuterRef("closed_version"))
    rows = Flag.objects.filter(
        ~Exists(decided_by_votes), item__in=items, code__in=CODES_FROM_VOTES, closed_at__isnull=False
    )
    return {
        (item_id, code, tuple(detail.get("votes", ())))
        for item_id, code, detail in rows.values_list("item_id", "code", "detail")
    }


def _save(items: list[Item], before: dict[int, int]) -> None:
    """Write the items' new standing: one statement for all that stand alike, since a batch has few standings."""
    alike: dict[tuple[Any, ...], list[Item]] = defaultdict(list)
    for item in items:
        standing = [getattr(item, name) for name in _UPDATED if name != "gold_answers"]
        answers = orjson.dumps(item.gold_answers) if item.gold_answers else b""
        alike[(item.version - before[item.pk], answers, *standing)].append(item)
    for (steps, *_), same in alike.items():
        Item.objects.filter(pk__in=any_of([item.pk for item in same])).update(
            version=F("version") + steps, **{name: getattr(same[0], name) for name in _UPDATED}
        )


def _decide_one(
    item: Item,
    votes: list[Vote],
    proposed: set[int],
    open_codes: set[str],
    moment: datetime,
    out: _BatchRows,
) -> Decision | None:
    """Decide one item; what its votes say, None where they are not asked for."""
    item.due_at = None
    if item.stage == stages.WRITTEN and not item.sampled:
        return None
    decision = decision_of(item, votes)
    for place, vote in enumerate(votes):
        if vote.surplus != (place in decision.surplus):
            out.surplus[not vote.surplus].append(vote.pk)
    act = reviewed.next_act(item, votes, decision) if is_reviewed(item) else None
    standing = ItemStanding(
        item.stage,
        item.round,
        item.gold,
        item.pending - item.slots_free,
        item.pk in out.decided_by_votes,
        item.gold_from == AUTHOR,
    )
    step = advance(standing, decision, act.event if act else "")
    if step is None:
        return decision
    _apply(item, step, decision, out)
    if act and any(happened.event == act.event for happened in step.events):
        item.stage = stages.VOTING
        out.acts.append(act)
    item.priority = _rank(item, step, moment, out)
    if step.stage in DECIDED:
        open_codes -= _close_moot_flags(item, step, open_codes, out)
        _raise_flags(item, votes, proposed, decision, open_codes, out)
    elif out.flags_over and out.flags_over[-1][0] == item.pk:
        item.doubt = flag_rules.doubt_of(open_codes - set(CODES_FROM_VOTES))
    return None if decision.state != OPEN and step.pending else decision


def _close_moot_flags(item: Item, step: Advance, open_codes: set[str], out: _BatchRows) -> set[str]:
    """Close what a decision answers by itself: nobody waits for voters now, and there may be gold after all.

    Whoever approves an item under review has looked at what the checks found.
    """
    answered = {flag_rules.NOBODY_LEFT}
    if step.stage == stages.SETTLED:
        answered |= {flag_rules.NO_GOLD, *([flag_rules.FAILED_CHECK] if is_reviewed(item) else [])}
    if not step.events or not answered & open_codes:
        return set()
    out.moot.append((item.pk, item.version, answered))
    return answered


def _apply(item: Item, step: Advance, decision: Decision, out: _BatchRows) -> None:
    for happened in step.events:
        if happened.event in reviewed.ACT_EVENTS:
            # Accounted for by a row of its own: who said what, or the text as it became.
            continue
        item.version += 1
        out.verdicts.append(
            Verdict(
                project_id=item.project_id,
                item=item,
                version=item.version,
                epoch=item.epoch,
                event=happened.event,
                round=happened.round,
                asked=happened.requested_votes,
                label=happened.label,
                hopeless=happened.hopeless,
                votes_n=item.votes_n,
            )
        )
    if step.events and any(h.event == stages.RECOMPUTE for h in step.events):
        out.flags_over.append((item.pk, item.version))
    item.stage, item.round = step.stage, step.round
    item.gold, item.gold_from = step.gold, "votes" if step.gold else ""
    item.gold_answers = dict(decision.criteria) if step.gold and decision.criteria else None
    item.pending, item.slots_free = step.pending, step.slots_free


def _rank(item: Item, step: Advance, moment: datetime, out: _BatchRows) -> int:
    """The item's place among all that wait: an audit comes before everything else, so that it ends soon."""
    if item.route == AUDITED and step.stage == stages.VOTING:
        return priority(len(protocol_of(item).rounds), True)
    return priority(max(step.round, 1), _is_aged(item, moment, out))


def _is_aged(item: Item, moment: datetime, out: _BatchRows) -> bool:
    return moment - item.at > timedelta(days=out.rules[item.project_id].aged_days)


def _raise_flags(
    item: Item,
    votes: list[Vote],
    proposed: set[int],
    decision: Decision,
    open_codes: set[str],
    out: _BatchRows,
) -> None:
    rules = out.rules[item.project_id]
    ballots = [
        flag_rules.FlagVote(
            annotator=vote.annotator.pseudonym,
            ambiguous=bool(vote.ambiguous),
            unsure=bool(vote.unsure),
            text_error=bool(vote.answers.get("text_error")),
            proposed=vote.pk in proposed,
            seconds=None if vote.imported else vote.seconds,
            words=item.words,
        )
        for vote in votes
    ]
    limits = flag_rules.FlagSettings(rules.fast_base_seconds, rules.fast_word_seconds)
    recomputed = any(pk == item.pk for pk, _ in out.flags_over)
    kept = open_codes - set(CODES_FROM_VOTES) if recomputed else set(open_codes)
    raised = flag_rules.flags_from_votes(ballots, decision, limits)
    if decision.state != OPEN:
        given_answers = [(vote.annotator.pseudonym, vote.answers) for vote in votes]
        raised += flag_rules.answer_flags(card_questions_of(item), given_answers)
    for flag in raised:
        numbers = tuple(v.n for v in votes if not flag.by or v.annotator.pseudonym in flag.by)
        if flag.code in kept or (item.pk, flag.code, numbers) in out.answered:
            continue
        kept.add(flag.code)
        detail = {"by": list(flag.by), "votes": list(numbers)}
        out.flags.append(
            Flag(project_id=item.project_id, item=item, code=flag.code, detail=detail, version=item.version)
        )
    item.doubt = flag_rules.doubt_of(kept)


def _events(out: _BatchRows) -> Iterator[FeedEvent]:
    """What other systems are told of: items that the votes decided, and flags."""
    decided = {verdict.item_id: verdict.item for verdict in out.verdicts if verdict.item.stage in feed.TYPE_OF_STAGE}
    for item in decided.values():
        data = {"gold": item.gold, "from": item.gold_from} if item.gold else {}
        type = feed.TYPE_OF_STAGE[item.stage]
        yield FeedEvent(project_id=item.project_id, type=type, subject=item.key, data=data)
    for flag in out.flags:
        data = {"flag": flag.code}
        yield FeedEvent(project_id=flag.project_id, type=feed.FLAGGED, subject=flag.item.key, data=data)


def age_queues(*, limit: int = 5000) -> int:
    """Move up by one what has waited some days in its round (ruling 11); run by the sweep."""
    moved = 0
    for project in Project.objects.filter(closed_at=None):
        old = Q(at__lte=now() - timedelta(days=project.rules.aged_days))
        for target in project.targets.all():
            for number in range(1, target.buckets):
                waiting = Item.objects.filter(
                    old, target=target, slots_free__gt=0, priority=number, round=number
                ).values("pk")[:limit]
                moved += Item.objects.filter(pk__in=list(waiting.values_list("pk", flat=True))).update(
                    priority=number + 1
                )
    return moved
