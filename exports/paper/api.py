"""`report`: the tables, figures, card and methods of a paper as one archive, as the button on Insights gives it."""

from django.http import HttpResponse
from rest_framework import serializers
from rest_framework.request import Request

from annotation.api.views import READ, ApiView, operation
from annotation.api.wire import Body
from annotation.core import access
from annotation.core.errors import NotFound
from exports.paper.queries import report_sources
from exports.paper.report import archive, report_files
from exports.paper.views import ZIP, archive_response


class ReportQuery(Body):
    """Which projects stand beside this one."""

    beside = serializers.CharField(
        default="", allow_blank=True, max_length=1000, help_text="Short names of projects, with commas between them."
    )


class Report(ApiView):
    """The report of a project."""

    tag = "insights"

    @operation(scopes=[READ], query=ReportQuery, media=ZIP)
    def get(self, request: Request, slug: str) -> HttpResponse:
        """Read the tables, figures, card and methods of a paper as LaTeX in one archive, from what Insights and the
        newest release last computed, with `numbers.csv` that says where each number comes from; of several projects
        side by side. 409 until something was computed. For leads and administrators."""
        membership = access.lead_membership(self.user, slug)
        beside = [name for name in self.query_values["beside"].replace(" ", "").split(",") if name]
        if not all(map(self.token_covers, beside)):
            raise NotFound
        return archive_response(archive(report_files(report_sources(membership, beside))), slug)
