"""The project of a study: who may read it, whether it is open, and its counts."""

from collections.abc import Callable
from typing import Any, TypeVar

from django.db.models import Count, Max, Model, QuerySet

from annotation.core import access
from annotation.core.access import Membership, Viewer
from annotation.core.database import locked
from annotation.core.errors import Conflict, Forbidden, NotFound
from annotation.core.models.project import Project

Row = TypeVar("Row", bound=Model)


def membership_with(user: Viewer, slug: str, has: Callable[[Project], bool]) -> Membership:
    """The viewer's membership; NotFound where the project has no such study."""
    found = access.membership(user, slug)
    if not has(found.project):
        raise NotFound
    return found


def overseer_with(user: Viewer, slug: str, has: Callable[[Project], bool]) -> Membership:
    """The viewer as lead or administrator; NotFound where there is no such study, Forbidden for other members."""
    found = membership_with(user, slug, has)
    if not found.sees_all:
        raise Forbidden
    return found


def only_row(rows: "QuerySet[Row]") -> Row:
    """The only row of these, or NotFound."""
    found = rows.first()
    if found is None:
        raise NotFound
    return found


def open_project(project: Project, code: str) -> Project:
    """The project, locked; Conflict with this code where it is closed."""
    fresh = locked(Project.objects.filter(pk=project.pk)).get()
    if fresh.closed_at is not None:
        raise Conflict(code=code)
    return fresh


def next_number(rows: "QuerySet[Any]") -> int:
    """The number after the highest that these rows have as `n`."""
    return (rows.aggregate(last=Max("n"))["last"] or 0) + 1


def counts_by(rows: "QuerySet[Any]", by: str) -> dict[Any, int]:
    """How many rows there are of each value of this column; one statement."""
    return dict(rows.order_by().values(by).annotate(counted=Count("pk")).values_list(by, "counted"))
