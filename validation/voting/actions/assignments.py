"""Assignments: claimed with row locks that skip locked rows, ended by the database's clock, given back when left."""

import secrets
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

import orjson
from django.conf import settings
from django.db import IntegrityError, connection, transaction
from django.db.models import Exists, F, OuterRef, Q
from django.db.models.functions import Least, Now

from annotation.content.models.item import Item
from annotation.core.database import is_duplicate, locked, seconds_from_now
from annotation.core.errors import Conflict, Invalid, NotFound
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project, Target
from annotation.core.rules.settings import ProjectSettings
from annotation.text.normalise import storage_problem
from validation.consensus.stages import VOTING
from validation.voting import sql
from validation.voting.actions.dealing import UNLIMITED, Turn, dealt_after, turn_from_vote, turn_of
from validation.voting.actions.exclusions import bar_family, free_slot
from validation.voting.contributors import is_contributor
from validation.voting.models.assignment import SCREEN_PLACES, Assignment, Cursor
from validation.voting.rules.dealing import Deal

SPACING_KEPT = 40
TRIES = 3
# One family of prompts after the other, of which somebody turns out to have taken part in each.
MOST_FAMILIES = 200


class AssignmentLost(Exception):
    """The slot was taken, but this person can have no assignment at the item: the rollback frees the slot."""

    def __init__(self, family: int) -> None:
        super().__init__(family)
        self.family = family


def assignment_claim(*, annotator: Annotator, target: Target, spacing: int) -> Assignment | None:
    """The assignment that this person holds in the target, or a new one; None where nothing waits for them."""
    barring = target.project.kind_spec.excludes_family_contributors
    there = Assignment.objects.select_related("item").filter(annotator=annotator, target=target)
    for held in there.filter(state=Assignment.State.OPEN, place__in=SCREEN_PLACES).order_by("place"):
        if barring and is_contributor(target.project_id, held.item.family, annotator.pk):
            bar_family(annotator=annotator, family=held.item.family, target=target)
        elif is_still_asked(held) and _bring_to_screen(held):
            return held
        assignment_expire(assignment_id=held.pk)
    assignment = assignment_next(annotator=annotator, target=target, spacing=spacing)
    if assignment is None and assignments_expire(target=target):
        assignment = assignment_next(annotator=annotator, target=target, spacing=spacing)
    return assignment


def assignment_claim_among(*, annotator: Annotator, targets: Sequence[Target], spacing: int) -> Assignment | None:
    """The assignment that this person holds in any of these targets, or a new one in the first with work for them.

    Where somebody works for several targets, one statement says which have something: the others are not tried.
    """
    if len(targets) < 2:
        return assignment_claim(annotator=annotator, target=targets[0], spacing=spacing) if targets else None
    by_pk = {target.pk: target for target in targets}
    held = Assignment.objects.filter(
        annotator=annotator, target__in=by_pk, state=Assignment.State.OPEN, place__in=SCREEN_PLACES
    )
    for target_id in held.order_by("place", "target__key").values_list("target", flat=True):
        assignment = assignment_claim(annotator=annotator, target=by_pk[target_id], spacing=spacing)
        if assignment is not None:
            return assignment
    assignment = _assign_in_first_target(annotator, by_pk, spacing)
    if assignment is None and assignments_expire(targets=list(by_pk)):
        assignment = _assign_in_first_target(annotator, by_pk, spacing)
    return assignment


def _assign_in_first_target(annotator: Annotator, targets: Mapping[int, Target], spacing: int) -> Assignment | None:
    """A new assignment in the first target, by key, with an item that is neither theirs nor was offered before."""
    again = Q(epoch=OuterRef("epoch"), state__in=[Assignment.State.OPEN, Assignment.State.DONE])
    offered = Assignment.objects.filter(item=OuterRef("pk"), annotator=annotator).filter(
        Q(state__in=[Assignment.State.BARRED, Assignment.State.SKIPPED]) | again
    )
    waiting = Item.objects.filter(~Exists(offered), target=OuterRef("pk"), slots_free__gt=0, priority__gt=0)
    for target_id in (
        Target.objects.filter(Exists(waiting.exclude(author=annotator)), pk__in=targets)
        .order_by("key")
        .values_list("pk", flat=True)
    ):
        assignment = assignment_next(annotator=annotator, target=targets[target_id], spacing=spacing)
        if assignment is not None:
            return assignment
    return None


def _bring_to_screen(held: Assignment) -> bool:
    """Give an open assignment its full time; one that was fetched ahead comes to the screen. False where it ended."""
    if held.place:
        return assignment_show(annotator=held.annotator_id, token=held.token)
    return assignment_extend(assignment=held)


def assignment_show(*, annotator: int, token: str) -> bool:
    """What somebody fetched ahead is on the screen from now on: whether it is, with the text that was fetched.

    False where it ended, was corrected meanwhile, or another card of the same person came to the screen.
    """
    try:
        with transaction.atomic():
            return sql.bring_next_to_screen(annotator, token, settings.ASSIGNMENT_SECONDS)
    except IntegrityError as error:
        if not is_duplicate(error):
            raise
        return False


