"""Votes: one acknowledged ballot is one stored vote, whatever is sent twice, late, or at the same instant."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any
from uuid import UUID

import orjson
from django.conf import settings
from django.db import IntegrityError, connection, transaction
from django.db.models import F, Q, Subquery
from django.db.models.functions import Now

from annotation import kinds
from annotation.content.models.item import Item, Revision
from annotation.core.database import is_duplicate, locked, seconds_from_now
from annotation.core.errors import Conflict, Invalid, NotFound
from annotation.core.models.member import Annotator
from annotation.core.models.project import Target
from annotation.core.rules import error_types
from annotation.core.rules.settings import ProjectSettings
from annotation.kinds import Kind, text_at
from annotation.text.line_breaks import typed_text
from validation.consensus import translation_review as reviewing
from validation.consensus.engine import OPEN
from validation.consensus.stages import VOTING
from validation.voting import sql, wake
from validation.voting.actions.assignments import TRIES, assign_next_after_vote, assignment_expire, is_closed
from validation.voting.actions.ballots import (
    Ballot,
    answers_by_criterion,
    ballot_of_vote,
    ballot_to_store,
    check_ballot,
    earlier_texts,
    with_canonical_answers,
    with_new_proposals_only,
    with_option_keys,
)
from validation.voting.actions.decide import decide_item
from validation.voting.actions.exclusions import bar_family
from validation.voting.actions.verdicts import decision_of, standing_votes
from validation.voting.contributors import is_contributor
from validation.voting.models.assignment import Assignment
from validation.voting.models.review import Proposal, Review
from validation.voting.models.vote import Vote
from validation.voting.rules.option_order import order_shown
from validation.voting.rules.shown_version import shown_version


@dataclass(frozen=True)
class CastResult:
    """A ballot that is stored: its vote, whether it had been stored before (a replay), and what comes next.

    `next_assignment` is the item that the person was assigned with the vote; None where none was found at once.
    """

    vote_id: int
    is_replay: bool
    locked_assignment: sql.HeldAssignment
    next_assignment: sql.Offer | None = None

    @property
    def vote(self) -> Vote:
        """The stored vote, read again."""
        return Vote.objects.get(pk=self.vote_id)


class HolderContributed(Conflict):
    """Since the assignment its holder took part in making the prompt, or another of its family."""

    def __init__(self, held: sql.HeldAssignment) -> None:
        super().__init__(code="took_part")
        self.held = held


def vote_cast(
    *, user_id: int, slug: str, token: str, ballot: Ballot, as_shown: bool = False, go_on: bool = False
) -> CastResult:
    """Store the ballot for this assignment. The same ballot again answers as before; another one is a Conflict.

    `as_shown`: the ballot names options by the letters on this person's screen, not by their keys. `go_on`: the next
    item is assigned in the same transaction, if one is free at once.
    Locks the item, then the assignment, then writes the vote. An assignment that ended counts if its slot is still free
    (ruling 3). Raises NotFound for a token that is not this person's, Invalid for a ballot that cannot be, Conflict for
    who does not work for the item's target any more; a Conflict bars whoever took part in making the item since they
    were assigned it.
    """
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            return _vote_cast(cursor, user_id, slug, token, ballot, as_shown=as_shown, go_on=go_on)
    except IntegrityError as error:
        if ballot.client_id is None or not is_duplicate(error):
            raise
        # The same browser has sent this answer for another item, or sends it twice at this instant.
        raise Conflict(code="vote_differs") from error
    except HolderContributed as found:
        target = Target(pk=found.held.target, project_id=found.held.project)
        bar_family(annotator=Annotator(pk=found.held.annotator), family=found.held.family, target=target)
        raise


def _vote_cast(
    cursor: Any, user_id: int, slug: str, token: str, ballot: Ballot, *, as_shown: bool, go_on: bool
) -> CastResult:
    held = sql.held_assignment(cursor, user=user_id, slug=slug, token=token)
    if held is None:
        raise NotFound
    if held.project_closed:
        raise Conflict(code="project_closed")
    if not held.placed:
        raise Conflict(code="not_your_target")
    kind, content = kinds.get(held.project_kind), orjson.loads(held.content or "{}")
    if ballot.version not in ("", form_version(held)) and held.state != Assignment.State.DONE:
        raise Conflict(code="card_changed")
    ballot = _read(held, ballot, kind, content, as_shown=as_shown)
    slots_free = held.slots_free
    if not sql.finish_assignment(cursor, held.assignment):
        # The row was read before its item was locked: what it says now is what counts.
        state = Assignment.objects.values_list("state", flat=True).get(pk=held.assignment)
        if state == Assignment.State.DONE:
            return CastResult(_replayed_vote(held, ballot), True, held)
        slots_free = _slots_left_for_late_vote(held, state)
    if kind.excludes_family_contributors and is_contributor(held.project, held.family, held.annotator):
        raise HolderContributed(held)
    if held.has_ended or held.pending < 1:
        raise Conflict(code="assignment_taken")
    if kind.asks_for_places and held.revision_n != held.item_revision:
        # What is marked in a text that was corrected meanwhile may not stand in the present one.
        raise Conflict(code="card_changed")
    vote = _store(cursor, held, ballot, slots_free)
    offer = None
    if go_on and not held.target_ended:
        rules = parse_settings(held.project_settings)
        if held.qualified or not rules.quiz_questions:
            offer = assign_next_after_vote(cursor, held, rules, barring=kind.excludes_family_contributors)
    return CastResult(vote, False, held, offer)


@lru_cache(maxsize=256)
def parse_settings(raw: str) -> ProjectSettings:
    """A project's settings as the database has them, read once for all votes."""
    return ProjectSettings.from_stored(orjson.loads(raw))


