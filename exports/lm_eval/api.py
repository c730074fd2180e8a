"""`task-prompts`: a project's own prompts for the tasks of its releases."""

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.views import MANAGE, READ, ApiView, operation
from annotation.api.wire import Body, Row, WholeNumberField
from annotation.core import access
from annotation.core.errors import Invalid
from exports.lm_eval import queries
from exports.lm_eval.actions import prompt_end, prompt_save
from exports.lm_eval.models import TaskPrompt
from exports.lm_eval.rules.tasks import LONGEST, LONGEST_NAME, PromptFault


class TaskPromptRow(Row):
    """A version of a prompt for a sort of task. Of an `ended` one further releases have none."""

    task = serializers.CharField()
    name = serializers.CharField()
    version = serializers.IntegerField(source="n")
    text = serializers.CharField()
    ended = serializers.BooleanField()
    at = serializers.DateTimeField()


class TaskPromptIn(Body):
    """The next version of a prompt: the `version` that you read, 0 for a new one. `task` is a sort of task of the
    project, as its page lists them."""

    task = serializers.CharField(max_length=40)
    name = serializers.CharField(max_length=LONGEST_NAME)
    version = WholeNumberField(default=0)
    text = serializers.CharField(max_length=LONGEST, trim_whitespace=False)


class TaskPromptEndIn(Body):
    """The prompt that is left out of further releases, and the `version` that you read."""

    task = serializers.CharField(max_length=40)
    name = serializers.CharField(max_length=LONGEST_NAME)
    version = WholeNumberField()


class TaskPrompts(ApiView):
    """A project's prompts."""

    tag = "releases"

    @operation(scopes=[READ], gives=TaskPromptRow, paged=True, since=["at"])
    def get(self, request: Request, slug: str) -> Response:
        """List every version of the project's own prompts. For administrators."""
        project = access.administrator_membership(self.user, slug).project
        return self.page_response(TaskPrompt.objects.filter(project=project))

    @operation(scopes=[MANAGE], takes=TaskPromptIn, gives=TaskPromptRow, status=201, repeats=True)
    def post(self, request: Request, slug: str) -> Response:
        """Make the next version of a prompt; releases frozen from now on have it. For administrators."""
        project, sent = access.administrator_membership(self.user, slug).project, self.validated_body()
        given = {"task": sent["task"], "name": sent["name"], "text": sent["text"], "seen": sent["version"]}
        try:
            made = prompt_save(project=project, by=self.user, **given)
        except Invalid as refusal:
            fault = refusal.details.get("fault")
            if not isinstance(fault, PromptFault):
                raise
            raise Invalid(fault.reason % fault.params, field=refusal.field, code=refusal.code) from refusal
        return self.row_response(queries.newest_prompts(project)[made.task, made.name], status=201)


class TaskPromptEnd(ApiView):
    """One prompt that is ended."""

    tag = "releases"

    @operation(scopes=[MANAGE], takes=TaskPromptEndIn, gives=TaskPromptRow)
    def post(self, request: Request, slug: str) -> Response:
        """Leave a prompt out of further releases; a new version brings it back. For administrators."""
        project, sent = access.administrator_membership(self.user, slug).project, self.validated_body()
        given = {"task": sent["task"], "name": sent["name"], "seen": sent["version"]}
        made = prompt_end(project=project, by=self.user, **given)
        return self.row_response(queries.newest_prompts(project)[made.task, made.name])
