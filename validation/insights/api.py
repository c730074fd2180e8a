"""`insights` of a project: the results of jobs, as on the pages and in their files, and computing them again."""

from typing import Any

from django.utils.translation import gettext
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api import rules
from annotation.api.jobs import JobRow
from annotation.api.views import MANAGE, READ, ApiView, operation
from annotation.api.wire import Body, Row
from annotation.core import access
from annotation.core.errors import NotFound
from annotation.core.models.project import Project
from validation.insights.actions import insights_ask
from validation.insights.queries import results as fetch
from validation.insights.queries.results import StoredInsight
from validation.insights.reports import all_insights
from validation.insights.reports.base import COLUMN_KINDS, Table


class InsightRow(Row):
    """An insight and when it was last computed: `at`, `items`, `votes` and `seconds` are null where it was not yet.

    `nightly`: it takes long, and is computed at night or by its name. `votes_since` came after it was computed.
    """

    name = serializers.CharField()
    title = serializers.CharField()
    nightly = serializers.BooleanField()
    at = serializers.DateTimeField(allow_null=True)
    items = serializers.IntegerField(allow_null=True)
    votes = serializers.IntegerField(allow_null=True)
    seconds = serializers.FloatField(allow_null=True)
    up_to_date = serializers.BooleanField()
    votes_since = serializers.IntegerField()


class ColumnRow(Row):
    """A column of a table. Its `kind` says what its values are: `percent` is from 0 to 100, `seconds` are seconds,
    `figure` is a coefficient, `interval` the two ends of one, `person` a pseudonym, `label` the key of a label, `text`
    is in English."""

    key = serializers.CharField()
    title = serializers.CharField()
    kind = serializers.ChoiceField(COLUMN_KINDS)
    help = serializers.CharField()


class TableRow(Row):
    """A table. Its rows are by the keys of its columns; a figure that is not defined is null, and `why` says why.

    `of` rows there were when it was computed; the first thousand are kept.
    """

    key = serializers.CharField()
    title = serializers.CharField()
    columns = ColumnRow(many=True)
    rows = serializers.ListField(child=serializers.DictField())
    of = serializers.IntegerField()


class InsightWhole(InsightRow):
    """An insight with its tables."""

    tables = TableRow(many=True)


class ComputeIn(Body):
    """What is computed: `only` this insight whatever its state, or, left out, all that something changed of."""

    only = serializers.SlugField(max_length=40, default="", allow_blank=True)


def _row(kept: StoredInsight) -> dict[str, Any]:
    insight, stored = kept.insight, kept.stored
    measured = {name: getattr(stored, name, None) for name in ("at", "items", "votes", "seconds")}
    own = {"name": insight.slug, "title": gettext(insight.title), "nightly": insight.nightly}
    return {**own, **measured, "up_to_date": kept.up_to_date, "votes_since": kept.votes_since}


def _table(kept: StoredInsight, table: Table) -> dict[str, Any]:
    rows, of = kept.rows(table.key)
    rows_json = [{column.key: column.value_in(row) for column in table.columns} for row in rows]
    for line, row in zip(rows_json, rows, strict=True):
        if row.get("why"):
            line["why"] = gettext(str(row["why"]))
    columns = [
        {
            "key": column.key,
            "title": column.heading,
            "kind": column.kind,
            "help": gettext(column.help) if column.help else "",
        }
        for column in table.columns
    ]
    return {"key": table.key, "title": gettext(table.title), "columns": columns, "rows": rows_json, "of": of}


def _stored_insight(project: Project, name: str) -> StoredInsight:
    found = fetch.stored_insight(project, name)
    if found is None:
        raise NotFound
    return found


class Insights(ApiView):
    """The insights of a project."""

    tag = "insights"

    @operation(scopes=[READ], gives=InsightRow, paged=True)
    def get(self, request: Request, slug: str) -> Response:
        """List the insights that mean something for the project, and when each was computed. For leads and
        administrators."""
        project = access.lead_membership(self.user, slug).project
        places = {insight.slug: n for n, insight in enumerate(all_insights())}
        limit, behind = self.query_values["limit"], self.query_values["cursor"]
        found = [
            kept for kept in fetch.stored_insights(project) if behind is None or places[kept.insight.slug] > behind
        ]
        page = found[:limit]
        following = rules.cursor_of(places[page[-1].insight.slug]) if len(found) > limit else None
        written = self._written(True)(map(_row, page)).data
        return Response({"results": written, "next": following})


class InsightView(ApiView):
    """One insight."""

    tag = "insights"

    @operation(scopes=[READ], gives=InsightWhole)
    def get(self, request: Request, slug: str, name: str) -> Response:
        """Read what was last computed of one insight, every row that is kept. For leads and administrators."""
        kept = _stored_insight(access.lead_membership(self.user, slug).project, name)
        return self.row_response({**_row(kept), "tables": [_table(kept, table) for table in kept.insight.tables]})


class InsightsCompute(ApiView):
    """Insights that are to be computed."""

    tag = "insights"

    @operation(scopes=[MANAGE], takes=ComputeIn, gives=JobRow, status=202, repeats=True)
    def post(self, request: Request, slug: str) -> Response:
        """Have insights computed in the background; the same is never computed twice at once. For leads and
        administrators."""
        project, only = access.lead_membership(self.user, slug).project, self.validated_body()["only"]
        if only:
            _stored_insight(project, only)
        job = insights_ask(project=project, by=self.user, only=only)
        job.refresh_from_db()
        return self.row_response(job, status=202)
