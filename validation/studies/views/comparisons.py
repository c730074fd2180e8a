"""Blind comparisons for leads and administrators: choose two runs, follow, end, and read which wrote better."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.core.access import Membership
from annotation.core.errors import Conflict, Invalid
from annotation.core.messages import problem_words
from annotation.generation.models import GenerationRun
from annotation.ui.csv_files import csv_answer
from annotation.ui.navigation import link, rooms
from validation.review.models.assessment import Comparison
from validation.studies.actions.comparisons import LARGEST, comparison_create, comparison_end
from validation.studies.queries import comparisons as fetch
from validation.studies.rules import comparisons as rules
from validation.studies.rules.comparisons import FIRST, SECOND, WinRate
from validation.studies.views.compare import PART_NAMES

USUAL_SIZE = 200


@dataclass(frozen=True)
class Share:
    """One run's share of what had a winner, in hundredths, with its interval; None where nothing had one."""

    wins: int
    rate: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Line:
    """A part of the questions: what each run won of it, and how often neither did."""

    part: str
    name: str
    first: Share
    second: Share
    equal: int
    total: int


def _share(counted: WinRate, run: str) -> Share:
    rate, interval = counted.rate(run), counted.interval(run)
    wins = counted.first if run == FIRST else counted.second
    if rate is None or interval is None:
        return Share(wins, None, None, None)
    return Share(wins, 100 * rate, 100 * interval.low, 100 * interval.high)


def _lines(counts: Mapping[str, WinRate]) -> list[Line]:
    return [
        Line(part, PART_NAMES[part], _share(each, FIRST), _share(each, SECOND), each.equal, each.total)
        for part, each in counts.items()
    ]


def _models(run: GenerationRun) -> str:
    """The models that a run asked, as they were when it began."""
    named = [str(step.get("model", "")) for step in run.plan.get("steps", ())]
    return ", ".join(dict.fromkeys(name for name in named if name))


def _number(text: str) -> int:
    """A whole number as typed; 0, which nothing takes, for anything else."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0


def _context(membership: Membership) -> dict[str, Any]:
    return {"project": membership.project, "membership": membership, "nav": rooms(membership, "comparisons")}


@login_required
@require_http_methods(["GET", "POST"])
def comparisons(request: HttpRequest, slug: str) -> HttpResponse:
    """The project's comparisons, and a form for a new one."""
    membership = fetch.overseer(request.user, slug)
    problem, status = "", 200
    if request.method == "POST":
        try:
            made = _created(membership, request.POST)
        except (Conflict, Invalid) as refusal:
            problem, status = problem_words(refusal.code), 409 if isinstance(refusal, Conflict) else 422
        else:
            messages.success(request, gettext("Validators find the pairs under “Compare”."))
            return redirect("comparison", slug, made.n)
    sent = request.POST
    context = {
        **_context(membership),
        "comparisons": [
            (each, fetch.names_shown(membership, each.comparison)) for each in fetch.comparisons(membership)
        ],
        "runs": [(run, _models(run)) for run in fetch.comparable(membership)],
        "problem": problem,
        "parts": [
            (part, name, part in sent.getlist("part") or not sent) for part, name in PART_NAMES.items()
        ],
        "typed": {"first": _number(sent.get("first", "")), "second": _number(sent.get("second", ""))},
        "size": sent.get("size", USUAL_SIZE),
        "largest": LARGEST,
    }
    return render(request, "validation/studies/comparisons.html", context, status=status)


def _created(membership: Membership, sent: QueryDict) -> Comparison:
    return comparison_create(
        project=membership.project,
        first=_number(sent.get("first", "")),
        second=_number(sent.get("second", "")),
        parts=sent.getlist("part"),
        size=_number(sent.get("size", "")),
        by=membership.user,
    )


@login_required
@require_GET
def comparison(request: HttpRequest, slug: str, n: int) -> HttpResponse:
    """One comparison: how far it is, or what came of it."""
    membership = fetch.overseer(request.user, slug)
    found = fetch.one(membership, n)
    context = {
        **_context(membership),
        "comparison": found,
        "pairs": found.pairs.count(),
        "parts": [PART_NAMES[part] for part in found.parts],
        "progress": fetch.progress(found),
        "runs": _named(membership, found) if fetch.names_shown(membership, found) else None,
    }
    if found.ended_at is not None:
        tally = fetch.result(found)
        context |= {
            "tables": [("said", _lines(tally.said)), ("pairs", _lines(tally.pairs))],
            "people": [(who, _lines(counts)) for who, counts in tally.people.items()],
        }
    return render(request, "validation/studies/comparison.html", context)


def _named(membership: Membership, found: Comparison) -> list[tuple[GenerationRun, str, str]]:
    """Both runs with their models, and where their pages are."""
    return [
        (run, _models(run), link("machine_run", membership.project.slug, run.n))
        for run in (found.first, found.second)
    ]


@login_required
@require_POST
def comparison_over(request: HttpRequest, slug: str, n: int) -> HttpResponse:
    """End a comparison and show what came of it."""
    membership = fetch.overseer(request.user, slug)
    comparison_end(project=membership.project, n=fetch.one(membership, n).n, by=membership.user)
    messages.success(request, gettext("The comparison has ended. Its result stands below."))
    return redirect("comparison", slug, n)


def _file(found: Comparison, name: str, rows: Iterable[Sequence[object]]) -> HttpResponse:
    return csv_answer(rows, f"comparison-{found.n}-{name}.csv")


@login_required
@require_GET
def comparison_rates(request: HttpRequest, slug: str, n: int) -> HttpResponse:
    """Win rates by part as CSV: over all that was said, over pairs, and by person; only of an ended comparison."""
    membership = fetch.overseer(request.user, slug)
    found = fetch.one(membership, n)
    return _file(found, "rates", _rate_rows(found, fetch.result(found)))


def _rate_rows(found: Comparison, tally: rules.Tally) -> Iterator[Sequence[object]]:
    yield ["over", "person", "part", "run", "wins", "equal", "total", "win_rate", "low_95", "high_95"]
    of_people = [("person", who, counts) for who, counts in tally.people.items()]
    for over, who, counts in [("said", "", tally.said), ("pairs", "", tally.pairs), *of_people]:
        for line in _lines(counts):
            for run, share in ((found.first, line.first), (found.second, line.second)):
                figures = [_figure(value) for value in (share.rate, share.low, share.high)]
                yield [over, who, line.part, run.name, share.wins, line.equal, line.total, *figures]


def _figure(hundredths: float | None) -> str:
    return "" if hundredths is None else f"{hundredths / 100:.6f}"


@login_required
@require_GET
def comparison_rows(request: HttpRequest, slug: str, n: int) -> HttpResponse:
    """Everything that was said, as CSV; only of an ended comparison."""
    membership = fetch.overseer(request.user, slug)
    found = fetch.one(membership, n)
    fetch.ended(found)
    return _file(found, "preferences", _preference_rows(found))


def _preference_rows(found: Comparison) -> Iterator[Sequence[object]]:
    names = {FIRST: found.first.name, SECOND: found.second.name, rules.EQUAL: rules.EQUAL}
    yield ["pair", "source", "left", "person", *found.parts, "comment", "seconds"]
    for row in fetch.given(found).iterator(chunk_size=2000):
        pair = row.pair
        better = [names[rules.meant(str(row.chosen[part]), pair.swapped)] for part in found.parts]
        left = names[rules.meant(rules.LEFT, pair.swapped)]
        who, source = row.annotator.pseudonym, pair.first.material.key
        yield [pair.position, source, left, who, *better, row.comment, f"{row.seconds:.1f}"]
