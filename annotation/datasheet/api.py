"""`about`: the statements of releases about a project, and the texts that its members agree to."""

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.views import MANAGE, READ, ApiView, operation
from annotation.api.wire import Body, Row, WholeNumberField
from annotation.core import access
from annotation.core.models.project import Project
from annotation.datasheet.actions import LONGEST_CONSENT, LONGEST_TEXTS, about_change, consent_publish
from annotation.datasheet.models import About, ConsentVersion
from annotation.datasheet.queries import about_of
from annotation.datasheet.rules import LARGEST_THRESHOLD, LONGEST_SECTION, QUESTIONS, SECTIONS


class AboutRow(Row):
    """The statements of releases about a project; empty if there are none. `version` is 0 until the first one."""

    licence = serializers.CharField()
    citation = serializers.CharField()
    homepage = serializers.CharField()
    ethics_board = serializers.CharField()
    ethics_number = serializers.CharField()
    threshold = serializers.IntegerField(help_text="The smallest group of people that a release counts.")
    statement = serializers.DictField(help_text=f"The data statement: {', '.join(SECTIONS)}.")
    answers = serializers.DictField(help_text=f"What reviewers ask: {', '.join(QUESTIONS)}.")
    version = serializers.SerializerMethodField()

    def get_version(self, about: About) -> int:
        """What a change names."""
        return about.version if about.pk else 0


class AboutIn(Body):
    """The statements from now on; fields that are left out stay. `statement` and `answers` are given whole."""

    version = WholeNumberField()
    licence = serializers.CharField(max_length=LONGEST_TEXTS["licence"], allow_blank=True, required=False)
    citation = serializers.CharField(max_length=LONGEST_TEXTS["citation"], allow_blank=True, required=False)
    homepage = serializers.CharField(max_length=LONGEST_TEXTS["homepage"], allow_blank=True, required=False)
    ethics_board = serializers.CharField(max_length=LONGEST_TEXTS["ethics_board"], allow_blank=True, required=False)
    ethics_number = serializers.CharField(max_length=LONGEST_TEXTS["ethics_number"], allow_blank=True, required=False)
    threshold = serializers.IntegerField(min_value=1, max_value=LARGEST_THRESHOLD, required=False)
    statement = serializers.DictField(
        child=serializers.CharField(max_length=LONGEST_SECTION, allow_blank=True), required=False
    )
    answers = serializers.DictField(
        child=serializers.CharField(max_length=LONGEST_SECTION, allow_blank=True), required=False
    )


class ConsentRow(Row):
    """A version of what members agree to before they say anything about themselves."""

    n = serializers.IntegerField()
    text = serializers.CharField()
    asks_again = serializers.BooleanField()
    at = serializers.DateTimeField()


class ConsentIn(Body):
    """A new version. `seen`: the number of the newest that you read, 0 for the first; `asks_again`: what was agreed to
    before holds no longer."""

    text = serializers.CharField(max_length=LONGEST_CONSENT, trim_whitespace=False)
    asks_again = serializers.BooleanField()
    seen = WholeNumberField()


class AboutApi(ApiView):
    """What addresses of it have alike."""

    tag = "about"

    def project(self, slug: str) -> Project:
        """The project, for administrators."""
        return access.administrator_membership(self.user, slug).project


class AboutView(AboutApi):
    """The statements of releases about a project."""

    @operation(scopes=[READ], gives=AboutRow)
    def get(self, request: Request, slug: str) -> Response:
        """Read licence, citation, ethics approval and data statement. For administrators."""
        return self.row_response(about_of(self.project(slug)))

    @operation(scopes=[MANAGE], takes=AboutIn, gives=AboutRow, repeats=True)
    def post(self, request: Request, slug: str) -> Response:
        """Change the statements of future releases. A stale `version` is answered with 409. For administrators."""
        project, sent = self.project(slug), self.validated_body()
        version: int = sent.pop("version")
        changes: dict[str, Any] = sent
        return self.row_response(about_change(project=project, by=self.user, changes=changes, version=version))


class ConsentVersions(AboutApi):
    """What members agree to."""

    @operation(scopes=[READ], gives=ConsentRow, paged=True, since=["at"])
    def get(self, request: Request, slug: str) -> Response:
        """List the versions of the text that members agree to. For administrators."""
        return self.page_response(ConsentVersion.objects.filter(project=self.project(slug)))

    @operation(scopes=[MANAGE], takes=ConsentIn, gives=ConsentRow, status=201, repeats=True)
    def post(self, request: Request, slug: str) -> Response:
        """Publish a new version. For administrators."""
        project = self.project(slug)
        made = consent_publish(project=project, by=self.user, **self.validated_body())
        made.refresh_from_db()
        return self.row_response(made, status=201)
