"""`task` and `task-versions`: a team's own task with its versions; adding a new version."""

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.views import MANAGE, READ, ApiView, operation
from annotation.api.wire import Body, Row, WholeNumberField
from annotation.core import access
from annotation.core.errors import NotFound
from annotation.core.models.project import Project
from annotation.tasks.actions import task_publish
from annotation.tasks.api_fields import TaskField
from annotation.tasks.queries import task_of_project
from annotation.tasks.rules.reading import task_as_yaml


class TaskRow(Row):
    """The description as it stands: as JSON, and in YAML. `version` is given back with a change."""

    version = serializers.IntegerField()
    task = serializers.DictField()
    yaml = serializers.CharField()


class TaskIn(Body):
    """The whole description of a new version; `version` is that of the one that you read."""

    version = WholeNumberField()
    task = TaskField(help_text="The description as an object, or as a text in YAML (docs/tasks.md).")


class ChangeRow(Row):
    """One change; those that would invalidate votes are refused once there are items."""

    path = serializers.CharField()
    words = serializers.CharField()
    invalidates = serializers.BooleanField()


class ChangedRow(TaskRow):
    """The description as it stands now, and what changed; nothing where the same was sent."""

    changes = ChangeRow(many=True)


class TaskVersionRow(Row):
    """A version of the description."""

    n = serializers.IntegerField()
    task = serializers.DictField(source="description")
    at = serializers.DateTimeField()


def _row(project: Project) -> dict[str, Any]:
    task = task_of_project(project)
    if task is None:
        raise NotFound
    return {"version": project.version, "task": task.plain(), "yaml": task_as_yaml(task)}


class TaskView(ApiView):
    """The task of a project."""

    tag = "projects"

    @operation(scopes=[READ], gives=TaskRow)
    def get(self, request: Request, slug: str) -> Response:
        """Read the description of a team's own task. For leads and administrators."""
        return self.row_response(_row(access.lead_membership(self.user, slug).project))

    @operation(scopes=[MANAGE], takes=TaskIn, gives=ChangedRow, repeats=True)
    def post(self, request: Request, slug: str) -> Response:
        """Make a new version of the description. What would invalidate votes is refused once there are items. For
        administrators."""
        project = access.administrator_membership(self.user, slug).project
        if task_of_project(project) is None:
            raise NotFound
        made = task_publish(project=project, by=self.user, **self.validated_body())
        return self.row_response({**_row(project), "changes": made})


class TaskVersions(ApiView):
    """The versions of a project's task."""

    tag = "projects"

    @operation(scopes=[READ], gives=TaskVersionRow, paged=True, since=["at"])
    def get(self, request: Request, slug: str) -> Response:
        """List the versions of the description; none where the kind is built in. For leads and administrators."""
        return self.page_response(access.lead_membership(self.user, slug).project.tasks.all())
