"""Seats: claimed with row locks that skip locked rows, ended by the database's clock, given back when left."""

import secrets
from collections.abc import Mapping, Sequence
from datetime import timedelta

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Exists, F, OuterRef, Q
from django.db.models.functions import Least, Now

from annotation.content.models.item import Item
from annotation.core.errors import Conflict, Invalid, NotFound
from annotation.core.models.member import Annotator
from annotation.core.models.project import Lane, Project
from annotation.jobs.database import after, locked
from annotation.text.normalise import storable
from validation.consensus.stages import VOTING
from validation.voting import sql
from validation.voting.actions.exclusions import bar_family
from validation.voting.contributors import has_part
from validation.voting.models.assignment import Cursor, Seat

SPACING_KEPT = 40
TRIES = 3
# One family of prompts after the other, of which somebody turns out to have taken part in each.
MOST_FAMILIES = 200


class SeatLost(Exception):
    """The slot was taken, but there is no seat for this person at the item: the slot goes back with the rollback."""

    def __init__(self, family: int) -> None:
        super().__init__(family)
        self.family = family


def seat_claim(*, annotator: Annotator, lane: Lane, spacing: int) -> Seat | None:
    """The seat that this person holds in the lane, or a new one; None where nothing waits for them."""
    held = (
        Seat.objects.select_related("item")
        .filter(annotator=annotator, lane=lane, state=Seat.State.OPEN)
        .first()
    )
    if held is not None:
        barring = lane.project.kind_spec.judged_apart
        if barring and has_part(lane.project_id, held.item.family, annotator.pk):
            bar_family(annotator=annotator, family=held.item.family, lane=lane)
        elif _still_asked(held) and seat_extend(seat=held):
            return held
        seat_expire(seat_id=held.pk)
    seat = seat_next(annotator=annotator, lane=lane, spacing=spacing)
    if seat is None and seats_expire(lane=lane):
        seat = seat_next(annotator=annotator, lane=lane, spacing=spacing)
    return seat


def seat_claim_among(*, annotator: Annotator, lanes: Sequence[Lane], spacing: int) -> Seat | None:
    """The seat that this person holds in any of these lanes, or a new one in the first that has something for them.

    Where somebody works for several targets, one statement says which have something: the others are not tried.
    """
    if len(lanes) < 2:
        return seat_claim(annotator=annotator, lane=lanes[0], spacing=spacing) if lanes else None
    by_pk = {lane.pk: lane for lane in lanes}
    held = Seat.objects.filter(annotator=annotator, lane__in=by_pk, state=Seat.State.OPEN)
    for lane_id in held.order_by("lane__key").values_list("lane", flat=True):
        seat = seat_claim(annotator=annotator, lane=by_pk[lane_id], spacing=spacing)
        if seat is not None:
            return seat
    seat = _first_of(annotator, by_pk, spacing)
    if seat is None and seats_expire(lanes=list(by_pk)):
        seat = _first_of(annotator, by_pk, spacing)
    return seat


def _first_of(annotator: Annotator, lanes: Mapping[int, Lane], spacing: int) -> Seat | None:
    """A new seat in the first lane, by key, where an item waits that is neither theirs nor was offered to them."""
    again = Q(epoch=OuterRef("epoch"), state__in=[Seat.State.OPEN, Seat.State.DONE])
    offered = Seat.objects.filter(item=OuterRef("pk"), annotator=annotator).filter(
        Q(state__in=[Seat.State.BARRED, Seat.State.SKIPPED]) | again
    )
    waiting = Item.objects.filter(~Exists(offered), lane=OuterRef("pk"), slots_free__gt=0)
    for lane_id in (
        Lane.objects.filter(Exists(waiting.exclude(author=annotator)), pk__in=lanes)
        .order_by("key")
        .values_list("pk", flat=True)
    ):
        seat = seat_next(annotator=annotator, lane=lanes[lane_id], spacing=spacing)
        if seat is not None:
            return seat
    return None


def _still_asked(held: Seat) -> bool:
    """Whether the seat's item still waits for this vote; the text is shown as it stands now."""
    if held.item.stage != VOTING or held.item.epoch != held.epoch:
        return False
    if held.revision_n != held.item.revision_n:
        held.revision_n = held.item.revision_n
        Seat.objects.filter(pk=held.pk).update(revision_n=held.revision_n)
    return True


def seat_next(*, annotator: Annotator, lane: Lane, spacing: int, cursor: Cursor | None = None) -> Seat | None:
    """Take the next slot of the lane for somebody who holds none. Three statements where the cursor is known."""
    barring = lane.project.kind_spec.judged_apart
    for _ in range(MOST_FAMILIES if barring else TRIES):
        try:
            with transaction.atomic():
                known = cursor or Cursor.objects.filter(annotator=annotator, lane=lane).first()
                return _sit_down(annotator, lane, spacing, known)
        except (IntegrityError, SeatLost) as lost:
            # Another tab of the same person sat down first (one open seat a person), or they were barred just now.
            held = Seat.objects.filter(annotator=annotator, lane=lane, state=Seat.State.OPEN).first()
            if held is not None:
                return held
            if (
                isinstance(lost, SeatLost)
                and barring
                and has_part(lane.project_id, lost.family, annotator.pk)
            ):
                bar_family(annotator=annotator, family=lost.family, lane=lane)
    return None


