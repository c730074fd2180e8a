"""What is missing where: rows of every task in every target, for leads, with the way to the desk (screens.md 7)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from annotation.core import access as people
from annotation.core.access import Membership, has_targets
from annotation.core.errors import NotFound
from annotation.ui.csv_files import csv_answer
from annotation.ui.navigation import rooms
from exports.aligned.rules.missing import READY, STATES
from exports.releases import queries as access
from exports.releases.rules.settings import ALIGNED, usual
from validation.review.rules.filters import Filters


@dataclass(frozen=True)
class Cell:
    """A task in a target: how many rows are ready of how many, and how many are in each other state."""

    task: str
    rows: int
    total: int
    others: list[tuple[str, int]]


@dataclass(frozen=True)
class Line:
    """A target: its name, the address of its items on the desk, its tasks, and how many rows it lacks in all."""

    key: str
    title: str
    url: str
    cells: list[Cell]
    lacks: int


@dataclass(frozen=True)
class Matrix:
    """Targets against tasks; `heads` are tasks with their source rows, and those that every target has."""

    heads: list[Mapping[str, Any]]
    lines: list[Line]


def matrix(membership: Membership, counts: Mapping[str, Any]) -> Matrix:
    """The table of an aligned release, or of its preview, as pages draw it."""
    return Matrix(
        counts["tasks"], [_line(membership, n, each, counts) for n, each in enumerate(counts["targets"])]
    )


def _line(membership: Membership, n: int, target: Mapping[str, Any], counts: Mapping[str, Any]) -> Line:
    cells = [_cell(task, task["targets"][n]) for task in counts["tasks"]]
    name = target["name"] or target["language"]
    query = Filters(target=target["target"]).query.removesuffix("&")
    return Line(
        target["target"],
        f"{name} ({target['register']})" if target["register"] else name,
        f"{reverse('desk', args=[membership.project.slug])}?{query}",
        cells,
        sum(cell.total - cell.rows for cell in cells),
    )


def _cell(task: Mapping[str, Any], found: Mapping[str, Any]) -> Cell:
    others = [
        (gettext(words), found[state]) for state, words in STATES.items() if state != READY and found[state]
    ]
    return Cell(task["task"], found[READY], task["source_rows"], others)


def place_of_targets(request: HttpRequest, slug: str) -> Membership:
    """The viewer as lead or administrator of a project that has targets; NotFound in any other."""
    membership = people.overseer(request.user, slug)
    if not has_targets(membership.project):
        raise NotFound
    return membership


def _counts(membership: Membership) -> Mapping[str, Any]:
    """By the project's own rules, over every target and row."""
    return access.preview(membership.project, usual(ALIGNED, membership.project.rules.release))


@login_required
@require_safe
def missing(request: HttpRequest, slug: str) -> HttpResponse:
    """Every task in every target as it stands now."""
    membership = place_of_targets(request, slug)
    counts = _counts(membership)
    context = {
        "project": membership.project,
        "membership": membership,
        "nav": rooms(membership, "missing"),
        "matrix": matrix(membership, counts),
        "sets": bool(counts["tasks"]),
    }
    return render(request, "exports/aligned/missing.html", context)


@login_required
@require_safe
def missing_file(request: HttpRequest, slug: str) -> HttpResponse:
    """The same as CSV: a row a task and target."""
    membership = place_of_targets(request, slug)
    counts = _counts(membership)
    named = {each["target"]: each for each in counts["targets"]}
    rows: list[tuple[object, ...]] = [
        ("task", "derived_from", "target", "language", "register", "source_rows", *STATES)
    ]
    for task in counts["tasks"]:
        for each in task["targets"]:
            target = named[each["target"]]
            told = (target["target"], target["language"], target["register"])
            sums = (task["source_rows"], *(each[state] for state in STATES))
            rows.append((task["task"], task["derived_from"], *told, *sums))
    return csv_answer(rows, f"{slug}-missing.csv")
