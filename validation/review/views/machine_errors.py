"""Errors of machine-written items: the papers' tables by source and language, with links to the items."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_GET

from annotation.core import access
from annotation.core.access import Membership
from annotation.core.errors import Invalid
from annotation.core.models.project import Project
from annotation.generation.models import GenerationRun
from annotation.generation.rules import recipes
from annotation.ui.csv_files import csv_answer
from annotation.ui.navigation import frame_context
from validation.review.queries import assessments as assessed
from validation.review.rules import assessments as rules
from validation.review.rules.assessments import Cell, Table, TableSource
from validation.review.rules.filters import Filters

MINE = "mine"
HEAD = [
    "part",
    "error",
    "words",
    "project",
    "source",
    "language",
    "items",
    "judged",
    "percent",
    "percent_of_errors",
]


@dataclass(frozen=True)
class SourceColumn:
    """A source as it is called: what wrote it, its language, its project where there are several."""

    name: str
    language: str
    project: str


@login_required
@require_GET
def machine_errors(request: HttpRequest, slug: str) -> HttpResponse:
    """Verdicts on a project's machine-written items, or on those of all projects that one leads."""
    membership = access.lead_membership(request.user, slug)
    by, over = _read_query(request)
    places = _places(request, membership, over)
    tables = rules.tables(assessed.verdict_counts([place.project for place in places], by))
    names = _names(places)
    context = {
        **frame_context(membership, "desk"),
        "tables": [_shown(table, names) for table in tables if table.sources],
        "by": by,
        "over": over,
        "query": urlencode({"by": by, **({"over": over} if over else {})}),
        "ways": rules.SOURCE_KINDS.items(),
        "corrected": assessed.corrections(membership.project),
    }
    return render(request, "validation/review/machine_errors.html", context)


@login_required
@require_GET
def machine_errors_file(request: HttpRequest, slug: str) -> HttpResponse:
    """Every number of the tables as CSV: a row a part, error type and source."""
    membership = access.lead_membership(request.user, slug)
    by, over = _read_query(request)
    places = _places(request, membership, over)
    names = _names(places)
    rows: list[tuple[object, ...]] = [tuple(HEAD)]
    for table in rules.tables(assessed.verdict_counts([place.project for place in places], by)):
        rows += _lines(table, names)
    return csv_answer(request, rows, f"{slug}-machine-errors.csv")


def _read_query(request: HttpRequest) -> tuple[str, str]:
    """By what sources are distinguished, and over which projects."""
    by, over = request.GET.get("by", "") or rules.RECIPE, request.GET.get("over", "")
    if by not in rules.SOURCE_KINDS or over not in ("", MINE):
        raise Invalid(field="by" if by not in rules.SOURCE_KINDS else "over", code="filter_unknown")
    return by, over


def _places(request: HttpRequest, membership: Membership, over: str) -> list[Membership]:
    """The project alone, or every project of machine-written questions whose items the viewer may look at."""
    if not over:
        return [membership]
    return [place for place in access.memberships(request.user) if place.sees_all]


def _names(places: Iterable[Membership]) -> Mapping[TableSource, SourceColumn]:
    return _Names({place.project.slug: place.project for place in places})


class _Names(dict[TableSource, SourceColumn]):
    """Columns by their source, each made when it is asked for; runs are read once."""

    def __init__(self, projects: Mapping[str, Project]) -> None:
        super().__init__()
        self.projects = projects
        runs = GenerationRun.objects.filter(project__in=projects.values())
        self.runs = {(run.project_id, str(run.n)): run.name for run in runs}

    def __missing__(self, source: TableSource) -> SourceColumn:
        project = self.projects[source.project]
        several = len(self.projects) > 1
        self[source] = SourceColumn(self._name(project, source.wrote), source.language, project.name if several else "")
        return self[source]

    def _name(self, project: Project, wrote: str) -> str:
        way, _, which = wrote.partition(":")
        if way == rules.RUN:
            return self.runs.get((project.pk, which), which)
        if way == rules.RECIPE:
            known = {recipe.slug: recipe.name for recipe in recipes.all_recipes()}
            return gettext(known[which]) if which in known else which or gettext("not told")
        return which or gettext("not told")


def _shown(table: Table, names: Mapping[TableSource, SourceColumn]) -> dict[str, Any]:
    """A table with the names and addresses of its columns and cells; for concepts shares of the errors beside."""
    rows = [
        (
            line.name,
            [(each[1], _url(table, line.code, *each)) for each in zip(table.sources, line.cells, strict=True)],
        )
        for line in table.lines
    ]
    columns, of_errors = [names[source] for source in table.sources], table.part.key == rules.CONCEPT
    return {"table": table, "columns": columns, "rows": rows, "tells_errors": of_errors}


def _url(table: Table, code: str, source: TableSource, cell: Cell) -> str:
    """The address of the items behind a count; empty for none."""
    filters = Filters(verdict=rules.mark_of(table.part.key, code), wrote=source.wrote)
    query = filters.query.removesuffix("&")
    return f"{reverse('items', args=[source.project])}?{query}" if cell.n else ""


def _lines(table: Table, names: Mapping[TableSource, SourceColumn]) -> Iterable[tuple[object, ...]]:
    for line in table.lines:
        for source, cell in zip(table.sources, line.cells, strict=True):
            yield (
                table.part.key,
                line.code or rules.NONE,
                gettext(line.name),
                source.project,
                names[source].name,
                source.language,
                cell.n,
                cell.of,
                _plain(cell.share),
                _plain(cell.of_wrong),
            )


def _plain(share: Decimal | None) -> str:
    return "" if share is None else str(share)
