"""Cards taken along: up to AHEAD_MOST assignments that one person answers where there is no connection."""

from collections.abc import Sequence

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.db.models.functions import Now

from annotation.core.models.member import Annotator
from annotation.core.models.project import Target
from annotation.jobs.database import is_duplicate
from validation.voting.actions.assignments import AssignmentLost, assign, assignment_expire, still_asked
from validation.voting.models.assignment import AHEAD_MOST, Assignment, Cursor


def ahead_of(annotator: Annotator) -> QuerySet[Assignment]:
    """What somebody has taken along and not answered, in the order in which it was taken."""
    rows = Assignment.objects.select_related("item", "target__project", "annotator")
    return rows.filter(annotator=annotator, state=Assignment.State.OPEN, place__gt=0).order_by(
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
            held = set(ahead_of(annotator).values_list("target", "place"))
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


def ahead_checked(annotator: Annotator) -> list[Assignment]:
    """What somebody has taken along and is still asked, with the texts as they stand now; the rest goes back."""
    asked = []
    for assignment in ahead_of(annotator).filter(until__gt=Now()):
        if still_asked(assignment):
            asked.append(assignment)
        else:
            assignment_expire(assignment_id=assignment.pk)
    return asked


def assignments_return(*, annotator: Annotator) -> int:
    """Give back all that was taken along and not answered; how many. An answer that comes later is a late one."""
    return sum(assignment_expire(assignment_id=pk) for pk in ahead_of(annotator).values_list("pk", flat=True))
