"""`error-counts`: how often items were returned for which error, and noting one in the writing guidelines."""

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.views import MANAGE, READ, ApiView, operation
from annotation.api.wire import Body, Row
from annotation.core import access
from annotation.core.errors import Invalid
from annotation.core.models.project import Project
from annotation.projects.actions.projects import LONGEST_NOTE, guideline_note
from validation.review.queries import desk as fetch


class ErrorCountRow(Row):
    """So many returns of one writer's items for one error type in the week that begins on that day."""

    error_type = serializers.CharField(source="error")
    writer = serializers.CharField()
    week = serializers.DateField()
    returns = serializers.IntegerField(source="n")


class ErrorCountsRow(Row):
    """The project's error types by their codes, and every count."""

    error_types = serializers.DictField(child=serializers.CharField())
    counts = ErrorCountRow(many=True)


class ErrorNoteIn(Body):
    """An error type by its code, and what writers read about it."""

    error_type = serializers.CharField(max_length=60)
    words = serializers.CharField(max_length=LONGEST_NOTE)


class ErrorNotedRow(Row):
    """The version of the writing guidelines that has it."""

    role = serializers.CharField()
    n = serializers.IntegerField()


class ErrorCounts(ApiView):
    """Why items came back."""

    tag = "items"

    @operation(scopes=[READ], gives=ErrorCountsRow)
    def get(self, request: Request, slug: str) -> Response:
        """Count returns by error type, writer and week. For leads and administrators."""
        membership = access.lead_membership(self.user, slug)
        counts = fetch.return_counts(membership)
        return self.row_response({"error_types": _names(membership.project), "counts": counts})


class ErrorNote(ApiView):
    """One error type in the guidelines."""

    tag = "projects"

    @operation(scopes=[MANAGE], takes=ErrorNoteIn, gives=ErrorNotedRow, repeats=True)
    def post(self, request: Request, slug: str) -> Response:
        """Note an error type in the writing guidelines: a new version, which writers are told of. For leads and
        administrators."""
        project, sent = access.lead_membership(self.user, slug).project, self.validated_body()
        names = _names(project)
        if sent["error_type"] not in names:
            raise Invalid(field="error_type", code="error_unknown")
        told = {"error": sent["error_type"], "heading": names[sent["error_type"]], "words": sent["words"]}
        return self.row_response(guideline_note(project=project, by=self.user, **told))


def _names(project: Project) -> dict[str, str]:
    """Of the project and, where its list was changed, of its kind."""
    return dict(project.kind_spec.authoring.error_types) | dict(project.error_types)