def _sit_down(annotator: Annotator, lane: Lane, spacing: int, cursor: Cursor | None) -> Seat | None:
    positions = cursor.positions if cursor else {}
    recent = (cursor.recent if cursor else [])[:spacing]
    found = _take(annotator, lane, positions, recent)
    if found is None:
        return None
    slot, positions = found
    token = secrets.token_urlsafe(18)
    by_secret = bool(lane.project.secret)
    seat_id = sql.sit(
        project=lane.project_id,
        lane=lane.pk,
        annotator=annotator.pk,
        slot=slot,
        token=token,
        seconds=settings.SEAT_SECONDS,
        barring=lane.project.kind_spec.judged_apart,
        by_secret=by_secret,
    )
    if seat_id is None:
        raise SeatLost(slot.family)
    values = {
        "positions": {**positions, str(slot.priority): slot.shuffle},
        "recent": [slot.family, *(cursor.recent if cursor else [])][:SPACING_KEPT],
    }
    if cursor:
        Cursor.objects.filter(pk=cursor.pk).update(**values)
    else:
        Cursor.objects.create(annotator=annotator, lane=lane, **values)
    return Seat(
        pk=seat_id,
        project_id=lane.project_id,
        lane=lane,
        item_id=slot.item,
        annotator=annotator,
        epoch=slot.epoch,
        round=slot.round,
        revision_n=slot.revision_n,
        state=Seat.State.OPEN,
        token=token,
        by_secret=by_secret,
    )


def _take(
    annotator: Annotator, lane: Lane, positions: dict[str, int], recent: list[int]
) -> tuple[sql.Slot, dict[str, int]] | None:
    """A slot beyond the cursor; else from the start of the circle; else of a family just shown.

    The last look waits for rows that somebody holds at this instant: without it, one whose only item is just being
    decided or corrected would be told that there is nothing for them.
    """
    tries: list[tuple[dict[str, int], list[int]]] = [(positions, recent)]
    if positions:
        # What came in behind the cursor, and what was left out for its family, is found from the start.
        tries.append(({}, recent))
    if recent or not positions:
        tries.append(({}, []))
    for n, (start, without) in enumerate(tries, start=1):
        slot = sql.take_slot(
            lane=lane.pk,
            annotator=annotator.pk,
            buckets=lane.buckets,
            positions=start,
            recent=without,
            wait=n == len(tries),
        )
        if slot is not None:
            return slot, start
    return None


def seat_extend(*, seat: Seat) -> bool:
    """Give an open seat its full time again, up to the cap since it was opened; False where its end has passed."""
    return bool(
        Seat.objects.filter(pk=seat.pk, state=Seat.State.OPEN, until__gt=Now()).update(
            until=Least(
                after(settings.SEAT_SECONDS), F("opened_at") + timedelta(seconds=settings.SEAT_CAP_SECONDS)
            )
        )
    )


def seat_expire(*, seat_id: int) -> bool:
    """End one seat and free its slot; False where it was no longer open."""
    item_id, epoch = Seat.objects.values_list("item_id", "epoch").get(pk=seat_id)
    with transaction.atomic():
        item = locked(Item.objects.filter(pk=item_id)).get()
        if not Seat.objects.filter(pk=seat_id, state=Seat.State.OPEN).update(state=Seat.State.EXPIRED):
            return False
        if item.stage == VOTING and item.epoch == epoch:
            _free_slot(item_id)
    return True


def _free_slot(item_id: int) -> None:
    Item.objects.filter(pk=item_id).update(slots_free=F("slots_free") + 1)


def seats_expire(*, lane: Lane | None = None, lanes: Sequence[int] | None = None, limit: int = 500) -> int:
    """End the seats whose time has passed, in one lane, in some (by their keys) or in all; how many were ended."""
    past = Seat.objects.filter(state=Seat.State.OPEN, until__lte=Now())
    if lane is not None:
        past = past.filter(lane=lane)
    if lanes is not None:
        past = past.filter(lane__in=lanes)
    ended = [seat_expire(seat_id=pk) for pk in past.order_by("until").values_list("pk", flat=True)[:limit]]
    return sum(ended)


def is_closed(project_id: int) -> bool:
    """Whether the project is closed by now: nobody votes, passes or takes back there any more."""
    return Project.objects.filter(pk=project_id, closed_at__isnull=False).exists()


def seat_pass(*, annotator: Annotator, token: str, reason: str) -> None:
    """Pass an item with a reason: its slot goes to somebody else, and it is never offered to this person again."""
    if storable(reason):
        raise Invalid(field="reason", code="text_not_storable")
    found = Seat.objects.filter(token=token, annotator=annotator).values_list("pk", "item_id").first()
    if found is None:
        raise NotFound
    with transaction.atomic():
        locked(Item.objects.filter(pk=found[1])).get()
        seat = Seat.objects.get(pk=found[0])
        if seat.state == Seat.State.SKIPPED:
            return
        if seat.state not in (Seat.State.OPEN, Seat.State.EXPIRED):
            raise Conflict(code="seat_over")
        if is_closed(seat.project_id):
            raise Conflict(code="project_closed")
        Seat.objects.filter(pk=seat.pk).update(state=Seat.State.SKIPPED, reason=reason[:300])
        if seat.state == Seat.State.OPEN:
            _free_slot(seat.item_id)
