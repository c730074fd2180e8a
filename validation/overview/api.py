"""`projects`, with their settings and the versions of protocol and guidelines."""

from typing import Any

from django.db.models import QuerySet
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.me import roles_of
from annotation.api.views import ANNOTATE, MANAGE, READ, ApiView, operation
from annotation.api.wire import Body, Row, SinceQuery, WholeNumberField
from annotation.core import access
from annotation.core.access import Membership
from annotation.core.actions.members import guidelines_read
from annotation.core.errors import Forbidden, Invalid, NotFound
from annotation.core.models.member import Annotator
from annotation.core.models.project import GuidelineVersion, Project
from annotation.core.rules.fields import FieldError
from annotation.projects.actions.projects import (
    guideline_publish,
    project_close,
    project_create,
    project_settings_change,
    protocol_change,
)
from annotation.projects.forms import SettingsForm
from annotation.tasks.actions import task_project_create
from annotation.tasks.api_fields import TaskField
from annotation.ui.rule_forms import reason_of
from validation.consensus.protocol import Protocol
from validation.overview.views.project import open_resting


class ProjectRow(Row):
    """A project, and what whoever asks is in it. `closed_at` is null while it is open."""

    slug = serializers.CharField()
    name = serializers.CharField()
    description = serializers.CharField()
    kind = serializers.CharField()
    preset = serializers.CharField()
    language = serializers.CharField()
    created_at = serializers.DateTimeField()
    closed_at = serializers.DateTimeField(allow_null=True)
    roles = serializers.ListField(child=serializers.CharField())
    pseudonym = serializers.CharField(allow_null=True)


class ProjectIn(Body):
    """A project to be made as a preset has it, or with a task of its own: one of `preset` and `task`. What is left out
    is the preset's or the task's; a preset has no `name`."""

    slug = serializers.SlugField(max_length=60)
    name = serializers.CharField(max_length=200, default="", allow_blank=True)
    preset = serializers.CharField(max_length=40, default="", allow_blank=True)
    task = TaskField(
        default=None,
        help_text="The description of a task as an object, or as a text in YAML (docs/tasks.md).",
    )
    language = serializers.CharField(max_length=35, default="", allow_blank=True)
    register = serializers.CharField(max_length=80, default="", allow_blank=True)
    seed = serializers.CharField(max_length=80, default="", allow_blank=True)
    share = serializers.DecimalField(max_digits=5, decimal_places=4, min_value=0, max_value=1, default=None)
    protocol = serializers.DictField(default=None, help_text="Fields of a protocol, as its versions have them.")

    def validate(self, sent: dict[str, Any]) -> dict[str, Any]:
        """A task has a name already, a preset has none. Raises ValidationError."""
        if sent["preset"] and not sent["name"]:
            raise serializers.ValidationError({"name": self.fields["name"].error_messages["required"]}, "required")
        return sent


class SettingsRow(Row):
    """A project's settings; `version` is given back with a change."""

    version = serializers.IntegerField()
    sample_share = serializers.DecimalField(max_digits=5, decimal_places=4)
    settings = serializers.DictField()


class SettingsIn(Body):
    """The settings that change, by name; the others stay."""

    version = WholeNumberField(help_text="The version that you read.")
    settings = serializers.DictField(allow_empty=False)


class ClosingIn(Body):
    """Whether the project is closed from now on."""

    version = WholeNumberField()
    closed = serializers.BooleanField()


class ProtocolRow(Row):
    """A version of the protocol."""

    n = serializers.IntegerField()
    rules = serializers.DictField()
    at = serializers.DateTimeField()


class ProtocolIn(Body):
    """The rules of a new version, every field; `version` is that of the settings."""

    version = WholeNumberField()
    rules = serializers.DictField()


class GuidelineRow(Row):
    """A version of what writers or validators read, in Markdown."""

    role = serializers.ChoiceField(GuidelineVersion.Role.values)
    n = serializers.IntegerField()
    text = serializers.CharField()
    note = serializers.CharField()
    at = serializers.DateTimeField()


class GuidelineIn(Body):
    """A new version; `version` is that of the settings, where a stale one is to be refused."""

    role = serializers.ChoiceField(GuidelineVersion.Role.values)
    text = serializers.CharField(max_length=200_000, trim_whitespace=False)
    note = serializers.CharField(max_length=300, default="", allow_blank=True)
    version = WholeNumberField(default=None, allow_null=True)


