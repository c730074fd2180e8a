"""`releases/{n}/statistics`: the tables of a release, for a paper, as on their page."""

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.jobs import JobRow
from annotation.api.views import MANAGE, READ, ApiView, operation
from annotation.api.wire import Row
from annotation.core import access as people
from exports.statistics import queries as fetch
from exports.statistics.actions import statistics_ask_all


class StatisticTableRow(Row):
    """A table: how it is counted (`definition`, after `source`), and its rows by the keys of their columns."""

    key = serializers.CharField(source="of.key")
    title = serializers.CharField(source="of.title")
    definition = serializers.CharField(source="of.definition")
    counted_as = serializers.CharField(source="of.source")
    rows = serializers.ListField(child=serializers.DictField())


class StatisticsRow(Row):
    """The tables as they were last computed; `job` is null until they are asked for."""

    tables = StatisticTableRow(many=True)
    job = JobRow(allow_null=True)


class ReleaseStatisticsView(ApiView):
    """The tables of a release."""

    tag = "releases"

    @operation(scopes=[READ], gives=StatisticsRow)
    def get(self, request: Request, slug: str, n: int) -> Response:
        """Read the tables of a release as they were last computed; of a release of several projects administrators
        have those of all, with `project` in each row. For leads and administrators."""
        found = fetch.statistics_of(people.lead_membership(self.user, slug), n)
        tables: list[Any] = found.tables
        return self.row_response({"tables": tables, "job": found.job})


class ReleaseStatisticsCompute(ApiView):
    """The tables of a release that are computed."""

    tag = "releases"

    @operation(scopes=[MANAGE], gives=JobRow, status=202)
    def post(self, request: Request, slug: str, n: int) -> Response:
        """Have the tables of a release computed; never twice at the same time. For leads and administrators."""
        found = fetch.statistics_of(people.lead_membership(self.user, slug), n)
        return self.row_response(statistics_ask_all(releases=found.parts, by=self.user)[0], status=202)
