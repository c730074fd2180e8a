"""The page of a release's tables, and each of them as a file: CSV, or LaTeX for a paper."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods, require_safe

from annotation.core import access as people
from annotation.ui.csv_files import csv_answer, latex_answer
from annotation.ui.pages import page
from exports.statistics import queries as fetch
from exports.statistics.actions import statistics_ask_all
from validation.insights.views.insights import TableRenderer


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def statistics_page(request: HttpRequest, slug: str, n: int) -> HttpResponse:
    """The tables as they were last computed; POST has them computed."""
    membership = people.lead_membership(request.user, slug)
    found = fetch.statistics_of(membership, n)
    if request.method == "POST":
        statistics_ask_all(releases=found.parts, by=membership.user)
        return redirect("statistics", slug, n)
    shower = TableRenderer(membership.project)
    more: dict[str, Any] = {
        "release": found.release,
        "found": found,
        "tables": [(shower.table(each.table, each.rows, len(each.rows)), each.of.source) for each in found.tables],
    }
    part = request.headers.get("HX-Target") == "statistics"
    template = f"exports/statistics/{'partials/' if part else ''}statistics.html"
    return page(request, membership, "releases", template, **more)


@login_required
@require_safe
def statistics_csv(request: HttpRequest, slug: str, n: int, table: str) -> HttpResponse:
    """One table as CSV, with every digit."""
    told = fetch.stored_table(fetch.statistics_of(people.lead_membership(request.user, slug), n), table)
    return csv_answer(request, told.csv, f"{slug}-{n}-{table}.csv")


@login_required
@require_safe
def statistics_latex(request: HttpRequest, slug: str, n: int, table: str) -> HttpResponse:
    """One table for a paper: booktabs, with its definition as the caption."""
    told = fetch.stored_table(fetch.statistics_of(people.lead_membership(request.user, slug), n), table)
    return latex_answer(told.latex, f"{slug}-{n}-{table}.tex")