def is_still_asked(held: Assignment) -> bool:
    """Whether the assignment's item still waits for this vote; the text is shown as it stands now."""
    if held.item.stage != VOTING or held.item.epoch != held.epoch:
        return False
    if held.revision_n != held.item.revision_n:
        held.revision_n = held.item.revision_n
        Assignment.objects.filter(pk=held.pk).update(revision_n=held.revision_n)
    return True


def assign_next_after_vote(
    cursor: Any,
    held: sql.HeldAssignment,
    rules: ProjectSettings,
    *,
    barring: bool,
    place: int = 0,
) -> sql.Offer | None:
    """Assign the next item after a vote, in its transaction: three statements.

    Waits for no item that another transaction holds and fails with nothing that another tab does, so that the vote is
    never lost by it. None where nothing is found in this way; `assignment_next` finds what there is.
    """
    if held.cursor is None or held.paused:
        return None
    turn = turn_from_vote(held, rules) if rules.deals else UNLIMITED
    if turn is None:
        return None
    positions, seen = orjson.loads(held.positions or "{}"), orjson.loads(held.recent or "[]")
    recent, deal = seen[: rules.spacing], turn.deal
    found = _take_slot(cursor, held.annotator, held.target, held.buckets, positions, recent, deal, wait=False)
    if found is None:
        return None
    slot, positions = found
    token = secrets.token_urlsafe(18)
    taken = sql.open_assignment(
        cursor,
        target=held.target,
        annotator=held.annotator,
        slot=slot,
        token=token,
        seconds=settings.ASSIGNMENT_SECONDS,
        by_secret=bool(held.secret),
        barring=barring,
        again=False,
        place=place,
    )
    if taken is None:
        sql.slot_free(cursor, slot.item)
        return None
    sql.position_keep(cursor, held.cursor, **_cursor_columns(positions, seen, slot, turn))
    drawn_with = held.secret or held.seed
    return sql.Offer(token, slot, drawn_with, held.annotator_pseudonym, held.target_language)


def _cursor_columns(positions: Mapping[str, int], seen: Sequence[int], slot: sql.Slot, turn: Turn) -> dict[str, Any]:
    """The columns of a cursor that has come to this slot."""
    moved: dict[str, Any] = {
        "positions": {**positions, str(slot.priority): slot.shuffle},
        "recent": [slot.family, *seen][:SPACING_KEPT],
    }
    dealt = dealt_after(turn, slot, gold=slot.priority == 0)
    return moved if dealt is None else {**moved, "dealt": dealt.to_dict()}


def assignment_next(*, annotator: Annotator, target: Target, spacing: int) -> Assignment | None:
    """Take the next slot of the target for somebody who holds none."""
    barring = target.project.kind_spec.excludes_family_contributors
    for _ in range(MOST_FAMILIES if barring else TRIES):
        try:
            with transaction.atomic():
                known = Cursor.objects.filter(annotator=annotator, target=target).first()
                return assign(annotator, target, spacing, known)
        except (IntegrityError, AssignmentLost) as lost:
            # Another tab of the same person was first (one open assignment a place), or they were barred just now.
            held = Assignment.objects.filter(
                annotator=annotator, target=target, state=Assignment.State.OPEN, place=0
            ).first()
            if held is not None:
                return held
            if (
                isinstance(lost, AssignmentLost)
                and barring
                and is_contributor(target.project_id, lost.family, annotator.pk)
            ):
                bar_family(annotator=annotator, family=lost.family, target=target)
    return None


def assign(
    annotator: Annotator, target: Target, spacing: int, known: Cursor | None, *, place: int = 0
) -> Assignment | None:
    """Take a slot and assign it at this place, in the caller's transaction; None where nothing waits.

    What is taken along gets at once the longest time that any assignment can be given: nothing extends it offline.
    Raises IntegrityError where the place is taken, AssignmentLost where the slot's item cannot be this person's.
    """
    turn = turn_of(annotator, target, known)
    if turn is None:
        return None
    positions = known.positions if known else {}
    recent = (known.recent if known else [])[:spacing]
    token, by_secret = secrets.token_urlsafe(18), bool(target.project.secret)
    with connection.cursor() as cursor:
        found = _take_slot(cursor, annotator.pk, target.pk, target.buckets, positions, recent, turn.deal)
        if found is None:
            return None
        slot, positions = found
        assignment_id = sql.open_assignment(
            cursor,
            target=target.pk,
            annotator=annotator.pk,
            slot=slot,
            token=token,
            seconds=settings.ASSIGNMENT_SECONDS if place in SCREEN_PLACES else settings.ASSIGNMENT_CAP_SECONDS,
            barring=target.project.kind_spec.excludes_family_contributors,
            by_secret=by_secret,
            place=place,
        )
    if assignment_id is None:
        raise AssignmentLost(slot.family)
    values = _cursor_columns(positions, known.recent if known else [], slot, turn)
    if turn.dealt is not None:
        values["dealt_at"] = Now()
    if known:
        Cursor.objects.filter(pk=known.pk).update(**values)
    else:
        Cursor.objects.create(annotator=annotator, target=target, **values)
    return Assignment(
        pk=assignment_id,
        project_id=slot.project,
        target=target,
        item_id=slot.item,
        annotator=annotator,
        epoch=slot.epoch,
        round=slot.round,
        revision_n=slot.revision_n,
        state=Assignment.State.OPEN,
        token=token,
        by_secret=by_secret,
        place=place,
    )


