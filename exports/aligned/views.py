"""What is missing where, with the way to the desk (screens.md 7), and how the registers of a language differ."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.formats import number_format
from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _
from django.views.decorators.http import require_http_methods, require_safe

from annotation.core import access as people
from annotation.core.access import Membership, has_targets
from annotation.core.errors import Invalid, NotFound
from annotation.core.models.project import Target
from annotation.jobs.models import Job
from annotation.translation.rules.target_lines import formal_first
from annotation.ui.csv_files import csv_answer
from annotation.ui.navigation import rooms
from exports.aligned import registers as fetch
from exports.aligned.rules.missing import READY, STATES
from exports.releases import actions
from exports.releases.preview import preview
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
    return preview(membership.project, usual(ALIGNED, membership.project.rules.release))


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


# The figures in the order of Table 5: the name of each in a result, and what people call it.
FIGURES = (
    ("texts", _("Parallel texts")),
    ("words_formal", _("Running words, formal")),
    ("words_casual", _("Running words, casual")),
    ("types_formal", _("Vocabulary, formal")),
    ("types_casual", _("Vocabulary, casual")),
    ("types_both", _("Vocabulary in both")),
    ("bleu", _("Mean sentence BLEU")),
    ("jaccard", _("Mean Jaccard")),
)


def _shown(value: Any) -> str:
    if value is None:
        return "–"
    return number_format(value, 2) if isinstance(value, float) else number_format(value, force_grouping=True)


@dataclass(frozen=True)
class Compared:
    """Two registers of a language with the last comparison of them, if there is one."""

    formal: Target
    casual: Target
    job: Job | None

    @property
    def waits(self) -> bool:
        return self.job is not None and self.job.state in (Job.State.QUEUED, Job.State.RUNNING)

    @property
    def failed(self) -> bool:
        return self.job is not None and self.job.state in (Job.State.FAILED, Job.State.CANCELLED)

    @property
    def result(self) -> dict[str, Any]:
        return self.job.result if self.job is not None and self.job.state == Job.State.DONE else {}

    @property
    def figures(self) -> list[tuple[str, str]]:
        """The figures by name, as people read them: counts whole, means as the paper has them."""
        return [(words, _shown(self.result.get(name))) for name, words in FIGURES]


@dataclass(frozen=True)
class Language:
    """A language with its targets, and the pairs of registers that are compared; the first is offered."""

    code: str
    name: str
    targets: list[Target]
    compared: list[Compared]


def languages(membership: Membership) -> list[Language]:
    """Every language in several registers: what was compared, or else the pair that is offered."""
    last = fetch.latest(membership.project)
    found = []
    for code, targets in fetch.pairs(membership.project).items():
        by_key = {target.key: target for target in targets}
        mine = [
            Compared(by_key[formal], by_key[casual], job)
            for (formal, casual), job in sorted(last.items())
            if formal in by_key and casual in by_key
        ]
        name = next((target.name for target in targets if target.name), code)
        found.append(Language(code, name, targets, mine or [_offered(targets)]))
    return found


def _offered(targets: list[Target]) -> Compared:
    """The registers to compare first: the formal one and the casual one by their names."""
    formal, casual = formal_first([target.register for target in targets])
    return Compared(targets[formal], targets[casual], None)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def registers(request: HttpRequest, slug: str) -> HttpResponse:
    """The figures of each language with registers; a lead chooses which is formal, and has them computed."""
    membership = place_of_targets(request, slug)
    problem, status = "", 200
    if request.method == "POST":
        try:
            formal, casual = request.POST.get("formal", ""), request.POST.get("casual", "")
            actions.registers_compare(
                project=membership.project, formal=formal, casual=casual, by=membership.user
            )
            return redirect("registers", slug=slug)
        except Invalid as refusal:
            problem, status = refusal.code, 422
    found = languages(membership)
    context = {
        "project": membership.project,
        "membership": membership,
        "nav": rooms(membership, "registers"),
        "languages": found,
        "waits": any(each.waits for language in found for each in language.compared),
        "problem": problem,
    }
    part = request.headers.get("HX-Target") == "registers"
    template = "exports/aligned/partials/registers.html" if part else "exports/aligned/registers.html"
    return render(request, template, context, status=status)


@login_required
@require_safe
def registers_file(request: HttpRequest, slug: str) -> HttpResponse:
    """Figures and words as CSV: a row a figure, then a row a word of one register alone."""
    membership = place_of_targets(request, slug)
    rows: list[tuple[object, ...]] = [("language", "formal", "casual", "figure", "word", "value", "computed")]
    for language in languages(membership):
        for each in language.compared:
            if each.job is None or not each.result:
                continue
            head = (language.code, each.formal.key, each.casual.key)
            at = each.job.finished_at.isoformat() if each.job.finished_at else ""
            rows += [(*head, name, "", each.result[name], at) for name, _words in FIGURES]
            for name in ("only_formal", "only_casual"):
                rows += [(*head, name, word, n, at) for word, n in each.result[name]]
    return csv_answer(rows, f"{slug}-registers.csv")