class GuidelineQuery(SinceQuery):
    """Those of one role."""

    role = serializers.ChoiceField(GuidelineVersion.Role.values, required=False)


class GuidelineReadIn(Body):
    """Which version one has read."""

    role = serializers.ChoiceField(GuidelineVersion.Role.values)
    n = WholeNumberField()


class GuidelineReadRow(Row):
    """The number of the version that one has read, by role."""

    read = serializers.DictField(child=serializers.IntegerField())


def _row(membership: Membership) -> dict[str, Any]:
    project, place = membership.project, membership.annotator
    own = ("slug", "name", "description", "kind", "preset", "language", "created_at", "closed_at")
    return {
        **{name: getattr(project, name) for name in own},
        "roles": roles_of(membership),
        "pseudonym": place.pseudonym if place else None,
    }


def _protocol(rules: dict[str, Any]) -> Protocol:
    try:
        return Protocol.from_dict(rules)
    except FieldError as error:
        reason = f"{error.field}: {reason_of(error)}"
        raise Invalid(reason, field=f"rules.{error.field}", code="protocol_wrong") from error


class Projects(ApiView):
    """The projects of whoever asks."""

    tag = "projects"

    @operation(scopes=[READ], gives=ProjectRow, paged=True)
    def get(self, request: Request) -> Response:
        """List the projects that you belong to. Administrators see all."""
        return self.page_response(self._mine(), self._placed)

    def _mine(self) -> QuerySet[Project]:
        rows = Project.objects.filter(kept_for=None)
        if self.token is not None and self.token.projects is not None:
            rows = rows.filter(slug__in=self.token.projects)
        if self.user.is_administrator:
            return rows
        return rows.filter(annotators__user=self.user, annotators__left_at=None)

    def _placed(self, rows: list[Project]) -> list[dict[str, Any]]:
        places = Annotator.objects.filter(user=self.user, project__in=rows, left_at=None)
        found = {place.project_id: place for place in places}
        return [_row(Membership(self.user, project, found.get(project.pk))) for project in rows]

    @operation(scopes=[MANAGE], takes=ProjectIn, gives=ProjectRow, status=201, repeats=True)
    def post(self, request: Request) -> Response:
        """Make a project from a preset, or from the description of a task. For administrators."""
        person = access.site_administrator(self.user)
        if self.token is not None and self.token.projects is not None:
            raise Forbidden(code="scope_missing")
        sent = self.validated_body()
        rules, task, preset = sent.pop("protocol"), sent.pop("task"), sent.pop("preset")
        if (task is None) == (not preset):
            raise Invalid(field="task" if preset else "preset", code="task_or_preset")
        sent |= {"protocol": None if rules is None else _protocol(rules), "by": person}
        project = task_project_create(task=task, **sent) if task else project_create(preset=preset, **sent)
        project.refresh_from_db()
        return self.row_response(_row(Membership(person, project, None)), status=201)


class ProjectView(ApiView):
    """One project."""

    tag = "projects"

    @operation(scopes=[READ], gives=ProjectRow)
    def get(self, request: Request, slug: str) -> Response:
        """Read a project that you belong to."""
        return self.row_response(_row(access.membership(self.user, slug)))


class ProjectClosing(ApiView):
    """Whether a project is open."""

    tag = "projects"

    @operation(scopes=[MANAGE], takes=ClosingIn, gives=ProjectRow, repeats=True)
    def post(self, request: Request, slug: str) -> Response:
        """Close a project, or open it again. For administrators."""
        membership = access.administrator_membership(self.user, slug)
        project = project_close(project=membership.project, by=self.user, **self.validated_body())
        return self.row_response(_row(Membership(self.user, project, membership.annotator)))


class OpenedRow(Row):
    """How many items were offered to validators at once."""

    opened = serializers.IntegerField()


class ItemsOpening(ApiView):
    """What rests before voting."""

    tag = "projects"

    @operation(scopes=[MANAGE], gives=OpenedRow)
    def post(self, request: Request, slug: str) -> Response:
        """Offer to validators now what rests before voting. For leads and administrators."""
        return self.row_response({"opened": open_resting(access.lead_membership(self.user, slug))})


