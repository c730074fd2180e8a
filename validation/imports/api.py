"""`imports` and `jobs`; `sources`; batches of sources and items, by the same pipeline as files."""

from collections.abc import Iterator
from typing import Any

from django.db.models import QuerySet
from django.http import StreamingHttpResponse
from django.http.response import HttpResponseBase
from rest_framework import serializers
from rest_framework.exceptions import UnsupportedMediaType
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.jobs import JobRow
from annotation.api.views import MANAGE, READ, ApiView, operation
from annotation.api.wire import NDJSON, Body, JSONParser, ListQuery, Row
from annotation.content import shapes
from annotation.content.models.source import Premise
from annotation.content.models.units import SourceUnit
from annotation.core import access
from annotation.core.access import Membership
from annotation.core.errors import Invalid, NotFound
from annotation.core.models.project import Project
from annotation.jobs import queries as job_queries
from annotation.jobs import queue as jobs
from annotation.jobs.models import Import, Job
from validation.imports.actions import import_keep, import_start
from validation.imports.batches import ITEMS, SOURCES, Batch
from validation.imports.outcome import notes_in_words
from validation.imports.pipeline import LONGEST_MODEL
from validation.imports.rules.csv_rows import SEPARATORS
from validation.imports.rules.values import LONGEST_SEED, LONGEST_VALUE, MOST_DRAWN, MOST_VALUES

CHUNK = 64 * 1024


class ImportRow(Row):
    """A file, how its columns are read, and its outcome. `job` is null until it is started."""

    id = serializers.IntegerField()
    name = serializers.CharField()
    at = serializers.DateTimeField()
    format = serializers.CharField(source="mapping.format", default=None, allow_null=True)
    lines = serializers.IntegerField(source="mapping.lines", default=None, allow_null=True)
    columns = serializers.ListField(source="mapping.columns", child=serializers.CharField(), default=list)
    mapping = serializers.DictField(source="mapping.fields", child=serializers.CharField(), default=dict)
    machine = serializers.CharField(source="mapping.machine", default="")
    dry_run = serializers.SerializerMethodField()
    notes = serializers.SerializerMethodField()
    not_taken = serializers.SerializerMethodField()
    job = JobRow(allow_null=True)
    accepted = serializers.IntegerField()
    unchanged = serializers.IntegerField()
    refused = serializers.IntegerField()

    def get_dry_run(self, taken: Import) -> bool:
        """Whether its outcome was a trial: nothing was stored."""
        return bool(taken.job and taken.job.args.get("dry_run"))

    def get_notes(self, taken: Import) -> list[str]:
        """What was passed over in the file or looks wrong in it, a line each."""
        return notes_in_words(taken.job.result.get("notes", ())) if taken.job else []

    def get_not_taken(self, taken: Import) -> dict[str, int]:
        """Of a source set made of items: how many were not among those chosen, by reason."""
        return dict(taken.job.result.get("not_taken", {})) if taken.job else {}


class SeparatorQuery(Body):
    """What separates the cells of a CSV or text file, where it is not to be found out; `line`: each line is a text."""

    separator = serializers.ChoiceField(list(SEPARATORS), default="", allow_blank=True)


class RefusedRow(Row):
    """A row that was not taken in, and why."""

    n = serializers.IntegerField()
    field = serializers.CharField()
    reason = serializers.CharField()


class StartIn(Body):
    """How to take the file in. `mapping`: our field to the file's column; as it was guessed where it is left out.

    `values`: what cells mean, each as column, person (empty: everybody), value, and what it is taken for (empty:
    unknown). `sample`: so many rows are drawn, by `seed` (empty: the project's); 0 is all.
    """

    mapping = serializers.DictField(child=serializers.CharField(max_length=400), default=None, allow_null=True)
    dry_run = serializers.BooleanField(default=False)
    machine = serializers.CharField(max_length=LONGEST_MODEL, default=None, allow_null=True, allow_blank=True)
    values = serializers.ListField(
        child=serializers.ListField(
            child=serializers.CharField(max_length=LONGEST_VALUE, allow_blank=True),
            min_length=4,
            max_length=4,
        ),
        max_length=MOST_VALUES,
        default=None,
        allow_null=True,
    )
    sample = serializers.IntegerField(min_value=0, max_value=MOST_DRAWN, default=None, allow_null=True)
    seed = serializers.CharField(max_length=LONGEST_SEED, default="", allow_blank=True)


