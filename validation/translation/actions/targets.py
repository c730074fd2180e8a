"""Targets that end, and people who change them: what they had open to review there goes to others."""

from collections.abc import Collection

from django.db import transaction
from django.db.models import QuerySet

from annotation.core.actions.members import member_changeable
from annotation.core.errors import Conflict
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project, Target
from annotation.core.models.user import User
from annotation.jobs.database import locked
from annotation.translation.actions.targets import target_ended, target_members_set, targets_named
from validation.voting.actions.assignments import assignment_expire
from validation.voting.models.assignment import Assignment


def target_end(*, target: Target, ended: bool, by: User) -> bool:
    """End a target, or open it again; open assignments there end, so that nobody goes on reviewing. Whether it changed.

    What translators have in hand stays theirs, and what they hand in waits for the target to be opened again.
    """
    changed = target_ended(target=target, ended=ended, by=by)
    if changed and ended:
        _expire(Assignment.objects.filter(target=target, state=Assignment.State.OPEN))
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
    they are given nothing new, and their open assignments end. Raises Invalid for a target that is not there.
    """
    with transaction.atomic():
        fresh = locked(Project.objects.filter(pk=project.pk)).get()
        place = member_changeable(project=fresh, annotator_id=annotator_id, by=by)
        wanted = targets_named(fresh, keys)
        present = set(place.target_memberships.values_list("target__key", flat=True))
        if seen is not None and present != set(seen):
            raise Conflict(code="targets_stale", current=sorted(present))
        left = target_members_set(annotator=place, targets=wanted, by=by)
    # Items are locked before assignments, and a vote holds its item before it reads the project: so not in here.
    _expire(Assignment.objects.filter(annotator=place, target__in=left, state=Assignment.State.OPEN))
    return place


def _expire(assignments: QuerySet[Assignment]) -> None:
    for pk in list(assignments.order_by("item").values_list("pk", flat=True)):
        assignment_expire(assignment_id=pk)
