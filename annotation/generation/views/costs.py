"""What machine-written questions cost, people and model together; and every project of the site, step by step."""

from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET, require_safe

from annotation.core import access
from annotation.core.access import Membership
from annotation.core.errors import Forbidden, NotFound
from annotation.core.models.project import Project
from annotation.generation.queries import costs as machine_costs
from annotation.generation.queries import runs as machine
from annotation.generation.queries.runs import Report
from annotation.generation.rules import recipes
from annotation.generation.rules.recipes.base import Recipe
from annotation.generation.views.runs import render_page, steps_csv
from annotation.ui.csv_files import Cells, csv_streamed


@login_required
@require_safe
def machine_cost(request: HttpRequest, slug: str) -> HttpResponse:
    """By step and by what people did, in all and for each kept question; beside a project that people wrote."""
    membership = machine.machine_membership(request.user, slug)
    cost = machine_costs.of_project(membership)
    beside = request.GET.get("beside", "")
    return render_page(
        request,
        membership,
        "machine_cost",
        cost=cost,
        others=[(each.slug, each.name) for each in machine_costs.comparable_projects(membership)],
        beside=[(membership.project, cost), machine_costs.cost_of_written_project(membership, beside)]
        if beside
        else None,
    )


@login_required
@require_GET
def machine_cost_csv(request: HttpRequest, slug: str, table: str) -> StreamingHttpResponse:
    """The cost by step, or question by question, as CSV; amounts of people are for administrators."""
    membership = machine.machine_membership(request.user, slug)
    if table not in TABLES:
        raise NotFound
    if not membership.is_administrator:
        raise Forbidden
    return csv_streamed(request, TABLES[table](membership), f"{slug}-machine-{table}.csv")


def _step_lines(membership: Membership) -> Iterator[Cells]:
    yield (
        *("who", "step", "unit", "units", "tokens"),
        *("amount", "currency", "kept_questions", "amount_a_kept_question"),
    )
    cost = machine_costs.of_project(membership)
    lines = [(("model", row.name, "call", row.units, row.tokens), row.money) for row in cost.model]
    lines += [(("people", row.name, row.unit, row.units, 0), row.money) for row in cost.people]
    for cells, money in lines:
        for currency, amount in (money or {"": Decimal(0)}).items():
            yield *cells, amount, currency, cost.kept, amount / cost.kept if cost.kept else ""


def _question_lines(membership: Membership) -> Iterator[Cells]:
    """A line for each question and step that cost something, and one for what people earned with it."""
    yield "question", "kept", "who", "step", "amount", "currency"
    for row in machine_costs.by_question(membership):
        kept = "yes" if row.kept else "no"
        for step, money in row.steps.items():
            for currency, amount in money.items():
                yield row.key, kept, "model", step, amount, currency
        for currency, amount in row.people.items():
            yield row.key, kept, "people", "", amount, currency


TABLES: Mapping[str, Callable[[Membership], Iterator[Cells]]] = {
    "steps": _step_lines,
    "questions": _question_lines,
}


# --- the whole site -------------------------------------------------------------------------------


def _tables() -> list[tuple[Recipe, list[tuple[Project, Report]]]]:
    """The projects with a recipe, by recipe and language: a line a language, a column a step."""
    projects = [each for each in Project.objects.order_by("language", "slug") if each.settings.get("recipe")]
    reports = machine.reports_of_projects(projects)
    tables = [
        (recipe, [(each, reports[each.pk]) for each in projects if each.rules.recipe == recipe.slug])
        for recipe in recipes.all_recipes()
    ]
    return [(recipe, lines) for recipe, lines in tables if lines]


@login_required
@require_safe
def machine_all(request: HttpRequest) -> HttpResponse:
    """Languages and steps over all projects of the site, for its administrators."""
    access.site_administrator(request.user)
    return render(request, "annotation/generation/machine_all.html", {"tables": _tables()})


@login_required
@require_GET
def machine_all_csv(request: HttpRequest) -> StreamingHttpResponse:
    """The same as CSV, a line for each project and step."""
    access.site_administrator(request.user)
    rows = [
        (project.language, project.slug, recipe.slug, report)
        for recipe, lines in _tables()
        for project, report in lines
    ]
    return csv_streamed(request, steps_csv(rows), "machine-steps.csv")