class ProjectSettingsView(ApiView):
    """The settings of one project."""

    tag = "projects"

    @operation(scopes=[READ], gives=SettingsRow)
    def get(self, request: Request, slug: str) -> Response:
        """Read the settings. For administrators."""
        return self._settings(access.administrator_membership(self.user, slug).project)

    @operation(scopes=[MANAGE], takes=SettingsIn, gives=SettingsRow, repeats=True)
    def post(self, request: Request, slug: str) -> Response:
        """Change settings, `sample_share` among them. For administrators."""
        membership, sent = access.administrator_membership(self.user, slug), self.validated_body()
        project, wanted = membership.project, sent["settings"]
        data = {**project.rules.to_dict(), "sample_share": project.sample_share.normalize(), **wanted}
        form = SettingsForm({**data, "version": 0}, project=project)
        strange = sorted(wanted.keys() - {"sample_share"} - set(form.names))
        if strange:
            words = (
                "This setting means nothing in this project."
                if strange[0] in project.rules.to_dict()
                else "There is no such setting."
            )
            raise Invalid(words, field=f"settings.{strange[0]}", code="setting_unknown")
        for name, problems in form.errors.items():
            raise Invalid(" ".join(map(str, problems)), field=f"settings.{name}", code="setting_wrong")
        changes = {name: form.cleaned_data[name] for name in wanted}
        return self._settings(
            project_settings_change(project=project, by=self.user, changes=changes, version=sent["version"])
        )

    def _settings(self, project: Project) -> Response:
        return self.row_response(
            {
                "version": project.version,
                "sample_share": project.sample_share,
                "settings": project.rules.to_dict(),
            }
        )


class ProtocolVersions(ApiView):
    """The versions of a project's protocol."""

    tag = "projects"

    @operation(scopes=[READ], gives=ProtocolRow, paged=True, since=["at"])
    def get(self, request: Request, slug: str) -> Response:
        """List the versions of the protocol. For leads and administrators."""
        return self.page_response(access.lead_membership(self.user, slug).project.protocols.all())

    @operation(scopes=[MANAGE], takes=ProtocolIn, gives=ProtocolRow, status=201, repeats=True)
    def post(self, request: Request, slug: str) -> Response:
        """Make a new version; items whose validation began keep theirs. For administrators."""
        project, sent = access.administrator_membership(self.user, slug).project, self.validated_body()
        made = protocol_change(
            project=project, by=self.user, protocol=_protocol(sent["rules"]), version=sent["version"]
        )
        made.refresh_from_db()
        return self.row_response(made, status=201)


class GuidelineVersions(ApiView):
    """The versions of a project's guidelines."""

    tag = "projects"

    @operation(scopes=[READ], gives=GuidelineRow, query=GuidelineQuery, paged=True, since=["at"])
    def get(self, request: Request, slug: str) -> Response:
        """List the versions of the guidelines. For everybody in the project."""
        membership = access.membership(self.user, slug)
        rows = membership.project.guidelines.all()
        return self.page_response(rows.filter(role=self.query_values["role"]) if "role" in self.query_values else rows)

    @operation(scopes=[MANAGE], takes=GuidelineIn, gives=GuidelineRow, status=201, repeats=True)
    def post(self, request: Request, slug: str) -> Response:
        """Publish a new version. For leads and administrators."""
        project = access.lead_membership(self.user, slug).project
        made = guideline_publish(project=project, by=self.user, **self.validated_body())
        made.refresh_from_db()
        return self.row_response(made, status=201)


class GuidelinesRead(ApiView):
    """What one has read of the guidelines."""

    tag = "projects"

    @operation(scopes=[ANNOTATE], takes=GuidelineReadIn, gives=GuidelineReadRow)
    def post(self, request: Request, slug: str) -> Response:
        """Say that you have read a version of the guidelines. For members."""
        place, sent = access.membership(self.user, slug).annotator, self.validated_body()
        if place is None:
            raise NotFound
        guidelines_read(annotator=place, **sent)
        place.refresh_from_db(fields=["read_guidelines"])
        return self.row_response({"read": place.read_guidelines})