class SourceRow(Row):
    """What writers start from: a premise, a concept, or a unit of a source set."""

    key = serializers.CharField()
    text = serializers.CharField()
    target = serializers.CharField(allow_null=True)
    group = serializers.CharField()
    extra = serializers.DictField()
    at = serializers.DateTimeField()


class BatchRow(Row):
    """The answer for one row of a batch; the last line has `done` and the counts."""

    n = serializers.IntegerField()
    status = serializers.ChoiceField(["stored", "unchanged", "refused"])


def _imports(membership: Membership) -> QuerySet[Import]:
    rows = Import.objects.filter(project=access.project_for_leads(membership), what=Import.What.ITEMS)
    return rows.select_related("job__project")


def _import(membership: Membership, import_id: int) -> Import:
    found = _imports(membership).filter(pk=import_id).first()
    if found is None:
        raise NotFound
    return found


class Imports(ApiView):
    """The files of a project."""

    tag = "imports"
    parser_classes = [MultiPartParser]

    @operation(scopes=[READ], gives=ImportRow, paged=True, since=("at", "job__started_at", "job__finished_at"))
    def get(self, request: Request, slug: str) -> Response:
        """List the files that were sent. For leads and administrators."""
        return self.page_response(_imports(access.lead_membership(self.user, slug)))

    @operation(scopes=[MANAGE], gives=ImportRow, query=SeparatorQuery, status=201, upload=True)
    def post(self, request: Request, slug: str) -> Response:
        """Send a file, as `file` of a form. It is looked through; nothing is stored before it is started. For
        administrators."""
        membership = access.administrator_membership(self.user, slug)
        sent = request.FILES.get("file")
        if sent is None:
            raise Invalid(field="file", code="file_missing")
        told: dict[str, Any] = {"name": sent.name or "file", "chunks": sent.chunks(), **self.query_values}
        taken = import_keep(project=membership.project, by=self.user, **told)
        return self.row_response(_import(membership, taken.pk), status=201)


class ImportView(ApiView):
    """One file."""

    tag = "imports"

    @operation(scopes=[READ], gives=ImportRow)
    def get(self, request: Request, slug: str, import_id: int) -> Response:
        """Read how far a file is and its outcome. For leads and administrators."""
        return self.row_response(_import(access.lead_membership(self.user, slug), import_id))


class ImportStart(ApiView):
    """One file that is to be taken in."""

    tag = "imports"

    @operation(scopes=[MANAGE], takes=StartIn, gives=ImportRow, status=202, repeats=True)
    def post(self, request: Request, slug: str, import_id: int) -> Response:
        """Take a file in, or try it out. The job does it in the background. For administrators."""
        membership = access.administrator_membership(self.user, slug)
        import_start(taken=_import(membership, import_id), by=self.user, **self.validated_body())
        return self.row_response(_import(membership, import_id), status=202)


class ImportCancel(ApiView):
    """One file that is taken in."""

    tag = "imports"

    @operation(scopes=[MANAGE], gives=ImportRow)
    def post(self, request: Request, slug: str, import_id: int) -> Response:
        """Stop at the next batch; what was stored by then stays. For administrators."""
        membership = access.administrator_membership(self.user, slug)
        taken = _import(membership, import_id)
        if taken.job is not None:
            jobs.cancel(job_id=taken.job.pk)
        return self.row_response(_import(membership, import_id))


class ImportRefused(ApiView):
    """What of one file was not taken in."""

    tag = "imports"

    @operation(scopes=[READ], gives=RefusedRow, paged=True)
    def get(self, request: Request, slug: str, import_id: int) -> Response:
        """List the refused rows, with what to do about each. For leads and administrators."""
        return self.page_response(_import(access.lead_membership(self.user, slug), import_id).rows.all())


