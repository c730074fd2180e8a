"""The audit log: administrative acts of the whole site, for its administrators, on a page and as a file."""

from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from annotation.core import access, audit
from annotation.core.models.project import Project
from annotation.core.rules.audit import AREAS
from annotation.ui.csv_files import csv_streamed
from annotation.ui.pages import whole_number


def _requested_filters(request: HttpRequest) -> tuple[str, str]:
    """The area and the project that the query string names; empty where it names none that there is."""
    area, slug = request.GET.get("area", ""), request.GET.get("project", "")
    there = "\0" not in slug and Project.objects.filter(slug=slug, kept_for=None).exists()
    return (area if area in AREAS else ""), (slug if there else "")


@login_required
@require_safe
def audit_log(request: HttpRequest) -> HttpResponse:
    """Fifty acts, latest first; `before` goes on behind the last one of a page."""
    access.site_administrator(request.user)
    area, slug = _requested_filters(request)
    before = whole_number(request.GET.get("before")) or None
    shown = audit.acts(audit.events(area, slug, before)[: audit.A_PAGE + 1])
    more = len(shown) > audit.A_PAGE
    shown = shown[: audit.A_PAGE]
    chosen = {name: value for name, value in (("area", area), ("project", slug)) if value}
    context = {
        "acts": shown,
        "areas": [(key, gettext(name)) for key, (name, _verbs) in AREAS.items()],
        "projects": Project.objects.filter(kept_for=None).order_by("slug").values_list("slug", flat=True),
        "area": area,
        "slug": slug,
        "query": urlencode(chosen),
        "older": urlencode({**chosen, "before": shown[-1].event.pk}) if more else "",
    }
    return render(request, "annotation/projects/audit.html", context)


@login_required
@require_safe
def audit_file(request: HttpRequest) -> StreamingHttpResponse:
    """The same acts, all of them, as CSV."""
    access.site_administrator(request.user)
    return csv_streamed(request, audit.file_rows(*_requested_filters(request)), "mufakat-audit.csv")
