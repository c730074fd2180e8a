"""Cards taken along, up to AHEAD_MOST, to be answered without a connection; and the one after that on the screen."""

from collections.abc import Sequence

from django.conf import settings
from django.db import IntegrityError, connection, transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from annotation.core.database import is_duplicate
from annotation.core.errors import NotFound
from annotation.core.models.member import Annotator
from annotation.core.models.project import Target
from annotation.core.rules.settings import ProjectSettings
from validation.voting import sql
from validation.voting.actions.assignments import (
    AssignmentLost,
    assign,
    assign_next_after_vote,
    assignment_expire,
    assignment_extend,
    is_still_asked,
)
from validation.voting.models.assignment import AHEAD_MOST, NEXT_PLACE, Assignment, Cursor


def assignments_ahead(annotator: Annotator) -> QuerySet[Assignment]:
    """What somebody has taken along and not answered, in the order in which it was taken."""
    rows = Assignment.objects.select_related("item", "target__project", "annotator")
    return rows.filter(annotator=annotator, state=Assignment.State.OPEN, place__range=(1, AHEAD_MOST)).order_by(
        "opened_at", "place"
    )


def assignments_take(*, annotator: Annotator, targets: Sequence[Target], spacing: int, count: int) -> int:
    """Take along until somebody holds `count` in all, or nothing more waits for them; how many were taken.

    Each counts among the slots of its item like any other assignment, has its place under a constraint, so that two
    requests at once take no more, and ends when its time is over.
    """
    taken = 0
    for target in targets:
        while True:
            held = set(assignments_ahead(annotator).values_list("target", "place"))
            mine = {place for where, place in held if where == target.pk}
            free = [place for place in range(1, AHEAD_MOST + 1) if place not in mine]
            if len(held) >= min(count, AHEAD_MOST) or not free:
                break
            if not _take_one(annotator, target, spacing, free[0]):
                break
            taken += 1
    return taken


def _take_one(annotator: Annotator, target: Target, spacing: int, place: int) -> bool:
    try:
        with transaction.atomic():
            known = Cursor.objects.filter(annotator=annotator, target=target).first()
            return assign(annotator, target, spacing, known, place=place) is not None
    except AssignmentLost:
        return False
    except IntegrityError as error:
        # Another tab of the same person takes cards at this instant: it goes on with them.
        if not is_duplicate(error):
            raise
        return False


def assignments_still_asked(annotator: Annotator) -> list[Assignment]:
    """What somebody has taken along and is still asked, with the texts as they stand now; the rest goes back."""
    asked = []
    for assignment in assignments_ahead(annotator).filter(until__gt=Now()):
        if is_still_asked(assignment):
            asked.append(assignment)
        else:
            assignment_expire(assignment_id=assignment.pk)
    return asked


def assignments_return(*, annotator: Annotator) -> int:
    """Give back all that was taken along and not answered; how many. An answer that comes later is a late one."""
    return sum(assignment_expire(assignment_id=pk) for pk in assignments_ahead(annotator).values_list("pk", flat=True))


def take_next_card(*, annotator: Annotator, targets: Sequence[Target], shown: str, spacing: int) -> Assignment | None:
    """The assignment that follows the one on the screen (by its token), held already or taken now.

    It counts among the slots of its item, there is one a target under a constraint, and it ends when its time is over.
    None where nothing waits, or the shown one is not on the screen. Raises NotFound where it is not this person's.
    """
    here = Assignment.objects.filter(annotator=annotator, token=shown).first()
    if here is None:
        raise NotFound
    target = next((each for each in targets if each.pk == here.target_id), None)
    if target is None or here.state != Assignment.State.OPEN or here.place:
        return None
    following = _next_cards(annotator).filter(target=target)
    held = following.first()
    if held is not None:
        if is_still_asked(held) and assignment_extend(assignment=held):
            return following.first()
        assignment_expire(assignment_id=held.pk)
    # Where another tab is faster, its card is the one.
    _take_one(annotator, target, spacing, NEXT_PLACE)
    return following.first()


def show_next_card(
    held: sql.HeldAssignment, rules: ProjectSettings, *, token: str, barring: bool
) -> tuple[bool, sql.Offer | None]:
    """After a vote at `held`: bring what was fetched ahead to the screen (whether it is there) and take what follows.

    In one transaction, but not in the vote's: nothing that happens to it here takes the vote away.
    """
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            if not sql.bring_next_to_screen(held.annotator, token, settings.ASSIGNMENT_SECONDS):
                return False, None
            return True, assign_next_after_vote(cursor, held, rules, barring=barring, place=NEXT_PLACE)
    except IntegrityError as error:
        if not is_duplicate(error):
            raise
        return False, None


def held_until(token: str) -> str:
    """Until when this assignment is held."""
    until = Assignment.objects.values_list("until", flat=True).get(token=token)
    return until.isoformat() if until else ""


def return_next_card(*, annotator: Annotator, token: str, until: str) -> bool:
    """Give back what was fetched ahead and not shown; whether there was such a one.

    `until`, as it was told with the card: what another page has fetched again since stays.
    """
    held = _next_cards(annotator).filter(token=token).first()
    if held is None or held.until is None or held.until.isoformat() != until:
        return False
    return assignment_expire(assignment_id=held.pk, only=Q(place=NEXT_PLACE, until__lte=held.until))


def _next_cards(annotator: Annotator) -> QuerySet[Assignment]:
    rows = Assignment.objects.select_related("item", "target", "annotator")
    return rows.filter(annotator=annotator, state=Assignment.State.OPEN, place=NEXT_PLACE)
