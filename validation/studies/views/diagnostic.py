"""Diagnostic sets for leads and administrators: draw one, give it to experts, read what they made of the tags."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.core.access import Membership
from annotation.core.errors import Conflict, Invalid
from annotation.core.messages import problem_words
from annotation.text.phenomena import get as phenomenon
from annotation.ui.csv_files import csv_answer
from annotation.ui.navigation import rooms
from validation.studies.actions.diagnostic import diagnostic_create
from validation.studies.actions.diagnostic import diagnostic_deal as deal
from validation.studies.models.diagnostic import DiagnosticSet
from validation.studies.queries import diagnostic as fetch
from validation.studies.rules import diagnostic as rules

ROWS_A_PAGE = 50


@dataclass(frozen=True)
class TagLine:
    """One tag with how many items have it, and how many of each gold label."""

    code: str
    name: str
    items: int
    by_label: list[int]


@dataclass(frozen=True)
class RowLine:
    """One item with its tags: what the expert took away from the author's and what they added."""

    line: fetch.Line
    author: list[tuple[str, bool]]
    expert: list[tuple[str, bool]] | None


def _context(membership: Membership) -> dict[str, Any]:
    return {
        "project": membership.project,
        "membership": membership,
        "nav": rooms(membership, "diagnostic_sets"),
    }


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0


def _chosen(sent: QueryDict) -> list[int]:
    """The ids of the people who were ticked."""
    return [_number(each) for each in sent.getlist("expert")]


def _people(membership: Membership, ticked: Collection[int]) -> list[tuple[int, str, bool]]:
    return [(each.pk, each.pseudonym, each.pk in ticked) for each in fetch.people(membership.project)]


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def diagnostic_sets(request: HttpRequest, slug: str) -> HttpResponse:
    """The project's diagnostic sets, and a form for a new one."""
    membership = fetch.overseer(request.user, slug)
    problem, status, sent = "", 200, request.POST
    if request.method == "POST":
        try:
            made = diagnostic_create(
                project=membership.project,
                size=_number(sent.get("size", "")),
                experts=_chosen(sent),
                by=membership.user,
            )
        except (Conflict, Invalid) as refusal:
            problem, status = problem_words(refusal.code), 409 if isinstance(refusal, Conflict) else 422
        else:
            messages.success(request, gettext("The set is drawn. The experts find it on their first page."))
            return redirect("diagnostic_set", slug, made.n)
    context = {
        **_context(membership),
        "sets": fetch.sets(membership),
        "problem": problem,
        "size": sent.get("size", rules.USUAL_SIZE),
        "largest": rules.LARGEST,
        "people": _people(membership, _chosen(sent)),
    }
    return render(request, "validation/studies/diagnostic_sets.html", context, status=status)


@login_required
@require_GET
def diagnostic_set(request: HttpRequest, slug: str, n: int) -> HttpResponse:
    """One set: how far the experts are, tags by gold label, and every item."""
    membership = fetch.overseer(request.user, slug)
    return _page(request, membership, fetch.one(membership, n))


def _page(
    request: HttpRequest,
    membership: Membership,
    found: DiagnosticSet,
    *,
    status: int = 200,
    problem: str = "",
) -> HttpResponse:
    lines, labels = fetch.lines(found), membership.project.kind_spec.labels
    counts = rules.counts([line.row for line in lines], [label.key for label in labels])
    page = Paginator(lines, ROWS_A_PAGE).get_page(request.GET.get("page"))
    holders = {line.expert for line in lines}
    mine = membership.annotator.pseudonym if membership.annotator else ""
    context = {
        **_context(membership),
        "found": found,
        "size": len(lines),
        "counts": counts,
        "labels": labels,
        "by_label": [(label, counts.labels[label.key]) for label in labels],
        "tags": [_tag(each, [label.key for label in labels]) for each in counts.tags],
        "progress": fetch.progress(lines),
        "nobodys": sum(not line.expert for line in lines),
        "mine": mine in holders and bool(mine),
        "page": page,
        "rows": [_row(line) for line in page],
        "people": [
            (pk, name, ticked or name in holders)
            for pk, name, ticked in _people(membership, _chosen(request.POST))
        ],
        "problem": problem,
    }
    return render(request, "validation/studies/diagnostic_set.html", context, status=status)


def _tag(of: rules.TagCount, labels: list[str]) -> TagLine:
    return TagLine(of.tag, phenomenon(of.tag).name, of.items, [of.by_label[label] for label in labels])


def _row(line: fetch.Line) -> RowLine:
    author, expert = line.row.author, line.row.expert
    if expert is None:
        return RowLine(line, [(tag, False) for tag in author], None)
    return RowLine(
        line,
        [(tag, tag not in expert) for tag in author],
        [(tag, tag not in author) for tag in expert],
    )


@login_required
@require_POST
def diagnostic_deal(request: HttpRequest, slug: str, n: int) -> HttpResponse:
    """Give what nobody went through yet to other experts."""
    membership = fetch.overseer(request.user, slug)
    found = fetch.one(membership, n)
    try:
        left = deal(project=membership.project, n=found.n, experts=_chosen(request.POST), by=membership.user)
    except (Conflict, Invalid) as refusal:
        status = 409 if isinstance(refusal, Conflict) else 422
        return _page(request, membership, found, status=status, problem=problem_words(refusal.code))
    if left:
        words = ngettext(
            "%(n)s item is still nobody’s: its author is the only expert. Add another one.",
            "%(n)s items are still nobody’s: their author is the only expert. Add another one.",
            left,
        )
        messages.warning(request, words % {"n": left})
    else:
        messages.success(request, gettext("The items are given out."))
    return redirect("diagnostic_set", slug, found.n)


@login_required
@require_GET
def diagnostic_counts(request: HttpRequest, slug: str, n: int) -> HttpResponse:
    """Tags by gold label, as CSV."""
    membership = fetch.overseer(request.user, slug)
    found = fetch.one(membership, n)
    labels = [label.key for label in membership.project.kind_spec.labels]
    counts = rules.counts([line.row for line in fetch.lines(found)], labels)
    rows = [(each.tag, each.items, *(each.by_label[label] for label in labels)) for each in counts.tags]
    whole = ("", counts.rows, *(counts.labels[label] for label in labels))
    return csv_answer([("tag", "items", *labels), *rows, whole], f"{slug}-diagnostic-{found.n}-counts.csv")


@login_required
@require_GET
def diagnostic_rows(request: HttpRequest, slug: str, n: int) -> HttpResponse:
    """Every item with the author's tags and the expert's, as CSV."""
    membership = fetch.overseer(request.user, slug)
    found = fetch.one(membership, n)
    head = ("id", "gold", "author", "author_tags", "expert", "expert_tags", "done")
    rows = [
        (
            line.row.key,
            line.row.gold,
            line.author,
            " ".join(line.row.author),
            line.expert,
            " ".join(line.row.expert or ()),
            int(line.row.expert is not None),
        )
        for line in fetch.lines(found)
    ]
    return csv_answer([head, *rows], f"{slug}-diagnostic-{found.n}.csv")
