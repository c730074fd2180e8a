"""The validation report of prompts: who chose the best response, agreement, what to look at again (Kalahi §4.1)."""

from fractions import Fraction
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from annotation.core import access
from annotation.core.access import Membership
from annotation.core.errors import NotFound
from annotation.ui.csv_files import csv_answer
from annotation.ui.navigation import frame_context, page_url
from validation.insights.queries.best_choice import BestChoiceReport, Prompt, best_choice_report
from validation.insights.rules.agreement import Figure
from validation.insights.rules.best_choice import Share
from validation.insights.views.conflicts import figure_cells


def _membership(request: HttpRequest, slug: str) -> Membership:
    """A lead or administrator; NotFound where validators do not look for a best response."""
    membership = access.lead_membership(request.user, slug)
    if not membership.project.kind_spec.question.voted_roles:
        raise NotFound
    return membership


def _percent(share: Fraction | None) -> float | None:
    return None if share is None else float(100 * share)


def _lines(found: BestChoiceReport) -> list[dict[str, Any]]:
    """The table of how many prompts have how many choices of the best."""
    return [
        {"chose": chose, "of": found.validators, "share": share, "percent": _percent(share.exact)}
        for chose, share in found.report.table.items()
    ]


def _link(membership: Membership, prompt: Prompt) -> str:
    """The item page; nobody reviews what they wrote."""
    if membership.annotator is not None and prompt.author == membership.annotator.pk:
        return ""
    return page_url("item", membership.project.slug, prompt.item)


@login_required
@require_GET
def validation(request: HttpRequest, slug: str) -> HttpResponse:
    """The report as a page."""
    membership = _membership(request, slug)
    found = best_choice_report(membership)
    context = {
        **frame_context(membership, "validation"),
        "found": found,
        "best": _percent(found.report.best.exact),
        "baseline": _percent(found.report.baseline),
        "lines": _lines(found),
        "figures": [found.report.kappa, found.report.alpha],
        "flagged": [(prompt, _link(membership, prompt)) for prompt in found.flagged],
    }
    return render(request, "validation/insights/chosen.html", context)


@login_required
@require_GET
def validation_file(request: HttpRequest, slug: str) -> HttpResponse:
    """Every figure of the report and every prompt's share as CSV."""
    membership = _membership(request, slug)
    found = best_choice_report(membership)
    report, personal = found.report, found.personal
    rows: list[tuple[object, ...]] = [
        ("figure", "name", "value", "n", "of", "items", "ratings", "pairs", "undefined because")
    ]
    rows.append(_share("chose the best", "", report.best))
    rows += [_share("prompts by choices of the best", str(n), share) for n, share in report.table.items()]
    rows.append(("prompts without all choices", "", "", report.open, report.prompts, "", "", "", ""))
    rows += [_figure(figure) for figure in (report.kappa, report.alpha)]
    value = None if report.baseline is None else float(report.baseline)
    rows.append(("random baseline", "", value, "", "", report.prompts, "", "", ""))
    rows.append(_share("would choose otherwise themselves", "", Share(personal.n, personal.of)))
    rows += [_share("prompt", prompt.key, Share(prompt.best, prompt.of)) for prompt in found.prompts]
    return csv_answer(request, rows, f"{slug}-validation.csv")


def _figure(figure: Figure) -> tuple[object, ...]:
    coefficient, value, *over = figure_cells(figure)
    return "agreement", coefficient, value, "", "", *over


def _share(figure: str, name: str, share: Share) -> tuple[object, ...]:
    value = None if share.exact is None else float(share.exact)
    return figure, name, value, share.n, share.of, "", "", "", ""