def _read(
    held: sql.HeldAssignment, ballot: Ballot, kind: Kind, content: Mapping[str, Any], *, as_shown: bool
) -> Ballot:
    """The ballot as its vote keeps it; Invalid where it cannot be."""
    order = order_shown(
        kind, content, drawn_with=held.drawn_with, item=held.item_key, annotator=held.annotator_pseudonym
    )
    if ballot.sent is not None:
        posed = kind.question.card_questions(parse_criteria(held.protocol))
        if posed and ballot.label:
            raise Invalid(field="label", code="label_not_asked")
        ballot = replace(ballot, sent=answers_by_criterion(posed, ballot.sent))
    if as_shown:
        ballot = with_option_keys(ballot, order)
        if ballot.sent is None:
            stored = {name: text_at(content, name) for name in ballot.proposals}
            proposals = {name: typed_text(text, stored[name]) for name, text in ballot.proposals.items()}
            ballot = replace(ballot, proposals=proposals)
        if ballot.proposals and ballot.may_repeat_shown_texts:
            ballot = with_new_proposals_only(ballot, [content])
            if ballot.proposals and held.revision_n > 1:
                ballot = with_new_proposals_only(ballot, earlier_texts(held.item))
    asked = kind.question.leaf_questions(parse_criteria(held.protocol))
    if asked:
        ballot = with_canonical_answers(ballot, asked, kind.card_view(content, order.keys))
    if ballot.proposals and not (
        parse_settings(held.project_settings).corrections or reviewing.FEATURE in kind.features
    ):
        raise Invalid(field="proposals", code="corrections_off")
    read = ballot_to_store(ballot, kind, order)
    check_ballot(read, kind, content, [code for code, _ in error_types_of(held, kind)], labelled=not asked)
    return read


@lru_cache(maxsize=256)
def parse_criteria(protocol: str) -> tuple[str, ...]:
    """The criteria of a protocol as the database has it, read once for all votes."""
    return tuple(orjson.loads(protocol).get("criteria", ()))


def error_types_of(held: sql.HeldAssignment, kind: Kind) -> tuple[tuple[str, str], ...]:
    """For which errors a reviewer can send an item back, where the kind is reviewed: `Project.error_types`."""
    if reviewing.FEATURE not in kind.features:
        return ()
    return error_types.parse(parse_settings(held.project_settings).error_types) or kind.authoring.error_types


def _slots_left_for_late_vote(held: sql.HeldAssignment, state: str) -> int:
    """A late vote counts if its slot is still free, else 409 with the draft kept (ruling 3); the slots then left."""
    free = not held.has_ended and held.slots_free > 0
    if state != Assignment.State.EXPIRED or not free:
        raise Conflict(code="assignment_taken")
    Assignment.objects.filter(pk=held.assignment).update(state=Assignment.State.DONE)
    return held.slots_free - 1


