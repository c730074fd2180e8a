"""The page of a report, and the report as one archive, for leads and administrators."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from annotation.core import access
from annotation.ui.pages import page
from exports.paper.queries import projects_beside, report_sources
from exports.paper.report import archive, report_files

ZIP = "application/zip"


@login_required
@require_safe
def report(request: HttpRequest, slug: str) -> HttpResponse:
    """What the report is of, and which projects can stand beside this one."""
    membership = access.lead_membership(request.user, slug)
    (told,) = report_sources(membership)
    return page(
        request, membership, "insights", "exports/paper/report.html", told=told, beside=projects_beside(membership)
    )


@login_required
@require_safe
def report_archive(request: HttpRequest, slug: str) -> HttpResponse:
    """The files of the report; `with` names further projects, once each."""
    membership = access.lead_membership(request.user, slug)
    packed = archive(report_files(report_sources(membership, request.GET.getlist("with"))))
    return archive_response(packed, slug)


def archive_response(packed: bytes, slug: str) -> HttpResponse:
    """An archive to keep."""
    headers = {"Content-Disposition": f'attachment; filename="{slug}-report.zip"', "X-Content-Type-Options": "nosniff"}
    return HttpResponse(packed, content_type=ZIP, headers=headers)
