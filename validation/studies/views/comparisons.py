"""Blind comparisons for leads and administrators: choose two runs, follow, end, and read which wrote better."""

from collections.abc import Iterator, Mapping, Sequence

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.humanize.templatetags.humanize import intcomma
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.defaultfilters import floatformat
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.core.access import Membership
from annotation.core.errors import Conflict, Invalid
from annotation.generation.models import GenerationRun
from annotation.ui.csv_files import csv_answer
from annotation.ui.navigation import link
from annotation.ui.pages import context, whole_number, words_of
from annotation.ui.tables import NUMBER, TEXT, Table, columns, table
from validation.review.models.assessment import Comparison
from validation.studies.actions.comparisons import LARGEST, comparison_create, comparison_end
from validation.studies.queries import comparisons as fetch
from validation.studies.rules import comparisons as rules
from validation.studies.rules.comparisons import FIRST, SECOND, WinRate
from validation.studies.views.compare import PART_NAMES
from validation.studies.views.pages import state_tag

USUAL_SIZE = 200


def _models(run: GenerationRun) -> str:
    """The models that a run asked, as they were when it began."""
    named = [str(step.get("model", "")) for step in run.plan.get("steps", ())]
    return ", ".join(dict.fromkeys(name for name in named if name))


@login_required
@require_http_methods(["GET", "POST"])
def comparisons(request: HttpRequest, slug: str) -> HttpResponse:
    """The project's comparisons, and a form for a new one."""
    membership = fetch.overseer(request.user, slug)
    sent, problem, status = request.POST, "", 200
    first, second = whole_number(sent.get("first")), whole_number(sent.get("second"))
    if request.method == "POST":
        try:
            made = comparison_create(
                project=membership.project,
                first=first,
                second=second,
                parts=sent.getlist("part"),
                size=whole_number(sent.get("size")),
                by=membership.user,
            )
        except (Conflict, Invalid) as refusal:
            problem, status = words_of(refusal), refusal.page_status
        else:
            messages.success(request, _("Validators find the pairs under “Compare”."))
            return redirect("comparison", slug, made.n)
    shown = context(
        membership,
        "comparisons",
        listed=_listed(membership),
        runs=[(run, _models(run)) for run in fetch.comparable(membership)],
        problem=problem,
        parts=[(part, name, part in sent.getlist("part") or not sent) for part, name in PART_NAMES.items()],
        choices=[("first", _("First run"), first), ("second", _("Second run"), second)],
        size=sent.get("size", USUAL_SIZE),
        largest=LARGEST,
    )
    return render(request, "validation/studies/comparisons.html", shown, status=status)


def _listed(membership: Membership) -> list[tuple[Comparison, SafeString, bool, int, int]]:
    """Each comparison, its state, whether its runs are named, its pairs, and the answers."""
    return [
        (each, _state(each), fetch.names_shown(membership, each), pairs, given)
        for each, pairs, given in fetch.comparisons(membership)
    ]


def _state(of: Comparison) -> SafeString:
    return state_tag(_("ended") if of.ended_at else _("open"), is_open=not of.ended_at)


@login_required
@require_GET
def comparison(request: HttpRequest, slug: str, n: int) -> HttpResponse:
    """One comparison: how far it is, or what came of it."""
    membership = fetch.overseer(request.user, slug)
    found = fetch.one(membership, n)
    named = (found.first, found.second) if fetch.names_shown(membership, found) else ()
    shown = context(
        membership,
        "comparisons",
        comparison=found,
        state=_state(found),
        pairs=found.pairs.count(),
        progress=fetch.progress(found),
        runs=[(run, _models(run), link("machine_run", slug, run.n)) for run in named],
    )
    if found.ended_at is not None:
        tally = fetch.result(found)
        said, pairs = _("Win rates"), _("Win rates where each pair counts once")
        shown |= {
            "said": _rates(found, tally.said, said),
            "pairs_once": _rates(found, tally.pairs, pairs),
            "people": _people(found, tally),
        }
    return render(request, "validation/studies/comparison.html", shown)


