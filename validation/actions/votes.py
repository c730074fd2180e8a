"""Votes: one acknowledged ballot is one stored vote, whatever is sent twice, late, or at the same instant."""

import secrets
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

from django.conf import settings
from django.db import connection, transaction
from django.db.models import F, OuterRef, Subquery
from django.db.models.functions import Now

from annotation.db import after, locked, now
from annotation.errors import Conflict, Invalid, NotFound
from annotation.models import Annotator, GuidelineVersion, Item, Revision
from validation import bell
from validation.actions.seats import seat_expire
from validation.models import Proposal, Review, Seat, Vote

LONGEST_TEXT = 10_000
VOTING = "voting"


@dataclass(frozen=True)
class Ballot:
    """What a validator says about one item. `proposals`: text field to its proposed correction."""

    label: str
    unsure: bool = False
    ambiguous: bool = False
    comment: str = ""
    answers: Mapping[str, str] = field(default_factory=dict)
    proposals: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Cast:
    """What became of a ballot: the vote, and whether it had been stored before (a replay)."""

    vote: Vote
    seat: Seat
    replayed: bool


def vote_cast(*, user_id: int, slug: str, token: str, ballot: Ballot) -> Cast:
    """Store the ballot for this seat. The same ballot again answers as before; another one is a Conflict.

    Locks the item, then the seat, then writes the vote. A seat that ended counts if its slot is still free
    (ruling 3). Raises NotFound for a token that is not this person's, Invalid for a ballot that cannot be.
    """
    with transaction.atomic():
        seat = _seat_with_locked_item(user_id, slug, token)
        item = seat.item
        _check(ballot, seat)
        if not Seat.objects.filter(pk=seat.pk, state=Seat.State.OPEN).update(state=Seat.State.DONE):
            seat = Seat.objects.select_related("item", "annotator", "item__project").get(pk=seat.pk)
            if seat.state == Seat.State.DONE:
                return _replay(seat, ballot)
            _late(seat, item)
        vote = _store(seat, item, ballot)
    return Cast(vote, seat, replayed=False)


def _seat_with_locked_item(user_id: int, slug: str, token: str) -> Seat:
    guideline = (
        GuidelineVersion.objects.filter(project=OuterRef("project"), role=GuidelineVersion.Role.VALIDATION)
        .order_by("-n")
        .values("pk")[:1]
    )
    rows = (
        Seat.objects.select_related("item", "annotator", "item__project", "lane")
        .filter(
            token=token,
            annotator__user_id=user_id,
            annotator__left_at=None,
            annotator__is_validator=True,
            item__project__slug=slug,
        )
        .annotate(db_now=Now(), guideline=Subquery(guideline))
    )
    if connection.features.has_select_for_update_of:
        rows = rows.select_for_update(of=("item",))
    seat = rows.first()
    if seat is None:
        raise NotFound
    if seat.item.project.closed_at is not None:
        raise Conflict(code="project_closed")
    return seat


def _check(ballot: Ballot, seat: Seat) -> None:
    kind = seat.item.project.kind_spec
    if ballot.label not in kind.label_keys:
        raise Invalid(field="label", code="label_unknown")
    shown = {text.key for text in kind.texts}
    for name, text in ballot.proposals.items():
        if name not in shown or not text.strip():
            raise Invalid(field="proposals", code="proposal_unknown")
    for text in (ballot.comment, *ballot.proposals.values()):
        if len(text) > LONGEST_TEXT or "\0" in text:
            raise Invalid(field="comment", code="text_not_storable")


def _late(seat: Seat, item: Item) -> None:
    """A late vote counts if its slot is still free, else 409 with the draft kept (ruling 3)."""
    free = item.stage == VOTING and seat.epoch == item.epoch and item.slots_free > 0
    if seat.state != Seat.State.EXPIRED or not free:
        raise Conflict(code="seat_taken")
    Seat.objects.filter(pk=seat.pk).update(state=Seat.State.DONE)
    item.slots_free -= 1


