"""Targets that end, and people who change them: what they had open to review there goes to others."""

from collections.abc import Collection

from django.db import transaction
from django.db.models import QuerySet

from annotation.core.actions.members import member_changeable
from annotation.core.errors import Conflict
from annotation.core.models.member import Annotator
from annotation.core.models.project import Lane, Project
from annotation.core.models.user import User
from annotation.jobs.database import locked
from annotation.translation.actions.targets import places_set, target_ended, targets_named
from validation.voting.actions.assignments import seat_expire
from validation.voting.models.assignment import Seat


def target_end(*, lane: Lane, ended: bool, by: User) -> bool:
    """End a target, or open it again; open seats there end, so that nobody goes on reviewing. Whether it changed.

    What translators have in hand stays theirs, and what they hand in waits for the target to be opened again.
    """
    changed = target_ended(lane=lane, ended=ended, by=by)
    if changed and ended:
        _expire(Seat.objects.filter(lane=lane, state=Seat.State.OPEN))
    return changed


def targets_give(
    *,
    project: Project,
    annotator_id: int,
    keys: Collection[str],
    by: User,
    seen: Collection[str] | None = None,
) -> Annotator:
    """Say for which targets a member works: leads of the project may. A page that is behind raises Conflict.

    `seen`: the targets that the page showed. What the person has in hand stays theirs; in targets that they leave
    they are given nothing new, and their open seats end. Raises Invalid for a target that is not there.
    """
    with transaction.atomic():
        fresh = locked(Project.objects.filter(pk=project.pk)).get()
        place = member_changeable(project=fresh, annotator_id=annotator_id, by=by)
        wanted = targets_named(fresh, keys)
        present = set(place.lane_places.values_list("lane__key", flat=True))
        if seen is not None and present != set(seen):
            raise Conflict(code="targets_stale", current=sorted(present))
        left = places_set(annotator=place, lanes=wanted, by=by)
    # Items are locked before seats, and a vote holds its item before it reads the project: so not in here.
    _expire(Seat.objects.filter(annotator=place, lane__in=left, state=Seat.State.OPEN))
    return place


def _expire(seats: QuerySet[Seat]) -> None:
    for pk in list(seats.order_by("item").values_list("pk", flat=True)):
        seat_expire(seat_id=pk)