def _take_slot(
    cursor: Any,
    annotator: int,
    target: int,
    buckets: int,
    positions: dict[str, int],
    recent: list[int],
    deal: Deal,
    *,
    wait: bool = True,
) -> tuple[sql.Slot, dict[str, int]] | None:
    """A slot beyond the cursor; else from the start of the circle; else of a family just shown. Where it is the turn
    of a gold question, one of those in the same statement.

    With `wait` the last look waits for rows that somebody holds at this instant: without it, one whose only item is
    just being decided or corrected would be told that there is nothing for them.
    """
    tries: list[tuple[dict[str, int], list[int]]] = [(positions, recent)]
    if positions:
        # What came in behind the cursor, and what was left out for its family, is found from the start.
        tries.append(({}, recent))
    if recent or not positions:
        tries.append(({}, []))
    for n, (start, without) in enumerate(tries, start=1):
        slot = sql.take_slot(
            cursor,
            target=target,
            annotator=annotator,
            buckets=buckets,
            positions=start,
            recent=without,
            closed=deal.closed,
            gold=deal.gold,
            own=deal.own,
            due=deal.due,
            wait=wait and n == len(tries),
        )
        if slot is not None:
            return slot, start
    return None


def assignment_extend(*, assignment: Assignment) -> bool:
    """Give an open assignment its full time again, up to the cap since it was opened; False where it ended."""
    return bool(
        Assignment.objects.filter(pk=assignment.pk, state=Assignment.State.OPEN, until__gt=Now()).update(
            until=Least(
                seconds_from_now(settings.ASSIGNMENT_SECONDS),
                F("opened_at") + timedelta(seconds=settings.ASSIGNMENT_CAP_SECONDS),
            )
        )
    )


def assignment_expire(*, assignment_id: int, only: Q | None = None) -> bool:
    """End one assignment and free its slot; False where it was no longer open, or not `only` so."""
    item_id, epoch = Assignment.objects.values_list("item_id", "epoch").get(pk=assignment_id)
    with transaction.atomic():
        item = locked(Item.objects.filter(pk=item_id)).get()
        held = Assignment.objects.filter(pk=assignment_id, state=Assignment.State.OPEN)
        if not held.filter(only or Q()).update(state=Assignment.State.EXPIRED):
            return False
        if item.stage == VOTING and item.epoch == epoch:
            free_slot(item_id)
    return True


def assignments_expire(*, target: Target | None = None, targets: Sequence[int] | None = None, limit: int = 500) -> int:
    """End assignments whose time has passed, in one target, some (by key) or all; how many were ended."""
    past = Assignment.objects.filter(state=Assignment.State.OPEN, until__lte=Now())
    if target is not None:
        past = past.filter(target=target)
    if targets is not None:
        past = past.filter(target__in=targets)
    ended = [assignment_expire(assignment_id=pk) for pk in past.order_by("until").values_list("pk", flat=True)[:limit]]
    return sum(ended)


def is_closed(project_id: int) -> bool:
    """Whether the project is closed by now: nobody votes, passes or takes back there any more."""
    return Project.objects.filter(pk=project_id, closed_at__isnull=False).exists()


def assignment_pass(*, annotator: Annotator, token: str, reason: str) -> None:
    """Pass an item with a reason: its slot goes to somebody else, and it is never offered to this person again."""
    if storage_problem(reason):
        raise Invalid(field="reason", code="text_not_storable")
    found = Assignment.objects.filter(token=token, annotator=annotator).values_list("pk", "item_id").first()
    if found is None:
        raise NotFound
    with transaction.atomic():
        locked(Item.objects.filter(pk=found[1])).get()
        assignment = Assignment.objects.get(pk=found[0])
        if assignment.state == Assignment.State.SKIPPED:
            return
        if assignment.state not in (Assignment.State.OPEN, Assignment.State.EXPIRED):
            raise Conflict(code="assignment_over")
        if is_closed(annotator.project_id):
            raise Conflict(code="project_closed")
        Assignment.objects.filter(pk=assignment.pk).update(state=Assignment.State.SKIPPED, reason=reason[:300])
        if assignment.state == Assignment.State.OPEN:
            free_slot(assignment.item_id)