def _store(seat: Seat, item: Item, ballot: Ballot) -> Vote:
    if item.stage != VOTING or seat.epoch != item.epoch or item.pending < 1:
        raise Conflict(code="seat_taken")
    moment = getattr(seat, "db_now", None) or now()
    vote = Vote.objects.create(
        project_id=item.project_id,
        item=item,
        annotator_id=seat.annotator_id,
        n=item.votes_n + 1,
        epoch=item.epoch,
        round=item.round,
        revision_n=item.revision_n,
        guideline_id=getattr(seat, "guideline", None),
        label=ballot.label,
        answers=dict(ballot.answers),
        unsure=ballot.unsure,
        ambiguous=ballot.ambiguous,
        comment=ballot.comment,
        seconds=max(0.0, (moment - seat.opened_at).total_seconds()),
    )
    for name, text in ballot.proposals.items():
        Proposal.objects.create(
            project_id=item.project_id,
            item=item,
            vote=vote,
            by_id=seat.annotator_id,
            field=name,
            text=text,
            revision_n=item.revision_n,
        )
    last = item.pending == 1
    Item.objects.filter(pk=item.pk).update(
        pending=item.pending - 1,
        slots_free=item.slots_free,
        votes_n=item.votes_n + 1,
        **({"due_at": Now()} if last else {}),
    )
    if last:
        transaction.on_commit(bell.ring)
    return vote


def ballot_of(vote: Vote) -> Ballot:
    """The ballot that a stored vote came from."""
    return Ballot(
        label=vote.label,
        unsure=vote.unsure,
        ambiguous=vote.ambiguous,
        comment=vote.comment,
        answers=dict(vote.answers),
        proposals=dict(vote.proposals.values_list("field", "text")),
    )


def _replay(seat: Seat, ballot: Ballot) -> Cast:
    vote = Vote.objects.filter(
        item=seat.item_id, annotator=seat.annotator_id, epoch=seat.epoch, withdrawn_at=None
    ).first()
    if vote is None or asdict(ballot_of(vote)) != asdict(ballot):
        raise Conflict(code="vote_differs")
    return Cast(vote, seat, replayed=True)


def vote_take_back(*, annotator: Annotator) -> Seat:
    """Take back the last vote within ten minutes and sit at its item again (ruling 5).

    Refused alike whatever the reason, so that the refusal tells nothing: too late, a lead has acted, a release
    holds the vote, nothing to take back.
    """
    last = Vote.objects.filter(annotator=annotator).order_by("-id").first()
    if last is None:
        raise Conflict(code="nothing_to_take_back")
    held = Seat.objects.filter(annotator=annotator, state=Seat.State.OPEN, lane=last.item.lane_id).first()
    if held is not None:
        seat_expire(seat_id=held.pk)
    with transaction.atomic():
        item = locked(Item.objects.filter(pk=last.item_id)).get()
        vote = Vote.objects.get(pk=last.pk)
        if not _may_take_back(vote, item):
            raise Conflict(code="nothing_to_take_back")
        withdraw(vote=vote, item=item, why=Vote.Withdrawn.TAKEN_BACK)
        seat = Seat.objects.get(item=item, annotator=annotator)
        seat.state, seat.token = Seat.State.OPEN, secrets.token_urlsafe(18)
        Seat.objects.filter(pk=seat.pk).update(
            state=seat.state, token=seat.token, until=after(settings.SEAT_SECONDS), opened_at=Now()
        )
        Item.objects.filter(pk=item.pk).update(pending=F("pending") + 1)
    return seat


def _may_take_back(vote: Vote, item: Item) -> bool:
    young = Vote.objects.filter(pk=vote.pk, cast_at__gt=after(-settings.TAKE_BACK_SECONDS)).exists()
    return (
        young
        and vote.withdrawn_at is None
        and vote.epoch == item.epoch
        and item.stage in (VOTING, "settled", "no_consensus")
        and not Review.objects.filter(item=item, at__gt=vote.cast_at).exists()
        and not Revision.objects.filter(item=item, at__gt=vote.cast_at).exists()
        and not item.release_rows.filter(votes_n__gte=vote.n).exists()
    )


def withdraw(*, vote: Vote, item: Item, why: Vote.Withdrawn, reason: str = "") -> None:
    """A vote stops counting but stays stored; the item (locked by the caller) is due for a new decision."""
    item.version += 1
    Vote.objects.filter(pk=vote.pk).update(
        withdrawn_at=Now(), withdrawn_version=item.version, withdrawn_why=why, withdrawn_reason=reason
    )
    Item.objects.filter(pk=item.pk).update(version=item.version, due_at=Now())
    transaction.on_commit(bell.ring)


def vote_void(*, lead: Annotator, item_id: int, vote_n: int, version: int, reason: str) -> None:
    """A lead makes one vote stop counting, with a reason; the item is asked again."""
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
        withdraw(vote=vote, item=item, why=Vote.Withdrawn.VOIDED, reason=reason)