def _store(cursor: Any, held: sql.HeldAssignment, ballot: Ballot, slots_free: int) -> int:
    """Write the vote and its proposals, and count it at its item; its key."""
    vote = sql.vote_insert(
        cursor,
        held,
        label=ballot.label,
        answers=ballot.answers,
        unsure=ballot.unsure,
        ambiguous=ballot.ambiguous,
        comment=ballot.comment,
        client_id=ballot.client_id,
    )
    for name, text in ballot.proposals.items():
        Proposal.objects.create(
            project_id=held.item_project,
            item_id=held.item,
            vote_id=vote,
            by_id=held.annotator,
            field=name,
            text=text,
            revision_n=held.revision_n,
        )
    if sql.count_vote(cursor, held, slots_free=slots_free):
        transaction.on_commit(wake.wake_worker)
    return vote


def form_version(held: sql.HeldAssignment) -> str:
    """Which text and questions a card of this assignment shows now."""
    return shown_version(held.token, held.revision_n, held.project_kind, parse_criteria(held.protocol))


def is_answer_stored(*, user_id: int, slug: str, client_id: UUID | None) -> bool:
    """Whether this answer of a browser was stored, whatever happened to the vote and its assignment since."""
    mine = Vote.objects.filter(annotator__user=user_id, annotator__project__slug=slug)
    return client_id is not None and mine.filter(client_id=client_id).exists()


def _replayed_vote(held: sql.HeldAssignment, ballot: Ballot) -> int:
    vote = Vote.objects.filter(item=held.item, annotator=held.annotator, epoch=held.epoch, withdrawn_at=None).first()
    same = vote is not None and ballot.client_id is not None and vote.client_id == ballot.client_id
    if vote is None or not (same or ballot_of_vote(vote) == ballot):
        raise Conflict(code="vote_differs")
    return vote.pk


def vote_take_back(*, annotator: Annotator) -> Assignment | None:
    """Take back the last vote within ten minutes and sit at its item again (ruling 5).

    The item is decided in the same transaction: nobody ever sees it settled by a vote that was withdrawn. None where
    it is decided without this vote, so that nobody is asked for another. Who holds a card of a later round
    keeps it, and their vote counts for the round that is open again. Refused alike whatever the reason, so that the
    refusal tells nothing: too late, a lead has acted, a release holds the vote, the project is closed, nothing to take
    back.
    """
    for _ in range(TRIES):
        last = Vote.objects.filter(annotator=annotator).order_by("-id").first()
        if last is None or not _works_there(annotator, last.item) or not _may_take_back(last, last.item, annotator):
            break
        where = Assignment.objects.filter(annotator=annotator, item=last.item_id).values("target")
        held = Assignment.objects.filter(
            annotator=annotator, state=Assignment.State.OPEN, target__in=where, place=0
        ).first()
        if held is not None:
            assignment_expire(assignment_id=held.pk)
        try:
            return _take_back(annotator, last)
        except IntegrityError:
            # Another tab of the same person was assigned one meanwhile (one open assignment a place): it ends first.
            continue
    raise Conflict(code="nothing_to_take_back")


def may_undo(annotator: Annotator) -> bool:
    """Whether taking back is worth offering: their last vote is young and was not taken back.

    It goes by what they did themselves, so that the offer tells nothing about others.
    """
    last = Vote.objects.filter(annotator=annotator).order_by("-pk").values("pk")[:1]
    young = Vote.objects.filter(pk=Subquery(last), cast_at__gt=seconds_from_now(-settings.TAKE_BACK_SECONDS))
    return young.exclude(withdrawn_why=Vote.Withdrawn.TAKEN_BACK).exists()


