"""New source sets: from a file, a project or a release, as on their pages."""

from typing import Any

from rest_framework import serializers
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.views import MANAGE, READ, ApiView, operation
from annotation.api.wire import Body, WholeNumberField
from annotation.content import item_choice
from annotation.core.errors import Invalid, NotFound
from annotation.jobs import queries as job_queries
from annotation.jobs import queue as jobs
from annotation.jobs.models import Import
from annotation.translation.actions.source_sets import LONGEST_KEY, LONGEST_NAME, LONGEST_TASK, SetIn
from annotation.translation.queries.sources import sources_membership
from annotation.translation.rules.source_units import SHAPES
from exports.sources.selection import ORIGINS, SIZES, ItemSelection, find_row_source
from exports.sources.starting import (
    LONGEST_CONDITION,
    MOST_CONDITIONS,
    source_file_keep,
    source_file_start,
    source_take,
)
from validation.imports.api import ImportRow, SeparatorQuery


class NewSet(Body):
    """What the set is called. Empty: the name is the key, the task that of the shape."""

    key = serializers.CharField(max_length=LONGEST_KEY, help_text="Its short name: small letters, digits, hyphens.")
    name = serializers.CharField(max_length=LONGEST_NAME, default="", allow_blank=True)
    task = serializers.CharField(max_length=LONGEST_TASK, default="", allow_blank=True)


class SourceFileQuery(NewSet, SeparatorQuery):
    """What the set is called, and which shape its rows have; both are needed."""

    key = serializers.CharField(
        max_length=LONGEST_KEY, default="", help_text="Its short name: small letters, digits, hyphens."
    )
    shape = serializers.ChoiceField(list(SHAPES), default="")


class SourceProjectIn(NewSet):
    """Which items of another project, or of a release of it (`release`, its number), become rows. `splits`: those of
    the release that are taken, all where none is named; `source_set` and `target` where it translates."""

    project = serializers.SlugField(max_length=80)
    release = WholeNumberField(default=0)
    gold = serializers.ChoiceField(list(item_choice.CHOICES), default=item_choice.SETTLED)
    origin = serializers.ChoiceField([each for each in ORIGINS if each], default="", allow_blank=True)
    size = serializers.ChoiceField([each for each in SIZES if each], default="", allow_blank=True)
    split = serializers.CharField(max_length=20, default="test", allow_blank=True)
    splits = serializers.ListField(
        child=serializers.RegexField(r"\A[^\s,]+\Z", max_length=20), default=list, max_length=10
    )
    source_set = serializers.CharField(max_length=40, default="", allow_blank=True)
    target = serializers.CharField(max_length=40, default="", allow_blank=True)
    dry_run = serializers.BooleanField(default=False)


class SourceStartIn(Body):
    """How the file becomes rows. `mapping`: our field to the file's column, as it was guessed where it is left out;
    `where`: the value that a column has to have, of each column named."""

    mapping = serializers.DictField(child=serializers.CharField(max_length=400), default=None, allow_null=True)
    where = serializers.DictField(
        child=serializers.CharField(max_length=LONGEST_CONDITION), default=None, allow_null=True
    )
    dry_run = serializers.BooleanField(default=False)

    def validate_where(self, where: dict[str, str] | None) -> list[tuple[str, str]] | None:
        """As conditions."""
        if where is not None and len(where) > MOST_CONDITIONS:
            raise serializers.ValidationError(f"At most {MOST_CONDITIONS} conditions.", "max_length")
        return None if where is None else list(where.items())


class NewSetApi(ApiView):
    """Source sets on their way in."""

    tag = "sources"

    def taken(self, slug: str, import_id: int) -> Import:
        """One of them. Raises NotFound for any other file."""
        taken = job_queries.project_import(sources_membership(self.user, slug), import_id)
        if taken.what != Import.What.SOURCE_SET:
            raise NotFound
        return taken


class SourceSetsOfFile(NewSetApi):
    """A file of rows."""

    parser_classes = [MultiPartParser]

    @operation(scopes=[MANAGE], gives=ImportRow, query=SourceFileQuery, status=201, upload=True)
    def post(self, request: Request, slug: str) -> Response:
        """Send a file of rows, as `file` of a form. Its columns are guessed; nothing is stored before it is started.
        For leads and administrators of projects that translate."""
        membership, asked = sources_membership(self.user, slug), self.query_values
        sent = request.FILES.get("file")
        if sent is None:
            raise Invalid(field="file", code="file_missing")
        given = SetIn(asked["key"], asked["name"], asked["shape"], asked["task"])
        told: dict[str, Any] = {"name": sent.name or "file", "chunks": sent.chunks(), "by": self.user}
        told["separator"] = asked["separator"]
        return self.row_response(source_file_keep(project=membership.project, given=given, **told), status=201)


class SourceSetsOfProject(NewSetApi):
    """Items of another project."""

    @operation(scopes=[MANAGE], takes=SourceProjectIn, gives=ImportRow, status=202, repeats=True)
    def post(self, request: Request, slug: str) -> Response:
        """Make a set of the items of another project or of a release of it, or try it out; a job does it. For leads and
        administrators of both."""
        membership, sent = sources_membership(self.user, slug), self.validated_body()
        if not self.token_covers(sent["project"]):
            raise Invalid(field="project", code="source_project_missing")
        chosen = ItemSelection.from_dict({**sent, "splits": " ".join(sent["splits"])})
        given = SetIn(sent["key"], sent["name"], "", sent["task"])
        made = source_take(
            project=membership.project,
            given=given,
            row_source=find_row_source(self.user, chosen),
            by=self.user,
            dry_run=sent["dry_run"],
        )
        return self.row_response(made, status=202)


class SourceImport(NewSetApi):
    """One set on its way in."""

    @operation(scopes=[READ], gives=ImportRow)
    def get(self, request: Request, slug: str, import_id: int) -> Response:
        """Read how far a set is and the outcome of its rows. For leads and administrators."""
        return self.row_response(self.taken(slug, import_id))


class SourceImportStart(NewSetApi):
    """One set that is made."""

    @operation(scopes=[MANAGE], takes=SourceStartIn, gives=ImportRow, status=202, repeats=True)
    def post(self, request: Request, slug: str, import_id: int) -> Response:
        """Make the set of the file's rows, or try it out; a job does it. For leads and administrators."""
        taken = self.taken(slug, import_id)
        if not taken.path:
            raise Invalid(field="import", code="file_missing")
        source_file_start(taken=taken, by=self.user, **self.validated_body())
        return self.row_response(self.taken(slug, import_id), status=202)


class SourceImportCancel(NewSetApi):
    """One set that is not made."""

    @operation(scopes=[MANAGE], gives=ImportRow)
    def post(self, request: Request, slug: str, import_id: int) -> Response:
        """Stop making a set; nothing of it is stored. For leads and administrators."""
        taken = self.taken(slug, import_id)
        if taken.job is not None:
            jobs.cancel(job_id=taken.job.pk)
        return self.row_response(self.taken(slug, import_id))