def _rates(found: Comparison, counts: Mapping[str, WinRate], name: str) -> Table:
    rows = [
        (_(PART_NAMES[part]), _share(each, FIRST), _share(each, SECOND), each.equal, each.total)
        for part, each in counts.items()
    ]
    numbers = columns(NUMBER, found.first.name, found.second.name, _("Equal"), _("All"))
    return table([*columns(TEXT, _("Part")), *numbers], rows, region=name, cards=False)


def _share(counted: WinRate, run: str) -> SafeString | None:
    """One run's share of what had a winner, with its interval."""
    rate, interval = counted.rate(run), counted.interval(run)
    if rate is None or interval is None:
        return None
    low, high = (floatformat(100 * end, 1) for end in interval)
    return format_html(
        '{}&nbsp;%&nbsp;({})<br><span class="muted small">{}&nbsp;–&nbsp;{}&nbsp;%</span>',
        floatformat(100 * rate, 1),
        intcomma(counted.wins(run)),
        low,
        high,
    )


def _people(found: Comparison, tally: rules.Tally) -> Table | None:
    rows = [
        (who, _(PART_NAMES[part]), each.first, each.second, each.equal)
        for who, counts in tally.people.items()
        for part, each in counts.items()
    ]
    numbers = columns(NUMBER, found.first.name, found.second.name, _("Equal"))
    return table([*columns(TEXT, _("Person"), _("Part")), *numbers], rows) if rows else None


@login_required
@require_POST
def comparison_over(request: HttpRequest, slug: str, n: int) -> HttpResponse:
    """End a comparison and show what came of it."""
    membership = fetch.overseer(request.user, slug)
    comparison_end(project=membership.project, n=fetch.one(membership, n).n, by=membership.user)
    messages.success(request, _("The comparison has ended. Its result stands below."))
    return redirect("comparison", slug, n)


@login_required
@require_GET
def comparison_rates(request: HttpRequest, slug: str, n: int) -> HttpResponse:
    """Win rates by part as CSV: over all that was said, over pairs, and by person; only of an ended comparison."""
    found = fetch.one(fetch.overseer(request.user, slug), n)
    return csv_answer(_rate_rows(found, fetch.result(found)), f"comparison-{found.n}-rates.csv")


def _rate_rows(found: Comparison, tally: rules.Tally) -> Iterator[Sequence[object]]:
    yield ["over", "person", "part", "run", "wins", "equal", "total", "win_rate", "low_95", "high_95"]
    of_people = [("person", who, counts) for who, counts in tally.people.items()]
    for over, who, counts in [("said", "", tally.said), ("pairs", "", tally.pairs), *of_people]:
        for part, each in counts.items():
            for run, name in ((FIRST, found.first.name), (SECOND, found.second.name)):
                figures = [each.rate(run), *(each.interval(run) or (None, None))]
                cells = ["" if figure is None else f"{figure:.6f}" for figure in figures]
                yield [over, who, part, name, each.wins(run), each.equal, each.total, *cells]


@login_required
@require_GET
def comparison_rows(request: HttpRequest, slug: str, n: int) -> HttpResponse:
    """Everything that was said, as CSV; only of an ended comparison."""
    found = fetch.one(fetch.overseer(request.user, slug), n)
    fetch.ended(found)
    return csv_answer(_preference_rows(found), f"comparison-{found.n}-preferences.csv")


def _preference_rows(found: Comparison) -> Iterator[Sequence[object]]:
    names = {FIRST: found.first.name, SECOND: found.second.name, rules.EQUAL: rules.EQUAL}
    yield ["pair", "source", "left", "person", *found.parts, "comment", "seconds"]
    for row in fetch.given(found).iterator(chunk_size=2000):
        pair = row.pair
        better = [names[rules.meant(str(row.chosen[part]), pair.swapped)] for part in found.parts]
        left = names[rules.meant(rules.LEFT, pair.swapped)]
        who, source = row.annotator.pseudonym, pair.first.material.key
        yield [pair.position, source, left, who, *better, row.comment, f"{row.seconds:.1f}"]