def _take_back(annotator: Annotator, last: Vote) -> Assignment | None:
    with transaction.atomic():
        item = locked(Item.objects.filter(pk=last.item_id)).get()
        vote = Vote.objects.get(pk=last.pk)
        if not _may_take_back(vote, item, annotator):
            raise Conflict(code="nothing_to_take_back")
        withdraw_vote(vote=vote, item=item, why=Vote.Withdrawn.TAKEN_BACK)
        decide_item(item_id=item.pk)
        if not _sit_again(item):
            return None
        # A lead who votes and has opened the item since has seen what others said.
        open_to = Assignment.objects.exclude(state=Assignment.State.BARRED)
        assignment = open_to.filter(item=item, annotator=annotator)
        reopened = assignment.update(
            state=Assignment.State.OPEN,
            token=secrets.token_urlsafe(18),
            place=0,
            revision_n=item.revision_n,
            until=seconds_from_now(settings.ASSIGNMENT_SECONDS),
            opened_at=Now(),
        )
        if not reopened:
            raise Conflict(code="nothing_to_take_back")
        return assignment.first()


def _sit_again(item: Item) -> bool:
    """Ask for one vote that is held at once: one that is missing and nobody holds, or one beyond those that others do.

    False where the item is decided without it.
    """
    there = Item.objects.filter(pk=item.pk)
    if item.project.kept_for_id is None:
        if there.filter(stage=VOTING, slots_free__gt=0).update(slots_free=F("slots_free") - 1):
            return True
        fresh = there.select_related("project", "protocol").get()
        if fresh.stage != VOTING or decision_of(fresh, standing_votes([fresh])[fresh.pk]).state != OPEN:
            return False
    return bool(there.update(pending=F("pending") + 1))


# Where votes alone put an item; a lead who excluded it left a row of the review.
STAGES_BY_VOTES = (VOTING, "settled", "no_consensus", "excluded")


def _works_there(annotator: Annotator, item: Item) -> bool:
    """Whether somebody works for the item's target still; everybody does where it is open to all."""
    mine = Q(members_only=False) | Q(members__annotator=annotator)
    return Target.objects.filter(mine, pk=item.target_id).exists()


def _may_take_back(vote: Vote, item: Item, annotator: Annotator) -> bool:
    """Whether a vote is young, and nothing followed from it; a lead sees what is decided, so that it is too late."""
    young = Vote.objects.filter(pk=vote.pk, cast_at__gt=seconds_from_now(-settings.TAKE_BACK_SECONDS)).exists()
    return (
        young
        and not is_closed(annotator.project_id)
        and vote.withdrawn_at is None
        and vote.epoch == item.epoch
        and item.stage in ((VOTING,) if annotator.is_lead else STAGES_BY_VOTES)
        and not Review.objects.filter(item=item, at__gt=vote.cast_at).exists()
        and not Revision.objects.filter(item=item, at__gt=vote.cast_at).exists()
        and not item.release_rows.filter(votes_n__gte=vote.n).exists()
    )


def withdraw_vote(*, vote: Vote, item: Item, why: Vote.Withdrawn, reason: str = "") -> None:
    """A vote stops counting but stays stored; the caller has locked the item, and decides it in its transaction."""
    item.version += 1
    Vote.objects.filter(pk=vote.pk).update(
        withdrawn_at=Now(), withdrawn_version=item.version, withdrawn_why=why, withdrawn_reason=reason
    )
    if why == Vote.Withdrawn.TAKEN_BACK:
        Proposal.objects.filter(vote=vote, state=Proposal.State.OPEN).update(state=Proposal.State.TAKEN_BACK)
    Item.objects.filter(pk=item.pk).update(version=item.version)


def vote_void(*, lead: Annotator, item_id: int, vote_n: int, version: int, reason: str) -> None:
    """A lead makes one vote stop counting, with a reason; the item is decided anew. The work stays paid."""
    if not reason.strip():
        raise Invalid(field="reason", code="reason_missing")
    with transaction.atomic():
        item = locked(Item.objects.filter(pk=item_id, project=lead.project_id)).first()
        if item is None or item.author_id == lead.pk:
            raise NotFound
        if item.version != version:
            raise Conflict(code="stale")
        vote = Vote.objects.filter(item=item, n=vote_n, epoch=item.epoch, withdrawn_at=None).first()
        if vote is None:
            raise Conflict(code="vote_gone")
        withdraw_vote(vote=vote, item=item, why=Vote.Withdrawn.VOIDED, reason=reason)
        decide_item(item_id=item.pk, by=lead)