class Jobs(ApiView):
    """The long work of a project."""

    tag = "imports"

    @operation(scopes=[READ], gives=JobRow, paged=True, since=("at", "started_at", "finished_at"))
    def get(self, request: Request, slug: str) -> Response:
        """List the jobs of a project. For leads and administrators."""
        project = access.lead_membership(self.user, slug).project
        return self.page_response(Job.objects.filter(project=project).select_related("project"))


class JobView(ApiView):
    """One job."""

    tag = "imports"

    @operation(scopes=[READ], gives=JobRow)
    def get(self, request: Request, job_id: int) -> Response:
        """Read how far a job is. For who started it, and leads and administrators of its project."""
        job = job_queries.job(self.user, job_id)
        if job.project is not None and not self.token_covers(job.project.slug):
            raise NotFound
        return self.row_response(job)


def _sources(project: Project) -> QuerySet[Any]:
    model: type[Any] = shapes.get(project.kind_spec.shape).model
    rows: QuerySet[Any] = model._default_manager.filter(project=project)
    return rows.select_related("source_set") if model is SourceUnit else rows.select_related("target")


def _source(row: Any) -> dict[str, Any]:
    if isinstance(row, SourceUnit):
        words = {"text": row.body or "\n".join(field["text"] for field in row.fields), "target": None}
        return {"key": row.key, **words, "group": row.source_set.key, "extra": {}, "at": row.at}
    group = row.document if isinstance(row, Premise) else row.category
    words = {"text": row.text, "target": row.target.key}
    return {"key": row.key, **words, "group": group, "extra": row.extra, "at": row.at}


class Sources(ApiView):
    """What writers start from."""

    tag = "sources"

    @operation(scopes=[READ], gives=SourceRow, query=ListQuery, paged=True)
    def get(self, request: Request, slug: str) -> Response:
        """List premises, concepts or units. `group` is the document, category or source set. For leads and
        administrators."""
        project = access.lead_membership(self.user, slug).project
        return self.page_response(_sources(project), lambda rows: [_source(row) for row in rows])


class NDJSONParser(JSONParser):
    """Lines of JSON, which are read from the request as they come."""

    media_type = NDJSON


class BatchView(ApiView):
    """Rows that come with the request."""

    parser_classes = [NDJSONParser]
    holds = ITEMS

    def taken(self, request: Request, slug: str) -> HttpResponseBase:
        """Answer for each row as it is stored."""
        membership = access.administrator_membership(self.user, slug)
        if (request.content_type or "").partition(";")[0].strip() != NDJSON:
            raise UnsupportedMediaType(request.content_type or "")
        batch = Batch(membership.project, _chunks(request), holds=self.holds)
        return StreamingHttpResponse(batch, content_type=NDJSON)


def _chunks(request: Request) -> Iterator[bytes]:
    while chunk := request._request.read(CHUNK):
        yield chunk


class ItemsBatch(BatchView):
    """Items, many at once."""

    tag = "items"

    @operation(scopes=[MANAGE], gives=BatchRow, media=NDJSON, lines=True)
    def post(self, request: Request, slug: str) -> HttpResponseBase:
        """Bring items, one JSON object a line, in the columns of import files. One line is answered for each, in their
        order: `stored`, `unchanged` (it is there already), or `refused` with problems as the import page has them. The
        last line has `done` and the counts; without it the rest was not stored. Sending the same again stores nothing
        twice. For administrators."""
        return self.taken(request, slug)


class SourcesBatch(BatchView):
    """Sources, many at once."""

    tag = "sources"
    holds = SOURCES

    @operation(scopes=[MANAGE], gives=BatchRow, media=NDJSON, lines=True)
    def post(self, request: Request, slug: str) -> HttpResponseBase:
        """Bring premises or concepts, one JSON object a line, answered for as items are. For administrators."""
        return self.taken(request, slug)
